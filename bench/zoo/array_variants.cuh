// SPDX-License-Identifier: Apache-2.0
//
// The kernels of array_families.cu in other ways.
#ifndef PROF_BENCH_ZOO_ARRAY_VARIANTS_CUH_
#define PROF_BENCH_ZOO_ARRAY_VARIANTS_CUH_

#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"

namespace zoo {

inline constexpr int kAhead = 4;  // loads of a thread that nothing waits for

// The sum of `vectors`, 2 * kAhead of them at a time.
__global__ static void __launch_bounds__(kThreads, 5)
    ReductionAhead(unsigned vectors, const float4* in, float* sum) {
  constexpr int kLoads = 2 * kAhead;
  __shared__ float partial[kThreads];
  const unsigned threads = gridDim.x * blockDim.x;
  float mine = 0;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += kLoads * threads) {
    float4 value[kLoads];
#pragma unroll
    for (unsigned k = 0; k < kLoads; ++k) {
      value[k] = i + k * threads < vectors ? __ldcg(in + i + k * threads) : float4{};
    }
#pragma unroll
    for (const float4& one : value) mine += one.x + one.y + one.z + one.w;
  }
  partial[threadIdx.x] = mine;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
}

// Prefix sums of segments of 256 x 4 floats, by shuffles.
__global__ static void __launch_bounds__(kThreads, 6)
    ScanByShuffles(const float4* in, float4* out) {
  __shared__ float sums[kThreads / 32];
  const unsigned at = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  float4 value = in[at];
  value.y += value.x;
  value.z += value.y;
  value.w += value.z;
  float sum = value.w;
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const float other = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += other;
  }
  if (lane == 31) sums[warp] = sum;
  __syncthreads();
  float before = sum - value.w;
#pragma unroll
  for (unsigned k = 0; k < kThreads / 32; ++k) before += k < warp ? sums[k] : 0;
  out[at] = make_float4(value.x + before, value.y + before, value.z + before, value.w + before);
}

// Counts of 8 bits of each word, kAhead vectors at a time.
template <bool kShared>
__global__ void __launch_bounds__(kThreads, 5)
    HistogramAhead(unsigned vectors, int shift, const uint4* in, uint32_t* bins) {
  __shared__ uint32_t mine[256];
  const unsigned threads = gridDim.x * blockDim.x;
  mine[threadIdx.x] = 0;
  __syncthreads();
  uint32_t* const counts = kShared ? mine : bins;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += kAhead * threads) {
    uint4 value[kAhead];
#pragma unroll
    for (unsigned k = 0; k < kAhead; ++k) {
      if (i + k * threads < vectors) value[k] = LoadPastL1(in + i + k * threads);
    }
#pragma unroll
    for (unsigned k = 0; k < kAhead; ++k) {
      if (i + k * threads >= vectors) break;
      for (const uint32_t word : {value[k].x, value[k].y, value[k].z, value[k].w}) {
        atomicAdd(counts + ((word >> shift) & 255), 1u);
      }
    }
  }
  if constexpr (kShared) {
    __syncthreads();
    atomicAdd(bins + threadIdx.x, mine[threadIdx.x]);
  }
}

// A bitonic sort of 1024 words: lanes of a warp exchange by shuffles, warps in shared memory. A
// thread has the words `threadIdx.x` and 512 after it.
__global__ static void __launch_bounds__(512, 4) SortByShuffles(const uint32_t* in, uint32_t* out) {
  __shared__ uint32_t words[1024];
  const size_t base = size_t{1} * blockIdx.x * 1024;
  const unsigned me = threadIdx.x;
  uint32_t mine[2] = {in[base + me], in[base + me + 512]};
  const auto take = [](uint32_t own, uint32_t other, unsigned at, unsigned size, unsigned stride) {
    const bool takes_low = ((at & stride) == 0) == ((at & size) == 0);
    return takes_low ? min(own, other) : max(own, other);
  };
#pragma unroll 1
  for (unsigned size = 2; size <= 1024; size *= 2) {
#pragma unroll 1
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      uint32_t other[2];
      if (stride == 512) {
        other[0] = mine[1];
        other[1] = mine[0];
      } else if (stride < 32) {
        other[0] = __shfl_xor_sync(~0u, mine[0], stride);
        other[1] = __shfl_xor_sync(~0u, mine[1], stride);
      } else {
        __syncthreads();  // all have read what is replaced
        words[me] = mine[0];
        words[me + 512] = mine[1];
        __syncthreads();
        other[0] = words[me ^ stride];
        other[1] = words[(me ^ stride) + 512];
      }
      mine[0] = take(mine[0], other[0], me, size, stride);
      mine[1] = take(mine[1], other[1], me + 512, size, stride);
    }
  }
  out[base + me] = mine[0];
  out[base + me + 512] = mine[1];
}

// x * sigmoid(x) + y, 8 halves in each vector.
__global__ static void __launch_bounds__(kThreads, 5)
    ElementwiseOfHalves(unsigned vectors, const uint4* in, uint4* out) {
  const auto apply = [](uint32_t x, uint32_t y) {
    const float2 a = ToFloats(x), b = ToFloats(y);
    return ToHalves(a.x / (1 + __expf(-a.x)) + b.x, a.y / (1 + __expf(-a.y)) + b.y);
  };
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    const uint4 x = in[i], y = in[i + vectors];
    out[i] = make_uint4(apply(x.x, y.x), apply(x.y, y.y), apply(x.z, y.z), apply(x.w, y.w));
  }
}

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_ARRAY_VARIANTS_CUH_
