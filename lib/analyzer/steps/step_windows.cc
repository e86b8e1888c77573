// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/steps/step_windows.h"

#include <algorithm>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/timeline/step_times.h"

namespace prof::analyzer {
namespace {

// The device's part that is no evidence, over all devices.
std::vector<IntervalUnion> AllDisturbed(const Timeline& timeline) {
  std::vector<IntervalUnion> disturbed;
  for (const DeviceTimeline& device : timeline.devices) {
    disturbed.push_back(DisturbedTimes(device));
  }
  return disturbed;
}

IntervalUnion PausedTimes(const model::Model& model) {
  Intervals pauses;
  for (const model::Pause& pause : model.pauses) pauses.push_back({pause.begin_ns, pause.end_ns});
  return IntervalUnion(std::move(pauses));
}

}  // namespace

std::vector<StepWindow> FindWindows(const model::Model& model, const Timeline& timeline,
                                    const Iterations& iterations) {
  const std::vector<int32_t> last = LastOperations(model, iterations);
  const std::vector<IntervalUnion> disturbed = AllDisturbed(timeline);
  const IntervalUnion paused = PausedTimes(model);
  // As in the findings about steps, which need as many.
  const bool skip_second = static_cast<double>(iterations.size()) >= kEnoughSteps;
  std::vector<StepWindow> windows(iterations.size());
  int64_t begin_ns = iterations.front().start_ns, host_ns = iterations.front().start_ns;
  bool first = true;
  for (size_t i = 0; i < iterations.size(); ++i) {
    StepWindow& window = windows[i];
    window.host = {host_ns, std::max(host_ns, iterations[i].end_ns)};
    host_ns = window.host.end_ns;
    window.gpu = {begin_ns, begin_ns};
    if (last[i] == model::kNoIndex) {
      window.left_out = "no GPU work";
      continue;
    }
    const int64_t end_ns = model.ops[static_cast<size_t>(last[i])].end_ns;
    if (end_ns <= begin_ns) {
      window.left_out = "its GPU work ended before that of the step before";
      continue;
    }
    window.gpu.end_ns = begin_ns = end_ns;
    window.last_op = last[i];
    if (first) {
      window.left_out = "no step before it";
    } else if (i == 1 && skip_second) {
      window.left_out = "may have the warm-up";
    }
    first = false;
    const bool touched =
        std::any_of(disturbed.begin(), disturbed.end(),
                    [&](const IntervalUnion& times) { return times.WithinNs(window.gpu) > 0; });
    if (!touched || !window.counts()) continue;
    window.left_out = paused.WithinNs(window.gpu) > 0 ? kPausedStep : kDisturbedStep;
  }
  return windows;
}

size_t WindowAt(const std::vector<StepWindow>& windows, int64_t time_ns) {
  const auto at = std::upper_bound(
      windows.begin(), windows.end(), time_ns,
      [](int64_t time, const StepWindow& window) { return time < window.gpu.end_ns; });
  const bool in = at != windows.end() && at->gpu.start_ns <= time_ns;
  return in ? static_cast<size_t>(at - windows.begin()) : windows.size();
}

void SplitByWindows(const std::vector<StepWindow>& windows, const Interval& interval,
                    const std::function<void(size_t, const Interval&)>& visit) {
  auto at = std::upper_bound(
      windows.begin(), windows.end(), interval.start_ns,
      [](int64_t time, const StepWindow& window) { return time < window.gpu.end_ns; });
  for (; at != windows.end() && at->gpu.start_ns < interval.end_ns; ++at) {
    const Interval part{std::max(interval.start_ns, at->gpu.start_ns),
                        std::min(interval.end_ns, at->gpu.end_ns)};
    if (part.start_ns < part.end_ns) visit(static_cast<size_t>(at - windows.begin()), part);
  }
}

}  // namespace prof::analyzer
