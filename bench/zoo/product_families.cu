// SPDX-License-Identifier: Apache-2.0
//
// Products of square matrices: a thread for each element, tiles in shared memory, and tiles of
// which the next is on its way. The knobs add work of one kind to the inner loop.
#include <cmath>

#include "bench/zoo/extra.cuh"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Extra;
using zoo::ExtraState;
using zoo::kThreads;

const float* Floats() { return reinterpret_cast<const float*>(zoo::In()); }
float* Results() { return reinterpret_cast<float*>(zoo::Out()); }

// c = a * b, all of size x size. One thread for each element; 32 x 8 threads.
__device__ __forceinline__ void MultiplyNaively(int size, const Extra& extra, const float* a,
                                                const float* b, float* c, uint32_t* sink) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  ExtraState state;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < size; k += 8) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sum = fmaf(a[row * size + k + j], b[(k + j) * size + column], sum);
      // Words that it has just read, in another order: they are in L1.
#pragma unroll 4
    for (int j = 0; j < extra.near; ++j) {
      const float* const near = b + (k + (j & 7)) * size + (column ^ 1);
      zoo::UseAll(zoo::LoadWord(reinterpret_cast<const uint32_t*>(near)), &state.keep);
    }
    state.Run(extra, 0);
  }
  c[row * size + column] = sum;
  state.End(sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 6)
    KERNEL(gemm_naive)(int size, Extra extra, const float* a, const float* b, float* c,
                       uint32_t* sink) {
  MultiplyNaively(size, extra, a, b, c, sink);
}

constexpr int kTile = 64, kDepth = 16;

// The parts of two tiles that a thread copies: 4 words of each. `more`: as many words of further
// tiles of `b`, which L2 has.
struct Part {
  static constexpr int kWords = kDepth * kTile / 256;
  float left[kWords], right[kWords];
  uint32_t more[zoo::kMostExtra * kWords];

  __device__ __forceinline__ void Load(int size, int k, const Extra& extra, const float* a,
                                       const float* b) {
    const int thread = threadIdx.y * 16 + threadIdx.x;
    const int top = blockIdx.y * kTile, side = blockIdx.x * kTile;
#pragma unroll
    for (int n = 0; n < kWords; ++n) {
      const int i = thread + 256 * n;
      left[n] = a[(top + i / kDepth) * size + k + i % kDepth];
      right[n] = b[(k + i / kTile) * size + side + i % kTile];
    }
    const int far = k < size / 2 ? k + size / 2 : k - size / 2;
#pragma unroll
    for (int n = 0; n < zoo::kMostExtra * kWords; ++n) {
      if (n / kWords >= extra.near) break;
      const int i = thread + 256 * (n % kWords), column = (side + n / kWords * kTile) % size;
      const float* const near = b + (far + i / kTile) * size + column + i % kTile;
      more[n] = zoo::LoadWordPastL1(reinterpret_cast<const uint32_t*>(near));
    }
  }
  __device__ __forceinline__ void Store(const Extra& extra, float (&to_left)[kDepth][kTile + 4],
                                        float (&to_right)[kDepth][kTile], uint32_t* keep) const {
    const int thread = threadIdx.y * 16 + threadIdx.x;
#pragma unroll
    for (int n = 0; n < kWords; ++n) {
      const int i = thread + 256 * n;
      to_left[i % kDepth][i / kDepth] = left[n];
      to_right[i / kTile][i % kTile] = right[n];
    }
#pragma unroll
    for (int n = 0; n < zoo::kMostExtra * kWords; ++n) {
      if (n / kWords >= extra.near) break;
      zoo::UseAll(more[n], keep);
    }
  }
};

