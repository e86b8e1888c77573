// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/wait_calls.h"

namespace prof::cupti {
namespace {

template <typename Params>
WaitCall OfStream(const void* params, bool per_thread) {
  return {WaitCall::Kind::kOfStream, static_cast<const Params*>(params)->hStream, per_thread};
}

}  // namespace

// A call with per-thread default streams has the parameters of the one without.
WaitCall ReadWaitCall(CUpti_CallbackId cbid, const void* params) {
  switch (cbid) {
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz:
      return OfStream<cuStreamSynchronize_params>(
          params, cbid == CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz);
    case CUPTI_DRIVER_TRACE_CBID_cuStreamQuery:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz:
      return OfStream<cuStreamQuery_params>(params,
                                            cbid == CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz);
    case CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent_ptsz:
      return OfStream<cuStreamWaitEvent_params>(
          params, cbid == CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent_ptsz);
    case CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuEventQuery:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2:
      return {WaitCall::Kind::kOther, nullptr, false};
    default:
      return {};
  }
}

}  // namespace prof::cupti
