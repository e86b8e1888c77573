// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_idle_parts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_host.h"
#include "lib/analyzer/findings/finding_text.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Op;

TimeByPlace NamedCalls(const RunInputs& inputs, const IdleGaps& idle) {
  TimeByPlace times;
  for (uint32_t name = 0; name < idle.calls.size(); ++name) {
    if (idle.calls[name] > 0) times[CallName(inputs.model, name)] += idle.calls[name];
  }
  return times;
}

TimeByPlace NamedRanges(const RunInputs& inputs, const IdleGaps& idle) {
  TimeByPlace times;
  for (uint32_t path = 0; path < idle.ranges.size(); ++path) {
    if (idle.ranges[path] > 0) times[RangeName(inputs.model, path)] += idle.ranges[path];
  }
  return times;
}

}  // namespace

void IdleGaps::Add(const RunInputs& inputs, const Gap& gap, int64_t time_ns) {
  const auto length_ns = static_cast<double>(time_ns);
  total_ns += length_ns;
  longest_ns = std::max(longest_ns, length_ns);
  host_ns += static_cast<double>(gap.host_ns);
  ++count;
  if (length_ns < kDispatchNs) {
    short_ns += length_ns;
    ++short_count;
  }
  const int64_t loop_ns = std::max(inputs.device.start_ns, inputs.start.end_ns);
  const bool late = gap.start_ns >= loop_ns / 2 + inputs.device.end_ns / 2;
  if (late) late_ns += length_ns;
  if (gap.of_cause_ns(GapCause::kLoading) > 0) {
    code_ns += length_ns;
    ++code_count;
    if (late) late_code_ns += length_ns;
  }
  LongGap one{length_ns, gap.start_ns};
  for (LongGap& other : longest) {
    if (one.length_ns > other.length_ns) std::swap(one, other);
  }
  if (ranges.empty()) ranges.resize(inputs.model.paths.size());
  ranges[gap.path] += length_ns;
  if (gap.path != model::kNone) in_a_range = true;
  if (gap.api == kNoIndex) return;
  known_ns += length_ns;
  if (calls.empty()) calls.resize(inputs.model.strings.size());
  calls[inputs.model.api_calls[gap.api].name] += length_ns;
}

size_t IdleGaps::FewThatMakeHalf() const {
  double sum_ns = 0;
  for (size_t i = 0; i < longest.size(); ++i) {
    sum_ns += longest[i].length_ns;
    const bool dominates = longest[i].length_ns >= kStartNs && sum_ns >= kMostOfStart * total_ns;
    if (count < kFewOf * static_cast<int64_t>(i + 1) && !dominates) continue;
    if (sum_ns >= kMostOfFew * total_ns) return i + 1;
  }
  return 0;
}

size_t IdleGaps::Stalls() const {
  double sum_ns = 0;
  for (size_t i = 0; i < longest.size(); ++i) {
    sum_ns += longest[i].length_ns;
    if (longest[i].length_ns >= kLongGapNs && sum_ns >= kMostOfFew * total_ns) return i + 1;
  }
  return 0;
}

double IdleGaps::LongestNs(size_t gaps) const {
  double sum_ns = 0;
  for (size_t i = 0; i < gaps; ++i) sum_ns += longest[i].length_ns;
  return sum_ns;
}

bool IdleGaps::GoesOn() const { return count >= kFewOf && late_ns >= kGoesOn * total_ns; }

bool IdleGaps::CodeGoesOn() const {
  return code_count >= kFewOf && late_code_ns >= kGoesOn * code_ns;
}

bool IdleGaps::IsKnown() const { return known_ns >= kCauseKnown * total_ns; }

void AddPlaces(const RunInputs& inputs, const IdleGaps& idle, Finding* finding) {
  if (!idle.calls.empty()) {
    finding->evidence.push_back(MostOf(NamedCalls(inputs, idle), idle.total_ns, "at "));
  }
  if (!idle.in_a_range) return;
  finding->evidence.push_back(MostOf(NamedRanges(inputs, idle), idle.total_ns, "in "));
  const auto most = std::max_element(idle.ranges.begin(), idle.ranges.end());
  const auto path = static_cast<uint32_t>(most - idle.ranges.begin());
  if (path == model::kNone || *most < kMostOfPlace * idle.total_ns) return;
  finding->place = inputs.model.paths[path].full;
  finding->place_share = *most / idle.total_ns;
}

