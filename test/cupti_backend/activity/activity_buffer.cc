// SPDX-License-Identifier: Apache-2.0
#include "test/cupti_backend/activity/activity_buffer.h"

namespace prof::cupti::test {
namespace {

size_t SizeOf(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
      return sizeof(CUpti_ActivityMemoryPool3);
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
      return sizeof(CUpti_ActivityUnifiedMemoryCounter3);
    case CUPTI_ACTIVITY_KIND_ENVIRONMENT:
      return sizeof(CUpti_ActivityEnvironment);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_STREAM:
      return sizeof(CUpti_ActivityStream);
    case CUPTI_ACTIVITY_KIND_NAME:
      return sizeof(CUpti_ActivityName);
    default:
      return 0;
  }
}

CUptiResult CUPTIAPI NextRecord(uint8_t* buffer, size_t bytes, CUpti_Activity** record) {
  uint8_t* next = buffer;
  if (*record != nullptr) {
    next = reinterpret_cast<uint8_t*>(*record) + SizeOf((*record)->kind);
  }
  if (next >= buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  auto* found = reinterpret_cast<CUpti_Activity*>(next);
  if (SizeOf(found->kind) == 0) return CUPTI_ERROR_INVALID_KIND;
  *record = found;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI CallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char** name) {
  *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000) *name = "cudaLaunchKernel_v7000";
    if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020) *name = "cudaGetDevice_v3020";
    if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020) {
      *name = "cudaStreamSynchronize_v3020";
    }
    if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020) *name = "cudaMemcpyAsync_v3020";
    if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020) *name = "cudaEventQuery_v3020";
    if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020) *name = "cudaStreamQuery_v3020";
    if (cbid == CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_ptsz_v7000) {
      *name = "cudaStreamQuery_ptsz_v7000";
    }
  } else {
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) *name = "cuLaunchKernel";
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize) *name = "cuCtxSynchronize";
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent) *name = "cuCtxGetCurrent";
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2) *name = "cuMemcpyHtoDAsync_v2";
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize) *name = "cuStreamSynchronize";
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuEventQuery) *name = "cuEventQuery";
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuStreamQuery) *name = "cuStreamQuery";
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz) *name = "cuStreamQuery_ptsz";
  }
  return *name != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

}  // namespace

CuptiApi DecodingApi() {
  CuptiApi api;
  api.version = CUPTI_API_VERSION;
  api.activity_get_next_record = &NextRecord;
  api.get_callback_name = &CallbackName;
  return api;
}

}  // namespace prof::cupti::test
