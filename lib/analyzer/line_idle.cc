// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/line_idle.h"

#include <numeric>

#include "lib/analyzer/base/line_cause.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/timeline/host_samples.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Model;

using StackTimes = std::unordered_map<uint32_t, double>;  // ns, by stack

uint32_t LaunchStack(const Model& model, const Gap& gap) {
  if (gap.next_op == kNoIndex) return model::kNone;
  return CauseOf(model, static_cast<size_t>(gap.next_op)).stack;
}

uint32_t OwnerStack(const Model& model, const Gap& gap, uint32_t launch) {
  if (gap.cause != GapCause::kSync || gap.api == kNoIndex) return launch;
  const uint32_t wait = model.api_calls.stack(static_cast<size_t>(gap.api));
  return wait != model::kNone ? wait : launch;
}

// Gaps before one line.
struct Gaps {
  double idle_ns = 0;
  HostTime host;
  StackTimes owners;
};

int64_t SamplesWithStack(const Gaps& gaps) {
  return std::accumulate(gaps.host.stacks.begin(), gaps.host.stacks.end(), int64_t{0},
                         [](int64_t sum, const auto& stack) { return sum + stack.second; });
}

void Charge(const Gaps& gaps, bool by_samples, StackTimes* charged) {
  const int64_t samples = by_samples ? SamplesWithStack(gaps) : 0;
  if (samples == 0) {
    for (const auto& [stack, ns] : gaps.owners) (*charged)[stack] += ns;
    return;
  }
  for (const auto& [stack, count] : gaps.host.stacks) {
    (*charged)[stack] += gaps.idle_ns * static_cast<double>(count) / static_cast<double>(samples);
  }
}

}  // namespace

std::unordered_map<uint32_t, double> ChargeIdle(const Model& model, const Timeline& timeline,
                                                const std::vector<uint32_t>& own_frames,
                                                Interval when) {
  const HostSamples samples(model);
  StackTimes charged;
  std::unordered_map<uint32_t, Gaps> long_ones;  // by the own frame of the launch
  for (const DeviceTimeline& device : timeline.devices) {
    for (const Gap& gap : device.gaps) {
      if (gap.cause == GapCause::kProfiler) continue;
      if (gap.start_ns < when.start_ns || gap.start_ns >= when.end_ns) continue;
      const int64_t gap_ns = gap.undisturbed_ns();
      const uint32_t launch = LaunchStack(model, gap);
      const uint32_t owner = OwnerStack(model, gap, launch);
      if (!samples.any() || !WaitsForHost(gap.cause) || gap_ns < kHostSampleQuietNs) {
        charged[owner] += static_cast<double>(gap_ns);
        continue;
      }
      Gaps& gaps = long_ones[own_frames[launch]];
      gaps.idle_ns += static_cast<double>(gap_ns);
      gaps.owners[owner] += static_cast<double>(gap_ns);
      samples.Add(gap, &gaps.host);
    }
  }
  int64_t taken = 0;
  for (const auto& [frame, gaps] : long_ones) taken += gaps.host.samples;
  for (const auto& [frame, gaps] : long_ones) Charge(gaps, taken >= kFewHostSamples, &charged);
  return charged;
}

}  // namespace prof::analyzer
