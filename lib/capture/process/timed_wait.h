// SPDX-License-Identifier: Apache-2.0
//
// A timed wait ends when the thread is woken, or at a given time.
#ifndef PROF_LIB_CAPTURE_PROCESS_TIMED_WAIT_H_
#define PROF_LIB_CAPTURE_PROCESS_TIMED_WAIT_H_

#include <semaphore.h>
#include <time.h>

#include <cerrno>
#include <cstdint>

namespace prof::capture {

// Waits until `wake` is posted or CLOCK_MONOTONIC is at `until_ns`.
inline void WaitUntil(sem_t* wake, int64_t until_ns) {
  const timespec until = {static_cast<time_t>(until_ns / 1'000'000'000),
                          static_cast<long>(until_ns % 1'000'000'000)};
  while (sem_clockwait(wake, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
  }
}

// A signal may end it early.
inline void SleepNs(int64_t ns) {
  const timespec length = {static_cast<time_t>(ns / 1'000'000'000),
                           static_cast<long>(ns % 1'000'000'000)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr);
}

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_TIMED_WAIT_H_
