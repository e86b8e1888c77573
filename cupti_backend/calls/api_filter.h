// SPDX-License-Identifier: Apache-2.0
//
// The API filter chooses the CUDA API calls that are recorded, and knows their names.
#ifndef PROF_CUPTI_BACKEND_CALLS_API_FILTER_H_
#define PROF_CUPTI_BACKEND_CALLS_API_FILTER_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

// It keeps calls that launch, copy, set, synchronize, allocate, free, or work on graphs: they
// explain GPU work and GPU idleness. The collector thread alone uses it.
class ApiFilter {
 public:
  static constexpr CUpti_CallbackId kMaxCbid = 1024;  // above every call of CUDA 13

  explicit ApiFilter(const CuptiApi* api) : api_(api) {}

  // The call's name without version suffixes ("cuMemcpyAsync"), or nullptr for a call that is not
  // kept.
  const std::string* Name(CUpti_CallbackDomain domain, CUpti_CallbackId cbid);

 private:
  struct Entry {
    bool known = false;
    bool kept = false;
    std::string name;
  };
  const CuptiApi* api_;
  std::array<Entry, kMaxCbid> runtime_;
  std::array<Entry, kMaxCbid> driver_;
};

// The ids of the calls that are recorded. Launches of the runtime API are left out: a runtime call
// makes driver calls with its own correlation id, so the driver's launch has all that is needed.
std::vector<CUpti_CallbackId> KeptApiCalls(const CuptiApi& api, CUpti_CallbackDomain domain);

// Those of them that ask whether the GPU is done: cudaEventQuery, cuStreamQuery. The handle of what
// they ask about is their one parameter.
std::vector<CUpti_CallbackId> QuestionCalls(const CuptiApi& api, CUpti_CallbackDomain domain);

// The decision by name; declared for its test.
bool KeepsApiCall(const std::string& name);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_API_FILTER_H_
