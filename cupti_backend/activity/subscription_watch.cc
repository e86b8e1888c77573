// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/subscription_watch.h"

#include <algorithm>

namespace prof::cupti {

SubscriptionWatch::Act SubscriptionWatch::Check(bool answered, int64_t now_ns) {
  if (lost_) {
    if (now_ns < try_at_ns_) return Act::kNothing;
    pause_ns_ = std::min(2 * pause_ns_, kLastTryNs);
    try_at_ns_ = now_ns + pause_ns_;
    return Act::kSubscribe;
  }
  if (answered) {
    known_ = true;
    answered_ns_ = now_ns;
    return Act::kNothing;
  }
  if (!known_) return Act::kNothing;
  lost_ = true;
  ++times_lost_;
  pause_ns_ = kFirstTryNs;
  try_at_ns_ = now_ns + pause_ns_;
  return Act::kReportLost;
}

void SubscriptionWatch::OnSubscribed(int64_t now_ns) {
  lost_ = false;
  known_ = false;
  gone_ns_ += now_ns - answered_ns_;
}

}  // namespace prof::cupti
