// SPDX-License-Identifier: Apache-2.0
//
// The shape of the grid: few blocks, a partial last wave, uneven blocks. All of them run the same
// loop of FP32 instructions and of reads of DRAM.
#include <cstring>
#include <memory>

#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"
#include "bench/zoo/zoo.h"

namespace {

constexpr int kShapeThreads = 512, kPerSm = 4;  // 2048 threads: the SM is full

// `steps` of a block; every `period`-th has `long_steps`.
struct Shape {
  int steps, long_steps, period, reads;
};

__device__ __forceinline__ void RunShape(const Shape& shape, const uint4* in, uint32_t* sink) {
  const bool is_long = shape.period > 0 && blockIdx.x % shape.period == 0;
  const int steps = is_long ? shape.long_steps : shape.steps;
  unsigned at = (blockIdx.x * steps) * blockDim.x + threadIdx.x;
  uint32_t keep = 0;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
#pragma unroll 2
    for (int r = 0; r < shape.reads; ++r, at += blockDim.x) {
      zoo::Use(zoo::LoadPastL1(in + (at & (zoo::kVectors - 1))), &keep);
    }
#pragma unroll
    for (int f = 0; f < 8; ++f) zoo::Fma(chain);
  }
  zoo::Keep(chain, keep, sink);
}

#define SHAPE_KERNEL(name)                                            \
  extern "C" __global__ void __launch_bounds__(kShapeThreads, kPerSm) \
      KERNEL(name)(Shape shape, const uint4* in, uint32_t* sink) {    \
    RunShape(shape, in, sink);                                        \
  }

SHAPE_KERNEL(few_blocks)
SHAPE_KERNEL(half_the_sms)
SHAPE_KERNEL(partial_wave)
SHAPE_KERNEL(whole_waves)
SHAPE_KERNEL(many_waves)
SHAPE_KERNEL(uneven_blocks)
SHAPE_KERNEL(one_long_block)
SHAPE_KERNEL(short_kernel)

// The steps of a block, of shapes without reads.
__device__ __forceinline__ int StepsOf(const Shape& shape) {
  const bool is_long = shape.period > 0 && blockIdx.x % shape.period == 0;
  return is_long ? shape.long_steps : shape.steps;
}

// As many instructions in twice as many chains.
__global__ void __launch_bounds__(kShapeThreads, kPerSm)
    MoreChains(Shape shape, const uint4*, uint32_t* sink) {
  float chain[zoo::kChains], other[zoo::kChains];
  zoo::StartChains(chain);
  zoo::StartChains(other);
#pragma unroll 1
  for (int i = 0; i < StepsOf(shape); ++i) {
#pragma unroll
    for (int f = 0; f < 4; ++f) {
      zoo::Fma(chain);
      zoo::Fma(other);
    }
  }
  zoo::Keep(other, 0, sink);
  zoo::Keep(chain, 0, sink);
}

// As many values, of 16 bits.
__global__ void __launch_bounds__(kShapeThreads, kPerSm)
    PackedShape(Shape shape, const uint4*, uint32_t* sink) {
  float none[zoo::kChains];
  uint32_t pair[zoo::kPairs];
  zoo::StartChains(none);
  zoo::StartPairs(pair);
#pragma unroll 1
  for (int i = 0; i < StepsOf(shape); ++i) {
#pragma unroll
    for (int f = 0; f < 8; ++f) zoo::FmaPairs(pair);
  }
  zoo::Keep(none, zoo::Bits(pair), sink);
}

// Blocks take tiles from a queue until it is empty: a persistent kernel.
template <bool kPacked>
__device__ __forceinline__ void RunQueue(const Shape& shape, unsigned tiles, uint32_t* queue,
                                         uint32_t* sink) {
  __shared__ unsigned tile;
  float chain[zoo::kChains];
  uint32_t keep = 0, pair[zoo::kPairs];
  zoo::StartChains(chain);
  if constexpr (kPacked) zoo::StartPairs(pair);
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(queue, 1);
    __syncthreads();
    const unsigned mine = tile;
    __syncthreads();
    if (mine >= tiles) break;
#pragma unroll 1
    for (int i = 0; i < shape.steps; ++i) {
#pragma unroll
      for (int f = 0; f < 8; ++f) {
        if constexpr (kPacked) {
          zoo::FmaPairs(pair);
        } else {
          zoo::Fma(chain);
        }
      }
    }
  }
  if constexpr (kPacked) keep = zoo::Bits(pair);
  zoo::Keep(chain, keep, sink);
}
extern "C" __global__ void __launch_bounds__(kShapeThreads, 1)
    KERNEL(tile_queue)(Shape shape, unsigned tiles, uint32_t* queue, uint32_t* sink) {
  RunQueue<false>(shape, tiles, queue, sink);
}
__global__ void __launch_bounds__(kShapeThreads, 1)
    PackedQueue(Shape shape, unsigned tiles, uint32_t* queue, uint32_t* sink) {
  RunQueue<true>(shape, tiles, queue, sink);
}

using Kernel = void (*)(Shape, const uint4*, uint32_t*);

struct Plan {
  const char *id, *name;
  Kernel kernel;
  Shape shape;
  int blocks;
  int step;  // of the knob "parallel": blocks
  const char *fix, *cause;
  Shape fixed;
  int fixed_blocks;
  const char* kind = "fix";
};

