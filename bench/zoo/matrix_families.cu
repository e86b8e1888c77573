// SPDX-License-Identifier: Apache-2.0
//
// A matrix-vector product, transposes and an attention-like kernel. The knobs add work of one kind
// to the inner loop; the work of the algorithm stays.
#include "bench/zoo/extra.cuh"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"
#include "bench/zoo/warps_knob.h"
#include "bench/zoo/wgmma.h"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Extra;
using zoo::ExtraState;
using zoo::kThreads;

const float* Floats() { return reinterpret_cast<const float*>(zoo::In()); }
float* Results() { return reinterpret_cast<float*>(zoo::Out()); }

// A warp for each row of `columns` floats.
extern "C" __global__ void __launch_bounds__(kThreads, 4)
    KERNEL(matrix_vector)(int columns, Extra extra, const float4* matrix, const float4* vector,
                          float* out, uint32_t* sink) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const size_t begin = static_cast<size_t>(row) * (columns / 4);
  ExtraState state;
  float sum = 0;
#pragma unroll 4
  for (int i = lane; i < columns / 4; i += 32) {
    zoo::FarReads<uint4> far;
    far.Start(matrix, begin + i, extra.dram);
    const float4 x = matrix[begin + i], y = vector[i];
    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    far.End(extra.dram, &state.keep);
    state.Run(extra, 0);
  }
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
  if (lane == 0) out[row] = sum;
  state.End(sink);
}

// The matrix in 16-bit floats.
__global__ void __launch_bounds__(kThreads, 4)
    MatrixOfHalves(int columns, const uint4* matrix, const float4* vector, float* out) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const size_t begin = static_cast<size_t>(row) * (columns / 8);
  float sum = 0;
#pragma unroll 4
  for (int i = lane; i < columns / 8; i += 32) {
    const uint4 x = matrix[begin + i];
    const float4 low = vector[2 * i], high = vector[2 * i + 1];
    const float2 a = zoo::ToFloats(x.x), b = zoo::ToFloats(x.y);
    const float2 c = zoo::ToFloats(x.z), d = zoo::ToFloats(x.w);
    sum += a.x * low.x + a.y * low.y + b.x * low.z + b.y * low.w;
    sum += c.x * high.x + c.y * high.y + d.x * high.z + d.y * high.w;
  }
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
  if (lane == 0) out[row] = sum;
}

// 32 x 8 threads for a tile of 32 x 32.
__device__ __forceinline__ void TransposeDirectly(int size, const Extra& extra, const float* in,
                                                  float* out, uint32_t* sink) {
  ExtraState state;
  const int column = blockIdx.x * 32 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = blockIdx.y * 32 + threadIdx.y + i;
    const size_t at = static_cast<size_t>(row) * size + column;
    zoo::FarReads<uint32_t> far;
    far.Start(in, at, extra.dram);
    const float value = in[at];
    out[static_cast<size_t>(column) * size + row] = value;
    // Scattered as its own, to lines that its own are in: L2 has them.
#pragma unroll
    for (int k = 1; k <= zoo::kMostExtra; ++k) {
      if (k <= extra.near) out[static_cast<size_t>(column) * size + (row ^ (8 * k))] = value;
    }
    far.End(extra.dram, &state.keep);
    state.Run(extra, 0);
  }
  state.End(sink);
}

extern "C" __global__ void __launch_bounds__(kThreads, 6)
    KERNEL(transpose_naive)(int size, Extra extra, const float* in, float* out, uint32_t* sink) {
  TransposeDirectly(size, extra, in, out, sink);
}

// `kPadding` 1: no bank conflicts. `kSwizzled`: none either.
template <int kPadding, bool kSwizzled = false>
__device__ __forceinline__ void TransposeTile(int size, const Extra& extra, const float* in,
                                              float* out, uint32_t* sink) {
  __shared__ __align__(16) float tile[32][32 + kPadding];
  const auto slot = [](int row, int column) { return kSwizzled ? column ^ row : column; };
  ExtraState state;
  const int column = blockIdx.x * 32 + threadIdx.x, to = blockIdx.y * 32 + threadIdx.x;
  zoo::FarReads<uint32_t> far[4];
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = blockIdx.y * 32 + threadIdx.y + i;
    const size_t at = static_cast<size_t>(row) * size + column;
    far[i / 8].Start(in, at, extra.dram);
    tile[threadIdx.y + i][slot(threadIdx.y + i, threadIdx.x)] = in[at];
  }
