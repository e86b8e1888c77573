// SPDX-License-Identifier: Apache-2.0
#include "lib/format/waiting_kernels.h"

#include "test/support/catch.h"

namespace prof::format::test::waiting_kernels_test {
namespace {

TEST_CASE("Such kernels are known by parts of their names in any case of letters") {
  for (const char* name : {"oneshotAllreduceFusionKernel",
                           "twoshotAllreduceKernel",
                           "twoshot_allreduce_kernel",
                           "rmsNormLamport",
                           "moeA2ADispatchKernel",
                           "moeA2ACombineKernel",
                           "moeA2APrepareDispatchKernel",
                           "moeA2APrepareCombineKernel",
                           "MultiGpuBarrierKernelImpl",
                           "multiGpuBarrierKernel",
                           "RaggedAllToAllKernelImpl",
                           "_ZN9hybrid_ep15dispatch_kernelEv",
                           "_ZN4pplx14dispatchKernelEv",
                           "_ZN4uccl12internode_ll8dispatchEv",
                           "AllReduceKernelImpl",
                           "all_reduce_kernel_0",
                           "kernel_allgather_gemm_wait",
                           "triton_symm_mem_barrier_ar",
                           "my_nvshmem_put_kernel",
                           "_ZN4vllm26cross_device_reduce_2stageI6__halfLi8EEEvv",
                           "DelayKernel"}) {
    INFO(name);
    CHECK(WaitsForOthers(name));
  }
  for (const char* name :
       {"cutlass_80_tensorop_f16_s16816gemm", "flash_fwd_kernel", "softmax_warp_forward",
        "vectorized_elementwise_kernel", "fused_moe_kernel", "nvjet_tst_192x192_64x3_2x1"}) {
    INFO(name);
    CHECK_FALSE(WaitsForOthers(name));
  }
}

}  // namespace
}  // namespace prof::format::test::waiting_kernels_test
