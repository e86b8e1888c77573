// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/gap_cause.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/base/search.h"
#include "lib/analyzer/timeline/loading_times.h"
#include "lib/snapshot/model/api_class.h"
#include "lib/snapshot/model/overhead_class.h"

namespace prof::analyzer {
namespace {

using model::ApiCall;
using model::kNoIndex;
using model::Op;

// Shorter stretches of host code are the ordinary cost of a launch, not work to move elsewhere.
constexpr int64_t kHostWorkMinNs = 20'000;
// Host code is the cause when it takes more of the gap than this.
constexpr double kHostWorkShare = 0.8;

// The part of a gap that counter sampling, tracing or the loading of code must have taken to be its
// cause.
constexpr double kCauseShare = 0.5;
// A gap with an untraced launch that is longer needs more evidence than that launch.
constexpr int64_t kUntracedGapNs = 2'000'000;

// A gap in which the host was in more ranges than this is not named after one of them.
constexpr size_t kMaxGapPaths = 64;

bool Pageable(const Op& op) {
  return op.kind == model::OpKind::kCopy && (op.source == model::MemoryKind::kPageable ||
                                             op.destination == model::MemoryKind::kPageable);
}

}  // namespace

GapClassifier::GapClassifier(const model::Model& model)
    : model_(model),
      previous_call_(model.api_calls.size(), kNoIndex),
      blocks_host_(model.api_calls.size()) {
  std::vector<int32_t> last(model.threads.size(), kNoIndex);
  std::vector<std::optional<bool>> blocks(model.strings.size());
  for (size_t i = 0; i < model.api_calls.size(); ++i) {
    const ApiCall& call = model.api_calls[i];
    previous_call_[i] = std::exchange(last[call.thread], static_cast<int32_t>(i));
    std::optional<bool>& known = blocks[call.name];
    if (!known) known = model::BlocksHost(model.strings[call.name]);
    blocks_host_[i] = *known;
  }
  if (model.ops.MayHave(model::OpKind::kCopy)) {
    for (const Op& op : model.ops) {
      if (op.api != kNoIndex && Pageable(op)) blocks_host_[op.api] = true;
    }
  }
  FindUntraced();
  Intervals held;
  for (const Untraced& launch : untraced_) held.push_back({launch.start_ns, launch.end_ns});
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    held.push_back({interval.begin_ns, interval.end_ns});
  }
  profiler_ = IntervalUnion(std::move(held));
  FindOverheads();
  any_tracing_ = !untraced_.empty() ||
                 std::any_of(overheads_.begin(), overheads_.end(), [](const Overheads& of_thread) {
                   return !of_thread.tracing.intervals().empty();
                 });
}

void GapClassifier::FindOverheads() {
  std::vector<Intervals> loading = LoadingTimes(model_), tracing(model_.threads.size());
  for (const model::Overhead& overhead : model_.overheads) {
    if (overhead.thread == model::kNone || !model::IsOfTracing(overhead.kind)) continue;
    tracing[overhead.thread].push_back({overhead.start_ns, overhead.end_ns});
  }
  for (size_t thread = 0; thread < loading.size(); ++thread) {
    overheads_.push_back(
        {IntervalUnion(std::move(loading[thread])), IntervalUnion(std::move(tracing[thread]))});
  }
}

bool GapClassifier::TakesMost(const IntervalUnion& intervals, const Gap& gap) {
  const int64_t taken_ns = intervals.WithinNs({gap.start_ns, gap.end_ns});
  return taken_ns > 0 &&
         static_cast<double>(taken_ns) >= kCauseShare * static_cast<double>(gap.undisturbed_ns());
}

// A launch that prof kept out of the trace is taken to have run as long as the longest launch of
// its shape on the timeline.
void GapClassifier::FindUntraced() {
  if (!model_.ops.MayHaveUntraced()) return;
  std::unordered_map<uint32_t, int64_t> longest_ns;  // by shape
  for (const Op& op : model_.ops) {
    if (op.untraced) longest_ns[op.shape] = 0;
  }
  if (longest_ns.empty()) return;
  for (const Op& op : model_.ops) {
    const auto known = longest_ns.find(op.shape);
    if (op.kind != model::OpKind::kKernel || !op.timed || known == longest_ns.end()) continue;
    known->second = std::max(known->second, op.end_ns - op.start_ns);
  }
  for (const Op& op : model_.ops) {
    if (!op.untraced) continue;
    untraced_.push_back({op.device, op.start_ns, op.start_ns + longest_ns[op.shape]});
  }
  std::sort(untraced_.begin(), untraced_.end(),
            [](const Untraced& a, const Untraced& b) { return a.start_ns < b.start_ns; });
}

