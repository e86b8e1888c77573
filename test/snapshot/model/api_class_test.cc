// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/api_class.h"

#include "test/support/catch.h"

namespace prof::model::api_class_test {
namespace {

TEST_CASE("API calls are classified by name, whatever version suffix they carry") {
  CHECK(ClassifyApi("cudaLaunchKernel") == ApiClass::kLaunch);
  CHECK(ClassifyApi("cudaLaunchKernel_v7000") == ApiClass::kLaunch);
  CHECK(ClassifyApi("cudaLaunchKernel_ptsz_v7000") == ApiClass::kLaunch);
  CHECK(ClassifyApi("cudaLaunchKernelExC_v11060") == ApiClass::kLaunch);
  CHECK(ClassifyApi("cudaLaunchCooperativeKernel") == ApiClass::kLaunch);
  CHECK(ClassifyApi("cuLaunchKernelEx_ptsz") == ApiClass::kLaunch);
  CHECK(ClassifyApi("cuGraphLaunch_ptsz") == ApiClass::kGraphLaunch);
  CHECK(ClassifyApi("cudaGraphLaunch_v10000") == ApiClass::kGraphLaunch);
  CHECK(ClassifyApi("cuMemcpyHtoDAsync_v2_ptsz") == ApiClass::kCopy);
  CHECK(ClassifyApi("cudaMemcpy_ptds") == ApiClass::kCopy);
  CHECK(ClassifyApi("cuMemsetD8Async_ptsz") == ApiClass::kMemset);
  CHECK(ClassifyApi("cudaDeviceSynchronize_v3020") == ApiClass::kSync);
  CHECK(ClassifyApi("cuCtxSynchronize") == ApiClass::kSync);
  CHECK(ClassifyApi("cudaStreamSynchronize_ptsz") == ApiClass::kSync);
  CHECK(ClassifyApi("cudaEventSynchronize") == ApiClass::kSync);
  CHECK(ClassifyApi("cudaMalloc_v3020") == ApiClass::kAlloc);
  CHECK(ClassifyApi("cuMemAlloc_v2") == ApiClass::kAlloc);
  CHECK(ClassifyApi("cudaHostAlloc") == ApiClass::kAlloc);
  CHECK(ClassifyApi("cudaFree") == ApiClass::kFree);
  CHECK(ClassifyApi("cuMemFreeHost") == ApiClass::kFree);
}

TEST_CASE("A thread that asks until the GPU is done waits") {
  CHECK(ClassifyApi("cudaEventQuery") == ApiClass::kSync);
  CHECK(ClassifyApi("cuStreamQuery_ptsz") == ApiClass::kSync);
  CHECK(BlocksHost("cudaStreamQuery"));
}

TEST_CASE("Calls that only look like launches, waits or copies are other calls") {
  CHECK(ClassifyApi("cudaLaunchHostFunc") == ApiClass::kOther);
  CHECK(ClassifyApi("cudaStreamWaitEvent") == ApiClass::kOther);
  CHECK(ClassifyApi("cudaEventRecord") == ApiClass::kOther);
  CHECK(ClassifyApi("cudaGraphInstantiate") == ApiClass::kOther);
  CHECK(ClassifyApi("ncclAllReduce") == ApiClass::kOther);
  CHECK(ClassifyApi("") == ApiClass::kOther);
  CHECK(ClassifyApi("_v2") == ApiClass::kOther);
}

TEST_CASE("Waits, plain copies and plain allocation block the host; their Async forms do not") {
  for (const char* name : {"cudaDeviceSynchronize", "cudaMemcpy", "cuMemcpyDtoH_v2", "cudaMalloc",
                           "cudaFree_v3020", "cuEventSynchronize"}) {
    INFO(name);
    CHECK(BlocksHost(name));
  }
  for (const char* name :
       {"cudaMemcpyAsync", "cudaMallocAsync_ptsz", "cudaFreeAsync", "cudaMallocFromPoolAsync",
        "cudaMemset", "cudaLaunchKernel", "cudaGraphLaunch", "cudaEventRecord"}) {
    INFO(name);
    CHECK_FALSE(BlocksHost(name));
  }
}

}  // namespace
}  // namespace prof::model::api_class_test
