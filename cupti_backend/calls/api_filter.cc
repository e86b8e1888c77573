// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/api_filter.h"

#include <cctype>
#include <string_view>

#include "lib/format/api_names.h"

namespace prof::cupti {
namespace {

// How the kept names go on after "cuda" or "cu".
constexpr std::string_view kKept[] = {"Launch",
                                      "GraphLaunch",
                                      "GraphInstantiate",
                                      "GraphExecUpdate",
                                      "Memcpy",
                                      "Memset",
                                      "DeviceSynchronize",
                                      "CtxSynchronize",
                                      "StreamSynchronize",
                                      "EventSynchronize",
                                      "StreamWaitEvent",
                                      "EventRecord",
                                      "Malloc",
                                      "MemAlloc",
                                      "Free",
                                      "MemFree",
                                      "HostAlloc",
                                      "MemHostAlloc",
                                      "MemHostRegister",
                                      "HostRegister",
                                      "MemCreate",
                                      "MemMap",
                                      "MemUnmap",
                                      "MemRelease",
                                      "ModuleLoad",
                                      "LibraryLoad",
                                      "DeviceReset",
                                      "StreamBeginCapture",
                                      "StreamEndCapture"};

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// "EventRecord" of "cudaEventRecord" and "cuEventRecord"; empty: no name of CUDA's.
std::string_view WithoutPrefix(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "cu"}) {
    if (StartsWith(name, prefix)) return name.substr(prefix.size());
  }
  return {};
}

bool IsQuestion(const std::string& name) {
  const std::string_view rest = WithoutPrefix(name);
  return rest == "EventQuery" || rest == "StreamQuery";
}

template <typename Wanted>
std::vector<CUpti_CallbackId> CallsWhere(const CuptiApi& api, CUpti_CallbackDomain domain,
                                         const Wanted& wanted) {
  std::vector<CUpti_CallbackId> calls;
  for (CUpti_CallbackId cbid = 1; cbid < ApiFilter::kMaxCbid; ++cbid) {
    const char* known = nullptr;
    if (api.get_callback_name(domain, cbid, &known) != CUPTI_SUCCESS || known == nullptr) continue;
    if (wanted(std::string(format::WithoutApiSuffix(known)))) calls.push_back(cbid);
  }
  return calls;
}

}  // namespace

bool KeepsApiCall(const std::string& name) {
  const std::string_view rest = WithoutPrefix(name);
  if (rest.empty()) return false;
  if (IsQuestion(name)) return true;
  // A host function is no GPU work: "LaunchHostFunc".
  if (StartsWith(rest, "LaunchHostFunc")) return false;
  for (const std::string_view kept : kKept) {
    if (StartsWith(rest, kept)) return true;
  }
  return false;
}

std::vector<CUpti_CallbackId> KeptApiCalls(const CuptiApi& api, CUpti_CallbackDomain domain) {
  return CallsWhere(api, domain, [](const std::string& name) {
    const bool launches = StartsWith(name, "cudaLaunch") || StartsWith(name, "cudaGraphLaunch");
    return KeepsApiCall(name) && !launches;
  });
}

std::vector<CUpti_CallbackId> QuestionCalls(const CuptiApi& api, CUpti_CallbackDomain domain) {
  return CallsWhere(api, domain, IsQuestion);
}

const std::string* ApiFilter::Name(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  if (cbid >= kMaxCbid) return nullptr;
  Entry& entry = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? runtime_[cbid] : driver_[cbid];
  if (!entry.known) {
    entry.known = true;
    const char* name = nullptr;
    if (api_->get_callback_name(domain, cbid, &name) == CUPTI_SUCCESS && name != nullptr) {
      entry.name = format::WithoutApiSuffix(name);
      entry.kept = KeepsApiCall(entry.name);
    }
  }
  return entry.kept ? &entry.name : nullptr;
}

}  // namespace prof::cupti
