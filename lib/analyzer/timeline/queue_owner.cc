// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/queue_owner.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/timeline/loading_times.h"
#include "lib/analyzer/timeline/prof_times.h"
#include "lib/snapshot/model/overhead_class.h"

namespace prof::analyzer {
namespace {

using model::ApiCall;
using model::kNoIndex;

}  // namespace

QueueOwners::QueueOwners(const model::Model& model, const GapClassifier& classifier)
    : model_(model),
      classifier_(classifier),
      prof_(ProfTimes(model)),
      prof_waits_(ProfWaits(model)),
      stalls_(model.threads.size()) {
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

// Where prof has waited for the GPU itself since the last wait of the thread, a wait finds nothing
// to wait for.
bool QueueOwners::ProfWaited(const ApiCall& call, int64_t since_ns) const {
  return prof_waits_[call.thread].WithinNs({since_ns, call.start_ns}) > 0;
}

// Calls `function(call, index, since_ns)` for each call that waits; `since_ns` is the end of the
// thread's wait before, or the begin of its first call, before which it had launched nothing.
template <typename Function>
void QueueOwners::ForEachWait(const Function& function) const {
  std::vector<std::optional<int64_t>> since_ns(model_.threads.size());
  for (size_t i = 0; i < model_.api_calls.size(); ++i) {
    const ApiCall& call = model_.api_calls[i];
    std::optional<int64_t>& since = since_ns[call.thread];
    if (!since) since = call.start_ns;
    if (!classifier_.BlocksHost(i)) continue;
    function(call, static_cast<int32_t>(i), *since);
    since = std::max(*since, call.end_ns);
  }
}

// The median of the waits of each name that prof did not shorten. A name with too few of them has
// none.
std::unordered_map<uint32_t, int64_t> QueueOwners::MedianWaits() const {
  std::unordered_map<uint32_t, std::vector<int64_t>> lengths;
  ForEachWait([&](const ApiCall& call, int32_t, int64_t since_ns) {
    if (ProfWaited(call, since_ns)) return;
    lengths[call.name].push_back(WithoutProfNs(call.thread, call.start_ns, call.end_ns));
  });
  std::unordered_map<uint32_t, int64_t> medians;
  for (auto& [name, list] : lengths) {
    if (static_cast<double>(list.size()) < kRepeats) continue;
    const auto middle = list.begin() + static_cast<ptrdiff_t>(list.size() / 2);
    std::nth_element(list.begin(), middle, list.end());
    medians[name] = *middle;
  }
  return medians;
}

// A wait that prof shortened is taken to be as long as the others of its name. Where these are too
// few, its length is not known, and what it took at least makes nobody late by more. It took no
// longer than it did and prof's own waits together.
QueueOwners::WaitLength QueueOwners::WaitOf(
    const ApiCall& call, int64_t since_ns,
    const std::unordered_map<uint32_t, int64_t>& usual_ns) const {
  const int64_t length_ns = WithoutProfNs(call.thread, call.start_ns, call.end_ns);
  if (!ProfWaited(call, since_ns)) return {length_ns, length_ns};
  const auto usual = usual_ns.find(call.name);
  const int64_t at_most_ns =
      call.end_ns - call.start_ns + prof_waits_[call.thread].WithinNs({since_ns, call.start_ns});
  return {usual == usual_ns.end() ? length_ns : std::max(length_ns, usual->second), at_most_ns};
}

// Waits, and the time between calls. A call within another one adds nothing.
void QueueOwners::AddCalls() {
  std::vector<int64_t> until_ns(model_.threads.size(), -1);
  std::vector<bool> is_inner(model_.api_calls.size());
  for (size_t i = 0; i < model_.api_calls.size(); ++i) {
    const ApiCall& call = model_.api_calls[i];
    int64_t& until = until_ns[call.thread];
    if (until >= 0 && call.start_ns - until >= kHostStallNs) {
      const int64_t length_ns = WithoutProfNs(call.thread, until, call.start_ns);
      stalls_[call.thread].push_back({until, length_ns, length_ns, kNoIndex, kHost});
    }
    is_inner[i] = call.end_ns <= until;
    until = std::max(until, call.end_ns);
  }
  const std::unordered_map<uint32_t, int64_t> usual_ns = MedianWaits();
  ForEachWait([&](const ApiCall& call, int32_t i, int64_t since_ns) {
    if (is_inner[static_cast<size_t>(i)]) return;
    const WaitLength wait = WaitOf(call, since_ns, usual_ns);
    stalls_[call.thread].push_back({call.start_ns, wait.length_ns, wait.at_most_ns, i, kWait});
  });
}

bool QueueOwners::Allocates(int32_t call) const {
  const model::ApiClass cls = model_.api_calls[static_cast<size_t>(call)].cls;
  return cls == model::ApiClass::kAlloc || cls == model::ApiClass::kFree;
}

void QueueOwners::AddLoading() {
  const std::vector<Intervals> loading = LoadingTimes(model_);
  for (size_t thread = 0; thread < loading.size(); ++thread) {
    for (const Interval& load : loading[thread]) {
      stalls_[thread].push_back(
          {load.start_ns, WithoutProfNs(static_cast<uint32_t>(thread), load.start_ns, load.end_ns),
           0, kNoIndex, kLoading});
    }
  }
}

void QueueOwners::TakeIn(const Stall& stall, const Gap& gap, Lateness* late) const {
  int64_t& known = late->ns[stall.kind];
  if (stall.kind != kWait || stall.start_ns >= gap.start_ns) {
    known += stall.length_ns;
  } else {
    // A thread that has to wait was ahead of the GPU: whatever had made it late before is made up
    // for, waits as well. One that finds next to nothing to wait for is as late as it was.
    if (stall.length_ns >= kRealWaitNs) late->ns = {};
    known = std::max(known, stall.length_ns);
  }
  if (stall.kind != kWait) return;
  late->wait = stall.call;
  (Allocates(stall.call) ? late->without_allocations_ns : late->without_waits_ns) +=
      stall.at_most_ns;
}

// Takes in the stalls of the thread until its call `launch` ended, which launched what ended the
// gap: code is loaded within the call. A copy that waits for itself does so behind the gap.
void QueueOwners::Advance(const Gap& gap, int32_t launch, Lateness* late) const {
  const ApiCall& call = model_.api_calls[launch];
  const int64_t until_ns = std::max(call.start_ns + 1, std::min(call.end_ns, gap.end_ns));
  if (late->own_wait && late->own_wait->call != launch) {
    TakeIn(*std::exchange(late->own_wait, std::nullopt), gap, late);
  }
  const std::vector<Stall>& stalls = stalls_[call.thread];
  for (; late->next < stalls.size() && stalls[late->next].start_ns < until_ns; ++late->next) {
    const Stall& stall = stalls[late->next];
    if (stall.call == launch) {
      late->own_wait = stall;
    } else {
      TakeIn(stall, gap, late);
    }
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

// Without its waits the thread would have launched earlier by no more than all of them, and the GPU
// would be ahead by no more than the gaps that it closed so far.
void QueueOwners::Bound(Gap* gap, Lateness* late) const {
  const auto close = [&](int64_t* lead_ns) {
    const int64_t closed_ns = std::min(gap->undisturbed_ns(), *lead_ns);
    *lead_ns -= closed_ns;
    return closed_ns;
  };
  gap->without_waits_ns = close(&late->without_waits_ns);
  gap->without_allocations_ns = close(&late->without_allocations_ns);
  if (gap->cause != GapCause::kSync || gap->api == kNoIndex) return;
  // What a wait owns is closed by it as a whole.
  (Allocates(gap->api) ? gap->without_allocations_ns : gap->without_waits_ns) =
      gap->undisturbed_ns();
}

// The thread has caught up by the length of the gap.
void QueueOwners::Consume(const Gap& gap, int64_t left_ns, Lateness* late) {
  const auto take = [&](Kind kind) {
    const int64_t taken_ns = std::min(left_ns, late->ns[kind]);
    late->ns[kind] -= taken_ns;
    left_ns -= taken_ns;
  };
  if (gap.cause == GapCause::kLoading) take(kLoading);
  if (gap.cause == GapCause::kHostWork) take(kHost);
  for (const Kind kind : {kWait, kLoading, kHost}) take(kind);
}

std::vector<QueueOwners::Lateness> QueueOwners::AllOnTime(int64_t start_ns) const {
  std::vector<Lateness> threads(model_.threads.size());
  for (size_t thread = 0; thread < threads.size(); ++thread) {
    const std::vector<Stall>& stalls = stalls_[thread];
    while (threads[thread].next < stalls.size() &&
           stalls[threads[thread].next].start_ns < start_ns) {
      ++threads[thread].next;
    }
  }
  return threads;
}

// Of the program's part of a gap. `loads`: the thread loaded code for most of the gap itself.
int64_t QueueOwners::BesideNs(const GapParts& parts, const Gap& gap, bool loads) const {
  const uint32_t thread = model_.api_calls[parts.launch].thread;
  const int64_t loading_ns =
      std::min(classifier_.LoadingNs(thread, {gap.start_ns, gap.end_ns}), gap.undisturbed_ns());
  if (gap.cause == GapCause::kHostWork || gap.cause == GapCause::kLaunch) return loading_ns;
  return loads ? std::min(gap.host_ns, gap.undisturbed_ns() - loading_ns) : 0;
}

void QueueOwners::Assign(const GapParts& parts, Gap* gap, std::vector<Lateness>* late) const {
  if (parts.launch == kNoIndex) return;
  // The operation was in the queue in time.
  if (gap->cause == GapCause::kTransfer || gap->cause == GapCause::kDependency) return;
  const ApiCall& launch = model_.api_calls[parts.launch];
  Lateness& of_thread = (*late)[launch.thread];
  Advance(*gap, parts.launch, &of_thread);
  if (gap->cause ==
      GapCause::kProfiler) {  // prof's, and the thread has caught up in it all the same
    return Consume(*gap, gap->end_ns - gap->start_ns, &of_thread);
  }
  gap->host_ns = std::min(parts.host_ns, gap->undisturbed_ns());
  const bool loads = gap->cause == GapCause::kLoading;
  Own(of_thread, gap);
  gap->beside_ns = BesideNs(parts, *gap, loads);
  Bound(gap, &of_thread);
  Consume(*gap, gap->undisturbed_ns(), &of_thread);
}

}  // namespace prof::analyzer
