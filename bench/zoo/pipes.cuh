// SPDX-License-Identifier: Apache-2.0
//
// RunPipes() is a loop of chains of one instruction, beside a little work of another pipe; below it
// are the same chains in other ways.
#ifndef PROF_BENCH_ZOO_PIPES_CUH_
#define PROF_BENCH_ZOO_PIPES_CUH_

#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"

namespace zoo {

// In groups of kChains instructions for each round.
struct Pipes {
  int rounds, main, other;
};

template <typename T, typename Main, typename Other>
__device__ __forceinline__ void RunPipes(const Pipes& pipes, uint32_t* sink, Main main,
                                         Other other) {
  T chain[kChains];
  uint32_t word[kChains];
  float single[kChains];
  StartChains(single);
#pragma unroll
  for (int k = 0; k < kChains; ++k) chain[k] = static_cast<T>(threadIdx.x + k);
#pragma unroll
  for (int k = 0; k < kChains; ++k) word[k] = threadIdx.x + k;
#pragma unroll 1
  for (int round = 0; round < pipes.rounds; ++round) {
#pragma unroll 4
    for (int i = 0; i < pipes.main; ++i) {
#pragma unroll
      for (T& x : chain) main(x);
    }
#pragma unroll 4
    for (int i = 0; i < pipes.other; ++i) other(single, word);
  }
  T sum = chain[0];
#pragma unroll
  for (int k = 1; k < kChains; ++k) sum += chain[k];
  uint32_t keep = sum == static_cast<T>(77) ? 1 : 0;
#pragma unroll
  for (const uint32_t x : word) keep ^= x;
  Keep(single, keep, sink);
  if (sum == static_cast<T>(12345)) *sink = keep;
}

struct Lops {
  __device__ void operator()(float (&)[kChains], uint32_t (&word)[kChains]) const { Lop(word); }
};
struct Fmas {
  __device__ void operator()(float (&chain)[kChains], uint32_t (&)[kChains]) const { Fma(chain); }
};

// The same results by fewer instructions of the main pipe, or as many values by smaller types. Of
// the special functions a part is computed: the other pipes would be the limit if all were.

template <typename T, typename Main, typename Other>
__global__ void __launch_bounds__(kThreads, 5) OtherPipes(Pipes pipes, uint32_t* sink) {
  RunPipes<T>(pipes, sink, Main{}, Other{});
}

// Two 16-bit values for each instruction: with half of the steps.
struct FmaOfPairs {
  __device__ void operator()(uint32_t& x) const {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(0x38003800u));
  }
};
struct MulOfPairs {
  __device__ void operator()(uint32_t& x) const {
    asm volatile("mul.rn.f16x2 %0, %0, %1;" : "+r"(x) : "r"(0x3c013c01u));
  }
};
// Two steps of a chain as one: also with half of the steps.
struct TwoRotations {
  __device__ void operator()(uint32_t& x) const {
    asm volatile("shf.l.wrap.b32 %0, %0, %0, 14;" : "+r"(x));
  }
};
struct TwoMultiplications {
  __device__ void operator()(uint32_t& x) const {
    constexpr uint32_t kFactor = 747796405, kSum = 289133645;
    asm volatile("mad.lo.u32 %0, %0, %1, %2;"
                 : "+r"(x)
                 : "n"(kFactor * kFactor), "n"(kFactor * kSum + kSum));
  }
};
struct TwoFmasOfPairs {
  __device__ void operator()(uint32_t& x) const {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(0x34003400u), "r"(0x3a003a00u));
  }
};
struct SingleFma {
  __device__ void operator()(float& x) const {
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, 0f3F000000;" : "+f"(x));
  }
};
// To an integer and back, of an |x| below 2^22: the same result.
struct Rounding {
  __device__ void operator()(float& x) const {
    asm volatile("add.rn.f32 %0, %0, 0f4B400000; add.rn.f32 %0, %0, 0fCB400000;" : "+f"(x));
  }
};

struct Exp2 {
  static __device__ void Unit(float& x) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); }
  static __device__ void Computed(float& x) { x = Exp2ByPolynomial(x); }
};
struct Sine {
  static __device__ void Unit(float& x) { asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x)); }
  static __device__ void Computed(float& x) { x = SineByPolynomial(x); }
};
struct Rsqrt {
  static __device__ void Unit(float& x) { asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x)); }
  static __device__ void Computed(float& x) { x = RsqrtByNewton(x); }
};
struct Popcount {
  static __device__ void Unit(uint32_t& x) {
    asm volatile("{ .reg .b32 t; popc.b32 t, %0; xor.b32 %0, %0, t; }" : "+r"(x));
  }
  static __device__ void Computed(uint32_t& x) {
    uint32_t twos = x - ((x >> 1) & 0x55555555u);
    twos = (twos & 0x33333333u) + ((twos >> 2) & 0x33333333u);
    x ^= (((twos + (twos >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
  }
};

// `kComputed` of the kChains values.
template <typename T, typename Function, int kComputed, typename Other>
__global__ void __launch_bounds__(kThreads, 5) PartlyComputed(Pipes pipes, uint32_t* sink) {
  T chain[kChains];
  float single[kChains];
  uint32_t word[kChains], keep = 0;
  StartChains(single);
#pragma unroll
  for (int k = 0; k < kChains; ++k) {
    chain[k] = static_cast<T>(threadIdx.x + k);
    word[k] = threadIdx.x + k;
  }
#pragma unroll 1
  for (int round = 0; round < pipes.rounds; ++round) {
#pragma unroll 2
    for (int i = 0; i < pipes.main; ++i) {
#pragma unroll
      for (int k = 0; k < kChains; ++k) {
        if (k < kComputed) {
          Function::Computed(chain[k]);
        } else {
          Function::Unit(chain[k]);
        }
      }
    }
#pragma unroll 4
    for (int i = 0; i < pipes.other; ++i) Other{}(single, word);
  }
  T sum = chain[0];
#pragma unroll
  for (int k = 1; k < kChains; ++k) sum += chain[k];
#pragma unroll
  for (const uint32_t x : word) keep ^= x;
  Keep(single, keep, sink);
  if (sum == static_cast<T>(12345)) *sink = keep;
}

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_PIPES_CUH_
