// SPDX-License-Identifier: Apache-2.0
//
// The timeline status says whether CUPTI's activity records are complete.
#ifndef PROF_CUPTI_BACKEND_TIMELINE_STATUS_H_
#define PROF_CUPTI_BACKEND_TIMELINE_STATUS_H_

#include <mutex>
#include <utility>

#include "prof/session.h"

namespace prof::cupti {

// Any thread.
class TimelineStatus {
 public:
  void Set(SubsystemStatus status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_ = std::move(status);
  }
  SubsystemStatus Get() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return status_;
  }

 private:
  mutable std::mutex mutex_;
  SubsystemStatus status_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_TIMELINE_STATUS_H_
