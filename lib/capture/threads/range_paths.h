// SPDX-License-Identifier: Apache-2.0
//
// Range paths are the tree of nested ranges: one node for each (parent, domain, name) that was ever
// open. Nodes live as long as the process; ids count from 1.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_PATHS_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_PATHS_H_

#include <atomic>
#include <cstdint>

#include "lib/capture/threads/range_strings.h"

namespace prof::capture {

constexpr uint32_t kMaxPaths = 65'536;
constexpr uint32_t kNoPath = 0;

// A node is kNew until its maker has filled it. The reader gives up one that stays so: its maker is
// gone (a thread that was cancelled, or one of the parent of a fork) or learns that it came too
// late.
enum class NodeState : uint8_t { kNew, kReady, kGivenUp };

struct PathNode {
  const StoredString* name = nullptr;
  const StoredString* domain = nullptr;  // nullptr: the default domain
  uint32_t parent = 0;
  uint32_t color = 0, category = 0;
  uint64_t pattern = 0;  // of the path with its numbers left out
  uint64_t family = 0;   // see PathFamily in thread_recorder.h
  std::atomic<NodeState> state{NodeState::kNew};
};

class RangePaths {
 public:
  constexpr RangePaths() = default;

  // The node `name` below `parent`, made when it is new (with `color` and `category`, which are
  // those of the first use). Any thread; lock-free, no allocation. kNoPath when it is new and the
  // table is full, or when the name or the domain had no room: counted in dropped(). Threads that
  // make the same node at the same time may use up an id each; all of them get the same one.
  [[nodiscard]] uint32_t Child(uint32_t parent, const StoredString* domain,
                               const StoredString* name, uint32_t color, uint32_t category);

  // `id`: one that Child returned, or one whose node is ready.
  [[nodiscard]] const PathNode& At(uint32_t id) const { return nodes_[id]; }

  // Ids up to this one have been given out; the last ones may not be ready yet.
  [[nodiscard]] uint32_t last() const;

  // Nobody ever gets this id, unless its node has become ready meanwhile.
  void GiveUp(uint32_t id);

  // Since the process began.
  [[nodiscard]] uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kSlots = kMaxPaths * 2;

  uint32_t Drop();
  uint64_t PatternOf(uint32_t parent, const StoredString* name) const;
  uint64_t FamilyOf(uint32_t id, uint64_t pattern) const;
  uint32_t NewNode(uint32_t parent, const StoredString* domain, const StoredString* name,
                   uint32_t color, uint32_t category);

  PathNode nodes_[kMaxPaths + 1] = {};
  std::atomic<uint32_t> slots_[kSlots] = {};  // ids
  alignas(64) std::atomic<uint32_t> last_{0};
  alignas(64) std::atomic<uint64_t> dropped_{0};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_PATHS_H_
