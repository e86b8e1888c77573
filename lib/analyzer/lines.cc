// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/lines.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/base/line_cause.h"
#include "lib/analyzer/base/own_frames.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/line_idle.h"
#include "lib/analyzer/timeline/host_samples.h"
#include "lib/analyzer/timeline/step_times.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Model;

// What a frame's line did.
struct Sum {
  int64_t operations = 0, kernels = 0, time_ns = 0, backward_ns = 0;
  int64_t host_samples = 0;
  double idle_ns = 0, steps_ns = 0;
  std::unordered_map<int32_t, int64_t> groups;  // of kernels, to time
};
using Sums = std::unordered_map<uint32_t, Sum>;  // by frame

void AddHostShare(const HostIdleReport& idle, int64_t samples, LineReport* line) {
  if (!idle.enough) return;
  const ShareInterval interval = WilsonInterval(samples, idle.samples);
  line->host_samples = samples;
  line->host_share = static_cast<double>(samples) / static_cast<double>(idle.samples);
  line->host_share_low = interval.low;
  line->host_share_high = interval.high;
  line->host_idle_ns = line->host_share * idle.sampled_ns;
}

LineReport DescribeLine(const Model& model, uint32_t frame, const Sum& sum,
                        const std::vector<KernelReport>& kernels, const HostIdleReport& idle) {
  const model::HostFrame& from = model.host_frames[frame];
  LineReport line;
  line.file = model.strings[from.file];
  line.function = model.strings[from.function];
  line.module = model.strings[from.module];
  line.line = from.line;
  line.operations = sum.operations;
  line.kernels = sum.kernels;
  line.time_ns = static_cast<double>(sum.time_ns);
  line.backward_ns = static_cast<double>(sum.backward_ns);
  line.idle_ns = sum.idle_ns;
  line.steps_ns = sum.steps_ns;
  AddHostShare(idle, sum.host_samples, &line);
  const auto most =
      std::max_element(sum.groups.begin(), sum.groups.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second < b.second : a.first > b.first;
      });
  if (most != sum.groups.end()) {
    const KernelReport& kernel = kernels[static_cast<size_t>(most->first)];
    line.dominant = kernel.name;
    line.limiter = kernel.verdict.limiter;
  }
  return line;
}

std::vector<LineReport> DescribeAll(const Model& model, const Sums& sums,
                                    const std::vector<KernelReport>& kernels,
                                    const HostIdleReport& idle) {
  std::vector<LineReport> lines;
  lines.reserve(sums.size());
  for (const auto& [frame, sum] : sums) {
    lines.push_back(DescribeLine(model, frame, sum, kernels, idle));
  }
  std::sort(lines.begin(), lines.end(), [](const LineReport& a, const LineReport& b) {
    if (a.steps_ns != b.steps_ns) return a.steps_ns > b.steps_ns;
    const double a_ns = a.time_ns + a.backward_ns + a.idle_ns;
    const double b_ns = b.time_ns + b.backward_ns + b.idle_ns;
    if (a_ns != b_ns) return a_ns > b_ns;
    if (a.file != b.file) return a.file < b.file;
    if (a.line != b.line) return a.line < b.line;
    return std::tie(a.function, a.module) < std::tie(b.function, b.module);
  });
  return lines;
}

// From the third step to the end of what the last one launched: the first one has no step before
// it, and the second one may have the warm-up.
LineSteps DescribeSteps(const Model& model, const Iterations& steps, Interval* when) {
  constexpr size_t kLeftOut = 2;
  *when = {};
  LineSteps described;
  if (steps.size() <= kLeftOut) return described;
  const model::RangeInstance first = steps[kLeftOut], last = steps[steps.size() - 1];
  *when = {first.start_ns, last.end_ns};
  for (const int32_t op : LastOperations(model, steps)) {
    if (op == kNoIndex) continue;
    when->end_ns = std::max(when->end_ns, model.ops[static_cast<size_t>(op)].end_ns);
  }
  described.by_launches = steps.by_launches();
  described.range = steps.by_launches() ? steps.LaunchesName() : model.paths[first.path].full;
  described.count = static_cast<int64_t>(steps.size() - kLeftOut);
  described.time_ns = static_cast<double>(when->end_ns - when->start_ns);
  return described;
}

