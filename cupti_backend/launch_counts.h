// SPDX-License-Identifier: Apache-2.0
//
// The launch counts have the number of launches of each kernel and graph, whether they are traced
// or not.
#ifndef PROF_CUPTI_BACKEND_LAUNCH_COUNTS_H_
#define PROF_CUPTI_BACKEND_LAUNCH_COUNTS_H_

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
  // Kernels with their launch, and graphs. Those that come when their table is full count as one.
  static constexpr size_t kMostKernels = 16'384, kMostGraphs = 4'096;

  explicit LaunchCounts(const CuptiApi* api) : api_(api) {}

  // Launching threads, at the end of a launch. No lock; memory is taken for the first launch of a
  // kernel only.
  void Count(const Launch& launch);

  // The collector's thread: the launches since the last call.
  [[nodiscard]] std::vector<capture::LaunchCountEvent> Take();

 private:
  struct alignas(64) Entry {
    ~Entry() { delete launched.load(); }
    // Adds what is new since the last call.
    void TakeInto(std::vector<capture::LaunchCountEvent>* counts);

    std::atomic<uint64_t> key{0};  // 0: free
    std::atomic<uint64_t> launches{0};
    std::atomic<const capture::LaunchCountEvent*> launched{nullptr};  // null: not written yet
    uint64_t taken = 0;
  };

  class Table {
   public:
    explicit Table(size_t most) : most_(most), entries_(std::make_unique<Entry[]>(2 * most)) {}
    // nullptr: it is full.
    Entry* Find(uint64_t key, bool* is_new);
    void TakeInto(std::vector<capture::LaunchCountEvent>* counts);

   private:
    const size_t most_;                       // half of the entries, so that a search ends soon
    const std::unique_ptr<Entry[]> entries_;  // by key
    std::atomic<size_t> used_{0};
  };

  void CountIn(Table& table, uint64_t key, const Launch& launch, uint32_t graph);
  std::unique_ptr<const capture::LaunchCountEvent> Describe(const Launch& launch,
                                                            uint32_t graph) const;

  const CuptiApi* const api_;
  Table kernels_{kMostKernels}, graphs_{kMostGraphs};
  std::atomic<uint64_t> others_{0};
  uint64_t others_taken_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_LAUNCH_COUNTS_H_
