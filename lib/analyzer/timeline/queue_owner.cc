// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/queue_owner.h"

#include <algorithm>
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
  Intervals prof;
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    prof.push_back({interval.begin_ns, interval.end_ns});
  }
  prof_ = IntervalUnion(std::move(prof));
  AddCalls(classifier);
  AddLoading();
  for (std::vector<Stall>& list : stalls_) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Stall& a, const Stall& b) { return a.start_ns < b.start_ns; });
  }
}

// What a stall took without prof's own work in it.
int64_t QueueOwners::WithoutProfNs(int64_t start_ns, int64_t end_ns) const {
  return end_ns - start_ns - prof_.WithinNs({start_ns, end_ns});
}

// Waits, and the time between calls. A call within another one adds nothing.
void QueueOwners::AddCalls(const GapClassifier& classifier) {
  std::vector<int64_t> until_ns(model_.threads.size(), -1);
  for (size_t i = 0; i < model_.api_calls.size(); ++i) {
    const ApiCall& call = model_.api_calls[i];
    int64_t& until = until_ns[call.thread];
    if (until >= 0 && call.start_ns - until >= kHostStallNs) {
      stalls_[call.thread].push_back(
          {until, WithoutProfNs(until, call.start_ns), kNoIndex, kHost});
    }
    const bool inner = call.end_ns <= until;
    until = std::max(until, call.end_ns);
    if (inner || !classifier.BlocksHost(i)) continue;
    stalls_[call.thread].push_back({call.start_ns, WithoutProfNs(call.start_ns, call.end_ns),
                                    static_cast<int32_t>(i), kWait});
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
  gap->after_wait_ns =
      gap->cause == GapCause::kSync ? gap_ns : std::min(gap_ns, late.ns[kWait]);
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
