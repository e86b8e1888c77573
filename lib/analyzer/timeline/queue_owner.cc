// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/queue_owner.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/snapshot/model/overhead_class.h"

namespace prof::analyzer {
namespace {

using model::ApiCall;
using model::kNoIndex;

// Host code between two calls that lasts this long is a stall. Shorter stretches are the cost of a
// launch: an eager framework spends some 10 us on each.
constexpr int64_t kHostStallNs = 100'000;
// A wait that took less did not wait: its call alone takes a few microseconds. What came before it
// still makes the thread late.
constexpr int64_t kRealWaitNs = 10'000;

}  // namespace

QueueOwners::QueueOwners(const model::Model& model, const GapClassifier& classifier)
    : model_(model), classifier_(classifier), stalls_(model.threads.size()) {
  std::vector<Intervals> prof(model.threads.size());
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    prof[interval.thread].push_back({interval.begin_ns, interval.end_ns});
  }
  for (Intervals& intervals : prof) prof_.emplace_back(std::move(intervals));
  AddCalls();
  AddLoading();
  for (std::vector<Stall>& list : stalls_) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Stall& a, const Stall& b) { return a.start_ns < b.start_ns; });
  }
}

// What a stall took without prof's own work on its thread.
int64_t QueueOwners::WithoutProfNs(uint32_t thread, int64_t start_ns, int64_t end_ns) const {
  return end_ns - start_ns - prof_[thread].WithinNs({start_ns, end_ns});
}

// The median wait in calls of each name.
std::unordered_map<uint32_t, int64_t> QueueOwners::MedianWaits() const {
  std::unordered_map<uint32_t, std::vector<int64_t>> lengths;
  for (size_t i = 0; i < model_.api_calls.size(); ++i) {
    if (!classifier_.BlocksHost(i)) continue;
    const ApiCall& call = model_.api_calls[i];
    lengths[call.name].push_back(call.end_ns - call.start_ns);
  }
  std::unordered_map<uint32_t, int64_t> medians;
  for (auto& [name, list] : lengths) {
    const auto middle = list.begin() + static_cast<ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), middle, list.end());
    medians[name] = *middle;
  }
  return medians;
}

// Where prof has waited for the GPU itself since the last wait of the thread, a wait finds nothing
// to wait for. Without prof it would have taken as long as the others.
int64_t QueueOwners::WaitNs(const ApiCall& call, int64_t since_ns, int64_t usual_ns) const {
  const int64_t length_ns = WithoutProfNs(call.thread, call.start_ns, call.end_ns);
  const bool prof_waited = prof_[call.thread].WithinNs({since_ns, call.start_ns}) > 0;
  return prof_waited ? std::max(length_ns, usual_ns) : length_ns;
}

// Waits, and the time between calls. A call within another one adds nothing.
void QueueOwners::AddCalls() {
  const std::unordered_map<uint32_t, int64_t> usual_ns = MedianWaits();
  std::vector<int64_t> until_ns(model_.threads.size(), -1), waited_ns(model_.threads.size());
  for (size_t i = 0; i < model_.api_calls.size(); ++i) {
    const ApiCall& call = model_.api_calls[i];
    int64_t& until = until_ns[call.thread];
    if (until >= 0 && call.start_ns - until >= kHostStallNs) {
      stalls_[call.thread].push_back(
          {until, WithoutProfNs(call.thread, until, call.start_ns), kNoIndex, kHost});
    }
    const bool inner = call.end_ns <= until;
    until = std::max(until, call.end_ns);
    if (inner || !classifier_.BlocksHost(i)) continue;
    const int64_t wait_ns = WaitNs(call, waited_ns[call.thread], usual_ns.at(call.name));
    stalls_[call.thread].push_back({call.start_ns, wait_ns, static_cast<int32_t>(i), kWait});
    waited_ns[call.thread] = call.end_ns;
  }
}

