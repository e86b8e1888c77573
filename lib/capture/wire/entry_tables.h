// SPDX-License-Identifier: Apache-2.0
//
// The entry tables give ids to what events name again and again: strings, lanes, threads, shapes of
// kernels. Each table is bounded; a new entry goes into the block under construction.
#ifndef PROF_LIB_CAPTURE_WIRE_ENTRY_TABLES_H_
#define PROF_LIB_CAPTURE_WIRE_ENTRY_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/capture/events/events.h"
#include "lib/capture/wire/columns.h"
#include "lib/format/hash.h"

namespace prof::capture {

// The fields of a KernelEvent that repeat.
using ShapeKey = std::array<uint32_t, 17>;
using StreamKey = std::array<uint32_t, 5>;
// The fields that a launch call has: name, grid, block, dynamic shared memory.
using LaunchKey = std::array<uint32_t, 8>;

template <size_t N>
struct ArrayHash {
  size_t operator()(const std::array<uint32_t, N>& key) const {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (const uint32_t value : key) hash = format::Mix(hash, value);
    return hash;
  }
};

// A cache of recent lookups in front of a table, because events repeat. A slot holds the full key,
// so one key cannot be mistaken for another.
template <typename Key, size_t N>
class Recent {
 public:
  struct Slot {
    Key key{};
    uint32_t id = 0;  // 0: empty
  };
  Slot& at(size_t hash) { return slots_[hash % N]; }

 private:
  std::array<Slot, N> slots_{};
};

// Ids count from 1. 0: the table was full, or there was nothing to name.
class EntryTables {
 public:
  explicit EntryTables(BlockColumns* block) : block_(block) {}

  uint32_t Intern(std::string_view text);
  // For a kernel, copy or memset event.
  template <typename Event>
  uint32_t Lane(const Event& event) {
    const StreamKey key = {event.device, event.context, event.stream, event.channel.id,
                           static_cast<uint32_t>(event.channel.type)};
    if (key != last_lane_.key || last_lane_.id == 0) last_lane_ = {key, Lane(key)};
    return last_lane_.id;
  }
  // For a launch that has no record: its channel is not known.
  uint32_t Lane(const UntracedKernelEvent& event) {
    return Lane({event.device, event.context, event.stream, 0, 0});
  }
  uint32_t Lane(const AllocationEvent& event) {
    return Lane({event.device, event.context, event.stream, 0, 0});
  }
  uint32_t Thread(uint32_t tid);
  // `name`: the id of a string. It goes into the thread's entry, if that comes later.
  void NameThread(uint32_t tid, uint32_t name);
  uint32_t Shape(const KernelEvent& event);
  // The latest shape with the fields of the launch call, or a shape that has these fields only.
  uint32_t Shape(const UntracedKernelEvent& event);
  uint32_t Shape(const LaunchCountEvent& event);

  // Adds the entry of a stream, unless it has one like it.
  void Stream(const StreamEvent& event);

  // Entries that had no room.
  uint64_t dropped() const { return dropped_; }

 private:
  uint32_t ShapeOfName(uint32_t name);
  template <typename Event>
  LaunchKey KeyOfLaunch(const Event& event);
  uint32_t InternNew(std::string_view text);  // for text that is not in recent_strings_
  uint32_t Lane(const StreamKey& key);

  BlockColumns* block_;
  uint64_t dropped_ = 0;
  std::unordered_map<std::string, uint32_t> strings_;
  size_t string_bytes_ = 0;
  std::unordered_map<ShapeKey, uint32_t, ArrayHash<17>> shapes_;
  std::unordered_map<LaunchKey, uint32_t, ArrayHash<8>> shape_of_launch_;  // the latest one
  std::unordered_map<StreamKey, uint32_t, ArrayHash<5>> lanes_;
  // context and stream -> priority and flag
  std::unordered_map<std::array<uint32_t, 2>, std::array<uint32_t, 2>, ArrayHash<2>> streams_;
  std::unordered_map<uint32_t, uint32_t> threads_;
  std::unordered_map<uint32_t, uint32_t> thread_names_;  // tid -> string id, before its first event
  Recent<std::string, 1024> recent_strings_;             // by address; as given, not as sanitized
  Recent<ShapeKey, 1024> recent_shapes_;
  Recent<StreamKey, 16> recent_lanes_;
  Recent<StreamKey, 16>::Slot last_lane_;
  Recent<uint32_t, 16> recent_threads_;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_ENTRY_TABLES_H_
