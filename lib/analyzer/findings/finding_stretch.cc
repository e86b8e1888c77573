// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_stretch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/line_cause.h"
#include "lib/analyzer/base/own_frames.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_host.h"
#include "lib/analyzer/findings/finding_idle_parts.h"
#include "lib/analyzer/findings/finding_text.h"
#include "lib/analyzer/timeline/host_samples.h"
#include "lib/analyzer/timeline/launch_calls.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

constexpr size_t kMostOthers = 3;  // stretches that are listed beside the one with most
constexpr size_t kNoWindow = static_cast<size_t>(-1);

// The score of a part of the run is its idle time by the cause, less kStretchIdle of its time. A
// window has a score that no part at its begin or end can make higher.
struct StretchWindow {
  size_t first = 0, last = 0;     // gaps
  double before = 0, behind = 0;  // the score of the run until its begin, and until its end
  size_t lower = kNoWindow;       // the last window before it with a lower score until its begin
};

bool IsOfCause(const RunInputs& inputs, const Gap& gap, GapCause cause) {
  if (gap.cause != cause) return false;
  // A phase of allocations is the warm-up; in the loop they have a finding of their own.
  return cause != GapCause::kSync || !Allocates(inputs, gap.api);
}

// Undisturbed time in which the device was busy.
double BusyNs(const DeviceTimeline& device, const Interval& times) {
  int64_t busy_ns = times.end_ns - times.start_ns;
  if (!device.set_aside.intervals().empty()) busy_ns -= device.set_aside.WithinNs(times);
  return static_cast<double>(busy_ns);
}

// All maximal ones (Ruzzo and Tompa 1999), in the order of time.
std::vector<StretchWindow> FindStretchWindows(const RunInputs& inputs, GapCause cause) {
  std::vector<StretchWindow> windows;
  double score = 0;
  int64_t until_ns = inputs.device.start_ns;
  for (size_t i = 0; i < inputs.device.gaps.size(); ++i) {
    const Gap gap = inputs.device.gaps[i];
    score -= kStretchIdle * BusyNs(inputs.device, {until_ns, gap.start_ns});
    until_ns = gap.end_ns;
    const auto idle_ns = static_cast<double>(gap.undisturbed_ns());
    if (!IsOfCause(inputs, gap, cause)) {
      score -= kStretchIdle * idle_ns;
      continue;
    }
    const auto of_cause_ns = static_cast<double>(gap.of_cause_ns(cause));
    StretchWindow now{i, i, score, score + of_cause_ns - kStretchIdle * idle_ns, kNoWindow};
    score = now.behind;
    while (true) {
      size_t at = windows.empty() ? kNoWindow : windows.size() - 1;
      while (at != kNoWindow && windows[at].before >= now.before) at = windows[at].lower;
      now.lower = at;
      if (at == kNoWindow || windows[at].behind >= now.behind) break;
      now.first = windows[at].first;
      now.before = windows[at].before;
      windows.resize(at);
    }
    windows.push_back(now);
  }
  return windows;
}

// A window that is long enough.
struct FoundStretch {
  Interval times;
  double length_ns = 0;    // undisturbed
  double bound_ns = 0;     // of waits: what all other gaps lose without them, at most
  double sampling_ns = 0;  // of its idle time: while counters were sampled
  IdleGaps idle;
  Dependencies dependencies;
  TimeByPlace lines;

  double gain_ns() const { return std::max(idle.total_ns, bound_ns); }
};

class StretchBuilder {
 public:
  StretchBuilder(const RunInputs& inputs, GapCause cause)
      : inputs_(inputs), cause_(cause), samples_(inputs.model) {
    if (inputs.model.host_stacks.size() > 1) own_frames_ = OwnFrames(inputs.model);
    if (!inputs.model.profiler_intervals.empty()) calls_ = CompareLaunchCalls(inputs.model);
  }

  FoundStretch Build(const StretchWindow& window) const {
    FoundStretch stretch;
    const GapTable& gaps = inputs_.device.gaps;
    stretch.times = {gaps[window.first].start_ns, gaps[window.last].end_ns};
    int64_t until_ns = stretch.times.start_ns;
    for (size_t i = window.first; i <= window.last; ++i) {
      const Gap gap = gaps[i];
      const auto idle_ns = static_cast<double>(gap.undisturbed_ns());
      stretch.length_ns += idle_ns + BusyNs(inputs_.device, {until_ns, gap.start_ns});
      until_ns = gap.end_ns;
      if (cause_ == GapCause::kSync) {
        stretch.bound_ns += static_cast<double>(gap.without_waits_ns);
      }
      if (!IsOfCause(inputs_, gap, cause_)) continue;
      stretch.idle.Add(inputs_, gap, gap.of_cause_ns(cause_));
      stretch.dependencies.Add(inputs_, gap);
      if (samples_.any()) samples_.Add(gap, &stretch.idle.host);
      if (calls_.Sampling(gap.start_ns)) stretch.sampling_ns += idle_ns;
      AddLine(gap, &stretch);
    }
    return stretch;
  }

