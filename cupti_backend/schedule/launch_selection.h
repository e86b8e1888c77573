// SPDX-License-Identifier: Apache-2.0
//
// Which kernels may be sampled at all: the user's choice, without those for which a counter range
// is not safe. Asked once for each signature; a launch pays for atomics only.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_SELECTION_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_SELECTION_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cupti_backend/schedule/path_filter.h"
#include "cupti_backend/schedule/sample_schedule.h"
#include "lib/capture/events/events.h"
#include "lib/options/name_filter.h"
#include "prof/session.h"

namespace prof::cupti {

// True for kernels whose names say that they wait for other kernels or other GPUs. To hold such a
// launch up while its peers run can stop the program for ever. `name` may be mangled.
bool WaitsForOthers(const char* name);

class LaunchSelection {
 public:
  explicit LaunchSelection(const SessionOptions& options);

  // --- Launching threads ---

  // For a new signature, `name` as CUPTI gives it (mangled) or nullptr. Demangles, and runs the
  // expression, when there is a filter: some 10 us. Excluded ones are noted for Notices().
  // A graph has no name: it is chosen by its range alone, and not at all by a kernel filter.
  Exclusion Decide(const char* name, bool range_matches,
                   capture::SampleUnit unit = capture::SampleUnit::kKernel);

  // Whether the range filter is found in the path: about 1 ns once a path is known. Allocates for a
  // new path.
  bool RangeMatches(uint32_t path) { return range_filter_.Matches(path); }

  // Counts a launch of a signature that is not excluded. False when it is before or after those
  // that the options let in.
  bool Admits() {
    if (!counts_launches_) return true;
    const int64_t launch = launches_.fetch_add(1, std::memory_order_relaxed);
    return launch >= skip_ && (count_ == 0 || launch - skip_ < count_);
  }
  // No launch is admitted any more.
  bool Exhausted() const {
    return count_ != 0 && launches_.load(std::memory_order_relaxed) - skip_ >= count_;
  }

  // `entry` is never sampled from now on. Takes a lock and allocates: not for a common case.
  void Exclude(SampleSchedule& schedule, SampleSchedule::Entry& entry, Exclusion reason,
               const char* name);
  // A launch on several devices at once: it has no signature of its own.
  void CountSeveralDevices() { several_devices_.fetch_add(1, std::memory_order_relaxed); }

  // --- The end of a recording ---

  // What was not sampled and why, for the snapshot.
  std::vector<capture::NoticeEvent> Notices(const SampleSchedule& schedule) const;

 private:
  static constexpr size_t kMaxNames = 64;  // kept of those that are excluded, per reason

  void AddName(Exclusion reason, const char* name);
  bool KernelMatches(const char* name);

  const std::string kernel_expression_, range_expression_;
  const options::NameFilter kernel_filter_;
  PathFilter range_filter_;
  const int64_t skip_, count_;
  const bool counts_launches_;
  std::atomic<int64_t> launches_{0};
  std::atomic<uint64_t> several_devices_{0};
  std::atomic<bool> chose_one_{false};
  std::atomic<bool> match_failed_{false};

  mutable std::mutex mutex_;  // of the names, each once
  std::array<std::vector<std::string>, kExclusions> names_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_SELECTION_H_
