// SPDX-License-Identifier: Apache-2.0
//
// What the program and its files for the tensor pipe share.
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
  double operations;  // of one product
  void (*launch)(int blocks, int products, Clock* clock, uint32_t* sink);
};

inline constexpr int kTensorKinds = 5;
extern const TensorKind kHopperTensor[kTensorKinds];  // wgmma: chips of compute capability 9.0

// mma.sync, the only one that chips from 8.0 on have, but those of 9.0 and 10.x.
struct WarpKind {
  const char* kind;       // without what lib/format/ceilings.h puts behind it
  int least_chip;         // 10 times the compute capability
  double operations;      // of a block, in one step
  int (*compiled_for)();  // the chip of the code that runs on the current device
  void (*launch)(int blocks, int steps, Clock* clock, uint32_t* sink);
};

inline constexpr int kWarpKinds = 5;
extern const WarpKind kWarpTensor[kWarpKinds];

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
