// SPDX-License-Identifier: Apache-2.0
//
// A quiet thread is ours in somebody else's process: the program does not notice it.
#ifndef PROF_LIB_CAPTURE_PROCESS_QUIET_THREAD_H_
#define PROF_LIB_CAPTURE_PROCESS_QUIET_THREAD_H_

#include <functional>
#include <thread>

namespace prof::capture {

// Runs `body` on a thread that takes none of the program's signals. `name`: at most 15 characters.
// An exception ends the thread with a line on stderr, and the program goes on. Throws
// std::system_error when the system has no thread to give.
[[nodiscard]] std::thread StartQuietThread(const char* name, std::function<void()> body);

// Whether the calling thread is a quiet one.
[[nodiscard]] bool IsQuietThread();

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_QUIET_THREAD_H_
