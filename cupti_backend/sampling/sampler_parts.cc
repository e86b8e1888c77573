// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/sampler_parts.h"

#include <algorithm>
#include <exception>

#include "cupti_backend/schedule/triage_schedule.h"
#include "lib/capture/environment.h"
#include "lib/capture/process/clock.h"

namespace prof::cupti {

SamplerParts::SamplerParts(const CuptiApi* api_table, const DriverApi* driver_table,
                           const SessionOptions& options)
    : api(api_table),
      driver(driver_table),
      samples_launches(options.counters != Counters::kNone || !options.metrics.empty()),
      replays(options.replay == Replay::kKernel),
      policy(options),
      budget(options, capture::MonotonicNs(), capture::RanksFromEnvironment()),
      outbox(samples_launches ? State::kWorking : State::kOff),
      plans(api_table, driver_table, options),
      turns(WantsTriage(options) ? HardwareTurns::Owner::kTriage : HardwareTurns::Owner::kRanges,
            &work),
      tracing(api_table, &gate),
      closed(!samples_launches),
      takes_none(!samples_launches) {}

void SamplerParts::AddUntraced(const Launch& launch) noexcept {
  launches_untraced.fetch_add(1, std::memory_order_relaxed);
  if (launch.unit != capture::SampleUnit::kKernel || launch.kernel_name == nullptr) return;
  try {
    outbox.Add(UntracedKernelOf(launch, *api, *driver));
  } catch (const std::exception&) {
    outbox.CountFailed(1);
  }
}

void SamplerParts::AddInterval(capture::ProfilerWork kind, int64_t begin_ns, int64_t end_ns,
                               int64_t most_ns) {
  const int64_t cost_ns = std::min(end_ns - begin_ns, most_ns);
  if (kind == capture::ProfilerWork::kSetup) {
    budget.SpendAtOnce(cost_ns);
  } else {
    budget.Spend(cost_ns);
  }
  outbox.Add(kind, begin_ns, end_ns);
}

}  // namespace prof::cupti
