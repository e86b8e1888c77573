// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_text.h"

#include <algorithm>

#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/timeline/launch_calls.h"
#include "lib/format/api_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {

std::string MostOf(const TimeByPlace& times, double total_ns, const std::string& before_the_name) {
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == times.end() || !(most->second > 0) || !(total_ns > 0)) return "";
  return text::Time(most->second) + " of " + text::Time(total_ns) + " (" +
         text::Percent(most->second / total_ns) + ") " + before_the_name + most->first;
}

std::string RangeName(const model::Model& model, uint32_t path) {
  return path == model::kNone ? "no range" : "range " + model.paths[path].full;
}

std::string CallName(const model::Model& model, uint32_t name) {
  return std::string(format::WithoutApiSuffix(model.strings[name]));
}

std::string MomentText(const RunInputs& inputs, int64_t time_ns) {
  const auto since_ns = static_cast<double>(time_ns - inputs.model.process.start_ns);
  return text::Fixed(since_ns / 1e9, 3) + " s";
}

std::string WithShare(const RunInputs& inputs, double time_ns) {
  return text::Time(time_ns) + " (" + text::Percent(inputs.Share(time_ns)) + " of the span)";
}

namespace {

// Launch gaps, and the time in which they could be, while counters were sampled or not.
struct LaunchIdle {
  double gaps_ns = 0, span_ns = 0;
  double Share() const { return span_ns > 0 ? gaps_ns / span_ns : 0; }
};

struct SplitBySampling {
  LaunchIdle sampling, otherwise;
};

SplitBySampling Split(const RunInputs& inputs, const LaunchCalls& calls) {
  SplitBySampling split;
  double disturbed_ns = 0;
  for (const Gap& gap : inputs.device.gaps) {
    const bool sampling = calls.Sampling(gap.start_ns);
    if (sampling) disturbed_ns += static_cast<double>(gap.disturbed_ns);
    if (gap.cause != GapCause::kLaunch) continue;
    (sampling ? split.sampling : split.otherwise).gaps_ns +=
        static_cast<double>(gap.undisturbed_ns());
  }
  const int64_t within_ns = OverlapNs({inputs.device.start_ns, inputs.device.end_ns},
                                      {calls.sampling_start_ns, calls.sampling_end_ns});
  split.sampling.span_ns = std::max(0.0, static_cast<double>(within_ns) - disturbed_ns);
  split.otherwise.span_ns =
      static_cast<double>(inputs.device.end_ns - inputs.device.start_ns - within_ns);
  return split;
}

// The rest of the run shows whether launches are too slow without the sampling.
bool RestHasHardlyAny(const SplitBySampling& split) {
  return split.otherwise.span_ns >= kEnoughOtherwise * split.sampling.span_ns &&
         split.otherwise.Share() < kHardlyAny * split.sampling.Share();
}

}  // namespace

void AddSamplingCost(const RunInputs& inputs, Finding* finding) {
  if (inputs.model.profiler_intervals.empty()) return;
  const LaunchCalls calls = CompareLaunchCalls(inputs.model);
  const SplitBySampling split = Split(inputs, calls);
  if (split.sampling.gaps_ns < kWhileSampling * inputs.Idle(GapCause::kLaunch)) return;
  if (split.sampling.gaps_ns <= 0) return;
  std::string text = text::Time(split.sampling.gaps_ns) +
                     " of the launch gaps while counters were sampled, when a launch ";
  const bool known = calls.sampling.n >= kFewCalls && calls.otherwise.n >= kFewCalls;
  const double slower_ns = calls.sampling.median - calls.otherwise.median;
  if (known && RestHasHardlyAny(split)) {
    finding->evidence.push_back(text::Time(split.sampling.gaps_ns) +
                                " of the launch gaps while counters were sampled (" +
                                text::Percent(split.sampling.Share()) + " of that time); " +
                                text::Percent(split.otherwise.Share()) +
                                " of the rest: sampling may have drained the queue");
    finding->confidence = Confidence::kLow;
    finding->check = kCheckWithoutCounters;
    return;
  }
  if (!known) {
    text += "costs the host more: a recording with --counters none shows what is left";
  } else if (slower_ns < kSlowerCall * calls.otherwise.median) {
    return;
  } else {
    text += "took the host " + text::Time(calls.sampling.median) + " instead of " +
            text::Time(calls.otherwise.median) + "; the difference is taken out";
  }
  finding->evidence.push_back(text);
  const double slowed_ns = slower_ns * static_cast<double>(calls.sampling.n);
  if (!known || slowed_ns >= kSlowedShare * split.sampling.gaps_ns) {
    finding->confidence = Confidence::kLow;
    finding->check = kCheckWithoutCounters;
  }
}

}  // namespace prof::analyzer
