// SPDX-License-Identifier: Apache-2.0
//
// The work signal wakes a thread of a sampler.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_WORK_SIGNAL_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_WORK_SIGNAL_H_

#include <semaphore.h>

#include <cstdint>

#include "lib/capture/process/timed_wait.h"

namespace prof::cupti {

class WorkSignal {
 public:
  WorkSignal() { sem_init(&signal_, 0, 0); }
  WorkSignal(const WorkSignal&) = delete;
  WorkSignal& operator=(const WorkSignal&) = delete;

  // Any thread: no lock, no allocation.
  void Post() { sem_post(&signal_); }
  // That thread. `until_ns`: of the monotonic clock.
  void WaitUntil(int64_t until_ns) { capture::WaitUntil(&signal_, until_ns); }

 private:
  sem_t signal_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_WORK_SIGNAL_H_