bool GapClassifier::HoldsUntraced(const Gap& gap) const {
  auto it = std::lower_bound(
      untraced_.begin(), untraced_.end(), gap.start_ns,
      [](const Untraced& launch, int64_t time_ns) { return launch.start_ns < time_ns; });
  for (; it != untraced_.end() && it->start_ns <= gap.end_ns; ++it) {
    if (it->device == gap.device) return true;
  }
  return false;
}

bool GapClassifier::OfTracing(const Gap& gap) const {
  if (HoldsUntraced(gap)) {
    return gap.end_ns - gap.start_ns <= kUntracedGapNs || TakesMost(profiler_, gap);
  }
  const int32_t launch = model_.ops[gap.next_op].api;
  if (launch == kNoIndex) return false;
  const Overheads& overheads = overheads_[model_.api_calls[launch].thread];
  if (!TakesMost(overheads.tracing, gap)) return false;
  const GapParts parts = Parts(gap);
  return parts.launch != kNoIndex && !QueuedInTime(gap, parts);
}

bool GapClassifier::QueuedInTime(const Gap& gap, const GapParts& parts) const {
  const Op& previous = model_.ops[gap.previous_op];
  const Op& next = model_.ops[gap.next_op];
  if (next.graph != 0 && next.correlation == previous.correlation) return true;
  if (parts.launch == kNoIndex) return false;
  // While the call loads code, the operation is not in the queue.
  const ApiCall& call = model_.api_calls[parts.launch];
  const int64_t loading_ns = LoadingNs(call.thread, {call.start_ns, call.end_ns});
  return call.start_ns + loading_ns + kLaunchLatencyNs < gap.start_ns;
}

// True for a call that waited for the work before the gap, or that took most of the gap itself.
bool GapClassifier::Blocks(const Gap& gap, const ApiCall& call) const {
  if (call.start_ns <= gap.start_ns) return call.end_ns + kClockSlackNs >= gap.start_ns;
  return 2 * OverlapNs({call.start_ns, call.end_ns}, {gap.start_ns, gap.end_ns}) >=
         gap.end_ns - gap.start_ns;
}

GapParts GapClassifier::Parts(const Gap& gap) const {
  GapParts parts;
  const int32_t launch = model_.ops[gap.next_op].api;
  if (launch == kNoIndex || model_.api_calls[launch].start_ns > gap.end_ns) return parts;
  parts.launch = launch;
  const ApiCall& call = model_.api_calls[launch];
  const int64_t launch_start = std::max(call.start_ns, gap.start_ns);
  const int64_t launch_end = std::clamp(call.end_ns, launch_start, gap.end_ns);
  parts.launch_ns = launch_end - launch_start;
  parts.latency_ns = gap.end_ns - launch_end;

  // Backwards over the thread's calls to where the gap began. The gap before `open_ns` is not yet
  // assigned to a call: calls that contain others count once.
  int64_t open_ns = launch_start;
  for (int32_t i = previous_call_[launch]; i != kNoIndex; i = previous_call_[i]) {
    const ApiCall& before = model_.api_calls[i];
    if (before.end_ns + kClockSlackNs < gap.start_ns) break;
    const int64_t from = std::clamp(before.start_ns, gap.start_ns, open_ns);
    const int64_t to = std::clamp(before.end_ns, from, open_ns);
    const bool waited = parts.blocking_call == kNoIndex && blocks_host_[i] && Blocks(gap, before);
    if (waited) parts.blocking_call = i;
    (waited ? parts.blocked_ns : parts.cuda_ns) += to - from;
    parts.host_ns += open_ns - to;
    open_ns = from;
  }
  parts.host_ns += open_ns - gap.start_ns;
  return parts;
}

