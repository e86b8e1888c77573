// SPDX-License-Identifier: Apache-2.0
//
// The context counters are the hardware side of one context: its range profiler, the pass group
// that is counted, and the samples that were not read yet.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_COUNTERS_H_
#define PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_COUNTERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cupti_backend/sampling/counter_plans.h"
#include "cupti_backend/sampling/hardware_lease.h"
#include "cupti_backend/sampling/range_profiler.h"
#include "cupti_backend/sampling/sample_reader.h"
#include "cupti_backend/sampling/sampler_parts.h"

namespace prof::cupti {

// The holder of the hardware lease, unless a function has none in its signature. What returns a
// CUptiResult returns CUPTI's.
class ContextCounters {
 public:
  // `parts` and `plan` outlive this; `plan` is filled in before Enable.
  ContextCounters(SamplerParts* parts, const ContextPlan* plan, size_t slot)
      : parts_(parts), plan_(plan), slot_(slot) {}

  // CUPTI has loaded what counters need, and has given some: in this process, ever. Any thread.
  static bool ProfilerLoaded();

  // The group that is counted; -1: none. Any thread.
  int group() const { return group_.load(); }

  bool enabled(const HardwareLease&) const { return profiler_ != nullptr; }
  CUptiResult Enable(const HardwareLease& lease, CUcontext context);
  // Reads the samples taken so far and counts `group` from now on. Waits for the context's work.
  CUptiResult Count(const HardwareLease& lease, uint32_t group);
  CUptiResult StopAndDecode(const HardwareLease& lease);
  // Lets go of the hardware; the samples are lost.
  void Disable(const HardwareLease& lease);
  // Lets go of everything, so that Enable can be tried again later.
  void Reset(const HardwareLease& lease);
  // The samples that were not read are lost, and counted.
  void LoseSamples(const HardwareLease& lease);

  bool counting(const HardwareLease&) const { return started_; }
  // One more sample fits before the next decode.
  bool has_room(const HardwareLease&) const {
    return profiler_ == nullptr || samples_.size() < profiler_->max_ranges();
  }
  // Around the work that is counted. `sample.begin_ns` is now. No allocation.
  CUptiResult Push(const HardwareLease& lease, const Sample& sample);
  CUptiResult Pop(const HardwareLease& lease);
  // The sample that was pushed last is no good.
  void SpoilSample(const HardwareLease& lease);
  // The sample that was pushed last has ended.
  void EndSample(const HardwareLease& lease, int64_t end_ns);

 private:
  SamplerParts* const parts_;
  const ContextPlan* const plan_;
  const size_t slot_;
  std::atomic<int> group_{-1};
  std::unique_ptr<RangeProfiler> profiler_;
  bool is_new_ = false;  // the profiler: nothing was configured yet
  bool started_ = false;
  std::vector<Sample> samples_;  // since the last decode; its place is the range's name
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_COUNTERS_H_
