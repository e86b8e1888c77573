// SPDX-License-Identifier: Apache-2.0
//
// The launch id cache remembers which LaunchId the sink gave to a kernel's record: programs launch
// the same kernels over and over.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_LAUNCH_ID_CACHE_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_LAUNCH_ID_CACHE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

// It holds the last launches of this buffer. Nothing is kept from one buffer to the next, because
// the address of a name stands for the name. The collector thread alone uses it. Find compares 92
// bytes with the record in place. The table takes 208 KiB, and a launch touches two cache lines of
// it.
class LaunchIdCache {
 public:
  using Record = CUpti_ActivityKernel10;
  // Of a LaunchId that lasts.
  struct Id {
    uint32_t shape = 0, lane = 0;
  };
  void BeginBuffer() { ++buffer_; }
  // The id of a record's launch; nullptr: not known.
  const Id* Find(const Record& r) const {
    const Launch& launch = launches_[Hash(r) % launches_.size()];
    return launch.Is(r, buffer_) ? &launch.id : nullptr;
  }
  void Keep(const Record& r, const Id& id) {
    launches_[Hash(r) % launches_.size()] = Launch(r, buffer_, id);
  }

 private:
  static uint64_t Word(const Record& r, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char*>(&r) + at, sizeof(word));
    return word;
  }

  // A copy of these bytes of a record.
  template <size_t kBegin, size_t kEnd>
  struct Span {
    static_assert(kBegin < kEnd && (kEnd - kBegin) % sizeof(uint64_t) == 0);
    std::array<uint64_t, (kEnd - kBegin) / sizeof(uint64_t)> words{};

    Span() = default;
    explicit Span(const Record& r) {
      for (size_t i = 0; i < words.size(); ++i) words[i] = Word(r, kBegin + i * sizeof(uint64_t));
    }
    uint64_t Difference(const Record& r) const {
      uint64_t difference = 0;
      for (size_t i = 0; i < words.size(); ++i) {
        difference |= words[i] ^ Word(r, kBegin + i * sizeof(uint64_t));
      }
      return difference;
    }
  };

  // Everything that a LaunchId depends on. Bytes between these fields do no harm: where they
  // differ, the id is looked up once more.
  struct Launch {
    Span<offsetof(Record, deviceId), offsetof(Record, localMemoryTotal)> place_and_size;
    Span<offsetof(Record, channelID), offsetof(Record, localMemoryTotal_v2)> channel_and_cluster;
    Span<offsetof(Record, launchType), offsetof(Record, graphNodeId)> type_and_shared_memory;
    Span<offsetof(Record, name), offsetof(Record, reserved0)> name;
    uint32_t registers = 0;
    uint32_t buffer = 0;  // 0: none
    Id id;

    Launch() = default;
    Launch(const Record& r, uint32_t in_buffer, const Id& its_id)
        : place_and_size(r),
          channel_and_cluster(r),
          type_and_shared_memory(r),
          name(r),
          registers(r.registersPerThread),
          buffer(in_buffer),
          id(its_id) {}

    bool Is(const Record& r, uint32_t in_buffer) const {
      const uint32_t difference = (registers ^ r.registersPerThread) | (buffer ^ in_buffer);
      return (place_and_size.Difference(r) | channel_and_cluster.Difference(r) |
              type_and_shared_memory.Difference(r) | name.Difference(r) | difference) ==
             0;  // one branch for all of it
    }
  };

  // Hashes the fields in which launches mostly differ.
  static size_t Hash(const Record& r) {
    const uint64_t name = Word(r, offsetof(Record, name));
    const uint64_t stream_and_grid = Word(r, offsetof(Record, streamId));
    const uint64_t grid = Word(r, offsetof(Record, gridY));
    const uint64_t block = Word(r, offsetof(Record, blockX));
    const uint64_t memory = Word(r, offsetof(Record, dynamicSharedMemory));
    return (name * 0x9e3779b97f4a7c15u ^ stream_and_grid * 0xff51afd7ed558ccdu ^
            grid * 0xc4ceb9fe1a85ec53u ^ (block + memory) * 0xd6e8feb86659fd93u) >>
           32;
  }

  static_assert(sizeof(Launch) == 104);
  std::array<Launch, 2048> launches_;
  uint32_t buffer_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_LAUNCH_ID_CACHE_H_