// What the calls of a stack did.
struct StackSum {
  int64_t operations = 0, time_ns = 0, backward_ns = 0, host_samples = 0;
  double idle_ns = 0;
};
using StackSums = std::unordered_map<uint32_t, StackSum>;  // by stack

// The lines of all stacks, by file and line.
std::vector<SourceLine> LinesWithin(const Model& model, const StackSums& stacks,
                                    const HostIdleReport& idle) {
  using Place = std::pair<uint32_t, uint32_t>;  // file, line
  std::map<Place, SourceLine> lines;
  std::set<Place> met;  // in one stack
  for (const auto& [stack, sum] : stacks) {
    met.clear();
    for (uint32_t at = stack; at != 0; at = model.host_stacks[at].parent) {
      const model::HostFrame& frame = model.host_frames[model.host_stacks[at].frame];
      const Place place{frame.file, frame.line};
      if (!met.insert(place).second) continue;
      SourceLine& line = lines[place];
      if (line.function.empty()) line.function = model.strings[frame.function];
      line.operations += sum.operations;
      line.time_ns += static_cast<double>(sum.time_ns);
      line.backward_ns += static_cast<double>(sum.backward_ns);
      line.idle_ns += sum.idle_ns;
      if (!idle.enough) continue;
      line.host_idle_ns += idle.sampled_ns * static_cast<double>(sum.host_samples) /
                           static_cast<double>(idle.samples);
    }
  }
  std::vector<SourceLine> sorted;
  sorted.reserve(lines.size());
  for (auto& [place, line] : lines) {
    line.file = model.strings[place.first];
    line.line = place.second;
    sorted.push_back(std::move(line));
  }
  std::sort(sorted.begin(), sorted.end(), [](const SourceLine& a, const SourceLine& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  return sorted;
}

// The idle time in which the GPU waited for the host, and where the host was in it.
HostIdleReport SumHostIdle(const Model& model, const Timeline& timeline, Sums* own, Sums* all,
                           StackSums* stacks) {
  HostIdleReport report;
  const HostSamples samples(model);
  if (!samples.any()) return report;
  HostTime time;
  for (const DeviceTimeline& device : timeline.devices) {
    for (const Gap& gap : device.gaps) {
      if (WaitsForHost(gap.cause)) samples.Add(gap, &time);
    }
  }
  const auto kind = [&time](model::HostSampleKind of) {
    return time.kinds[static_cast<size_t>(of)];
  };
  report.recorded = true;
  report.gaps = time.gaps;
  report.sampled_gaps = time.sampled_gaps;
  report.idle_ns = time.idle_ns;
  report.sampled_ns = time.sampled_ns;
  report.samples = time.samples;
  report.native = kind(model::HostSampleKind::kNative);
  report.torn = kind(model::HostSampleKind::kTorn);
  report.unread = kind(model::HostSampleKind::kUnread);
  report.enough = time.samples >= kFewHostSamples;
  if (!report.enough) return report;
  for (const auto& [place, states] : time.places) {
    const int64_t count = std::accumulate(states.begin(), states.end(), int64_t{0});
    (*own)[place.own].host_samples += count;
    (*all)[place.innermost].host_samples += count;
  }
  for (const auto& [stack, count] : time.stacks) (*stacks)[stack].host_samples += count;
  return report;
}

}  // namespace

LinesReport SumLines(const Model& model, const Timeline& timeline, const KernelGroups& groups,
                     const std::vector<KernelReport>& kernels, const Iterations& steps) {
  LinesReport report;
  if (model.host_stacks.size() <= 1 && model.host_samples.empty()) return report;
  const std::vector<uint32_t> own_frames = OwnFrames(model);
  Interval in_steps;
  report.steps = DescribeSteps(model, steps, &in_steps);
  Sums own, all;
  StackSums stacks;
  int64_t without_ns = 0;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op op = model.ops[i];
    const int64_t time_ns = timeline.exclusive_ns[i];
    const auto [stack, backward] = CauseOf(model, i);
    if (stack == model::kNone) {
      without_ns += time_ns;
      continue;
    }
    if (op.start_ns >= in_steps.start_ns && op.start_ns < in_steps.end_ns) {
      own[own_frames[stack]].steps_ns += static_cast<double>(time_ns);
      all[model.host_stacks[stack].frame].steps_ns += static_cast<double>(time_ns);
    }
    if (backward) {
      own[own_frames[stack]].backward_ns += time_ns;
      all[model.host_stacks[stack].frame].backward_ns += time_ns;
      stacks[stack].backward_ns += time_ns;
      continue;
    }
    stacks[stack].time_ns += time_ns;
    ++stacks[stack].operations;
    for (Sum* sum : {&own[own_frames[stack]], &all[model.host_stacks[stack].frame]}) {
      ++sum->operations;
      sum->time_ns += time_ns;
      if (model::RunsKernels(op)) ++sum->kernels;
      const int32_t group = groups.group_of_op[i];
      if (group != kNoIndex) sum->groups[group] += time_ns;
    }
  }
  report.host_idle = SumHostIdle(model, timeline, &own, &all, &stacks);
  if (own.empty()) return report;
  for (const auto& [stack, idle_ns] : ChargeIdle(model, timeline, own_frames, kAllTime)) {
    if (stack == model::kNone) continue;
    own[own_frames[stack]].idle_ns += idle_ns;
    all[model.host_stacks[stack].frame].idle_ns += idle_ns;
    stacks[stack].idle_ns += idle_ns;
  }
  std::unordered_map<uint32_t, double> idle_in_steps;
  if (report.steps.count > 0) idle_in_steps = ChargeIdle(model, timeline, own_frames, in_steps);
  for (const auto& [stack, idle_ns] : idle_in_steps) {
    if (stack == model::kNone) continue;
    own[own_frames[stack]].steps_ns += idle_ns;
    all[model.host_stacks[stack].frame].steps_ns += idle_ns;
  }
  report.own = DescribeAll(model, own, kernels, report.host_idle);
  report.all = DescribeAll(model, all, kernels, report.host_idle);
  report.within = LinesWithin(model, stacks, report.host_idle);
  report.without_stack_ns = static_cast<double>(without_ns);
  return report;
}

