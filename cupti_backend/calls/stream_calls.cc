// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/stream_calls.h"

#include <array>

#include "cupti_backend/calls/api_filter.h"

namespace prof::cupti {
namespace {

using Kind = StreamCall::Kind;

struct KnownCall {
  Kind kind = Kind::kNone;
  bool per_thread = false;
  CUstream (*stream)(const void* params) = nullptr;
};

template <typename Params, CUstream Params::*kStream>
CUstream StreamIn(const void* params) {
  return static_cast<const Params*>(params)->*kStream;
}

using Table = std::array<KnownCall, ApiFilter::kMaxCbid>;

// A call and its variant with per-thread default streams, which has the same parameters.
#define PROF_STREAM_CALL(name, member, kind)                                                  \
  table[CUPTI_DRIVER_TRACE_CBID_##name] = {Kind::kind, false,                                 \
                                           &StreamIn<name##_params, &name##_params::member>}; \
  table[CUPTI_DRIVER_TRACE_CBID_##name##_ptsz] = {                                            \
      Kind::kind, true, &StreamIn<name##_params, &name##_params::member>}

constexpr Table MakeTable() {
  Table table{};
  PROF_STREAM_CALL(cuMemcpyAsync, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpyPeerAsync, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpyHtoDAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpyDtoHAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpyDtoDAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpyHtoAAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpyAtoHAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpy2DAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpy3DAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpy3DPeerAsync, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpyBatchAsync, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpyBatchAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpy3DBatchAsync, hStream, kWork);
  PROF_STREAM_CALL(cuMemcpy3DBatchAsync_v2, hStream, kWork);
  PROF_STREAM_CALL(cuMemsetD8Async, hStream, kWork);
  PROF_STREAM_CALL(cuMemsetD16Async, hStream, kWork);
  PROF_STREAM_CALL(cuMemsetD32Async, hStream, kWork);
  PROF_STREAM_CALL(cuMemsetD2D8Async, hStream, kWork);
  PROF_STREAM_CALL(cuMemsetD2D16Async, hStream, kWork);
  PROF_STREAM_CALL(cuMemsetD2D32Async, hStream, kWork);
  PROF_STREAM_CALL(cuStreamWaitEvent, hStream, kWork);
  PROF_STREAM_CALL(cuLaunchHostFunc, hStream, kWaits);
  PROF_STREAM_CALL(cuStreamAddCallback, hStream, kWaits);
  PROF_STREAM_CALL(cuStreamWaitValue32, stream, kWaits);
  PROF_STREAM_CALL(cuStreamWaitValue32_v2, stream, kWaits);
  PROF_STREAM_CALL(cuStreamWaitValue64, stream, kWaits);
  PROF_STREAM_CALL(cuStreamWaitValue64_v2, stream, kWaits);
  PROF_STREAM_CALL(cuStreamBatchMemOp_v2, stream, kWaits);
  PROF_STREAM_CALL(cuWaitExternalSemaphoresAsync, stream, kWaits);
  PROF_STREAM_CALL(cuStreamBeginCapture_v2, hStream, kBeginCapture);
  PROF_STREAM_CALL(cuStreamBeginCaptureToGraph, hStream, kBeginCapture);
  PROF_STREAM_CALL(cuStreamEndCapture, hStream, kEndCapture);
  return table;
}
#undef PROF_STREAM_CALL

constexpr Table kTable = MakeTable();

}  // namespace

CUstream NormalStream(CUstream stream, bool per_thread) {
  if (stream == nullptr) return per_thread ? CU_STREAM_PER_THREAD : nullptr;
  return stream == CU_STREAM_LEGACY ? nullptr : stream;
}

StreamCall ReadStreamCall(CUpti_CallbackId cbid, const void* params) {
  if (cbid >= kTable.size() || kTable[cbid].kind == Kind::kNone || params == nullptr) return {};
  const KnownCall& known = kTable[cbid];
  return {known.kind, NormalStream(known.stream(params), known.per_thread)};
}

bool IsUnrecorded(CUpti_CallbackId cbid) {
  return cbid < kTable.size() && kTable[cbid].kind == Kind::kWaits;
}

}  // namespace prof::cupti
