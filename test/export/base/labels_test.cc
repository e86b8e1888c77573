// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/labels.h"

#include "test/support/catch.h"

namespace prof::exporting::labels_test {
namespace {

TEST_CASE("Calls have no version in the names that other tools compare") {
  CHECK(WithoutVersion("cudaLaunchKernel_v7000") == "cudaLaunchKernel");
  CHECK(WithoutVersion("cudaLaunchKernel_ptsz_v7000") == "cudaLaunchKernel");
  CHECK(WithoutVersion("cuMemcpyHtoD_v2") == "cuMemcpyHtoD");
  CHECK(WithoutVersion("cuMemAlloc_v2_ptsz") == "cuMemAlloc");
  CHECK(WithoutVersion("cuLaunchKernelEx") == "cuLaunchKernelEx");
  CHECK(WithoutVersion("my_vector") == "my_vector");
  CHECK(WithoutVersion("").empty());
}

TEST_CASE("A call of the driver and one of the runtime differ in how their names begin") {
  CHECK(IsDriverCall("cuLaunchKernel"));
  CHECK_FALSE(IsDriverCall("cudaLaunchKernel"));
}

}  // namespace
}  // namespace prof::exporting::labels_test