 private:
  void AddLine(const Gap& gap, FoundStretch* stretch) const {
    if (own_frames_.empty()) return;
    const bool waited = cause_ == GapCause::kSync && gap.api != model::kNoIndex;
    const uint32_t stack = waited ? inputs_.model.api_calls.stack(static_cast<size_t>(gap.api))
                                  : CauseOf(inputs_.model, static_cast<size_t>(gap.next_op)).stack;
    if (stack == model::kNone) return;
    stretch->lines[FrameText(inputs_.model, own_frames_[stack])] +=
        static_cast<double>(gap.undisturbed_ns());
  }

  const RunInputs& inputs_;
  const GapCause cause_;
  const HostSamples samples_;
  std::vector<uint32_t> own_frames_;  // by stack; empty: there are no stacks
  LaunchCalls calls_;
};

// It is long, and no single stall; and counters that were sampled meanwhile are not its reason.
bool IsPhase(const FoundStretch& stretch, double least_ns, GapCause cause) {
  const IdleGaps& idle = stretch.idle;
  const bool sampled =
      cause == GapCause::kLaunch && stretch.sampling_ns >= kWhileSampling * idle.total_ns;
  return stretch.length_ns >= least_ns && static_cast<double>(idle.count) >= kStretchGaps &&
         idle.longest_ns <= kOneGapOfStretch * idle.total_ns && !sampled;
}

std::vector<FoundStretch> FindStretches(const RunInputs& inputs, GapCause cause) {
  std::vector<FoundStretch> stretches;
  const double least_ns = std::max(kLeastStretchNs, kLeastStretch * inputs.span_ns);
  if (inputs.Idle(cause) < kStretchIdle * least_ns) return stretches;
  const GapTable& gaps = inputs.device.gaps;
  const StretchBuilder builder(inputs, cause);
  for (const StretchWindow& window : FindStretchWindows(inputs, cause)) {
    const int64_t wall_ns = gaps[window.last].end_ns - gaps[window.first].start_ns;
    if (static_cast<double>(wall_ns) < least_ns) continue;
    FoundStretch stretch = builder.Build(window);
    if (IsPhase(stretch, least_ns, cause)) stretches.push_back(std::move(stretch));
  }
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const FoundStretch& a, const FoundStretch& b) {
                     return a.idle.total_ns > b.idle.total_ns;
                   });
  return stretches;
}

std::string FromTo(const RunInputs& inputs, const FoundStretch& stretch) {
  return MomentText(inputs, stretch.times.start_ns) + " to " +
         MomentText(inputs, stretch.times.end_ns);
}

void AddOthers(const RunInputs& inputs, const std::vector<FoundStretch>& stretches,
               Finding* finding) {
  if (stretches.size() < 2) return;
  double idle_ns = 0;
  std::vector<std::string> list;
  for (size_t i = 1; i < stretches.size(); ++i) {
    idle_ns += stretches[i].idle.total_ns;
    if (list.size() < kMostOthers) list.push_back(FromTo(inputs, stretches[i]));
  }
  const size_t others = stretches.size() - 1;
  if (others > list.size()) {
    list.push_back("and " + text::Count(static_cast<int64_t>(others - list.size())) + " more");
  }
  finding->evidence.push_back(
      "idle for the same cause for " + text::Time(idle_ns) + " in " +
      text::Plural(static_cast<int64_t>(others), "other stretch", "other stretches") + ": " +
      text::Join(list, ", "));
}

}  // namespace

MaybeFinding FindIdleStretch(const RunInputs& inputs, GapCause cause) {
  const std::vector<FoundStretch> stretches = FindStretches(inputs, cause);
  if (stretches.empty()) return std::nullopt;
  const FoundStretch& most = stretches.front();
  Finding finding;
  finding.title = "From " + FromTo(inputs, most) + " the GPU is idle for " +
                  text::Percent(most.idle.total_ns / most.length_ns) + " of the time" +
                  BecauseOf(cause);
  finding.stretch =
      IdleStretch{cause, static_cast<double>(most.times.start_ns - inputs.model.process.start_ns),
                  static_cast<double>(most.times.end_ns - inputs.model.process.start_ns)};
  finding.evidence.push_back(text::Count(most.idle.count) + " gaps, " +
                             text::Time(most.idle.total_ns) + " of " + text::Time(most.length_ns) +
                             " (" + text::ShortPercent(inputs.Share(most.idle.total_ns)) +
                             " of the span), the longest " + text::Time(most.idle.longest_ns));
  AddPlaces(inputs, most.idle, &finding);
  const std::string line = MostOf(most.lines, most.idle.total_ns, "in line ");
  if (!line.empty()) finding.evidence.push_back(line);
  AddHostEvidence(inputs, most.idle, &finding);
  AddOthers(inputs, stretches, &finding);
  const bool dependency = cause == GapCause::kDependency;
  finding.action = dependency ? ActionAgainst(most.dependencies) : ActionAgainst(cause);
  finding.confidence = most.idle.IsKnown() ? Confidence::kHigh : Confidence::kMedium;
  if (dependency) {
    finding.confidence = std::min(finding.confidence, DependencyConfidence(most.dependencies));
  }
  finding.check = kCheckTimeline;
  finding.withheld_why = inputs.lost_operations;
  double cost_ns = 0;
  for (const FoundStretch& stretch : stretches) {
    cost_ns += stretch.idle.total_ns;
    finding.gain_at_most_ns += stretch.gain_ns();
  }
  return RatedFinding(std::move(finding), cost_ns);
}

}  // namespace prof::analyzer
