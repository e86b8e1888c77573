// SPDX-License-Identifier: Apache-2.0
//
// Own files are those that a recording has open and locked. A forked child closes them at once: it
// may live on for days, and would keep the locks.
#ifndef PROF_LIB_CAPTURE_PROCESS_OWN_FILES_H_
#define PROF_LIB_CAPTURE_PROCESS_OWN_FILES_H_

#include <sys/types.h>

namespace prof::capture {

// As open(). A child that is forked from now on, before the file is locked or after it, closes it.
// -1 with EMFILE when kMostOwnFiles are open. Any thread. fork() waits for it (NoForks).
constexpr int kMostOwnFiles = 32;
[[nodiscard]] int OpenOwnFile(const char* path, int flags, mode_t mode = 0);

// As close(). Any thread; `fd` is from OpenOwnFile().
void CloseOwnFile(int fd);

// The program has closed `fd`, and the number may be a file of its own. Any thread.
void ForgetOwnFile(int fd);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_OWN_FILES_H_
