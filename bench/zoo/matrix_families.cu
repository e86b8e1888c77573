// SPDX-License-Identifier: Apache-2.0
//
// Matrix products, a matrix-vector product, transposes and an attention-like kernel. The knobs add
// work of one kind to the inner loop; the work of the algorithm stays.
#include <cmath>

#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Extra;
using zoo::ExtraState;

const float* Floats() { return reinterpret_cast<const float*>(zoo::In()); }
float* Results() { return reinterpret_cast<float*>(zoo::Out()); }

// c = a * b, all of size x size. One thread for each element; 32 x 8 threads.
extern "C" __global__ void KERNEL(gemm_naive)(int size, Extra extra, const float* a, const float* b,
                                              float* c, uint32_t* sink) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  ExtraState state;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < size; k += 8) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sum = fmaf(a[row * size + k + j], b[(k + j) * size + column], sum);
    state.Run(extra, 0);
  }
  c[row * size + column] = sum;
  state.End(sink);
}

constexpr int kTile = 64, kDepth = 16;

// 16 x 16 threads, each 4 x 4 elements of a tile of 64 x 64.
extern "C" __global__ void KERNEL(gemm_tiled)(int size, Extra extra, const float* a, const float* b,
                                              float* c, uint32_t* sink) {
  __shared__ __align__(16) float left[kDepth][kTile + 4], right[kDepth][kTile];
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int top = blockIdx.y * kTile, side = blockIdx.x * kTile;
  ExtraState state;
  float sums[4][4] = {};
#pragma unroll 1
  for (int k = 0; k < size; k += kDepth) {
#pragma unroll
    for (int i = thread; i < kDepth * kTile; i += 256) {
      left[i % kDepth][i / kDepth] = a[(top + i / kDepth) * size + k + i % kDepth];
      right[i / kTile][i % kTile] = b[(k + i / kTile) * size + side + i % kTile];
    }
    __syncthreads();
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

// A warp for each row of `columns` floats.
extern "C" __global__ void KERNEL(matrix_vector)(int columns, Extra extra, const float4* matrix,
                                                 const float4* vector, float* out, uint32_t* sink) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const size_t begin = static_cast<size_t>(row) * (columns / 4);
  ExtraState state;
  float sum = 0;
#pragma unroll 4
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 x = matrix[begin + i], y = vector[i];
    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    state.Run(extra, 0);
  }
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
  if (lane == 0) out[row] = sum;
  state.End(sink);
}

// 32 x 8 threads for a tile of 32 x 32.
extern "C" __global__ void KERNEL(transpose_naive)(int size, Extra extra, const float* in,
                                                   float* out, uint32_t* sink) {
  ExtraState state;
  const int column = blockIdx.x * 32 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = blockIdx.y * 32 + threadIdx.y + i;
    out[static_cast<size_t>(column) * size + row] = in[static_cast<size_t>(row) * size + column];
    state.Run(extra, 0);
  }
  state.End(sink);
}

