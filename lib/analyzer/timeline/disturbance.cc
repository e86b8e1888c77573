// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/disturbance.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/timeline/graph_launches.h"
#include "lib/analyzer/timeline/launch_calls.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

using model::ApiCall;
using model::kNoIndex;
using model::Op;

// A counter range disturbs the GPU around its kernel by up to 1 ms (SM counters, H200). A gap
// behind it that is twice as long is the program's, but for the holds in it.
constexpr int64_t kSampleDisturbanceNs = 2'000'000;
// Before a sampled launch only the launch itself is lost, which takes about 10 us (measured on an
// H200): of a gap with so much before it, that is a twentieth.
constexpr int64_t kLongBeforeSampleNs = 200'000;
// A call is held up by work of prof on another thread when it takes more than this, and several
// times as long as calls of its name do in this run.
constexpr int64_t kHeldCallNs = 100'000;
constexpr int64_t kHeldCallFactor = 4;
// While prof works on another thread, a launching thread may be held up outside of its recorded
// calls. A gap that long, and so many times as long as nearly all gaps away from prof's work, is
// put down to prof as far as they overlap.
constexpr int64_t kHeldGapNs = 1'000'000;
constexpr int64_t kHeldGapFactor = 2;
constexpr double kNearlyAll = 0.99;
// A shorter wait for an event did not wait: the call alone takes a few microseconds.
constexpr int64_t kEventWaitNs = 10'000;
// Between operations that were in the queue the GPU idles for a few microseconds by itself; only a
// longer gap while prof worked is put down to prof.
constexpr int64_t kQueuedGapNs = 20'000;
// A host that prof has made late by less than this is on time: a launch takes as long.
constexpr int64_t kOnTimeNs = 10'000;
// What is left of a gap below this, and below a tenth of the hold, is the difference between two
// clocks.
constexpr int64_t kRestNs = 1'000;

int64_t LengthNs(const Gap& gap) { return gap.end_ns - gap.start_ns; }

// The median duration of the calls of each name.
std::unordered_map<uint32_t, int64_t> MedianCalls(const model::Model& model) {
  std::unordered_map<uint32_t, std::vector<int64_t>> durations;
  for (const ApiCall& call : model.api_calls) {
    durations[call.name].push_back(call.end_ns - call.start_ns);
  }
  std::unordered_map<uint32_t, int64_t> medians;
  for (auto& [name, list] : durations) {
    const auto middle = list.begin() + static_cast<ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), middle, list.end());
    medians[name] = *middle;
  }
  return medians;
}

bool OneGraphLaunch(const Op& a, const Op& b) {
  return b.graph != 0 && a.context == b.context && a.correlation == b.correlation;
}

}  // namespace

Disturbances::Disturbances(const model::Model& model, const GapClassifier& classifier)
    : model_(model), classifier_(classifier) {
  holds_.resize(model.threads.size());
  samples_.resize(model.threads.size());
  waits_.resize(model.threads.size());
  if (!model.profiler_intervals.empty()) {
    AddOwn();
    AddForeign();
    AddSlowerCalls();
    AddWaits();
  }
  AddGraphLaunches();
}

void Disturbances::AddOwn() {
  Intervals all;
  std::vector<Intervals> own(model_.threads.size());
  for (const model::ProfilerInterval& interval : model_.profiler_intervals) {
    const Interval times{interval.begin_ns, interval.end_ns};
    all.push_back(times);
    own[interval.thread].push_back(times);
    if (interval.work == model::ProfilerWork::kSample) samples_[interval.thread].push_back(times);
  }
  all_ = IntervalUnion(std::move(all));
  for (size_t thread = 0; thread < own.size(); ++thread) {
    holds_[thread] = IntervalUnion(std::move(own[thread]));
  }
}

void Disturbances::AddHolds(std::vector<Intervals> held) {
  for (size_t thread = 0; thread < held.size(); ++thread) {
    if (held[thread].empty()) continue;
    const Intervals& known = holds_[thread].intervals();
    held[thread].insert(held[thread].end(), known.begin(), known.end());
    holds_[thread] = IntervalUnion(std::move(held[thread]));
  }
}

// Each launch call takes longer while CUPTI's range profiler is on, sampled or not.
void Disturbances::AddSlowerCalls() {
  const LaunchCalls calls = CompareLaunchCalls(model_);
  if (calls.sampling.n < kFewCalls || calls.otherwise.n < kFewCalls) return;
  const auto slower_ns = static_cast<int64_t>(calls.sampling.median - calls.otherwise.median);
  if (static_cast<double>(slower_ns) < kSlowerCall * calls.otherwise.median) return;
  std::vector<Intervals> held(model_.threads.size());
  for (const ApiCall& call : model_.api_calls) {
    if (call.cls != model::ApiClass::kLaunch || !calls.Sampling(call.start_ns)) continue;
    held[call.thread].push_back({std::max(call.start_ns, call.end_ns - slower_ns), call.end_ns});
  }
  AddHolds(std::move(held));
}

