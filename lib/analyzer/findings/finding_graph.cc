// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_graph.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_idle.h"
#include "lib/analyzer/findings/finding_text.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::ApiClass;
using model::Op;

struct Launch {
  int64_t time_ns = 0;
  uint32_t shape = 0;
  int32_t op = model::kNoIndex;
};

struct Candidate {
  std::string where;
  double gap_ns = 0;  // launch gaps
  double idle_ns =
      0;  // these, and what else of the idle time before its launches a graph may close
  int64_t gaps = 0;
  int64_t repeats = 0;
  size_t length = 0;  // launches per repeat
  Intervals times;    // of the host, in which the sequence is launched
  uint32_t thread = 0;
};

// The longest period, and the launches in which it is searched.
constexpr size_t kLongestPeriod = 512;
constexpr size_t kMostLaunches = 20'000;

using LaunchesByThread = std::map<uint32_t, std::vector<Launch>>;

LaunchesByThread FindLaunches(const RunInputs& inputs) {
  LaunchesByThread launches;
  for (size_t i = 0; i < inputs.model.ops.size(); ++i) {
    const Op& op = inputs.model.ops[i];
    if (op.kind != model::OpKind::kKernel || !op.timed || op.graph != 0 ||
        op.device != inputs.device.device || op.api == model::kNoIndex) {
      continue;
    }
    const model::ApiCall& call = inputs.model.api_calls[op.api];
    launches[call.thread].push_back({call.start_ns, op.shape, static_cast<int32_t>(i)});
  }
  for (auto& [thread, list] : launches) {
    std::sort(list.begin(), list.end(),
              [](const Launch& a, const Launch& b) { return a.time_ns < b.time_ns; });
  }
  return launches;
}

// Nodes of a graph may also follow each other faster than launches that were in the queue in time,
// and calls that wait, and allocate, have to leave the sequence.
// What happens before the loop is no part of it, nor are gaps of `stall_ns` or more.
void AddGap(const RunInputs& inputs, const Launch& launch, double stall_ns, Candidate* candidate) {
  if (inputs.model.ops[launch.op].start_ns <= inputs.start.end_ns) return;
  if (inputs.LaunchGapBefore(launch.op) >= stall_ns) return;
  // A graph has to be loaded, too.
  candidate->idle_ns += inputs.IdleBefore(launch.op) - inputs.LoadingBefore(launch.op);
  const double gap = inputs.LaunchGapBefore(launch.op);
  if (gap <= 0) return;
  candidate->gap_ns += gap;
  ++candidate->gaps;
}

// The instances of one NVTX path whose launch sequence is the most frequent one.
Candidate RangeCandidate(const RunInputs& inputs, const LaunchesByThread& launches,
                         const std::vector<model::RangeInstance>& instances, double stall_ns) {
  struct Run {
    const Launch* begin;
    const Launch* end;
    model::RangeInstance instance;
  };
  std::map<std::vector<uint32_t>, std::vector<Run>> by_sequence;
  for (const model::RangeInstance& instance : instances) {
    const auto list = launches.find(instance.thread);
    if (list == launches.end()) continue;
    const auto before = [](const Launch& launch, int64_t time) { return launch.time_ns < time; };
    const Launch* first = list->second.data();
    const Launch* last = first + list->second.size();
    const Launch* begin = std::lower_bound(first, last, instance.start_ns, before);
    const Launch* end = std::lower_bound(begin, last, instance.end_ns, before);
    if (end - begin < 2) continue;  // a graph of one kernel saves nothing
    std::vector<uint32_t> shapes;
    for (const Launch* launch = begin; launch != end; ++launch) shapes.push_back(launch->shape);
    by_sequence[std::move(shapes)].push_back({begin, end, instance});
  }
  Candidate best;
  for (const auto& [shapes, runs] : by_sequence) {
    if (static_cast<double>(runs.size()) < kRepeats) continue;
    Candidate candidate;
    candidate.length = shapes.size();
    candidate.repeats = static_cast<int64_t>(runs.size());
    candidate.thread = runs.front().instance.thread;
    for (const Run& run : runs) {
      candidate.times.push_back({run.instance.start_ns, run.instance.end_ns});
      for (const Launch* launch = run.begin; launch != run.end; ++launch) {
        AddGap(inputs, *launch, stall_ns, &candidate);
      }
    }
    if (candidate.gap_ns > best.gap_ns) best = std::move(candidate);
  }
  return best;
}

