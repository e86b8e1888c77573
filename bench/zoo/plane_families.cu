// SPDX-License-Identifier: Apache-2.0
//
// Everyday kernels on planes: a stencil, softmax of rows.
#include <cmath>

#include "bench/zoo/extra.cuh"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/plane_variants.cuh"
#include "bench/zoo/warps_knob.h"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Extra;
using zoo::ExtraState;
using zoo::kThreads;

const float* Floats() { return reinterpret_cast<const float*>(zoo::In()); }
float* Results() { return reinterpret_cast<float*>(zoo::Out()); }

// The mean of five neighbours in a plane of `width` x `height`: kRows elements of a thread, one
// below the other.
template <int kRows, int kHigh = 8>  // `kHigh`: of a block
__device__ __forceinline__ void Stencil(int width, int height, const Extra& extra, const float* in,
                                        float* out, uint32_t* sink) {
  ExtraState state;
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int first = (blockIdx.y * kHigh + threadIdx.y) * kRows;
  zoo::FarReads<uint32_t> far[kRows];
  float mean[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int y = first + r, at = y * width + x;
    mean[r] = 0;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
      far[r].Start(in, at, extra.dram);
      mean[r] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
#pragma unroll
      for (int k = 0; k < zoo::kMostExtra; ++k) {  // what its neighbours read
        if (k >= extra.near) break;
        const float* const near = in + (k == 0 ? at - width + 1 : at + width - 1);
        zoo::UseAll(zoo::LoadWord(reinterpret_cast<const uint32_t*>(near)), &state.keep);
      }
      far[r].End(extra.dram, &state.keep);
    }
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int y = first + r;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
      out[y * width + x] = mean[r];
      state.Run(extra, 0);
    }
  }
  state.End(sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 8)
    KERNEL(stencil)(int width, int height, Extra extra, const float* in, float* out,
                    uint32_t* sink) {
  Stencil<1>(width, height, extra, in, out, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(stencil_rows)(int width, int height, Extra extra, const float* in, float* out,
                         uint32_t* sink) {
  Stencil<4>(width, height, extra, in, out, sink);
}
// Blocks of half the size.
template <int kRows>
__global__ void __launch_bounds__(kThreads / 2, kRows == 1 ? 16 : 10)
    SmallStencil(int width, int height, const float* in, float* out, uint32_t* sink) {
  Stencil<kRows, 4>(width, height, {}, in, out, sink);
}

// `combine` of the values of all threads, which all get.
template <bool kByShuffles, typename Combine>
__device__ __forceinline__ float OfBlock(float mine, Combine combine, const Extra& extra,
                                         float (&partial)[kThreads]) {
  if constexpr (kByShuffles) return zoo::OfBlockByShuffles(mine, combine, partial);
  partial[threadIdx.x] = mine;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int i = 0; i < extra.barriers; ++i) __syncthreads();
    if (threadIdx.x < half) {
      partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    }
  }
  __syncthreads();
  const float all = partial[0];
  __syncthreads();
  return all;
}

// Each row of `columns` floats, a block for a row: maximum, sum, division.
template <bool kPolynomial>
__device__ __forceinline__ void Softmax(int columns, const Extra& extra, const float* in,
                                        float* out, uint32_t* sink) {
  __shared__ __align__(16) float partial[kThreads];
  ExtraState state;
  const float* const row = in + size_t{1} * blockIdx.x * columns;
  float highest = 0, sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    zoo::FarReads<uint32_t> far;
    far.Start(in, size_t{1} * blockIdx.x * columns + i, extra.dram);
    highest = fmaxf(highest, row[i]);
    far.End(extra.dram, &state.keep);
  }
  const auto more = [](float x, float y) { return fmaxf(x, y); };
  highest = OfBlock<false>(highest, more, extra, partial);
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    sum += zoo::Exp<kPolynomial>(row[i] - highest);
#pragma unroll
    for (int k = 0; k < zoo::kMostExtra; ++k) {  // words that the block has read before
      if (k >= extra.near) break;
      const uint32_t* const near = reinterpret_cast<const uint32_t*>(row) + (i ^ (32 * (k + 1)));
      zoo::UseAll(zoo::LoadWord(near), &state.keep);
    }
    for (int k = 0; k < extra.sfu; ++k) {
      asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(state.chain[0]));
    }
    state.Run(extra, zoo::SharedAddress(partial));
  }
  const auto add = [](float x, float y) { return x + y; };
  const float scale = 1 / OfBlock<false>(sum, add, extra, partial);
  float* const to = out + size_t{1} * blockIdx.x * columns;
  for (int i = threadIdx.x; i < columns; i += kThreads) {
    to[i] = zoo::Exp<kPolynomial>(row[i] - highest) * scale;
  }
  state.End(sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 6)
    KERNEL(softmax)(int columns, Extra extra, const float* in, float* out, uint32_t* sink) {
  Softmax<false>(columns, extra, in, out, sink);
}
__global__ void __launch_bounds__(kThreads, 6)
    SoftmaxByPolynomial(int columns, Extra, const float* in, float* out, uint32_t* sink) {
  Softmax<true>(columns, {}, in, out, sink);
}

