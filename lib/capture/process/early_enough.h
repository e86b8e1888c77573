// SPDX-License-Identifier: Apache-2.0
//
// The environment may be changed while nobody reads it. With glibc before 2.41 a thread that reads
// it at that moment may crash.
#ifndef PROF_LIB_CAPTURE_PROCESS_EARLY_ENOUGH_H_
#define PROF_LIB_CAPTURE_PROCESS_EARLY_ENOUGH_H_

#include <sys/stat.h>

#include <cstring>

namespace prof::capture {

// Whether a constructor of ours may change the environment: the process has no other thread, or
// `preload` (LD_PRELOAD; may be null) names us. Then main() has not begun, and threads that other
// libraries have started by then wait for work. False where threads cannot be counted (no /proc).
[[nodiscard]] inline bool MayChangeEnvironment(const char* preload) {
  if (preload != nullptr && std::strstr(preload, "libprof") != nullptr) return true;
  struct stat tasks {};
  // A folder of threads has a link for each of them, and two of its own.
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3;
}

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_EARLY_ENOUGH_H_
