// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/thread_questions.h"

#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_writes.h"

namespace prof::capture {

void RecordQuestion(uint32_t epoch, const CallRecord& question, Answer answer) {
  ThreadState* const thread = CallingThread();
  if (thread == nullptr) return;
  OpenQuestions& asked = thread->asked;
  const int64_t now_ns = MonotonicNs();
  const bool go_on = asked.begin_ticks != 0 && asked.epoch == epoch &&
                     now_ns - asked.last_ns <= kMostPauseNs &&
                     thread->last_call_ticks.load(std::memory_order_relaxed) < asked.begin_ticks;
  if (answer == Answer::kNo) {
    if (!go_on) asked = {question.begin_ticks, now_ns, epoch, question.stack};
    asked.last_ns = now_ns;
    return;
  }
  if (go_on && answer == Answer::kYes) {
    CallRecord wait = question;
    wait.begin_ticks = asked.begin_ticks;
    wait.stack = asked.stack;
    RecordCall(wait);
  }
  asked.begin_ticks = 0;
}

}  // namespace prof::capture