// The same, with one read of the row, of 16 bytes a thread, which stays in registers.
constexpr int kMostParts = 5;  // of kThreads float4

template <bool kPolynomial, bool kByShuffles>
__device__ __forceinline__ void SoftmaxOnce(int columns, const Extra& extra, const float* in,
                                            float* out, uint32_t* sink) {
  __shared__ __align__(16) float partial[kThreads];
  ExtraState state;
  const size_t begin = size_t{1} * blockIdx.x * (columns / 4);
  const float4* const row = reinterpret_cast<const float4*>(in) + begin;
  float4 value[kMostParts];
  zoo::FarReads<uint4> far[kMostParts];
  float highest = 0, sum = 0;
#pragma unroll
  for (int part = 0; part < kMostParts; ++part) {
    const int i = part * kThreads + threadIdx.x;
    if (i < columns / 4) {
      far[part].Start(in, begin + i, extra.dram);
      value[part] = row[i];
    }
  }
#pragma unroll
  for (int part = 0; part < kMostParts; ++part) {
    if (part * kThreads + threadIdx.x < columns / 4) {
      const float4& x = value[part];
      highest = fmaxf(highest, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
      far[part].End(extra.dram, &state.keep);
    }
  }
  const auto more = [](float x, float y) { return fmaxf(x, y); };
  highest = OfBlock<kByShuffles>(highest, more, extra, partial);
#pragma unroll
  for (int part = 0; part < kMostParts; ++part) {
    if (part * kThreads + threadIdx.x < columns / 4) {
      float4& x = value[part];
      const auto exp = [highest](float one) { return zoo::Exp<kPolynomial>(one - highest); };
      x = make_float4(exp(x.x), exp(x.y), exp(x.z), exp(x.w));
      sum += x.x + x.y + x.z + x.w;
      state.Run(extra, zoo::SharedAddress(partial));
    }
  }
  const auto add = [](float x, float y) { return x + y; };
  const float scale = 1 / OfBlock<kByShuffles>(sum, add, extra, partial);
  float4* const to = reinterpret_cast<float4*>(out) + begin;
#pragma unroll
  for (int part = 0; part < kMostParts; ++part) {
    const int i = part * kThreads + threadIdx.x;
    if (i < columns / 4) {
      const float4& x = value[part];
      to[i] = make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale);
    }
  }
  state.End(sink);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(softmax_once)(int columns, Extra extra, const float* in, float* out, uint32_t* sink) {
  SoftmaxOnce<false, false>(columns, extra, in, out, sink);
}
template <bool kPolynomial, bool kByShuffles>
__global__ void __launch_bounds__(kThreads)
    OtherSoftmaxOnce(int columns, Extra, const float* in, float* out, uint32_t* sink) {
  SoftmaxOnce<kPolynomial, kByShuffles>(columns, {}, in, out, sink);
}

bool Near(double found, double wanted, double error) {
  return std::abs(found - wanted) <= error * std::abs(wanted);
}

}  // namespace

