// SPDX-License-Identifier: Apache-2.0
//
// The kernels of plane_families.cu in other ways.
#ifndef PROF_BENCH_ZOO_PLANE_VARIANTS_CUH_
#define PROF_BENCH_ZOO_PLANE_VARIANTS_CUH_

#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"

namespace zoo {

inline constexpr int kVectorRows = 4;

// The mean of five neighbours: a thread has kVectorRows vectors, one below the other, and uses
// what it read for the rows above and below.
__global__ static void __launch_bounds__(kThreads, 4)
    StencilOfVectors(int width, int height, const float* in, float* out) {
  const int x = (blockIdx.x * 32 + threadIdx.x) * 4;
  const int first = (blockIdx.y * 8 + threadIdx.y) * kVectorRows;
  if (x >= width) return;
  float4 row[kVectorRows + 2];
#pragma unroll
  for (int r = 0; r < kVectorRows + 2; ++r) {
    const int y = min(max(first + r - 1, 0), height - 1);
    row[r] = *reinterpret_cast<const float4*>(in + y * width + x);
  }
#pragma unroll
  for (int r = 0; r < kVectorRows; ++r) {
    const int y = first + r, at = y * width + x;
    if (y == 0 || y == height - 1) continue;
    const float4 &above = row[r], &mine = row[r + 1], &below = row[r + 2];
    const float left = x > 0 ? in[at - 1] : 0, right = x + 4 < width ? in[at + 4] : 0;
    const float4 mean = make_float4(0.2f * (mine.x + left + mine.y + above.x + below.x),
                                    0.2f * (mine.y + mine.x + mine.z + above.y + below.y),
                                    0.2f * (mine.z + mine.y + mine.w + above.z + below.z),
                                    0.2f * (mine.w + mine.z + right + above.w + below.w));
    if (x > 0 && x + 4 < width) {
      *reinterpret_cast<float4*>(out + at) = mean;
    } else {
      if (x > 0) out[at] = mean.x;
      out[at + 1] = mean.y;
      out[at + 2] = mean.z;
      if (x + 4 < width) out[at + 3] = mean.w;
    }
  }
}

template <bool kPolynomial>
__device__ __forceinline__ float Exp(float x) {
  if constexpr (kPolynomial) return Exp2ByPolynomial(x * 1.44269504f);
  return __expf(x);
}

// `combine` of the values of all threads, with two barriers.
template <typename Combine>
__device__ __forceinline__ float OfBlockByShuffles(float mine, Combine combine,
                                                   float (&partial)[kThreads]) {
#pragma unroll
  for (int half = 16; half > 0; half /= 2) {
    mine = combine(mine, __shfl_xor_sync(~0u, mine, half));
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
  __syncthreads();
  float all = partial[0];
#pragma unroll
  for (int k = 1; k < kThreads / 32; ++k) all = combine(all, partial[k]);
  __syncthreads();
  return all;
}

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_PLANE_VARIANTS_CUH_
