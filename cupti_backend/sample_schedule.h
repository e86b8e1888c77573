// SPDX-License-Identifier: Apache-2.0
//
// Which launches are sampled, for which pass group, and when to change groups. Pure bookkeeping:
// no CUPTI, no clock of its own.
#ifndef PROF_CUPTI_BACKEND_SAMPLE_SCHEDULE_H_
#define PROF_CUPTI_BACKEND_SAMPLE_SCHEDULE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace prof::cupti {

// What makes launches alike enough to put their counters together.
struct Signature {
  const void* function = nullptr;
  const void* context = nullptr;
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t dynamic_shared_bytes = 0;
  uint64_t range_family = 0;  // NVTX path; numbered siblings count as one
};

uint64_t HashOf(const Signature& signature);  // never 0

// Launching threads call Find and Next: no lock, no allocation. The table is bounded; launches
// whose signature found no room are counted.
class SampleSchedule {
 public:
  static constexpr uint32_t kMaxGroups = 48;
  static constexpr uint32_t kCapacity = 8192;
  // A group is left when nothing has wanted it for this long while other groups were wanted ...
  static constexpr int64_t kGroupPatienceNs = 20'000'000;
  // ... or when so many launches wanted others.
  static constexpr uint32_t kGroupPatienceLaunches = 512;

  struct Entry {
    std::atomic<uint64_t> key{0};
    std::atomic<uint32_t> launches{0};
    std::atomic<bool> excluded{false};
    std::atomic<bool> done{false};
    std::array<std::atomic<uint8_t>, kMaxGroups> taken{};
  };

  // `samples` per signature and group (1..100), after `skip` launches.
  SampleSchedule(uint32_t samples, uint32_t skip);

  // The entry of `key`, made when it is new (`*is_new`); nullptr when the table is full.
  Entry* Find(uint64_t key, bool* is_new);

  enum class Action { kNone, kSample, kRotate };
  struct Decision {
    Action action = Action::kNone;
    uint32_t group = 0;  // to sample, or to rotate to
  };

  // What to do with this launch. `groups` is the number of groups of its chip, `active` the one
  // that is being collected or -1.
  Decision Next(Entry& entry, uint32_t groups, int active, int64_t now_ns);

  // The launch was sampled for `group`.
  void Took(Entry& entry, uint32_t group, int64_t now_ns);

  // Every signature that still runs has all its samples, as far as can be told: none is pending,
  // or none of the last launches wanted anything.
  bool Complete() const;

  uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  uint32_t signatures() const { return signatures_.load(std::memory_order_relaxed); }

 private:
  const uint8_t samples_;
  const uint32_t skip_;
  std::unique_ptr<Entry[]> entries_;
  std::atomic<uint32_t> signatures_{0};
  std::atomic<uint32_t> pending_{0};
  std::atomic<uint64_t> dropped_{0};
  std::atomic<uint32_t> launches_since_want_{0};
  // Launches since the last sample that wanted a group which is not active, by group.
  std::array<std::atomic<uint32_t>, kMaxGroups> missed_{};
  std::atomic<uint32_t> missed_total_{0};
  std::atomic<int64_t> last_take_ns_{0};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLE_SCHEDULE_H_
