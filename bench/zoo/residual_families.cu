// SPDX-License-Identifier: Apache-2.0
//
// A residual addition of 16-bit values in place: two reads and a write for a single instruction.
// What it wrote last is still in L2 when it ends; the next launch pays for its way to DRAM.
#include "bench/zoo/extra.cuh"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Extra;
using zoo::ExtraState;
using zoo::kThreads;

constexpr int kBlocks = 4;

__device__ __forceinline__ uint32_t AddHalves(uint32_t x, uint32_t y) {
  uint32_t sum;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(x), "r"(y));
  return sum;
}

// `extra.near`: further reads of `x`, half of it away.
__device__ __forceinline__ void Add(unsigned vectors, const Extra& extra, const uint4* x, uint4* y,
                                    uint32_t* sink) {
  ExtraState state;
#pragma unroll 1
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors;
       i += gridDim.x * blockDim.x) {
    zoo::FarReads<uint4> far;
    uint4 near[zoo::kMostExtra];
    far.Start(x, i, extra.dram);
#pragma unroll
    for (int k = 0; k < zoo::kMostExtra; ++k) {
      const unsigned there = i + vectors / 2 + k * 32;
      if (k < extra.near) near[k] = zoo::LoadPastL1(x + there - (there < vectors ? 0 : vectors));
    }
    const uint4 a = __ldcg(x + i), b = __ldcg(y + i);
    y[i] = make_uint4(AddHalves(a.x, b.x), AddHalves(a.y, b.y), AddHalves(a.z, b.z),
                      AddHalves(a.w, b.w));
    far.End(extra.dram, &state.keep);
#pragma unroll
    for (int k = 0; k < zoo::kMostExtra; ++k) {
      if (k < extra.near) zoo::Use(near[k], &state.keep);
    }
    state.Run(extra, 0);
  }
  state.End(sink);
}

#define RESIDUAL_KERNEL(name)                                                                 \
  extern "C" __global__ void __launch_bounds__(kThreads, 5)                                   \
      KERNEL(name)(unsigned vectors, Extra extra, const uint4* x, uint4* y, uint32_t* sink) { \
    Add(vectors, extra, x, y, sink);                                                          \
  }
RESIDUAL_KERNEL(residual_add)
RESIDUAL_KERNEL(residual_cached)

using Kernel = void (*)(unsigned, Extra, const uint4*, uint4*, uint32_t*);

zoo::Family Make(const char* id, const char* name, Kernel kernel, int vectors, bool is_cached,
                 const zoo::Setting& setting) {
  setting.draws->Begin(name);
  const unsigned all = setting.draws->Near(vectors, 1 << 12);
  const int sms = setting.sms;
  const auto run = [=](const Extra& extra, int blocks, int parts) {
    kernel<<<sms * blocks, kThreads>>>(all / kBlocks * parts, extra, zoo::In(), zoo::Out(),
                                       zoo::Sink());
  };
  return {id,
          name,
          {{"fma", 1, 1, true}, {is_cached ? "l2" : "dram", 3, 1, true}, {"parallel", kBlocks, 1}},
          [=](const zoo::Amounts& a) {
            Extra extra;
            extra.fma = a[0] - 1;
            (is_cached ? extra.near : extra.dram) = a[1] - 3;
            run(extra, a[2], a[2]);
          },
          {{"decoy", "raise-occupancy", [=] { run({}, kBlocks + 1, kBlocks); }}}};
}

}  // namespace

namespace zoo {

std::vector<Family> ResidualFamilies(const Setting& setting) {
  return {Make(NAMES(residual_add), KERNEL(residual_add), 1 << 22, false, setting),
          Make(NAMES(residual_cached), KERNEL(residual_cached), 1 << 20, true, setting)};
}

}  // namespace zoo