zoo::Family Make(const Plan& plan) {
  const auto run = [kernel = plan.kernel](const Shape& shape, int blocks) {
    kernel<<<blocks, kShapeThreads>>>(shape, zoo::In(), zoo::Sink());
  };
  const Shape shape = plan.shape, fixed = plan.fixed;
  const int fixed_blocks = plan.fixed_blocks;
  zoo::Family family{plan.id,
                     plan.name,
                     {{"fma", shape.steps, shape.steps / 4}, {"parallel", plan.blocks, plan.step}},
                     [=](const zoo::Amounts& a) {
                       Shape its = shape;
                       its.steps = a[0];
                       if (its.long_steps > 0)
                         its.long_steps = shape.long_steps * a[0] / shape.steps;
                       run(its, a[1]);
                     },
                     {},
                     plan.cause};
  if (plan.fix != nullptr) {
    family.variants.push_back({plan.kind, plan.fix, [=] { run(fixed, fixed_blocks); }});
  }
  const int blocks = plan.blocks;
  if (std::strcmp(plan.kind, "fix") == 0) {
    family.variants.push_back(
        {"decoy", "independent-instructions",
         [=] { MoreChains<<<blocks, kShapeThreads>>>(shape, zoo::In(), zoo::Sink()); }});
  } else {
    family.variants.push_back(
        {"fix",
         "fewer-fma",
         [=] { PackedShape<<<blocks, kShapeThreads>>>(shape, zoo::In(), zoo::Sink()); },
         {"fewer-instructions"}});
  }
  return family;
}

zoo::Family TileQueue(const zoo::Setting& setting) {
  setting.draws->Begin("tile_queue");
  const int sms = setting.sms, steps = setting.draws->Near(400, 4);
  const int tiles = sms * setting.draws->OneOf({6, 7, 9});
  zoo::Clear(zoo::Sink() + 16, sizeof(uint32_t));
  const auto run = [=](int its_steps, int its_tiles, auto kernel) {
    cudaMemsetAsync(zoo::Sink() + 16, 0, sizeof(uint32_t));
    kernel<<<sms, kShapeThreads>>>({its_steps, 0, 0, 0}, its_tiles, zoo::Sink() + 16, zoo::Sink());
  };
  return {NAMES(tile_queue),
          {{"fma", steps, steps / 4}, {"parallel", tiles, tiles / 3}},
          [=](const zoo::Amounts& a) { run(a[0], a[1], KERNEL(tile_queue)); },
          {{"fix", "fewer-fma", [=] { run(steps, tiles, PackedQueue); }, {"fewer-instructions"}},
           {"decoy", "even-out-blocks", [=] { run(steps / 2, 2 * tiles, KERNEL(tile_queue)); }}}};
}

}  // namespace

namespace zoo {

std::vector<Family> ShapeFamilies(const Setting& setting) {
  const int sms = setting.sms, full = sms * kPerSm;
  setting.draws->Begin("shapes");
  const int steps = setting.draws->Near(800, 32);
  const int few = setting.draws->Near(sms / 4), half = setting.draws->Near(sms * 2 / 3);
  const int over = full + setting.draws->Near(sms / 2);
  const Shape base{steps, 0, 0, 0};
  const auto with = [&](int its_steps) { return Shape{its_steps, 0, 0, 0}; };
  std::vector<Family> families;
  // The same steps in all, in blocks that fill the GPU once.
  families.push_back(Make({NAMES(few_blocks), KERNEL(few_blocks), base, few, few / 4, "more-blocks",
                           "small-grid", with(steps / 8), few * 8}));
  families.push_back(Make({NAMES(half_the_sms), KERNEL(half_the_sms), base, half, half / 4,
                           "more-blocks", "small-grid", with(steps / 4), half * 4}));
  families.push_back(Make({NAMES(partial_wave), KERNEL(partial_wave), base, over, sms / 8,
                           "whole-waves", "tail", with((steps * over) / (full * 2)), full * 2}));
  families.push_back(Make({NAMES(whole_waves), KERNEL(whole_waves), base, full * 2, full,
                           "more-blocks", "", with(steps / 2), full * 4, "decoy"}));
  families.push_back(
      Make({NAMES(many_waves), KERNEL(many_waves), with(steps / 8), full * 10 + sms / 3, full * 3,
            "more-blocks", "", with(steps / 16), full * 20 + 2 * (sms / 3), "decoy"}));
  // Every 16th block is 8 times as long: 23/16 of the short ones in all.
  families.push_back(Make({NAMES(uneven_blocks),
                           KERNEL(uneven_blocks),
                           {steps / 4, steps * 2, 16, 0},
                           full,
                           full / 4,
                           "even-out-blocks",
                           "imbalance",
                           with(steps * 23 / 64),
                           full}));
  families.push_back(Make({NAMES(one_long_block),
                           KERNEL(one_long_block),
                           {steps / 4, steps * 4, 1 << 20, 0},
                           full,
                           full / 4,
                           "even-out-blocks",
                           "imbalance",
                           with(steps / 4 + 1),
                           full}));
  families.push_back(Make({NAMES(short_kernel), KERNEL(short_kernel), with(8), 8, 2, nullptr,
                           "launch-sized", base, 0}));
  // The work of kMerged launches in one of them.
  families.back().variants.push_back(
      {"fix", "merge-launches", [=, count = std::make_shared<int>(0)] {
         constexpr int kMerged = 8;
         if (++*count % kMerged != 0) return;
         KERNEL(short_kernel)<<<8 * kMerged, kShapeThreads>>>(with(8), In(), Sink());
       }});
  families.push_back(TileQueue(setting));
  return families;
}

}  // namespace zoo