#pragma unroll
  for (auto& reads : far) reads.End(extra.dram, &state.keep);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = blockIdx.x * 32 + threadIdx.y + i;
    out[static_cast<size_t>(row) * size + to] =
        tile[threadIdx.x][slot(threadIdx.x, threadIdx.y + i)];
    state.Run(extra, zoo::SharedAddress(tile));
  }
  state.End(sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 6)
    KERNEL(transpose_conflicts)(int size, Extra extra, const float* in, float* out,
                                uint32_t* sink) {
  TransposeTile<0>(size, extra, in, out, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 6)
    KERNEL(transpose_padded)(int size, Extra extra, const float* in, float* out, uint32_t* sink) {
  TransposeTile<1>(size, extra, in, out, sink);
}

// More blocks on an SM.
__global__ void __launch_bounds__(kThreads, 8)
    TransposeInMoreBlocks(int size, Extra, const float* in, float* out, uint32_t* sink) {
  TransposeDirectly(size, {}, in, out, sink);
}
__global__ void __launch_bounds__(kThreads, 8)
    TransposeConflictsInMoreBlocks(int size, Extra, const float* in, float* out, uint32_t* sink) {
  TransposeTile<0>(size, {}, in, out, sink);
}
__global__ void __launch_bounds__(kThreads, 6)
    TransposeSwizzled(int size, Extra, const float* in, float* out, uint32_t* sink) {
  TransposeTile<0, true>(size, {}, in, out, sink);
}

// 16-bit values, two in a word: a tile of 64 x 64. 32 x 8 threads.
__global__ void __launch_bounds__(kThreads, 6)
    TransposeOfHalves(int size, const uint32_t* in, uint32_t* out) {
  constexpr int kWords = 32;  // of a row of the tile
  __shared__ uint32_t tile[2 * kWords][kWords + 1];
  const int words = size / 2, x = threadIdx.x;
  const int top = blockIdx.y * 2 * kWords, side = blockIdx.x * kWords;  // `side` in words
#pragma unroll
  for (int y = threadIdx.y; y < 2 * kWords; y += 8) {
    if (top + y < size && side + x < words) {
      tile[y][x] = in[static_cast<size_t>(top + y) * words + side + x];
    }
  }
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y; y < kWords; y += 8) {  // two rows of the result for each word
    const uint32_t upper = tile[2 * x][y], lower = tile[2 * x + 1][y];
    if (side + y < words && top / 2 + x < words) {
      uint32_t* const to = out + static_cast<size_t>(2 * (side + y)) * words + top / 2 + x;
      to[0] = __byte_perm(upper, lower, 0x5410);
      to[words] = __byte_perm(upper, lower, 0x7632);
    }
  }
}

// Scores of mma.sync, an exponential of each, and a second product: the loop of attention. The
// operands are in registers.
struct Attention {
  int steps, mmas, exponentials, fmas;
};

extern "C" __global__ void __launch_bounds__(128, 5)
    KERNEL(attention_like)(Attention work, uint32_t value, uint32_t* sink) {
  float scores[4][4] = {}, out[4][4] = {}, chain[zoo::kChains];
  zoo::StartChains(chain);
  const auto multiply = [value](float(&d)[4], uint32_t a) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
        "{%5, %5}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a), "r"(value));
  };
#pragma unroll 1
  for (int step = 0; step < work.steps; ++step) {
#pragma unroll 2
    for (int i = 0; i < work.mmas; ++i) {
#pragma unroll
      for (auto& score : scores) multiply(score, value);
    }
#pragma unroll 2
    for (int i = 0; i < work.exponentials; ++i) {
#pragma unroll
      for (auto& score : scores) {
#pragma unroll
        for (float& x : score) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
      }
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
#pragma unroll 2
    for (int i = 0; i < work.mmas; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) multiply(out[k], __float_as_uint(scores[k][0]) & 0x2c002c00u);
    }
  }
  float sum = 0;
#pragma unroll
  for (const auto& one : out) sum += one[0] + one[1] + one[2] + one[3];
  zoo::Keep(chain, sum == -77.0f ? 1 : 0, sink);
  if (sum == -77.0f) *sink = 1;
}

}  // namespace