void Disturbances::AddGraphLaunches() {
  const std::vector<GraphLaunchHold> holds = GraphLaunchHolds(model_);
  if (holds.empty()) return;
  std::vector<Intervals> held(model_.threads.size());
  for (const GraphLaunchHold& hold : holds) {
    Interval time = hold.time;
    time.end_ns -= holds_[hold.thread].WithinNs(time);  // no time is counted twice
    if (time.start_ns < time.end_ns) held[hold.thread].push_back(time);
  }
  graph_launches_.resize(held.size());
  for (size_t thread = 0; thread < held.size(); ++thread) {
    graph_launches_[thread] = IntervalUnion(std::move(held[thread]));
  }
}

// Calls that took long while prof worked on another thread.
void Disturbances::AddForeign() {
  const std::unordered_map<uint32_t, int64_t> medians = MedianCalls(model_);
  std::vector<Intervals> held(model_.threads.size());
  for (const ApiCall& call : model_.api_calls) {
    const int64_t call_ns = call.end_ns - call.start_ns;
    if (call_ns < kHeldCallNs || call_ns < kHeldCallFactor * medians.at(call.name)) continue;
    const Intervals& all = all_.intervals();
    auto at = std::lower_bound(
        all.begin(), all.end(), call.start_ns,
        [](const Interval& interval, int64_t time_ns) { return interval.end_ns <= time_ns; });
    for (; at != all.end() && at->start_ns < call.end_ns; ++at) {
      held[call.thread].push_back(
          {std::max(at->start_ns, call.start_ns), std::min(at->end_ns, call.end_ns)});
    }
  }
  AddHolds(std::move(held));
}

// After a wait for all work of a stream the host is where it would be without prof, however short
// the wait was. An event may lie far back.
void Disturbances::AddWaits() {
  for (size_t i = 0; i < model_.api_calls.size(); ++i) {
    if (!classifier_.BlocksHost(i)) continue;
    const ApiCall& call = model_.api_calls[i];
    const bool of_event = text::Contains(model_.strings[call.name], "Event");
    if (of_event && call.end_ns - call.start_ns < kEventWaitNs) continue;
    waits_[call.thread].push_back({call.start_ns, call.end_ns});
  }
}

// When prof began the sample around this launch.
int64_t Disturbances::SampleBegin(const ApiCall& launch) const {
  const Intervals& samples = samples_[launch.thread];
  const auto after = std::lower_bound(
      samples.begin(), samples.end(), launch.end_ns,
      [](const Interval& sample, int64_t time_ns) { return sample.start_ns < time_ns; });
  if (after == samples.begin() || (after - 1)->end_ns <= launch.start_ns) return launch.start_ns;
  return std::min((after - 1)->start_ns, launch.start_ns);
}

void Disturbances::Advance(uint32_t thread, int64_t until_ns, Lateness* lateness) const {
  const Intervals& holds = holds_[thread].intervals();
  const Intervals& waits = waits_[thread];
  const auto wait_before = [&](int64_t time_ns) {  // ... that began after the last hold
    for (; lateness->next_wait < waits.size(); ++lateness->next_wait) {
      const Interval& wait = waits[lateness->next_wait];
      if (wait.start_ns >= time_ns) return;
      if (wait.start_ns >= lateness->held_until_ns) lateness->late_ns = 0;
    }
  };
  for (; lateness->next_hold < holds.size(); ++lateness->next_hold) {
    const Interval& hold = holds[lateness->next_hold];
    if (hold.start_ns >= until_ns) break;
    wait_before(hold.start_ns);
    lateness->late_ns +=
        std::max<int64_t>(0, hold.end_ns - std::max(hold.start_ns, lateness->from_ns));
    lateness->held_until_ns = hold.end_ns;
  }
  wait_before(until_ns);
}

// The length that nearly all gaps stay below while prof does nothing.
int64_t Disturbances::UsualGapNs(const DeviceTimeline& device) const {
  std::vector<int64_t> lengths;
  for (const Gap& gap : device.gaps) {
    if (all_.WithinNs({gap.start_ns, gap.end_ns}) == 0) lengths.push_back(LengthNs(gap));
  }
  if (lengths.empty()) return 0;
  const auto at = static_cast<ptrdiff_t>(kNearlyAll * static_cast<double>(lengths.size() - 1));
  std::nth_element(lengths.begin(), lengths.begin() + at, lengths.end());
  return lengths[static_cast<size_t>(at)];
}

int64_t Disturbances::HeldNs(const Gap& gap, const GapParts& parts, int64_t usual_ns,
                             Lateness* lateness) const {
  const ApiCall& launch = model_.api_calls[parts.launch];
  Advance(launch.thread, gap.end_ns, lateness);
  int64_t held_ns = holds_[launch.thread].WithinNs({gap.start_ns, gap.end_ns});
  if (parts.blocking_call == kNoIndex) held_ns = std::max(held_ns, lateness->late_ns);
  if (LengthNs(gap) >= std::max(kHeldGapNs, kHeldGapFactor * usual_ns)) {
    held_ns = std::max(held_ns, all_.WithinNs({gap.start_ns, gap.end_ns}));
  }
  if (model_.ops[gap.next_op].sampled) {  // nothing that follows the push is the program's
    const Interval before{gap.start_ns, std::max(gap.start_ns, SampleBegin(launch))};
    const int64_t pushed_ns = LengthNs(gap) - OverlapNs(before, {gap.start_ns, gap.end_ns}) +
                              holds_[launch.thread].WithinNs(before);
    held_ns = std::max(held_ns, pushed_ns);
  }
  held_ns = std::min(held_ns, LengthNs(gap));
  lateness->late_ns = std::max<int64_t>(0, lateness->late_ns - held_ns);
  // Before a sampled launch the push has it already.
  if (!model_.ops[gap.next_op].sampled) held_ns += GraphLaunchNs(gap, launch);
  return std::min(held_ns, LengthNs(gap));
}

