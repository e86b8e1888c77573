// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/api_filter.h"

#include <algorithm>
#include <vector>

#include "test/cupti_backend/activity/activity_buffer.h"

namespace prof::cupti::test::api_filter_test {
namespace {

TEST_CASE("Calls that explain GPU work or idleness are kept, others are not") {
  for (const char* kept : {"cudaLaunchKernel",     "cuLaunchKernelEx",
                           "cudaGraphLaunch",      "cuGraphLaunch",
                           "cudaMemcpy",           "cudaMemcpyAsync",
                           "cuMemcpyHtoDAsync",    "cudaMemset",
                           "cuMemsetD8Async",      "cudaDeviceSynchronize",
                           "cuCtxSynchronize",     "cudaStreamSynchronize",
                           "cudaEventSynchronize", "cudaStreamWaitEvent",
                           "cudaMalloc",           "cuMemAlloc",
                           "cudaMallocAsync",      "cudaFree",
                           "cuMemFreeAsync",       "cudaHostAlloc",
                           "cuModuleLoadData",     "cudaEventQuery",
                           "cuStreamQuery"}) {
    INFO(kept);
    CHECK(KeepsApiCall(kept));
  }
  for (const char* left_out :
       {"cudaGetDevice", "cudaGetLastError", "cuCtxGetCurrent", "cudaLaunchHostFunc",
        "cuLaunchHostFunc", "cudaMemPrefetch", "Launch", "nvLaunchKernel", ""}) {
    INFO(left_out);
    CHECK_FALSE(KeepsApiCall(left_out));
  }
}

TEST_CASE("Launches are recorded as the driver's calls, other calls in both domains") {
  const CuptiApi api = DecodingApi();
  const auto has = [&](CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    const std::vector<CUpti_CallbackId> kept = KeptApiCalls(api, domain);
    return std::count(kept.begin(), kept.end(), id) == 1;
  };
  constexpr auto kRuntime = CUPTI_CB_DOMAIN_RUNTIME_API;
  constexpr auto kDriver = CUPTI_CB_DOMAIN_DRIVER_API;
  CHECK(has(kDriver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
  CHECK_FALSE(has(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
  CHECK(has(kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2));
  CHECK(has(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020));
  CHECK_FALSE(has(kDriver, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent));
}

TEST_CASE("A call's name is looked up in its own domain") {
  const CuptiApi api = DecodingApi();
  ApiFilter filter(&api);
  const std::string* launch =
      filter.Name(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
  REQUIRE(launch != nullptr);
  CHECK(*launch == "cudaLaunchKernel");
  CHECK(filter.Name(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000) ==
        launch);
  const std::string* driver =
      filter.Name(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  REQUIRE(driver != nullptr);
  CHECK(*driver == "cuLaunchKernel");
  CHECK(filter.Name(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020) ==
        nullptr);
  CHECK(filter.Name(CUPTI_CB_DOMAIN_RUNTIME_API, 0xffffffff) == nullptr);
}

}  // namespace
}  // namespace prof::cupti::test::api_filter_test