// `kPadding` 1: no bank conflicts.
template <int kPadding>
__device__ __forceinline__ void TransposeTile(int size, const Extra& extra, const float* in,
                                              float* out, uint32_t* sink) {
  __shared__ __align__(16) float tile[32][32 + kPadding];
  ExtraState state;
  const int column = blockIdx.x * 32 + threadIdx.x, to = blockIdx.y * 32 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = blockIdx.y * 32 + threadIdx.y + i;
    tile[threadIdx.y + i][threadIdx.x] = in[static_cast<size_t>(row) * size + column];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    const int row = blockIdx.x * 32 + threadIdx.y + i;
    out[static_cast<size_t>(row) * size + to] = tile[threadIdx.x][threadIdx.y + i];
    state.Run(extra, zoo::SharedAddress(tile));
  }
  state.End(sink);
}
extern "C" __global__ void KERNEL(transpose_conflicts)(int size, Extra extra, const float* in,
                                                       float* out, uint32_t* sink) {
  TransposeTile<0>(size, extra, in, out, sink);
}
extern "C" __global__ void KERNEL(transpose_padded)(int size, Extra extra, const float* in,
                                                    float* out, uint32_t* sink) {
  TransposeTile<1>(size, extra, in, out, sink);
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

std::vector<Family> MatrixFamilies(const Setting& setting) {
  std::vector<Family> families;
  setting.draws->Begin("gemm");
  const int size = setting.draws->OneOf({768, 1024, 1152});
  const auto multiply = [=](Product kernel, dim3 threads, int columns, int rows,
                            const Extra& extra) {
    kernel<<<dim3(size / columns, size / rows), threads>>>(size, extra, Floats(), Floats(),
                                                           Results(), Sink());
  };
  const auto naive = [=](const Extra& extra) {
    multiply(KERNEL(gemm_naive), dim3(32, 8), 32, 8, extra);
  };
  const auto tiled = [=](const Extra& extra) {
    multiply(KERNEL(gemm_tiled), dim3(16, 16), kTile, kTile, extra);
  };
  // Per 8 steps: 8 FP32 instructions and 16 loads. One group is 8 instructions.
  families.push_back({NAMES(gemm_naive),
                      {{"fma", 1, 1, true}, {"alu", 1, 1, true}},
                      [=](const Amounts& a) {
                        naive({a[0] - 1, a[1] - 1, 0});
                      },
                      {{"fix", "fewer-l1-accesses", [=] { tiled({}); }}},
                      "",
                      [=] {
                        naive({});
                        return FirstElementIsRight(size);
                      }});
  // Per 16 steps: 256 FP32 instructions (32 groups), 128 words (about 32 reads of 16 bytes).
  families.push_back({NAMES(gemm_tiled),
                      {{"fma", 32, 8, true}, {"shared", 32, 8, true}},
                      [=](const Amounts& a) {
                        tiled({a[0] - 32, 0, a[1] - 32});
                      },
                      {},
                      "",
                      [=] {
                        tiled({});
                        return FirstElementIsRight(size);
                      }});

  setting.draws->Begin("matrix_vector");
  const int columns = setting.draws->Near(8192, 128), rows = 16384;
  const auto vector = [=](const Extra& extra) {
    KERNEL(matrix_vector)<<<rows / 8, 256>>>(columns, extra, reinterpret_cast<const float4*>(In()),
                                             reinterpret_cast<const float4*>(Out()),
                                             reinterpret_cast<float*>(Scratch()), Sink());
  };
  families.push_back({NAMES(matrix_vector),
                      {{"fma", 1, 1, true}, {"alu", 1, 1, true}},
                      [=](const Amounts& a) {
                        vector({a[0] - 1, a[1] - 1, 0});
                      },
                      {}});

  setting.draws->Begin("transpose");
  const int side = setting.draws->Near(8192, 32);
  const auto transpose = [=](auto kernel, const Extra& extra) {
    kernel<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(side, extra, Floats(), Results(), Sink());
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
  families.push_back({NAMES(transpose_naive),
                      {{"fma", 1, 1, true}, {"alu", 1, 1, true}},
                      [=](const Amounts& a) {
                        transpose(KERNEL(transpose_naive), {a[0] - 1, a[1] - 1, 0});
                      },
                      {{"fix", "coalesce", [=] { transpose(KERNEL(transpose_padded), {}); }}},
                      "uncoalesced",
                      [=] { return is_transposed(KERNEL(transpose_naive)); }});
  families.push_back(
      {NAMES(transpose_conflicts),
       {{"fma", 1, 1, true}, {"shared", 32, 8, true}},
       [=](const Amounts& a) {
         transpose(KERNEL(transpose_conflicts), {a[0] - 1, 0, a[1] - 32});
       },
       {{"fix", "remove-bank-conflicts", [=] { transpose(KERNEL(transpose_padded), {}); }}},
       "shared-bank-conflicts",
       [=] { return is_transposed(KERNEL(transpose_conflicts)); }});
  families.push_back({NAMES(transpose_padded),
                      {{"fma", 1, 1, true}, {"shared", 2, 1, true}},
                      [=](const Amounts& a) {
                        transpose(KERNEL(transpose_padded), {a[0] - 1, 0, a[1] - 2});
                      },
                      {},
                      "",
                      [=] { return is_transposed(KERNEL(transpose_padded)); }});

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
  families.push_back(attention);
  return families;
}

}  // namespace zoo
