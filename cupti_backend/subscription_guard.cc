// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/subscription_guard.h"

#include <cstdio>
#include <string>

#include "cupti_backend/api/cupti_versions.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/complain.h"

namespace prof::cupti {
namespace {

constexpr char kLost[] =
    "another profiler in this process has ended CUPTI (cuptiFinalize: torch.profiler can do that): "
    "launches are missing from there on, and no more counters are read";
constexpr char kNotAgain[] =
    ". This CUPTI crashed in other programs when it was started again, so prof leaves it";
constexpr char kTeardownFix[] =
    "set TEARDOWN_CUPTI=0 in the program's environment, before it starts";

std::string Seconds(int64_t time_ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f s", static_cast<double>(time_ns) / 1e9);
  return text;
}

}  // namespace

Problem SubscriptionGuard::Reason() { return {0, kLost, kTeardownFix}; }

// None where the driver does not work: before cuInit and at exit it may call nobody back.
std::optional<bool> SubscriptionGuard::Answers() {
  const uint64_t before = process_->callback.beats();
  int devices = 0;
  if (process_->driver.device_get_count(&devices) != CUDA_SUCCESS) return std::nullopt;
  return process_->callback.beats() != before;
}

SubscriptionGuard::Finding SubscriptionGuard::Check() {
  const std::optional<bool> answers = watch_.lost() ? false : Answers();
  if (!answers) return Finding::kNothing;
  switch (watch_.Check(*answers, capture::MonotonicNs())) {
    case SubscriptionWatch::Act::kNothing:
      return Finding::kNothing;
    case SubscriptionWatch::Act::kReportLost: {
      process_->callback.OnLost();
      process_->tracer.OnLost();
      const std::string what =
          process_->callback.MayStartAgain() ? kLost : std::string(kLost) + kNotAgain;
      timeline_->Set({State::kDegraded, 0, what, kTeardownFix});
      capture::Complain("prof: %s; %s\n", what.c_str(), kTeardownFix);
      return Finding::kLost;
    }
    case SubscriptionWatch::Act::kSubscribe:
      return SubscribeAgain() ? Finding::kBack : Finding::kNothing;
  }
  return Finding::kNothing;
}

bool SubscriptionGuard::SubscribeAgain() {
  std::string holder;
  if (!process_->callback.MayStartAgain() ||
      process_->callback.SubscribeAgain(&holder) != CUPTI_SUCCESS) {
    return false;
  }
  watch_.OnSubscribed(capture::MonotonicNs());
  timeline_->Set({State::kDegraded, 0,
                  "another profiler in this process had ended CUPTI (cuptiFinalize): launches of " +
                      Seconds(watch_.gone_ns()) + " are missing, and no counters were read after",
                  kTeardownFix});
  return true;
}

}  // namespace prof::cupti
