// SPDX-License-Identifier: Apache-2.0
//
// The sampler's parts are what its contexts, its worker and the launching threads share.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_PARTS_H_
#define PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_PARTS_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/api/driver_api.h"
#include "cupti_backend/sampling/counter_plans.h"
#include "cupti_backend/sampling/hardware_lease.h"
#include "cupti_backend/sampling/held_up_watch.h"
#include "cupti_backend/sampling/launch_gate.h"
#include "cupti_backend/sampling/sampler_outbox.h"
#include "cupti_backend/sampling/sampling_budget.h"
#include "cupti_backend/sampling/trace_pause.h"
#include "cupti_backend/schedule/capture_watch.h"
#include "cupti_backend/schedule/hardware_turns.h"
#include "cupti_backend/schedule/launch.h"
#include "cupti_backend/schedule/sampling_policy.h"
#include "cupti_backend/schedule/work_signal.h"
#include "prof/session.h"

namespace prof::cupti {

struct SamplerParts {
  // How long a thread waits for a launch that is under way.
  static constexpr int64_t kLaunchWaitNs = 1'000'000'000;

  // Both tables outlive this.
  SamplerParts(const CuptiApi* api_table, const DriverApi* driver_table,
               const SessionOptions& options);

  // The kernel of `launch` may have no record. Its context is current. Without memory the kernel is
  // lost, and counted as a failed sample.
  void AddUntraced(const Launch& launch) noexcept;
  // The calling thread worked for the sampler. The budget pays `most_ns` at most.
  void AddInterval(capture::ProfilerWork kind, int64_t begin_ns, int64_t end_ns,
                   int64_t most_ns = std::numeric_limits<int64_t>::max());

  const CuptiApi* const api;
  const DriverApi* const driver;
  const bool samples_launches;  // any counters at all
  const bool replays;
  SamplingPolicy policy;
  SamplingBudget budget;
  SamplerOutbox outbox;
  CounterPlans plans;   // the worker's
  WorkSignal work;      // the worker's
  HardwareTurns turns;  // triage has the first one, where it is wanted
  HardwareLock hardware;
  LaunchGate gate;
  CaptureWatch captures;
  TracePause tracing;
  std::atomic<uint64_t> launches_untraced{0};  // they may have no record
  HeldUpWatch held_up;
  std::atomic<bool> closed{false};      // no launch is sampled any more
  std::atomic<bool> takes_none{false};  // it is closed, or paused
  std::atomic<bool> abandoned{false};   // nothing of CUPTI's profiler may be used any more
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_SAMPLER_PARTS_H_