namespace zoo {

std::vector<Family> PlaneFamilies(const Setting& setting) {
  std::vector<Family> families;
  const Knob fma{"fma", 1, 1, true}, alu{"alu", 1, 1, true}, shared{"shared", 1, 1, true};

  setting.draws->Begin("stencil");
  const int width = setting.draws->Near(8192, 32), height = 8192;
  const auto smooth = [=](auto kernel, int rows, const Extra& extra) {
    kernel<<<dim3(width / 32, height / (8 * rows)), dim3(32, 8), Padding()>>>(
        width, height, extra, Floats(), Results(), Sink());
  };
  const auto plane = [=](const char* id, const char* name, auto kernel, int rows) {
    return Family{id,
                  name,
                  {fma, alu, {"dram", 2, 1, true}, {"l1", 5, 1, true}},
                  [=](const Amounts& a) {
                    smooth(kernel, rows, {a[0] - 1, a[1] - 1, 0, a[2] - 2, a[3] - 5});
                  },
                  {},
                  "",
                  [=] {
                    smooth(kernel, rows, {});
                    std::vector<float> in(3 * width), out(3 * width);
                    ReadBack(in.data(), Floats(), in.size() * sizeof(float));
                    ReadBack(out.data(), Results(), out.size() * sizeof(float));
                    const int at = width + width / 2;
                    const float mean =
                        0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
                    return Near(out[at], mean, 1e-5);
                  }};
  };
  families.push_back(plane(NAMES(stencil), KERNEL(stencil), 1));
  families.back().variants.push_back(
      {"fix", "more-loads-in-flight", [=] { smooth(KERNEL(stencil_rows), 4, {}); }});
  const auto in_small_blocks = [=](auto kernel, int rows) {
    return Variant{"decoy", "more-blocks", [=] {
                     kernel<<<dim3(width / 32, height / (4 * rows)), dim3(32, 4)>>>(
                         width, height, Floats(), Results(), Sink());
                   }};
  };
  families.back().variants.push_back(in_small_blocks(SmallStencil<1>, 1));
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(stencil)), kThreads, &families.back());
  families.push_back(plane(NAMES(stencil_rows), KERNEL(stencil_rows), 4));
  families.back().variants.push_back(
      {"fix",
       "fewer-l1-accesses",
       [=] {
         const int across = (width / 4 + 31) / 32;
         StencilOfVectors<<<dim3(across, height / (8 * kVectorRows)), dim3(32, 8)>>>(
             width, height, Floats(), Results());
       },
       {"fewer-load-instructions"}});
  families.back().variants.push_back(in_small_blocks(SmallStencil<4>, 4));
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(stencil_rows)), kThreads, &families.back());

  setting.draws->Begin("softmax");
  const int columns = setting.draws->Near(4096, 256);
  const auto normalize = [=](auto kernel, const Extra& extra) {
    kernel<<<8192, kThreads, Padding()>>>(columns, extra, Floats(), Results(), Sink());
  };
  const auto is_normal = [=](auto kernel) {
    normalize(kernel, {});
    std::vector<float> row(columns);
    ReadBack(row.data(), Results(), row.size() * sizeof(float));
    double sum = 0;
    for (const float value : row) sum += value;
    return Near(sum, 1, 1e-3);
  };
  // A word read and a word written; two more reads from L1; two exponentials; a barrier a step.
  const Knob barrier{"barrier", 1, 1, true};
  families.push_back(
      {NAMES(softmax),
       {fma, alu, shared, {"dram", 2, 1, true}, {"l1", 3, 1, true}, {"sfu", 2, 1, true}, barrier},
       [=](const Amounts& a) {
         normalize(KERNEL(softmax),
                   {a[0] - 1, a[1] - 1, a[2] - 1, a[3] - 2, a[4] - 3, a[6] - 1, 0, a[5] - 2});
       },
       {{"fix", "fewer-load-instructions", [=] { normalize(KERNEL(softmax_once), {}); }},
        {"decoy", "fewer-special-functions", [=] { normalize(SoftmaxByPolynomial, {}); }}},
       "",
       [=] { return is_normal(KERNEL(softmax)); }});
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(softmax)), kThreads, &families.back());
  families.push_back(
      {NAMES(softmax_once),
       {fma, alu, shared, {"dram", 2, 1, true}, barrier},
       [=](const Amounts& a) {
         normalize(KERNEL(softmax_once), {a[0] - 1, a[1] - 1, a[2] - 1, a[3] - 2, 0, a[4] - 1});
       },
       {{"fix", "balance-barriers", [=] { normalize(OtherSoftmaxOnce<false, true>, {}); }},
        {"decoy", "fewer-special-functions",
         [=] { normalize(OtherSoftmaxOnce<true, false>, {}); }}},
       "",
       [=] { return is_normal(KERNEL(softmax_once)); }});
  AddWarpsKnob(reinterpret_cast<const void*>(KERNEL(softmax_once)), kThreads, &families.back());
  return families;
}

}  // namespace zoo