// The smallest period with which nearly all launches of a thread repeat; 0: none.
size_t FindPeriod(const std::vector<Launch>& launches) {
  const size_t n = std::min(launches.size(), kMostLaunches);
  for (size_t period = 1; period <= kLongestPeriod && kRepeats * period <= n; ++period) {
    const double allowed = (1 - kMostOf) * static_cast<double>(n - period);
    size_t different = 0;
    for (size_t i = period; i < n && static_cast<double>(different) <= allowed; ++i) {
      if (launches[i].shape != launches[i - period].shape) ++different;
    }
    if (static_cast<double>(different) <= allowed) return period;
  }
  return 0;
}

Candidate PeriodCandidate(const RunInputs& inputs, const LaunchesByThread& launches,
                          double stall_ns) {
  Candidate best;
  for (const auto& [thread, list] : launches) {
    const size_t period = FindPeriod(list);
    if (period == 0) continue;
    Candidate candidate;
    candidate.where = "the launches of one thread";
    candidate.length = period;
    candidate.repeats = static_cast<int64_t>(list.size() / period);
    candidate.thread = thread;
    candidate.times.push_back({list.front().time_ns, list.back().time_ns + 1});
    for (const Launch& launch : list) AddGap(inputs, launch, stall_ns, &candidate);
    if (candidate.gap_ns > best.gap_ns) best = std::move(candidate);
  }
  return best;
}

Candidate FindCandidate(const RunInputs& inputs, double stall_ns) {
  const LaunchesByThread launches = FindLaunches(inputs);
  std::map<uint32_t, std::vector<model::RangeInstance>> by_path;
  for (const model::RangeInstance& instance : inputs.model.instances) {
    if (instance.closed) by_path[instance.path].push_back(instance);
  }
  Candidate best;
  for (const auto& [path, instances] : by_path) {
    if (static_cast<double>(instances.size()) < kRepeats) continue;
    Candidate candidate = RangeCandidate(inputs, launches, instances, stall_ns);
    if (candidate.gap_ns <= best.gap_ns) continue;
    candidate.where = "range " + inputs.model.paths[path].full;
    best = std::move(candidate);
  }
  if (best.gap_ns > 0) return best;
  return PeriodCandidate(inputs, launches, stall_ns);
}

// Calls within the sequence that a stream capture does not allow.
int64_t CountBlockers(const RunInputs& inputs, const Candidate& candidate) {
  const IntervalUnion times(candidate.times);
  int64_t blockers = 0;
  for (const model::ApiCall& call : inputs.model.api_calls) {
    if (call.thread != candidate.thread) continue;
    if (call.cls != ApiClass::kSync && call.cls != ApiClass::kAlloc && call.cls != ApiClass::kFree)
      continue;
    if (times.Contains(call.start_ns)) ++blockers;
  }
  return blockers;
}

}  // namespace

MaybeFinding GraphOpportunity(const RunInputs& inputs) {
  const LaunchPace pace = FindLaunchPace(inputs);
  if (inputs.Share(pace.idle_ns) < kIdleShare) return std::nullopt;
  const Candidate found = FindCandidate(inputs, pace.stall_ns);
  if (found.gap_ns <= 0 || inputs.Share(found.gap_ns) < kCopyShare) return std::nullopt;
  const int64_t blockers = CountBlockers(inputs, found);
  Finding finding;
  finding.title = "A CUDA graph would close launch gaps: " +
                  text::Plural(found.length, "launch repeats", "launches repeat") + " " +
                  text::Count(found.repeats) + " times in " + found.where + ".";
  finding.evidence = {"launch gaps in it: " + text::Count(found.gaps) + ", " +
                      text::Time(found.gap_ns) +
                      " in all; a graph closes all of them at most, and " +
                      text::Time(found.idle_ns - found.gap_ns) + " of other gaps before them"};
  if (blockers > 0) {
    finding.evidence.push_back(
        text::Plural(blockers, "call", "calls") +
        " in it that cannot be captured (synchronization, allocation): move them out first");
  }
  finding.action =
      "Capture the sequence once (cudaStreamBeginCapture), instantiate it, and launch the graph; "
      "arguments must stay the same or be updated.";
  finding.gain_at_most_ns = found.idle_ns;
  finding.check = kCheckTimeline;
  finding.confidence = blockers > 0 ? Confidence::kLow : Confidence::kMedium;
  AddSamplingCost(inputs, &finding);
  finding.withheld_why =
      inputs.lost_operations.empty() ? inputs.lost_ranges : inputs.lost_operations;
  return RatedFinding(std::move(finding), found.gap_ns);
}

}  // namespace prof::analyzer
