// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/api_filter.h"

#include <cctype>
#include <string_view>

namespace prof::cupti {
namespace {

// What follows "cuda" or "cu" in the names that we keep.
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

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
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

// "cudaLaunchKernel_v7000" and "cuMemcpyHtoDAsync_v2" differ from build to build of the program;
// "_ptsz" and "_ptds" only say which default stream it was compiled for.
std::string StripApiSuffix(std::string name) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
      if (EndsWith(name, suffix)) {
        name.resize(name.size() - suffix.size());
        again = true;
      }
    }
    const size_t version = name.rfind("_v");
    if (version != std::string::npos && version + 2 < name.size() &&
        name.find_first_not_of("0123456789", version + 2) == std::string::npos) {
      name.resize(version);
      again = true;
    }
  }
  return name;
}

std::vector<CUpti_CallbackId> KeptApiCalls(const CuptiApi& api, CUpti_CallbackDomain domain) {
  std::vector<CUpti_CallbackId> kept;
  for (CUpti_CallbackId cbid = 1; cbid < ApiFilter::kMaxCbid; ++cbid) {
    const char* known = nullptr;
    if (api.get_callback_name(domain, cbid, &known) != CUPTI_SUCCESS || known == nullptr) continue;
    const std::string name = StripApiSuffix(known);
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
      entry.name = StripApiSuffix(name);
      entry.kept = KeepsApiCall(entry.name);
    }
  }
  return entry.kept ? &entry.name : nullptr;
}

}  // namespace prof::cupti
