// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/unified_memory.h"

#include <string>

namespace prof::cupti {
namespace {

struct CounterKind {
  CUpti_ActivityUnifiedMemoryCounterKind kind;
  const char* name;
};

constexpr CounterKind kCounterKinds[] = {
    {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, "host to device"},
    {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, "device to host"},
    {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT, "CPU page faults"},
    {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, "GPU page faults"},
    {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING, "thrashing"},
    {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING, "throttling"},
    {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP, "remote maps"},
    {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD, "device to device"}};

const char* FixOf(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_ON_NON_P2P_DEVICES:
      return "let the program see one GPU (CUDA_VISIBLE_DEVICES), or GPUs with peer access only";
    case CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED_WITH_MPS:
      return "run it without the Multi-Process Service";
    default:
      return "";
  }
}

capture::NoticeEvent Refused(const CuptiApi& api, const std::string& what, CUptiResult result) {
  return {capture::Severity::kWarning, capture::Subsystem::kTimeline, static_cast<uint32_t>(result),
          "CUPTI does not record " + what + ": " + ErrorText(api, result), FixOf(result)};
}

}  // namespace

// One kind at a time: machines differ in their kinds, and a missing one must not fail the others.
CUptiResult UnifiedMemory::Configure(int devices, std::vector<capture::NoticeEvent>* notices,
                                     bool* any) {
  std::string missing;
  CUptiResult first = CUPTI_SUCCESS;
  for (const CounterKind& kind : kCounterKinds) {
    std::vector<CUpti_ActivityUnifiedMemoryCounterConfig> configs;
    configs.reserve(static_cast<size_t>(devices));
    for (int device = 0; device < devices; ++device) {
      configs.push_back({CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
                         kind.kind, static_cast<uint32_t>(device), 1});
    }
    const CUptiResult result =
        api_->configure_unified_memory(configs.data(), static_cast<uint32_t>(configs.size()));
    if (result == CUPTI_SUCCESS) {
      *any = true;
      continue;
    }
    if (first == CUPTI_SUCCESS) first = result;
    missing += (missing.empty() ? "" : ", ") + std::string(kind.name);
  }
  if (*any && first != CUPTI_SUCCESS) {
    notices->push_back(Refused(*api_, "all of unified memory (not: " + missing + ")", first));
  }
  return first;
}

void UnifiedMemory::Start(std::vector<capture::NoticeEvent>* notices) {
  if (decided_) return;
  int devices = 0;
  const CUresult counted = driver_->device_get_count(&devices);
  if (counted == CUDA_ERROR_NOT_INITIALIZED) return;  // the program has yet to call cuInit
  decided_ = true;
  if (counted != CUDA_SUCCESS || devices <= 0) return;  // no GPU: nothing is recorded at all
  bool any = false;
  CUptiResult result = Configure(devices, notices, &any);
  if (any) {
    result = api_->activity_enable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
    on_ = result == CUPTI_SUCCESS;
  }
  if (!on_) notices->push_back(Refused(*api_, "unified memory", result));
}

void UnifiedMemory::EnableAgain() {
  if (on_) api_->activity_enable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

void UnifiedMemory::Pause() {
  if (on_) api_->activity_disable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

void UnifiedMemory::Stop() {
  decided_ = true;
  if (!on_) return;
  on_ = false;
  api_->activity_disable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

}  // namespace prof::cupti
