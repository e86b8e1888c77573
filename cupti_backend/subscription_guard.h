// SPDX-License-Identifier: Apache-2.0
//
// The subscription guard carries out what SubscriptionWatch finds: it makes the calls, reports a
// lost subscription, and subscribes again.
#ifndef PROF_CUPTI_BACKEND_SUBSCRIPTION_GUARD_H_
#define PROF_CUPTI_BACKEND_SUBSCRIPTION_GUARD_H_

#include <cstdint>
#include <optional>

#include "cupti_backend/activity/subscription_watch.h"
#include "cupti_backend/api/problem.h"
#include "cupti_backend/cupti_process.h"
#include "cupti_backend/timeline_status.h"

namespace prof::cupti {

// One recording. The collector thread.
class SubscriptionGuard {
 public:
  // Both outlive this.
  SubscriptionGuard(CuptiProcess* process, TimelineStatus* timeline)
      : process_(process), timeline_(timeline) {}

  enum class Finding {
    kNothing,
    kLost,  // from now on CUPTI may not be called
    kBack,  // subscribed again: nothing is enabled yet
  };
  // One call of the driver: under a microsecond.
  Finding Check();

  bool lost() const { return watch_.lost(); }
  uint64_t times_lost() const { return watch_.times_lost(); }
  // Why samples end when the subscription is lost.
  static Problem Reason();

 private:
  std::optional<bool> Answers();
  bool SubscribeAgain();

  CuptiProcess* const process_;
  TimelineStatus* const timeline_;
  SubscriptionWatch watch_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SUBSCRIPTION_GUARD_H_