int64_t Disturbances::GraphLaunchNs(const Gap& gap, const ApiCall& launch) const {
  if (graph_launches_.empty()) return 0;
  return graph_launches_[launch.thread].WithinNs({gap.start_ns, gap.end_ns});
}

// The GPU waited for something on the device: without prof, not for prof.
int64_t Disturbances::QueuedNs(const Gap& gap, bool beside_sample) const {
  const int64_t length_ns = LengthNs(gap);
  if (beside_sample && length_ns <= kSampleDisturbanceNs) return length_ns;
  return length_ns <= kQueuedGapNs ? 0 : all_.WithinNs({gap.start_ns, gap.end_ns});
}

bool Disturbances::MarkOne(int64_t usual_ns, Gap* gap, std::vector<Lateness>* threads) const {
  const Op& previous = model_.ops[gap->previous_op];
  const Op& next = model_.ops[gap->next_op];
  const bool one_graph = OneGraphLaunch(previous, next);
  const bool before_sample = next.sampled && !one_graph;
  const bool after_sample = previous.sampled && !one_graph;
  if (classifier_.OfTracing(*gap)) {
    gap->disturbed_ns = LengthNs(*gap);
    return false;
  }
  const GapParts parts = classifier_.Parts(*gap);
  Lateness* const lateness =
      parts.launch == kNoIndex ? nullptr : &(*threads)[model_.api_calls[parts.launch].thread];
  if (lateness == nullptr || one_graph || classifier_.QueuedInTime(*gap, parts)) {
    gap->disturbed_ns = QueuedNs(*gap, before_sample || after_sample);
    if (lateness == nullptr || one_graph) return false;
    // The call began before the gap, and CUPTI was still at work on it.
    gap->disturbed_ns =
        std::max(gap->disturbed_ns, GraphLaunchNs(*gap, model_.api_calls[parts.launch]));
    Advance(model_.api_calls[parts.launch].thread, gap->end_ns, lateness);
    lateness->late_ns = std::max<int64_t>(0, lateness->late_ns - gap->disturbed_ns);
    return false;
  }
  const bool was_late = lateness->late_ns > kOnTimeNs;
  gap->disturbed_ns = HeldNs(*gap, parts, usual_ns, lateness);
  const int64_t rest_ns = LengthNs(*gap) - gap->disturbed_ns;
  const bool set_aside = (before_sample && !was_late && rest_ns < kLongBeforeSampleNs) ||
                         (after_sample && rest_ns > kRestNs && rest_ns < kSampleDisturbanceNs);
  if (set_aside) {
    lateness->late_ns = 0;
    return true;
  }
  if (rest_ns <= std::min(kRestNs, gap->disturbed_ns / 10)) gap->disturbed_ns = LengthNs(*gap);
  return false;
}

IntervalUnion Disturbances::Mark(DeviceTimeline* device) const {
  if (model_.profiler_intervals.empty() && model_.samples.empty() && graph_launches_.empty()) {
    for (size_t i = 0; classifier_.AnyTracing() && i < device->gaps.size(); ++i) {
      Gap gap = device->gaps[i];
      if (!classifier_.OfTracing(gap)) continue;
      gap.disturbed_ns = LengthNs(gap);
      device->gaps.Set(i, gap);
    }
    return {};
  }
  Lateness on_time;
  on_time.from_ns = device->start_ns;
  std::vector<Lateness> threads(model_.threads.size(), on_time);
  const int64_t usual_ns = UsualGapNs(*device);
  Intervals aside;
  bool open = false;  // the last interval of `aside` has no end yet
  for (size_t i = 0; i < device->gaps.size(); ++i) {
    Gap gap = device->gaps[i];
    const bool set_aside = MarkOne(usual_ns, &gap, &threads);
    // Work that was set aside ends where the host came late without prof's doing.
    const GapParts parts = open ? classifier_.Parts(gap) : GapParts{};
    const bool late = open && parts.launch != kNoIndex && !classifier_.QueuedInTime(gap, parts) &&
                      gap.disturbed_ns < LengthNs(gap);
    if (late || set_aside) {
      if (open) aside.back().end_ns = gap.start_ns;
      open = set_aside;
      if (open) aside.push_back({gap.start_ns, device->end_ns});
    }
    if (open) gap.disturbed_ns = LengthNs(gap);
    device->gaps.Set(i, gap);
  }
  return IntervalUnion(std::move(aside));
}

}  // namespace prof::analyzer
