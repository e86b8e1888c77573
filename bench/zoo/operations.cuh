// SPDX-License-Identifier: Apache-2.0
//
// Operations in PTX that use one resource each, so that the compiler neither adds nor removes one.
#ifndef PROF_BENCH_ZOO_OPERATIONS_CUH_
#define PROF_BENCH_ZOO_OPERATIONS_CUH_

#include <cstdint>

namespace zoo {

inline constexpr int kThreads = 256;
inline constexpr int kChains = 8;  // independent of each other: they hide the latency of a pipe

// Loads. `keep` gets all 16 bytes, with two logical operations.
__device__ __forceinline__ void Use(const uint4& value, uint32_t* keep) {
  asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(*keep) : "r"(value.x), "r"(value.y));
  asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(*keep) : "r"(value.z), "r"(value.w));
}

__device__ __forceinline__ uint4 LoadPastL1(const uint4* at) {
  uint4 value;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(at));
  return value;
}

__device__ __forceinline__ uint4 LoadThroughL1(const uint4* at) {
  uint4 value;
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(at));
  return value;
}

__device__ __forceinline__ uint32_t LoadWord(const uint32_t* at) {
  uint32_t value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
  return value;
}

__device__ __forceinline__ uint32_t LoadWordPastL1(const uint32_t* at) {
  uint32_t value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at));
  return value;
}

__device__ __forceinline__ void StoreStream(uint4* at, const uint4& value) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(at), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}

__device__ __forceinline__ uint32_t SharedAddress(const void* at) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

__device__ __forceinline__ uint4 LoadSharedVector(uint32_t at) {
  uint4 value;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(at));
  return value;
}

// Of an address that does not change: the compiler must not read it once.
__device__ __forceinline__ uint4 LoadSharedAgain(uint32_t at) {
  uint4 value;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(at));
  return value;
}

__device__ __forceinline__ uint32_t LoadSharedWord(uint32_t at) {
  uint32_t value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at));
  return value;
}

// Arithmetic on kChains values, one instruction each.
__device__ __forceinline__ void Fma(float (&chain)[kChains]) {
#pragma unroll
  for (float& x : chain) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(0.5f));
}

__device__ __forceinline__ void Lop(uint32_t (&chain)[kChains]) {
#pragma unroll
  for (uint32_t& x : chain)
    asm volatile("lop3.b32 %0, %0, %1, 0x55555555, 0x96;" : "+r"(x) : "r"(7u));
}

// At the end of a kernel. The store hardly ever happens, and no compiler knows that: with a `keep`
// that is a constant a test of it alone would remove the chains.
__device__ __forceinline__ void Keep(const float (&chain)[kChains], uint32_t keep, uint32_t* sink) {
  float sum = 0;
#pragma unroll
  for (const float x : chain) sum += x;
  if (__float_as_uint(sum) == (keep ^ 0x9e3779b9u)) *sink = keep;
}

__device__ __forceinline__ void StartChains(float (&chain)[kChains]) {
#pragma unroll
  for (int k = 0; k < kChains; ++k) chain[k] = static_cast<float>(threadIdx.x + k);
}

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_OPERATIONS_CUH_
