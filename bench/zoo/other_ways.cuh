// SPDX-License-Identifier: Apache-2.0
//
// What variants use in place of operations.cuh: 16-bit floats, and arithmetic in place of special
// functions. Nothing here may be removed by the compiler either.
#ifndef PROF_BENCH_ZOO_OTHER_WAYS_CUH_
#define PROF_BENCH_ZOO_OTHER_WAYS_CUH_

#include "bench/zoo/operations.cuh"

namespace zoo {

inline constexpr int kPairs = kChains / 2;  // of 16-bit values: as many as kChains floats

__device__ __forceinline__ void StartPairs(uint32_t (&pair)[kPairs]) {
#pragma unroll
  for (int k = 0; k < kPairs; ++k) pair[k] = 0x3c003c00u + threadIdx.x + k;
}

// As Fma() and Lop() for kChains values of 16 bits.
__device__ __forceinline__ void FmaPairs(uint32_t (&pair)[kPairs]) {
#pragma unroll
  for (uint32_t& x : pair) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(0x38003800u));
  }
}

__device__ __forceinline__ void LopPairs(uint32_t (&pair)[kPairs]) {
#pragma unroll
  for (uint32_t& x : pair) {
    asm volatile("lop3.b32 %0, %0, %1, 0x55555555, 0x96;" : "+r"(x) : "r"(0x70007u));
  }
}

__device__ __forceinline__ uint32_t Bits(const uint32_t (&pair)[kPairs]) {
  return pair[0] ^ pair[1] ^ pair[2] ^ pair[3];
}

__device__ __forceinline__ float2 ToFloats(uint32_t halves) {
  float2 both;
  asm volatile(
      "{ .reg .f16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; "
      "cvt.f32.f16 %1, high; }"
      : "=f"(both.x), "=f"(both.y)
      : "r"(halves));
  return both;
}

__device__ __forceinline__ uint32_t ToHalves(float low, float high) {
  uint32_t both;
  asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

__device__ __forceinline__ void UseHalves(uint32_t halves, uint32_t* keep) {
  const float2 both = ToFloats(halves);
  asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(*keep) : "f"(both.x), "f"(both.y));
}

// 8 values, as two vectors of floats have.
__device__ __forceinline__ void UseHalves(const uint4& value, uint32_t* keep) {
  UseHalves(value.x, keep);
  UseHalves(value.y, keep);
  UseHalves(value.z, keep);
  UseHalves(value.w, keep);
}

// Of an x whose result is a normal number. The error is that of ex2.approx: 2e-7.
__device__ __forceinline__ float Exp2ByPolynomial(float x) {
  constexpr float kRounds = 12582912;  // 1.5 * 2^23: the last bit of a sum with it is 1
  float shifted;
  asm volatile("add.rn.f32 %0, %1, %2;" : "=f"(shifted) : "f"(x), "f"(kRounds));
  const float part = x - (shifted - kRounds);
  float sum = 1.540353e-4f;
  for (const float c :
       {1.3333558e-3f, 9.6181291e-3f, 5.5504109e-2f, 2.4022651e-1f, 6.9314718e-1f, 1.0f}) {
    sum = fmaf(sum, part, c);
  }
  return __uint_as_float(__float_as_uint(sum) + (__float_as_uint(shifted) << 23));
}

// Of an |x| below 2^20: sin(x) = +-sin(x - n pi), by a polynomial of x^2.
__device__ __forceinline__ float SineByPolynomial(float x) {
  constexpr float kRounds = 12582912;
  float turns;
  asm volatile("fma.rn.f32 %0, %1, %2, %3;" : "=f"(turns) : "f"(x), "f"(0.31830989f), "f"(kRounds));
  const float part = fmaf(turns - kRounds, -3.14159265f, x), square = part * part;
  float sum = 2.6083159e-6f;
  for (const float c : {-1.981069e-4f, 8.3330785e-3f, -1.6666662e-1f}) sum = fmaf(sum, square, c);
  const float sine = fmaf(part * square, sum, part);
  return __uint_as_float(__float_as_uint(sine) ^ (__float_as_uint(turns) << 31));
}

// Of a normal x: a first guess from its exponent, and three steps of Newton.
__device__ __forceinline__ float RsqrtByNewton(float x) {
  float y = __uint_as_float(0x5f3759dfu - (__float_as_uint(x) >> 1));
  const float half = -0.5f * x;
#pragma unroll
  for (int step = 0; step < 3; ++step) y *= fmaf(half, y * y, 1.5f);
  return y;
}

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_OTHER_WAYS_CUH_
