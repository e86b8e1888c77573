// SPDX-License-Identifier: Apache-2.0
//
// The launch counts have the number of launches of each kernel and graph, whether they are traced
// or not.
#ifndef PROF_CUPTI_BACKEND_LAUNCH_COUNTS_H_
#define PROF_CUPTI_BACKEND_LAUNCH_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/schedule/launch.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

class LaunchCounts {
 public:
  // Kernels with their launch, and graphs. Those that come when it is full count as one.
  static constexpr size_t kCapacity = 8192;

  explicit LaunchCounts(const CuptiApi* api);
  ~LaunchCounts();
  LaunchCounts(const LaunchCounts&) = delete;
  LaunchCounts& operator=(const LaunchCounts&) = delete;

  // Launching threads, at the begin of a launch. No lock; memory is taken for the first launch of a
  // kernel only.
  void Count(const Launch& launch);

  // The collector's thread: the launches since the last call.
  [[nodiscard]] std::vector<capture::LaunchCountEvent> Take();

 private:
  struct alignas(64) Entry {
    std::atomic<uint64_t> key{0};  // 0: free
    std::atomic<uint64_t> launches{0};
    std::atomic<const capture::LaunchCountEvent*> launched{nullptr};  // null: not written yet
    uint64_t taken = 0;
  };
  Entry& Find(uint64_t key, bool* is_new);
  void Describe(const Launch& launch, uint32_t graph, Entry* entry) const;

  const CuptiApi* const api_;
  const std::unique_ptr<std::array<Entry, kCapacity>> entries_;
  std::atomic<size_t> used_{0};
  Entry others_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_LAUNCH_COUNTS_H_