void SetLines(const Model& model, const Timeline& timeline, const KernelGroups& groups,
              std::vector<KernelReport>* kernels) {
  if (model.host_stacks.size() <= 1) return;
  const std::vector<uint32_t> own_frames = OwnFrames(model);
  using Key = std::pair<uint32_t, bool>;  // frame, backward
  std::vector<std::map<Key, KernelSource>> of_group(kernels->size());
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const int32_t group = groups.group_of_op[i];
    if (group == kNoIndex) continue;
    const auto [stack, backward] = CauseOf(model, i);
    if (stack == model::kNone) continue;
    KernelSource& line = of_group[static_cast<size_t>(group)][Key(own_frames[stack], backward)];
    line.time_ns += static_cast<double>(timeline.exclusive_ns[i]);
    ++line.launches;
  }
  for (size_t group = 0; group < of_group.size(); ++group) {
    std::vector<KernelSource>& lines = (*kernels)[group].lines;
    for (auto& [key, line] : of_group[group]) {
      const model::HostFrame& from = model.host_frames[key.first];
      line.file = model.strings[from.file == 0 ? from.module : from.file];
      line.function = model.strings[from.function];
      line.line = from.line;
      line.backward = key.second;
      lines.push_back(std::move(line));
    }
    std::stable_sort(lines.begin(), lines.end(), [](const KernelSource& a, const KernelSource& b) {
      return std::tie(b.time_ns, b.launches) < std::tie(a.time_ns, a.launches);
    });
  }
}

}  // namespace prof::analyzer
