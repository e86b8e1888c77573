// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/host_samples.h"

#include <algorithm>
#include <tuple>

#include "lib/analyzer/base/own_frames.h"

namespace prof::analyzer {

using model::HostSample;
using model::kNoIndex;

bool WaitsForHost(GapCause cause) {
  return cause == GapCause::kHostWork || cause == GapCause::kSync || cause == GapCause::kLaunch;
}

HostSamples::HostSamples(const model::Model& model) : model_(model) {
  if (any()) own_frames_ = OwnFrames(model);
}

void HostSamples::Add(const Gap& gap, HostTime* time) const {
  const auto length_ns = static_cast<double>(gap.undisturbed_ns());
  ++time->gaps;
  time->idle_ns += length_ns;
  const int32_t launch =
      gap.next_op == kNoIndex ? kNoIndex : model_.ops[static_cast<size_t>(gap.next_op)].api;
  const int32_t call = launch != kNoIndex ? launch : gap.api;
  if (call == kNoIndex) return;
  const uint32_t thread = model_.api_calls[static_cast<size_t>(call)].thread;
  auto sample =
      std::lower_bound(model_.host_samples.begin(), model_.host_samples.end(), gap,
                       [thread](const HostSample& a, const Gap& b) {
                         return std::tie(a.thread, a.time_ns) < std::tie(thread, b.start_ns);
                       });
  const int64_t before = time->samples;
  for (; sample != model_.host_samples.end() && sample->thread == thread &&
         sample->time_ns < gap.end_ns;
       ++sample) {
    ++time->samples;
    ++time->kinds[static_cast<size_t>(sample->kind)];
    if (sample->stack == 0) continue;
    ++time->stacks[sample->stack];
    const HostTime::Place place = {own_frames_[sample->stack],
                                   model_.host_stacks[sample->stack].frame};
    ++time->places[place][static_cast<size_t>(sample->state)];
  }
  if (time->samples == before) return;
  ++time->sampled_gaps;
  time->sampled_ns += length_ns;
}

}  // namespace prof::analyzer