// The range in which the launching thread was during most of the gap before the launch.
uint32_t GapClassifier::HostPath(const Gap& gap, const GapParts& parts,
                                 std::vector<StepsOfThread>* near) const {
  const Op& next = model_.ops[gap.next_op];
  if (parts.launch == kNoIndex) return model_.LaunchPath(next);
  const ApiCall& call = model_.api_calls[parts.launch];
  StepsOfThread& thread = (*near)[call.thread];
  model::StepTable::Reader& steps = thread.steps;
  const int64_t until_ns = call.start_ns > gap.start_ns ? call.start_ns : gap.end_ns;
  thread.near = FirstNotBefore(thread.count, thread.near,
                               [&](size_t i) { return steps[i].time_ns() <= gap.start_ns; });
  size_t next_step = thread.near;
  // Few paths: a search is cheaper than a map.
  absl::InlinedVector<std::pair<uint32_t, int64_t>, 8> times;
  int64_t from_ns = gap.start_ns;
  uint32_t path = next_step == 0 ? 0 : steps[next_step - 1].path();
  while (from_ns < until_ns) {
    const bool more = next_step < thread.count && steps[next_step].time_ns() < until_ns;
    const int64_t to_ns = more ? steps[next_step].time_ns() : until_ns;
    auto entry = std::find_if(times.begin(), times.end(),
                              [path](const auto& known) { return known.first == path; });
    if (entry == times.end() && times.size() < kMaxGapPaths) {
      entry = times.insert(times.end(), std::pair(path, int64_t{0}));
    }
    if (entry != times.end()) entry->second += to_ns - from_ns;
    from_ns = to_ns;
    if (more) path = steps[next_step++].path();
  }
  if (times.empty()) return model_.LaunchPath(next);
  return std::max_element(times.begin(), times.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::vector<GapClassifier::StepsOfThread> GapClassifier::Steps() const {
  std::vector<StepsOfThread> threads;
  threads.reserve(model_.steps.size());
  for (const model::StepTable& steps : model_.steps) {
    threads.push_back({model::StepTable::Reader(steps), steps.size()});
  }
  return threads;
}

bool GapClassifier::OfProf(const GapClassifier&, const Gap& gap, const GapParts&) {
  return gap.undisturbed_ns() == 0;
}

bool GapClassifier::OfTransfer(const GapClassifier& self, const Gap& gap, const GapParts& parts) {
  const Op& previous = self.model_.ops[gap.previous_op];
  const Op& next = self.model_.ops[gap.next_op];
  const bool copy = previous.kind == model::OpKind::kCopy || next.kind == model::OpKind::kCopy;
  return copy && parts.launch != kNoIndex && self.QueuedInTime(gap, parts);
}

// The operation was queued in time, so it waited for something on the device.
bool GapClassifier::OfDependency(const GapClassifier& self, const Gap& gap, const GapParts& parts) {
  return self.QueuedInTime(gap, parts);
}

bool GapClassifier::OfLoading(const GapClassifier& self, const Gap& gap, const GapParts& parts) {
  return parts.launch != kNoIndex &&
         TakesMost(self.overheads_[self.model_.api_calls[parts.launch].thread].loading, gap);
}

bool GapClassifier::OfHostWork(const GapClassifier&, const Gap& gap, const GapParts& parts) {
  const int64_t gap_ns = gap.undisturbed_ns();
  return gap_ns >= kHostWorkMinNs &&
         static_cast<double>(parts.host_ns) > kHostWorkShare * static_cast<double>(gap_ns);
}

bool GapClassifier::OfWait(const GapClassifier&, const Gap&, const GapParts& parts) {
  return parts.blocking_call != kNoIndex;
}

bool GapClassifier::OfLaunch(const GapClassifier&, const Gap&, const GapParts& parts) {
  return parts.launch != kNoIndex;
}

bool GapClassifier::OfNothingKnown(const GapClassifier&, const Gap&, const GapParts&) {
  return true;
}

const GapClassifier::Rule GapClassifier::kRules[] = {
    {{GapCause::kProfiler,
      "prof kept the GPU idle for all of it ([how much of a gap is "
      "prof's](read-the-report.md#what-prof-disturbed)), or CUPTI itself (buffers, "
      "instrumentation) held the launching thread up for half of it or more: never a finding"},
     OfProf},
    {{GapCause::kTransfer, "the operation behind the gap was queued in time, beside a copy"},
     OfTransfer},
    {{GapCause::kDependency, "it was queued in time, not beside a copy"}, OfDependency},
    {{GapCause::kLoading,
      "the driver loaded or compiled code on the launching thread for half of the gap or more: "
      "CUPTI's overhead records, calls that load code (cuLibraryLoad, cuModuleLoad, "
      "cudaLibraryLoad), and a launch of 0.1 ms or more (own) next to such a call"},
     OfLoading},
    {{GapCause::kHostWork,
      "the thread was outside CUDA for more than 80 % of a gap of 20 us or more"},
     OfHostWork},
    {{GapCause::kSync, "the thread was in a call that waited for the work before the gap"}, OfWait},
    {{GapCause::kLaunch, "the thread launched only after the GPU had run out of work"}, OfLaunch},
    {{GapCause::kUnknown, "no record shows the call that launched the operation"}, OfNothingKnown},
};

std::vector<GapCauseRow> GapClassifier::Rows() {
  std::vector<GapCauseRow> rows;
  for (const Rule& rule : kRules) rows.push_back(rule.text);
  return rows;
}

void GapClassifier::Classify(const GapParts& parts, Gap* gap,
                             std::vector<StepsOfThread>* near) const {
  gap->api = parts.launch;
  gap->path = HostPath(*gap, parts, near);
  const Rule* rule = kRules;
  while (!rule->holds(*this, *gap, parts)) ++rule;
  gap->cause = rule->text.cause;
  if (gap->cause == GapCause::kSync) gap->api = parts.blocking_call;
}

std::string GapCauseTable() {
  RuleTable table({"cause", "condition"});
  for (const GapCauseRow& row : GapClassifier::Rows()) {
    table.Add({AsCode(ToString(row.cause)), row.condition});
  }
  return table.text();
}

}  // namespace prof::analyzer
