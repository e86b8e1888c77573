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
                                      "StreamQuery",
                                      "EventQuery",
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

}  // namespace

bool KeepsApiCall(const std::string& name) {
  std::string_view rest = name;
  if (StartsWith(rest, "cuda")) {
    rest.remove_prefix(4);
  } else if (StartsWith(rest, "cu")) {
    rest.remove_prefix(2);
  } else {
    return false;
  }
  // A host function is no GPU work: "LaunchHostFunc".
  if (StartsWith(rest, "LaunchHostFunc")) return false;
  for (const std::string_view kept : kKept) {
    if (StartsWith(rest, kept)) return true;
  }
  return false;
}

std::vector<CUpti_CallbackId> KeptApiCalls(const CuptiApi& api, CUpti_CallbackDomain domain) {
  std::vector<CUpti_CallbackId> kept;
  for (CUpti_CallbackId cbid = 1; cbid < ApiFilter::kMaxCbid; ++cbid) {
    const char* known = nullptr;
    if (api.get_callback_name(domain, cbid, &known) != CUPTI_SUCCESS || known == nullptr) continue;
    const std::string name(format::WithoutApiSuffix(known));
    const bool launches = StartsWith(name, "cudaLaunch") || StartsWith(name, "cudaGraphLaunch");
    if (KeepsApiCall(name) && !launches) kept.push_back(cbid);
  }
  return kept;
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
