// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/wait_calls.h"

#include "test/support/catch.h"

namespace prof::cupti::wait_calls_test {
namespace {

CUstream Stream() {
  static int handle;
  return reinterpret_cast<CUstream>(&handle);
}

template <typename Params>
void CheckBoth(CUpti_CallbackId plain, CUpti_CallbackId per_thread) {
  Params params{};
  params.hStream = Stream();
  for (const CUpti_CallbackId cbid : {plain, per_thread}) {
    const WaitCall call = ReadWaitCall(cbid, &params);
    CHECK(call.kind == WaitCall::Kind::kOfStream);
    CHECK(call.stream == Stream());
    CHECK(call.per_thread == (cbid == per_thread));
  }
}

TEST_CASE("A wait for a stream has the stream, and whose default stream is meant") {
  CheckBoth<cuStreamSynchronize_params>(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
                                        CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz);
  CheckBoth<cuStreamQuery_params>(CUPTI_DRIVER_TRACE_CBID_cuStreamQuery,
                                  CUPTI_DRIVER_TRACE_CBID_cuStreamQuery_ptsz);
  CheckBoth<cuStreamWaitEvent_params>(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent,
                                      CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent_ptsz);
}

TEST_CASE("A wait for an event or a context has no stream, and a launch does not wait") {
  for (const CUpti_CallbackId cbid :
       {CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize, CUPTI_DRIVER_TRACE_CBID_cuEventQuery,
        CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2}) {
    CHECK(ReadWaitCall(cbid, nullptr).kind == WaitCall::Kind::kOther);
  }
  for (const CUpti_CallbackId cbid :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2}) {
    CHECK(ReadWaitCall(cbid, nullptr).kind == WaitCall::Kind::kNone);
  }
}

}  // namespace
}  // namespace prof::cupti::wait_calls_test