// 16 x 16 threads, each 4 x 4 elements of a tile of 64 x 64. `kAhead`: the next part is on its way
// while this one is multiplied.
template <bool kAhead>
__device__ __forceinline__ void MultiplyTiles(int size, Extra extra, const float* a, const float* b,
                                              float* c, uint32_t* sink) {
  extra.alu = 0;  // has no dose: its registers are free
  __shared__ __align__(16) float left[kDepth][kTile + 4], right[kDepth][kTile];
  const int top = blockIdx.y * kTile, side = blockIdx.x * kTile;
  ExtraState state;
  float sums[4][4] = {};
  Part part;
  if constexpr (kAhead) part.Load(size, 0, extra, a, b);
#pragma unroll 1
  for (int k = 0; k < size; k += kDepth) {
    if constexpr (!kAhead) part.Load(size, k, extra, a, b);
    part.Store(extra, left, right, &state.keep);
    __syncthreads();
    if constexpr (kAhead) part.Load(size, min(k + kDepth, size - kDepth), extra, a, b);
#pragma unroll
    for (int d = 0; d < kDepth; ++d) {
      float x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x[i] = left[d][threadIdx.y * 4 + i];
        y[i] = right[d][threadIdx.x * 4 + i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] = fmaf(x[i], y[j], sums[i][j]);
      }
    }
    state.Run(extra, zoo::SharedAddress(right));
    for (int i = 0; i < extra.barriers; ++i) __syncthreads();
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      c[(top + threadIdx.y * 4 + i) * size + side + threadIdx.x * 4 + j] = sums[i][j];
    }
  }
  state.End(sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 3)
    KERNEL(gemm_tiled)(int size, Extra extra, const float* a, const float* b, float* c,
                       uint32_t* sink) {
  MultiplyTiles<false>(size, extra, a, b, c, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 3)
    KERNEL(gemm_ahead)(int size, Extra extra, const float* a, const float* b, float* c,
                       uint32_t* sink) {
  MultiplyTiles<true>(size, extra, a, b, c, sink);
}

// More blocks on an SM.
__global__ void __launch_bounds__(kThreads, 8)
    NaiveInMoreBlocks(int size, Extra, const float* a, const float* b, float* c, uint32_t* sink) {
  MultiplyNaively(size, {}, a, b, c, sink);
}
template <bool kAhead>
__global__ void __launch_bounds__(kThreads, 4)
    TilesInMoreBlocks(int size, Extra, const float* a, const float* b, float* c, uint32_t* sink) {
  MultiplyTiles<kAhead>(size, {}, a, b, c, sink);
}

// As MultiplyTiles(), with the tensor pipe (TF32): each of 4 x 2 warps has 16 x 32 elements.
template <bool kAhead>
__global__ void __launch_bounds__(kThreads, 3)
    TensorTiles(int size, Extra extra, const float* a, const float* b, float* c, uint32_t*) {
  __shared__ __align__(16) float left[kDepth][kTile + 4], right[kDepth][kTile];
  const int top = blockIdx.y * kTile, side = blockIdx.x * kTile;
  const int thread = threadIdx.y * 16 + threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int row = warp / 2 * 16 + lane / 4, column = warp % 2 * 32, quarter = lane % 4;
  const auto bits = [](float x) { return __float_as_uint(x); };
  float sums[4][4] = {};
  uint32_t keep = 0;
  Part part;
  if constexpr (kAhead) part.Load(size, 0, extra, a, b);
#pragma unroll 1
  for (int k = 0; k < size; k += kDepth) {
    if constexpr (!kAhead) part.Load(size, k, extra, a, b);
    part.Store(extra, left, right, &keep);
    __syncthreads();
    if constexpr (kAhead) part.Load(size, min(k + kDepth, size - kDepth), extra, a, b);
#pragma unroll
    for (int step = 0; step < kDepth; step += 8) {
      const int d = step + quarter;
      const uint32_t x[4] = {bits(left[d][row]), bits(left[d][row + 8]), bits(left[d + 4][row]),
                             bits(left[d + 4][row + 8])};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const int at = column + n * 8 + lane / 4;
        const uint32_t y[2] = {bits(right[d][at]), bits(right[d + 4][at])};
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sums[n][0]), "+f"(sums[n][1]), "+f"(sums[n][2]), "+f"(sums[n][3])
            : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    float* const to = c + (top + row) * size + side + column + n * 8 + 2 * quarter;
    to[0] = sums[n][0];
    to[1] = sums[n][1];
    to[8 * size] = sums[n][2];
    to[8 * size + 1] = sums[n][3];
  }
}

// c[0][0] of a product of two square matrices, on the host.
bool FirstElementIsRight(int size) {
  std::vector<float> row(size), whole(size_t{1} * size * size);
  zoo::ReadBack(row.data(), Floats(), row.size() * sizeof(float));
  zoo::ReadBack(whole.data(), Floats(), whole.size() * sizeof(float));
  double sum = 0;
  for (int k = 0; k < size; ++k) sum += double{row[k]} * whole[size_t{1} * k * size];
  float found = 0;
  zoo::ReadBack(&found, Results(), sizeof(found));
  return std::abs(found - sum) < 1e-3 * sum;
}

using Product = void (*)(int, Extra, const float*, const float*, float*, uint32_t*);

}  // namespace

