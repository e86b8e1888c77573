// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/thread_questions.h"

#include <algorithm>

#include "lib/capture/process/clock.h"
#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_registry.h"
#include "lib/capture/threads/thread_writes.h"
#include "lib/capture/threads/tick_clock.h"

namespace prof::capture {
namespace {

// From the end of the last question to the begin of this one. Ticks have no unit here, and both
// clocks were read at both ends.
int64_t PauseNs(const OpenQuestions& asked, const CallRecord& call, int64_t now_ns) {
  const auto since = static_cast<double>(call.end_ticks - asked.last_ticks);
  if (!(since > 0)) return 0;
  const auto pause = static_cast<double>(call.begin_ticks - asked.last_ticks);
  return static_cast<int64_t>(static_cast<double>(now_ns - asked.last_ns) * pause / since);
}

bool GoesOn(const OpenQuestions& asked, const Question& question, const CallRecord& call,
            int64_t last_call_ticks, int64_t now_ns) {
  return asked.begin_ticks != 0 && asked.epoch == question.epoch &&
         PauseNs(asked, call, now_ns) <= kMostPauseNs && last_call_ticks < asked.begin_ticks;
}

bool Less(const OpenQuestions& a, const OpenQuestions& b) { return a.last_ticks < b.last_ticks; }

}  // namespace

bool Asks() {
  if (calling_thread == nullptr) return false;
  const auto& asked = calling_thread->asked;
  return std::any_of(asked.begin(), asked.end(), [](const auto& one) { return one.begin_ticks; });
}

void RecordQuestion(const Question& question, const CallRecord& call, Answer answer) {
  if (answer != Answer::kNo && calling_thread != nullptr && !Asks()) return;
  ThreadState* const thread = CallingThread();
  if (thread == nullptr) {  // nobody knows whether it has waited
    if (answer == Answer::kYes) Count(thread_registry.losses.calls_dropped);
    return;
  }
  auto& all = thread->asked;
  const auto same = std::find_if(all.begin(), all.end(), [&](const OpenQuestions& one) {
    return one.begin_ticks != 0 && one.about == question.about && one.call == call.call;
  });
  const int64_t last_call_ticks = thread->last_call_ticks.load(std::memory_order_relaxed);
  const bool goes_on =
      same != all.end() && GoesOn(*same, question, call, last_call_ticks, MonotonicNs());
  if (answer == Answer::kNo) {
    OpenQuestions& asked =
        same != all.end() ? *same : *std::min_element(all.begin(), all.end(), Less);
    if (!goes_on) {
      asked = {call.begin_ticks, 0, 0, question.about, call.call, question.epoch, CurrentStack()};
    }
    asked.last_ticks = NowTicks();  // behind the stack, which is no pause of the program
    asked.last_ns = MonotonicNs();
    return;
  }
  if (same == all.end()) return;
  if (goes_on && answer == Answer::kYes) {
    CallRecord wait = call;
    wait.begin_ticks = same->begin_ticks;
    wait.stack = same->stack;
    RecordCall(wait);
  }
  same->begin_ticks = 0;
}

}  // namespace prof::capture