namespace zoo {

std::vector<Family> MatrixFamilies(const Setting& setting) {
  std::vector<Family> families;
  setting.draws->Begin("matrix_vector");
  const int columns = setting.draws->Near(8192, 128), rows = 16384;
  const auto vector = [=](const Extra& extra) {
    KERNEL(matrix_vector)<<<rows / 8, 256, Padding()>>>(
        columns, extra, reinterpret_cast<const float4*>(In()),
        reinterpret_cast<const float4*>(Out()), reinterpret_cast<float*>(Scratch()), Sink());
  };
  families.push_back(
      {NAMES(matrix_vector),
       {{"fma", 1, 1, true}, {"alu", 1, 1, true}, {"dram", 1, 1, true}},
       [=](const Amounts& a) {
         vector({a[0] - 1, a[1] - 1, 0, a[2] - 1});
       },
       {{"fix", "fewer-bytes",
         [=] {
           MatrixOfHalves<<<rows / 8, 256>>>(columns, In(), reinterpret_cast<const float4*>(Out()),
                                             reinterpret_cast<float*>(Scratch()));
         }},
        {"decoy", "more-blocks", [=] {
           KERNEL(matrix_vector)<<<rows / 4, 128>>>(
               columns, {}, reinterpret_cast<const float4*>(In()),
               reinterpret_cast<const float4*>(Out()), reinterpret_cast<float*>(Scratch()), Sink());
         }}}});
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(matrix_vector)), 256, &families.back());

  setting.draws->Begin("transpose");
  const int side = setting.draws->Near(8192, 32);
  const auto transpose = [=](auto kernel, const Extra& extra) {
    kernel<<<dim3(side / 32, side / 32), dim3(32, 8), Padding()>>>(side, extra, Floats(), Results(),
                                                                   Sink());
  };
  const auto is_transposed = [=](auto kernel) {
    transpose(kernel, {});
    std::vector<float> row(side);
    ReadBack(row.data(), Floats(), row.size() * sizeof(float));
    for (const int i : {0, 1, 33, side - 1}) {
      float found = 0;
      ReadBack(&found, Results() + size_t{1} * i * side, sizeof(found));
      if (found != row[i]) return false;
    }
    return true;
  };
  families.push_back(
      {NAMES(transpose_naive),
       // A word read and a word written; its writes alone are many sectors of L2.
       {{"fma", 1, 1, true}, {"alu", 1, 1, true}, {"dram", 2, 1, true}, {"l2", 1, 1, true}},
       [=](const Amounts& a) {
         transpose(KERNEL(transpose_naive), {a[0] - 1, a[1] - 1, 0, a[2] - 2, a[3] - 1});
       },
       {{"fix", "coalesce", [=] { transpose(KERNEL(transpose_padded), {}); }},
        {"decoy", "raise-occupancy", [=] { transpose(TransposeInMoreBlocks, {}); }}},
       "uncoalesced",
       [=] { return is_transposed(KERNEL(transpose_naive)); }});
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(transpose_naive)), 256, &families.back());
  families.push_back(
      {NAMES(transpose_conflicts),
       // A conflict of 32 words takes as long as 8 reads of 16 bytes.
       {{"fma", 1, 1, true}, {"shared", 8, 2, true}, {"dram", 2, 1, true}},
       [=](const Amounts& a) {
         transpose(KERNEL(transpose_conflicts), {a[0] - 1, 0, a[1] - 8, a[2] - 2});
       },
       {{"fix", "remove-bank-conflicts", [=] { transpose(KERNEL(transpose_padded), {}); }},
        {"decoy", "raise-occupancy", [=] { transpose(TransposeConflictsInMoreBlocks, {}); }}},
       "shared-bank-conflicts",
       [=] { return is_transposed(KERNEL(transpose_conflicts)); }});
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(transpose_conflicts)), 256, &families.back());
  families.push_back(
      {NAMES(transpose_padded),
       {{"fma", 1, 1, true}, {"shared", 2, 1, true}, {"dram", 2, 1, true}},
       [=](const Amounts& a) {
         transpose(KERNEL(transpose_padded), {a[0] - 1, 0, a[1] - 2, a[2] - 2});
       },
       {{"fix", "fewer-bytes",
         [=] {
           const int tiles = (side + 63) / 64;
           TransposeOfHalves<<<dim3(tiles, tiles), dim3(32, 8)>>>(
               side, reinterpret_cast<const uint32_t*>(In()), reinterpret_cast<uint32_t*>(Out()));
         }},
        {"decoy", "remove-bank-conflicts", [=] { transpose(TransposeSwizzled, {}); }}},
       "",
       [=] { return is_transposed(KERNEL(transpose_padded)); }});
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(transpose_padded)), 256, &families.back());

  setting.draws->Begin("attention_like");
  const int steps = setting.draws->Near(60);
  Family attention{
      NAMES(attention_like),
      {{"tensor", 16, 4}, {"sfu", 4, 1}, {"fma", 8, 2}, {"parallel", 4, 1}},
      [=, sms = setting.sms](const Amounts& a) {
        KERNEL(attention_like)<<<sms * a[3], 128>>>({steps, a[0], a[1], a[2]}, 0x2c002c00u, Sink());
      },
      {}};
  attention.least_major = 8;
  if (setting.wgmma) {
    // The products of the four warps are 4 of a warpgroup, and the exponentials are as many.
    attention.variants.push_back({"fix", "use-wgmma", [=, sms = setting.sms] {
                                    RunWgmmaAttention(sms * 4, steps, 4, 1, 8);
                                  }});
  }
  attention.variants.push_back({"decoy", "raise-occupancy", [=, sms = setting.sms] {
                                  KERNEL(attention_like)<<<sms * 5, 128>>>(
                                      {(steps * 4 + 4) / 5, 16, 4, 8}, 0x2c002c00u, Sink());
                                }});
  families.push_back(attention);
  return families;
}

}  // namespace zoo
