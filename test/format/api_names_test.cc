// SPDX-License-Identifier: Apache-2.0
#include "lib/format/api_names.h"

#include "test/support/catch.h"

namespace prof::format::api_names_test {
namespace {

TEST_CASE("API names lose their version and default-stream suffixes and nothing else") {
  CHECK(WithoutApiSuffix("cudaLaunchKernel_v7000") == "cudaLaunchKernel");
  CHECK(WithoutApiSuffix("cudaMemcpyAsync_v3020_ptsz") == "cudaMemcpyAsync");
  CHECK(WithoutApiSuffix("cudaLaunchKernel_ptsz_v7000") == "cudaLaunchKernel");
  CHECK(WithoutApiSuffix("cuMemcpyHtoD_v2_ptds") == "cuMemcpyHtoD");
  CHECK(WithoutApiSuffix("cuLaunchKernel") == "cuLaunchKernel");
  CHECK(WithoutApiSuffix("cuThing_via") == "cuThing_via");
  CHECK(WithoutApiSuffix("cuThing_v") == "cuThing_v");
  CHECK(WithoutApiSuffix("cuThing_v2x") == "cuThing_v2x");
  CHECK(WithoutApiSuffix("").empty());
  CHECK(WithoutApiSuffix("cuMem_vx2") == "cuMem_vx2");
  CHECK(WithoutApiSuffix("_v2").empty());
}

}  // namespace
}  // namespace prof::format::api_names_test