void AddHostEvidence(const RunInputs& inputs, const IdleGaps& idle, Finding* finding) {
  for (std::string& line : HostEvidence(inputs.model, idle.host)) {
    finding->evidence.push_back(std::move(line));
  }
}

bool Allocates(const RunInputs& inputs, int32_t call) {
  if (call == kNoIndex) return false;
  const model::ApiClass cls = inputs.model.api_calls[call].cls;
  return cls == model::ApiClass::kAlloc || cls == model::ApiClass::kFree;
}

void Dependencies::Add(const RunInputs& inputs, const Gap& gap) {
  if (gap.cause != GapCause::kDependency || gap.previous_op == kNoIndex || gap.next_op == kNoIndex)
    return;
  const Op previous = inputs.model.ops[gap.previous_op], next = inputs.model.ops[gap.next_op];
  const auto length_ns = static_cast<double>(gap.undisturbed_ns());
  if (next.graph != 0 && next.correlation == previous.correlation) {
    graph_ns += length_ns;
    ++graph;
  } else if (next.stream != previous.stream || next.context != previous.context) {
    streams_ns += length_ns;
    ++streams;
  } else if (length_ns >= kLongDependencyNs) {
    long_ns += length_ns;
    ++lengthy;
  } else {
    stream_ns += length_ns;
    ++stream;
  }
}

const char* BecauseOf(GapCause cause) {
  switch (cause) {
    case GapCause::kSync:
      return " because the host waits before it launches more.";
    case GapCause::kLaunch:
      return " because launches come too slowly.";
    case GapCause::kHostWork:
      return " while the host works outside CUDA.";
    case GapCause::kTransfer:
      return " between copies and the work around them.";
    case GapCause::kDependency:
      return " between operations that were in the queue in time.";
    default:
      return ".";
  }
}

const char* ActionAgainst(GapCause cause) {
  switch (cause) {
    case GapCause::kSync:
      return "Remove the waits in the loop: launch ahead and wait once, use events or stream "
             "order; read values back later, or every so many steps.";
    case GapCause::kLaunch:
      return "Launch less often, with a CUDA graph or larger batches; then cut the host work "
             "between launches.";
    case GapCause::kHostWork:
      return "Do that work on another thread or ahead of time, so that the next launches are "
             "queued before the GPU runs dry.";
    case GapCause::kTransfer:
      return "Copy earlier, on a stream of its own, and in fewer pieces.";
    default:
      return "";
  }
}

const char* ActionAgainst(const Dependencies& found) {
  const double most_ns =
      std::max({found.graph_ns, found.streams_ns, found.long_ns, found.stream_ns});
  if (found.graph_ns >= most_ns) {
    return "Make the graph's nodes fewer and longer (fuse them), put independent branches side by "
           "side, or let a kernel start before the one before it ends (programmatic dependent "
           "launch).";
  }
  if (found.long_ns >= most_ns) {
    return "Find out what the stream waits for: an event of another device or process, a host "
           "function, or another process that has the GPU.";
  }
  if (found.streams_ns >= most_ns) {
    return "Hand work over between streams less often: keep what depends on each other on one "
           "stream, and let each stream have work of its own meanwhile.";
  }
  return "Fuse kernels that follow one another, or let a kernel start before the one before it "
         "ends (programmatic dependent launch).";
}

// What follows within 2 us on its stream may well depend on what was before: the least certain.
Confidence DependencyConfidence(const Dependencies& found) {
  const bool within = found.stream_ns > std::max({found.graph_ns, found.streams_ns, found.long_ns});
  return within ? Confidence::kLow : Confidence::kMedium;
}

}  // namespace prof::analyzer
