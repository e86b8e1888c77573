// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/thread_questions.h"

#include "lib/capture/process/clock.h"
#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_registry.h"
#include "lib/capture/threads/thread_writes.h"

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

}  // namespace

bool Asks() { return calling_thread != nullptr && calling_thread->asked.begin_ticks != 0; }

void RecordQuestion(const Question& question, const CallRecord& call, Answer answer) {
  if (answer != Answer::kNo && !Asks()) return;
  ThreadState* const thread = CallingThread();
  if (thread == nullptr) return;
  OpenQuestions& asked = thread->asked;
  const int64_t now_ns = MonotonicNs();
  const bool goes_on = asked.begin_ticks != 0 && asked.epoch == question.epoch &&
                       PauseNs(asked, call, now_ns) <= kMostPauseNs &&
                       thread->last_call_ticks.load(std::memory_order_relaxed) < asked.begin_ticks;
  const bool same = asked.about == question.about;
  if (goes_on && !same) return;
  if (answer == Answer::kNo) {
    if (!goes_on) {
      asked = {call.begin_ticks, 0, 0, question.about, question.epoch, CurrentStack()};
    }
    asked.last_ticks = call.end_ticks;
    asked.last_ns = now_ns;
    return;
  }
  if (goes_on && answer == Answer::kYes) {
    CallRecord wait = call;
    wait.begin_ticks = asked.begin_ticks;
    wait.stack = asked.stack;
    RecordCall(wait);
  }
  asked.begin_ticks = 0;
}

}  // namespace prof::capture
