// SPDX-License-Identifier: Apache-2.0
//
// Thread waits tell what another thread of this process waits in, as the kernel shows it in
// /proc/self/task/TID/syscall.
#ifndef PROF_LIB_CAPTURE_THREADS_THREAD_WAITS_H_
#define PROF_LIB_CAPTURE_THREADS_THREAD_WAITS_H_

#include <cstdint>
#include <string_view>

#include "lib/format/enums.h"

namespace prof::capture {

// Belongs to one thread, which must use no file but through it: it has a table of open files of its
// own from then on, and no open file. A file that this thread opened in the program's table could
// take a number that the program is about to get.
class ThreadWaits {
 public:
  // The thread that will ask. Where the kernel has no such tables (before Linux 5.9), or a filter
  // of system calls forbids it, every state is unknown.
  ThreadWaits();

  // What the thread does at this moment. kUnknown: the thread is gone, or the kernel does not say.
  // A thread that waits for a processor counts as running. About 5 us.
  [[nodiscard]] format::HostState StateOf(uint32_t tid) const;

 private:
  bool own_files_ = false;
};

// The state that a line of that file means: "running", or the number of a system call and its
// arguments.
[[nodiscard]] format::HostState StateOfLine(std::string_view line);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_THREAD_WAITS_H_
