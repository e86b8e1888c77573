// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/subscription.h"

#include <array>

#include "cupti_backend/api/cupti_versions.h"
#include "cupti_backend/calls/call_kinds.h"
#include "cupti_backend/calls/graph_nodes.h"
#include "cupti_backend/calls/stream_calls.h"

namespace prof::cupti {

CUptiResult Subscription::Begin(CUpti_CallbackFunc function, void* user, std::string* holder) {
  if (subscriber_ != nullptr) return CUPTI_SUCCESS;
  std::array<char, 2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> name{};
  CUpti_SubscriberParams params = {CUpti_SubscriberParams_STRUCT_SIZE};
  params.subscriberName = "prof";
  params.oldSubscriberName = name.data();
  params.oldSubscriberSize = name.size();
  const CUptiResult result = api_->Has(Feature::kSubscriberNames)
                                 ? api_->subscribe_by_name(&subscriber_, function, user, &params)
                                 : api_->subscribe(&subscriber_, function, user);
  if (result != CUPTI_SUCCESS) {
    subscriber_ = nullptr;
    name.back() = '\0';
    *holder = name.data();
  }
  return result;
}

void Subscription::Lose() {
  subscriber_ = nullptr;
  was_lost_ = true;
}

bool Subscription::MayBeginAgain() const { return !was_lost_ || api_->version >= kCupti12_6; }

void Subscription::WatchGraphsEnd() {
  for (const CUpti_CallbackIdResource cbid : GraphNodes::kDestroyCallbacks) {
    Set(1, CUPTI_CB_DOMAIN_RESOURCE, cbid);
  }
}

void Subscription::WatchWaits() {
  for (const CUpti_CallbackId cbid : kBlockingWaits) Set(1, CUPTI_CB_DOMAIN_DRIVER_API, cbid);
  for (const CUpti_CallbackId cbid : kCaptures) Set(1, CUPTI_CB_DOMAIN_DRIVER_API, cbid);
}

CUptiResult Subscription::SetAll(uint32_t enable, uint32_t enable_code) {
  if (subscriber_ == nullptr) return CUPTI_SUCCESS;
  if (driver_calls_.empty()) FindCalls();
  CUptiResult of_launches = CUPTI_SUCCESS;
  for (const CUpti_CallbackId cbid : driver_calls_) {
    const CUptiResult result = Set(enable, CUPTI_CB_DOMAIN_DRIVER_API, cbid);
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) of_launches = result;
  }
  for (CUpti_CallbackId cbid = 0; cbid < ApiFilter::kMaxCbid; ++cbid) {
    if (IsUnrecorded(cbid)) Set(enable, CUPTI_CB_DOMAIN_DRIVER_API, cbid);
  }
  for (const CUpti_CallbackId cbid : runtime_calls_) {
    Set(enable, CUPTI_CB_DOMAIN_RUNTIME_API, cbid);
  }
  Set(enable, CUPTI_CB_DOMAIN_DRIVER_API, kBeatCall);
  for (const CUpti_CallbackId cbid : kProfilerCalls) {
    Set(enable, CUPTI_CB_DOMAIN_DRIVER_API, cbid);
  }
  Set(enable, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  Set(enable, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  Set(enable, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING);
  Set(enable_code, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  for (const CUpti_CallbackIdResource cbid : GraphNodes::kCallbacks) {
    Set(enable, CUPTI_CB_DOMAIN_RESOURCE, cbid);
  }
  return of_launches;
}

CUptiResult Subscription::Set(uint32_t enable, CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  if (subscriber_ == nullptr) return CUPTI_SUCCESS;
  return api_->enable_callback(enable, subscriber_, domain, cbid);
}

void Subscription::FindCalls() {
  driver_calls_ = KeptApiCalls(*api_, CUPTI_CB_DOMAIN_DRIVER_API);
  runtime_calls_ = KeptApiCalls(*api_, CUPTI_CB_DOMAIN_RUNTIME_API);
  for (const CUpti_CallbackId cbid : QuestionCalls(*api_, CUPTI_CB_DOMAIN_DRIVER_API)) {
    driver_questions_.set(cbid);
  }
  for (const CUpti_CallbackId cbid : QuestionCalls(*api_, CUPTI_CB_DOMAIN_RUNTIME_API)) {
    runtime_questions_.set(cbid);
  }
}

}  // namespace prof::cupti
