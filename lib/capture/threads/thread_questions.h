// SPDX-License-Identifier: Apache-2.0
//
// Thread questions find the waits of a thread that asks until the GPU is done: cudaEventQuery,
// cudaStreamQuery.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_QUESTIONS_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_QUESTIONS_H_

#include <cstdint>

#include "lib/capture/threads/thread_recorder.h"

namespace prof::capture {

constexpr int64_t kMostPauseNs = 200'000;  // own

enum class Answer : uint8_t { kYes, kNo, kError };

// `about`: the event or the stream. `epoch`: another one begins with each recording, and whenever
// calls are recorded again after a pause.
struct Question {
  uint32_t epoch = 0;
  uintptr_t about = 0;
};

// Records this thread's wait, if `call` ends one: a question that is answered yes, behind questions
// about the same, by the same call, that were answered no. The wait is one call, from the begin of
// the first question to the end of this one, with the rest as in `call`, but for the stack, which
// is the first one's.
//
// Questions go together while the thread records no other call between them, makes no pause above
// kMostPauseNs between two questions about the same, and the epoch is the same. In between it may
// ask about others: of those that it looks at in turn, the last kMostQuestions are followed. Other
// questions are no wait, and not recorded.
void RecordQuestion(const Question& question, const CallRecord& call, Answer answer);

// Whether a yes of this thread may end a wait.
[[nodiscard]] bool Asks();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_QUESTIONS_H_
