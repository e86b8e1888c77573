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

// A question of this thread that is answered. Questions that go on until a yes are a wait, and one
// call: from the begin of the first one to the end of the last one, with the rest as the last one
// has it, but for the stack. They go on while the thread records no other call between them, makes
// no pause above kMostPauseNs, and `epoch`, the recording, is the same. Other questions are no
// wait, and not recorded.
void RecordQuestion(uint32_t epoch, const CallRecord& question, Answer answer);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_QUESTIONS_H_
