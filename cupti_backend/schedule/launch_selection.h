// SPDX-License-Identifier: Apache-2.0
//
// The launch selection decides which kernels may be sampled: those that the user chose, without
// those for which a counter range is not safe. It decides once for each signature; a launch pays
// only for atomics.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_SELECTION_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_SELECTION_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/schedule/sample_schedule.h"
#include "lib/capture/events/events.h"
#include "lib/capture/process/mutex.h"
#include "lib/capture/windows/path_filter.h"
#include "lib/options/name_filter.h"
#include "prof/session.h"

namespace prof::cupti {

class LaunchSelection {
 public:
  explicit LaunchSelection(const SessionOptions& options);

  // --- Launching threads ---

  // For a new signature. `name`: as CUPTI gives it (mangled), or nullptr. With a filter it
  // demangles and runs the expression: some 10 us. Notices() names excluded kernels. A graph has no
  // name: its range alone can choose it, a kernel filter never does.
  Exclusion Decide(const char* name, bool range_matches,
                   capture::SampleUnit unit = capture::SampleUnit::kKernel);

  // Whether the path matches the range filter: about 1 ns once the path is known. Allocates for a
  // new path.
  bool RangeMatches(uint32_t path) { return range_filter_.Matches(path); }

  // Counts a launch of a signature that is not excluded. False when it is before or after the
  // launches that the options choose.
  bool Admits() {
    if (!counts_launches_) return true;
    const int64_t launch = launches_.fetch_add(1, std::memory_order_relaxed);
    return launch >= skip_ && (count_ == 0 || launch - skip_ < count_);
  }
  // A kernel of NCCL was launched.
  bool saw_nccl() const { return saw_nccl_.load(std::memory_order_relaxed); }
  // No launch is admitted any more.
  bool Exhausted() const {
    return count_ != 0 && launches_.load(std::memory_order_relaxed) - skip_ >= count_;
  }

  // `entry` is never sampled from now on. Takes a lock and allocates: for rare cases.
  void Exclude(SampleSchedule& schedule, SampleSchedule::Entry& entry, Exclusion reason,
               const char* name);
  // A launch on several devices at once has no signature.
  void CountSeveralDevices() { several_devices_.fetch_add(1, std::memory_order_relaxed); }

  // --- The end of a recording ---

  // What was not sampled, and why.
  std::vector<capture::NoticeEvent> Notices(const SampleSchedule& schedule) const;

 private:
  static constexpr size_t kMaxNames = 64;  // of excluded kernels, per reason

  void AddName(Exclusion reason, const char* name);
  bool KernelMatches(const char* name);

  const std::string kernel_expression_, range_expression_;
  const options::NameFilter kernel_filter_;
  capture::PathFilter range_filter_;
  const int64_t skip_, count_;
  const bool counts_launches_;
  std::atomic<int64_t> launches_{0};
  std::atomic<uint64_t> several_devices_{0};
  std::atomic<bool> chose_one_{false};
  std::atomic<bool> match_failed_{false};
  std::atomic<bool> saw_nccl_{false};

  mutable capture::Mutex mutex_;
  std::array<std::vector<std::string>, kExclusions> names_ PROF_GUARDED_BY(mutex_);  // each once
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_SELECTION_H_
