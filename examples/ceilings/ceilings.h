// SPDX-License-Identifier: Apache-2.0
//
// What the program and its file for sm_90a share.
#ifndef EXAMPLES_CEILINGS_CEILINGS_H_
#define EXAMPLES_CEILINGS_CEILINGS_H_

#include <cstdint>

// A thread of block 0 leaves its cycles and the time: the SM clock while the kernel ran.
struct Clock {
  uint64_t cycles, ns;
};

// One type of the tensor pipe.
struct TensorKind {
  const char* kind;   // as in lib/format/ceilings.h
  double operations;  // of one product of 64 x 128 sums
  void (*launch)(int blocks, int products, Clock* clock, uint32_t* sink);
};

inline constexpr int kTensorKinds = 5;
extern const TensorKind kHopperTensor[kTensorKinds];  // wgmma: chips of compute capability 9.0

#ifdef __CUDACC__
__device__ __forceinline__ uint64_t Nanoseconds() {
  uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__device__ __forceinline__ Clock ReadClock() {
  return {static_cast<uint64_t>(clock64()), Nanoseconds()};
}

__device__ __forceinline__ void Leave(const Clock& begin, Clock* clock) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const Clock end = ReadClock();
  *clock = {end.cycles - begin.cycles, end.ns - begin.ns};
}
#endif

#endif  // EXAMPLES_CEILINGS_CEILINGS_H_
