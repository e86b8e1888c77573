// SPDX-License-Identifier: Apache-2.0
//
// Barriers in shared memory that copies of the tensor memory accelerator arrive at (sm_90).
#ifndef PROF_BENCH_ZOO_BULK_COPY_CUH_
#define PROF_BENCH_ZOO_BULK_COPY_CUH_

#include <cstdint>

#include "bench/zoo/operations.cuh"

namespace zoo {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// By one thread; the others wait for it with __syncthreads().
template <int kCount>
__device__ __forceinline__ void InitBarriers(uint64_t (&barriers)[kCount]) {
  for (uint64_t& barrier : barriers) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(SharedAddress(&barrier)));
  }
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void ExpectBytes(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void WaitFor(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{ .reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; "
      "@!done bra again; }"
      :
      : "r"(barrier), "r"(parity)
      : "memory");
}

#endif

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_BULK_COPY_CUH_
