// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/stream_calls.h"

#include "test/support/catch.h"

namespace prof::cupti::test::stream_calls_test {
namespace {

using Kind = StreamCall::Kind;

const CUstream kStream = reinterpret_cast<CUstream>(uintptr_t{64});

TEST_CASE("A copy, a wait and a host function give their stream work") {
  cuMemcpyHtoDAsync_v2_params copy = {};
  copy.hStream = kStream;
  StreamCall call = ReadStreamCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, &copy);
  CHECK(call.kind == Kind::kWork);
  CHECK(call.stream == kStream);
  cuStreamWaitValue32_v2_params wait = {};
  wait.stream = kStream;
  call = ReadStreamCall(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitValue32_v2_ptsz, &wait);
  CHECK(call.kind == Kind::kWaits);
  CHECK(call.stream == kStream);
  cuLaunchHostFunc_params host = {};
  host.hStream = kStream;
  CHECK(ReadStreamCall(CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc, &host).kind == Kind::kWaits);
  CHECK(IsUnrecorded(CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc));
  CHECK_FALSE(IsUnrecorded(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2));
}

TEST_CASE("A capture begins and ends on its stream") {
  cuStreamBeginCapture_v2_params begin = {};
  begin.hStream = kStream;
  CHECK(ReadStreamCall(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, &begin).kind ==
        Kind::kBeginCapture);
  cuStreamEndCapture_params end = {};
  end.hStream = kStream;
  CHECK(ReadStreamCall(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz, &end).kind ==
        Kind::kEndCapture);
}

TEST_CASE("Other calls are none, also those that are not known") {
  CHECK(ReadStreamCall(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, nullptr).kind == Kind::kNone);
  CHECK(ReadStreamCall(1'000'000, &kStream).kind == Kind::kNone);
  CHECK(ReadStreamCall(CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, nullptr).kind == Kind::kNone);
}

TEST_CASE("The default stream is the context's or the thread's") {
  CHECK(NormalStream(nullptr, false) == nullptr);
  CHECK(NormalStream(CU_STREAM_LEGACY, true) == nullptr);
  CHECK(NormalStream(nullptr, true) == CU_STREAM_PER_THREAD);
  CHECK(NormalStream(CU_STREAM_PER_THREAD, false) == CU_STREAM_PER_THREAD);
  CHECK(NormalStream(kStream, true) == kStream);
}

}  // namespace
}  // namespace prof::cupti::test::stream_calls_test
