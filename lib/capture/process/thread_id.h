// SPDX-License-Identifier: Apache-2.0
//
// The thread id is the number of the calling thread, without a system call each time.
#ifndef PROF_LIB_CAPTURE_PROCESS_THREAD_ID_H_
#define PROF_LIB_CAPTURE_PROCESS_THREAD_ID_H_

#include <cstdint>

namespace prof::capture {

// gettid(), cached per thread. Any thread; async-signal-safe.
[[nodiscard]] uint32_t CurrentThreadId();

// To be called in the child of a fork, whose thread has another number than the cached one.
void ForgetThreadIdAfterFork();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_THREAD_ID_H_