namespace zoo {

std::vector<Family> ProductFamilies(const Setting& setting) {
  std::vector<Family> families;
  setting.draws->Begin("gemm");
  const int size = setting.draws->OneOf({768, 1024, 1152});
  const auto naive = [=](const Extra& extra, Product kernel = KERNEL(gemm_naive)) {
    kernel<<<dim3(size / 32, size / 8), dim3(32, 8)>>>(size, extra, Floats(), Floats(), Results(),
                                                       Sink());
  };
  // `high`: rows of tiles. More of them are of rows that follow the matrix.
  const int across = size / kTile;
  const auto tiled = [=](Product kernel, const Extra& extra, int high) {
    kernel<<<dim3(across, high), dim3(16, 16)>>>(size, extra, Floats(), Floats(), Results(),
                                                 Sink());
  };
  // Per 8 steps: 8 FP32 instructions and 16 loads. One group is 8 instructions.
  families.push_back({NAMES(gemm_naive),
                      {{"fma", 1, 1, true}, {"alu", 1, 1, true}, {"l1", 16, 4, true}},
                      [=](const Amounts& a) {
                        naive({a[0] - 1, a[1] - 1, 0, 0, a[2] - 16});
                      },
                      {{"fix", "fewer-l1-accesses", [=] { tiled(KERNEL(gemm_tiled), {}, across); }},
                       {"decoy", "raise-occupancy", [=] { naive({}, NaiveInMoreBlocks); }}},
                      "",
                      [=] {
                        naive({});
                        return FirstElementIsRight(size);
                      }});
  // Per 16 steps: 256 FP32 instructions (32 groups), 60 wavefronts of shared memory for each warp
  // (15 reads of 16 bytes), 8 words of each thread from L2 (its dose is 4), 2 barriers.
  const auto tiles = [=](const char* id, const char* name, Product kernel, Product by_tensor,
                         Product more_blocks) {
    return Family{id,
                  name,
                  {{"fma", 32, 8, true},
                   {"shared", 15, 4, true},
                   {"l2", 2, 1, true},
                   {"barrier", 2, 1, true},
                   {"parallel", across, across / 4}},
                  [=](const Amounts& a) {
                    tiled(kernel, {a[0] - 32, 0, a[1] - 15, 0, a[2] - 2, a[3] - 2}, a[4]);
                  },
                  {{"fix",
                    "fewer-fma",
                    [=] { tiled(by_tensor, {}, across); },
                    {"relieve-both", "fewer-instructions"}},
                   {"decoy", "raise-occupancy", [=] { tiled(more_blocks, {}, across); }}},
                  "",
                  [=] {
                    tiled(kernel, {}, across);
                    return FirstElementIsRight(size);
                  }};
  };
  families.push_back(
      tiles(NAMES(gemm_tiled), KERNEL(gemm_tiled), TensorTiles<false>, TilesInMoreBlocks<false>));
  families.back().variants.push_back(
      {"fix", "more-loads-in-flight", [=] { tiled(KERNEL(gemm_ahead), {}, across); }});
  families.push_back(
      tiles(NAMES(gemm_ahead), KERNEL(gemm_ahead), TensorTiles<true>, TilesInMoreBlocks<true>));
  return families;
}

}  // namespace zoo