void QueueOwners::AddLoading() {
  for (const model::Overhead& overhead : model_.overheads) {
    if (overhead.thread == model::kNone || !model::LoadsCode(overhead.kind)) continue;
    stalls_[overhead.thread].push_back(
        {overhead.start_ns, overhead.end_ns - overhead.start_ns, kNoIndex, kLoading});
  }
}

// Takes in the stalls of the thread before `until_ns`, where it launched what ended the gap.
void QueueOwners::Advance(uint32_t thread, const Gap& gap, int64_t until_ns, Lateness* late) const {
  const std::vector<Stall>& stalls = stalls_[thread];
  for (; late->next < stalls.size() && stalls[late->next].start_ns < until_ns; ++late->next) {
    const Stall& stall = stalls[late->next];
    int64_t& known = late->ns[stall.kind];
    if (stall.kind != kWait || stall.start_ns >= gap.start_ns) {
      known += stall.length_ns;
    } else {
      // The host stands where the GPU does: whatever had made it late before is made up for.
      if (stall.length_ns >= kRealWaitNs) late->ns[kLoading] = late->ns[kHost] = 0;
      known = std::max(known, stall.length_ns);
    }
    if (stall.kind == kWait) late->wait = stall.call;
  }
}

// A gap belongs to a stall when the thread would have been early enough to close half of it.
void QueueOwners::Own(const Lateness& late, Gap* gap) {
  const int64_t gap_ns = gap->undisturbed_ns();
  const auto explains = [&](Kind kind) { return 2 * late.ns[kind] >= gap_ns; };
  const bool launched = gap->cause == GapCause::kLaunch;
  if ((launched || gap->cause == GapCause::kHostWork) && explains(kWait)) {
    gap->cause = GapCause::kSync;
    gap->api = late.wait;
  } else if (launched && explains(kLoading)) {
    gap->cause = GapCause::kLoading;
  } else if (launched && explains(kHost)) {
    gap->cause = GapCause::kHostWork;
  }
  gap->after_wait_ns = gap->cause == GapCause::kSync ? gap_ns : std::min(gap_ns, late.ns[kWait]);
  if (gap->after_wait_ns > 0) gap->wait = gap->cause == GapCause::kSync ? gap->api : late.wait;
}

// The thread has caught up by the length of the gap.
void QueueOwners::Consume(const Gap& gap, Lateness* late) {
  int64_t left_ns = gap.undisturbed_ns();
  const auto take = [&](Kind kind) {
    const int64_t taken_ns = std::min(left_ns, late->ns[kind]);
    late->ns[kind] -= taken_ns;
    left_ns -= taken_ns;
  };
  if (gap.cause == GapCause::kLoading) take(kLoading);
  if (gap.cause == GapCause::kHostWork) take(kHost);
  for (const Kind kind : {kWait, kLoading, kHost}) take(kind);
}

void QueueOwners::Assign(DeviceTimeline* device) const {
  std::vector<Lateness> threads(model_.threads.size());
  for (size_t thread = 0; thread < threads.size(); ++thread) {
    const std::vector<Stall>& stalls = stalls_[thread];
    // What is over before the device's first operation made nobody late.
    while (threads[thread].next < stalls.size() &&
           stalls[threads[thread].next].start_ns < device->start_ns) {
      ++threads[thread].next;
    }
  }
  for (Gap& gap : device->gaps) {
    const GapParts parts = classifier_.Parts(gap);
    if (parts.launch == kNoIndex || gap.cause == GapCause::kProfiler) continue;
    if (classifier_.QueuedInTime(gap, parts)) continue;
    const ApiCall& launch = model_.api_calls[parts.launch];
    Lateness& late = threads[launch.thread];
    // Code is loaded within the call that launches.
    Advance(launch.thread, gap, std::max(launch.start_ns + 1, std::min(launch.end_ns, gap.end_ns)),
            &late);
    gap.host_ns = std::min(parts.host_ns, gap.undisturbed_ns());
    Own(late, &gap);
    Consume(gap, &late);
  }
}

}  // namespace prof::analyzer
