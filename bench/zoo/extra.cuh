// SPDX-License-Identifier: Apache-2.0
//
// Additional work of a kernel whose own work cannot be less.
#ifndef PROF_BENCH_ZOO_EXTRA_CUH_
#define PROF_BENCH_ZOO_EXTRA_CUH_

#include "bench/zoo/memory.h"
#include "bench/zoo/operations.cuh"

namespace zoo {

// `fma` and `alu` in groups of kChains instructions, `shared` in reads of 16 bytes, which have no
// bank conflicts. The rest is more of what the kernel does anyway, at most kMostExtra for each of
// its own: `dram` of data that nothing else has in a cache then, `near` of data that a cache has.
// Each kernel uses those that it has.
struct Extra {
  int fma = 0, alu = 0, shared = 0;
  int dram = 0, near = 0, barriers = 0, atomics = 0, sfu = 0, tensor = 0;
};

inline constexpr int kMostExtra = 2;

struct ExtraState {
  float chain[kChains];
  uint32_t word[kChains];
  uint32_t keep = 0;

  __device__ __forceinline__ ExtraState() {
    StartChains(chain);
#pragma unroll
    for (int k = 0; k < kChains; ++k) word[k] = threadIdx.x + k;
  }
  __device__ __forceinline__ void Run(const Extra& extra, uint32_t shared_vectors) {
    for (int i = 0; i < extra.fma; ++i) Fma(chain);
    for (int i = 0; i < extra.alu; ++i) Lop(word);
#pragma unroll 2
    for (int i = 0; i < extra.shared; ++i) {
      Use(LoadSharedAgain(shared_vectors + 16 * (threadIdx.x % 32)), &keep);
    }
  }
  __device__ __forceinline__ void End(uint32_t* sink) {
#pragma unroll
    for (const uint32_t x : word) keep ^= x;
    Keep(chain, keep, sink);
  }
};

__device__ __forceinline__ uint4 LoadOncePastL1(const uint4* at) { return LoadPastL1(at); }
__device__ __forceinline__ uint32_t LoadOncePastL1(const uint32_t* at) {
  return LoadWordPastL1(at);
}
__device__ __forceinline__ void UseAll(const uint4& value, uint32_t* keep) { Use(value, keep); }
__device__ __forceinline__ void UseAll(uint32_t value, uint32_t* keep) {
  asm volatile("xor.b32 %0, %0, %1;" : "+r"(*keep) : "r"(value));
}

// Reads of In() beside those of a kernel that goes through it: hundreds of MB away from `at`. Start
// all, then the kernel's own work, then End(): nothing waits for the additional ones alone.
template <typename T>
struct FarReads {
  T value[kMostExtra];

  __device__ __forceinline__ void Start(const void* in, size_t at, int count) {
    constexpr size_t kAll = size_t{kVectors} * sizeof(uint4) / sizeof(T), kFar = kAll / 8 * 3;
#pragma unroll
    for (int k = 0; k < kMostExtra; ++k) {
      if (k < count) {
        value[k] = LoadOncePastL1(static_cast<const T*>(in) + ((at + (k + 1) * kFar) & (kAll - 1)));
      }
    }
  }
  __device__ __forceinline__ void End(int count, uint32_t* keep) {
#pragma unroll
    for (int k = 0; k < kMostExtra; ++k) {
      if (k < count) UseAll(value[k], keep);
    }
  }
};

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_EXTRA_CUH_
