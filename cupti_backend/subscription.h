// SPDX-License-Identifier: Apache-2.0
//
// The subscription to CUPTI's callbacks: which of them are on.
#ifndef PROF_CUPTI_BACKEND_SUBSCRIPTION_H_
#define PROF_CUPTI_BACKEND_SUBSCRIPTION_H_

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/calls/api_filter.h"

namespace prof::cupti {

// There is one for the life of the process: a second one would restart the correlation ids. Without
// a subscription nothing is turned on or off. One thread at a time, unless a function says more.
class Subscription {
 public:
  explicit Subscription(const CuptiApi* api) : api_(api) {}

  // A driver call that programs hardly make. Its callback shows that the subscription is there.
  static constexpr CUpti_CallbackId kBeatCall = CUPTI_DRIVER_TRACE_CBID_cuDeviceGetCount;

  // `function` gets `user`. `holder` gets the name of the tool that has CUPTI where this fails.
  // Idempotent.
  CUptiResult Begin(CUpti_CallbackFunc function, void* user, std::string* holder);
  [[nodiscard]] bool exists() const { return subscriber_ != nullptr; }
  // CUPTI has dropped it.
  void Lose();
  // Whether it may begin after a loss: CUPTI before 12.6 crashed in CUDA graphs when it was started
  // again (pytorch pull requests 112507 and 151124).
  [[nodiscard]] bool MayBeginAgain() const;

  // The callbacks that a recording needs, `code`: also those of loaded modules. Returns the result
  // of that of launches.
  CUptiResult TurnOn(bool code) { return SetAll(1, code ? 1 : 0); }
  CUptiResult TurnOff() { return SetAll(0, 0); }
  // Of the nodes that a later recording would know.
  void WatchGraphsEnd();
  // The calls that wait for the GPU, and those that begin a capture.
  void WatchWaits();

  // Whether the call asks if the GPU is done. Any thread, once the callbacks were turned on.
  [[nodiscard]] bool IsQuestion(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) const {
    const bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
    return cbid < ApiFilter::kMaxCbid && (runtime ? runtime_questions_ : driver_questions_)[cbid];
  }

 private:
  CUptiResult SetAll(uint32_t enable, uint32_t enable_code);
  CUptiResult Set(uint32_t enable, CUpti_CallbackDomain domain, CUpti_CallbackId cbid);
  void FindCalls();

  const CuptiApi* const api_;
  CUpti_SubscriberHandle subscriber_ = nullptr;  // nullptr: none, or lost
  bool was_lost_ = false;
  std::vector<CUpti_CallbackId> runtime_calls_, driver_calls_;             // that are recorded
  std::bitset<ApiFilter::kMaxCbid> runtime_questions_, driver_questions_;  // of these
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SUBSCRIPTION_H_
