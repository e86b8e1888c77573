// SPDX-License-Identifier: Apache-2.0
//
// The subscription watch finds out whether CUPTI still calls us back. cuptiFinalize, which other
// profilers call when they end, drops the subscription and all kinds without a message. So the
// collector makes a call of the driver now and then, and looks for its callback.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_SUBSCRIPTION_WATCH_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_SUBSCRIPTION_WATCH_H_

#include <cstdint>

namespace prof::cupti {

// The collector thread's bookkeeping. It makes no call.
class SubscriptionWatch {
 public:
  enum class Act {
    kNothing,
    kReportLost,  // the subscription is gone
    kSubscribe,   // the time has come to subscribe again
  };
  // `answered`: a call had its callback. Where none ever had one, nothing is concluded.
  Act Check(bool answered, int64_t now_ns);
  // A new subscription is there.
  void OnSubscribed(int64_t now_ns);

  bool lost() const { return lost_; }
  uint64_t times_lost() const { return times_lost_; }
  // From the last answer before a loss to the subscription after it, all of them.
  int64_t gone_ns() const { return gone_ns_; }

 private:
  // Whoever has finalized CUPTI may still be at it.
  static constexpr int64_t kFirstTryNs = 1'000'000'000, kLastTryNs = 60'000'000'000;

  bool known_ = false, lost_ = false;
  uint64_t times_lost_ = 0;
  int64_t answered_ns_ = 0, gone_ns_ = 0;
  int64_t try_at_ns_ = 0, pause_ns_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_SUBSCRIPTION_WATCH_H_
