// SPDX-License-Identifier: Apache-2.0
//
// The timeline status is the state of CUPTI's activity records, for the report.
#ifndef PROF_CUPTI_BACKEND_TIMELINE_STATUS_H_
#define PROF_CUPTI_BACKEND_TIMELINE_STATUS_H_

#include <utility>

#include "lib/capture/process/mutex.h"
#include "prof/session.h"

namespace prof::cupti {

// Any thread.
class TimelineStatus {
 public:
  void Set(SubsystemStatus status) {
    const capture::MutexLock lock(mutex_);
    status_ = std::move(status);
  }
  SubsystemStatus Get() const {
    const capture::MutexLock lock(mutex_);
    return status_;
  }

 private:
  mutable capture::Mutex mutex_;
  SubsystemStatus status_ PROF_GUARDED_BY(mutex_);
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_TIMELINE_STATUS_H_
