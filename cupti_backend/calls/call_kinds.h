// SPDX-License-Identifier: Apache-2.0
//
// The call kinds are the calls of the driver that the callback looks for: launches, captures,
// waits, and the begin and end of a window.
#ifndef PROF_CUPTI_BACKEND_CALLS_CALL_KINDS_H_
#define PROF_CUPTI_BACKEND_CALLS_CALL_KINDS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/calls/api_filter.h"

namespace prof::cupti {

inline constexpr CUpti_CallbackId kLaunchCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

// cudaProfilerStart() and cudaProfilerStop() call them.
inline constexpr CUpti_CallbackId kProfilerCalls[] = {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart,
                                                      CUPTI_DRIVER_TRACE_CBID_cuProfilerStop};

// Behind these the GPU has done what the thread has waited for.
inline constexpr CUpti_CallbackId kBlockingWaits[] = {
    CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize};

inline constexpr CUpti_CallbackId kCaptures[] = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz};
inline constexpr CUpti_CallbackId kCaptureEnds[] = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz};

template <size_t kSize>
bool IsAmong(const CUpti_CallbackId (&ids)[kSize], CUpti_CallbackId cbid) {
  return std::find(std::begin(ids), std::end(ids), cbid) != std::end(ids);
}

inline constexpr std::array<bool, ApiFilter::kMaxCbid> kIsLaunch = [] {
  std::array<bool, ApiFilter::kMaxCbid> launches{};
  for (const CUpti_CallbackId id : kLaunchCalls) launches[id] = true;
  return launches;
}();

// A table look-up: each recorded call asks.
inline bool IsLaunch(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  return domain == CUPTI_CB_DOMAIN_DRIVER_API && cbid < kIsLaunch.size() && kIsLaunch[cbid];
}

inline bool IsGraphLaunch(CUpti_CallbackId cbid) {
  return cbid == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
         cbid == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
}

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_CALL_KINDS_H_
