// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/kernel_names.h"

#include "lib/text/demangle.h"
#include "test/support/catch.h"

namespace prof::analyzer::kernel_names_test {
namespace {

TEST_CASE("Mangled names are demangled, all others stay as they are") {
  CHECK(text::Demangle("_Z5saxpyifPfS_") == "saxpy(int, float, float*, float*)");
  CHECK(text::Demangle("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_cublas") ==
        "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_cublas");
  CHECK(text::Demangle("triton_poi_fused_add_0") == "triton_poi_fused_add_0");
  CHECK(text::Demangle("_Znot a name") == "_Znot a name");
  CHECK(text::Demangle("").empty());
}

TEST_CASE("A short name has no return type, namespaces, template arguments or parameters") {
  CHECK(ShortName("saxpy(int, float, float*, float*)") == "saxpy");
  CHECK(ShortName("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add"
                  "<float>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, "
                  "std::array<char*, 3ul>)") == "vectorized_elementwise_kernel");
  CHECK(ShortName("void (anonymous namespace)::softmax_warp_forward<float, 10>(float*, int)") ==
        "softmax_warp_forward");
  CHECK(ShortName("void app::(anonymous namespace)::scan<(app::Mode)1>(float*)") == "scan");
  CHECK(
      ShortName("void cub::CUB_200700_900_NS::DeviceReduceKernel<cub::Policy<float>, int>(int)") ==
      "DeviceReduceKernel");
  CHECK(ShortName("void run(float*)::Local::kernel_body(int)") == "kernel_body");
}

TEST_CASE("A name without a meaning keeps its first template argument") {
  CHECK(ShortName("void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_f16_128x128>(Params)") ==
        "Kernel2<cutlass_80_tensorop_s16816gemm_f16_128x128>");
  CHECK(ShortName("void cutlass::device_kernel<cutlass::gemm::GemmUniversal<int, int> >(P)") ==
        "device_kernel<GemmUniversal>");
  CHECK(ShortName("kernel(int)") == "kernel");
}

TEST_CASE("Names that are not C++ stay whole") {
  CHECK(ShortName("nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN") ==
        "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN");
  CHECK(ShortName("(unknown kernel)") == "(unknown kernel)");
  CHECK(ShortName("a<b") == "a");
  CHECK(ShortName("<").substr(0, 1) == "<");
  CHECK(ShortName("::") == "::");
}

}  // namespace
}  // namespace prof::analyzer::kernel_names_test
