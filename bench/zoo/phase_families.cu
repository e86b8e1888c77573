// SPDX-License-Identifier: Apache-2.0
//
// Kernels that change or wait as a whole: a memory phase before a phase of arithmetic, steps that
// all blocks take together, turns that blocks sleep for.
#include <cooperative_groups.h>

#include "bench/programs/cuda_check.h"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr int kBlocks = 4;

// Each second group of `swapped` blocks computes first; 0: none.
struct Phases {
  int reads, fmas, swapped;
};

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(two_phases)(Phases work, const uint4* in, uint32_t* sink) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t keep = at;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
  const auto compute = [&] {
#pragma unroll 4
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  };
  const bool computes_first = work.swapped > 0 && blockIdx.x / work.swapped % 2 == 1;
  if (computes_first) compute();
#pragma unroll 4
  for (int i = 0; i < work.reads; ++i, at += threads) {
    zoo::Use(zoo::LoadPastL1(in + (at & (zoo::kVectors - 1))), &keep);
  }
  if (!computes_first) compute();
  zoo::Keep(chain, keep, sink);
}

// The grid waits after each `together` steps. Then each block takes the word of its neighbour.
struct Steps {
  int steps, fmas, together;
};

extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(grid_steps)(Steps work, uint32_t* words, uint32_t* sink) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  float chain[zoo::kChains];
  zoo::StartChains(chain);
  uint32_t word = 0;
  int side = 0;
#pragma unroll 1
  for (int step = 1; step <= work.steps; ++step) {
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
    if (step % work.together != 0) continue;
    uint32_t* const mine = words + side * gridDim.x;
    if (threadIdx.x == 0) mine[blockIdx.x] = word;
    grid.sync();
    word = zoo::LoadWordPastL1(mine + (blockIdx.x + 1) % gridDim.x) + 1;
    side = 1 - side;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) words[2 * gridDim.x] = word;
  zoo::Keep(chain, word, sink);
}

constexpr int kGroup = 4;           // blocks that take turns
constexpr int kFlagWords = 32;      // between the flags of two groups: a line of L2 for each
constexpr int kSmallThreads = 128;  // 12 blocks fit an SM: all of them must run at once

struct Turns {
  int turns, fmas;
  unsigned sleep_ns;
};

extern "C" __global__ void __launch_bounds__(kSmallThreads)
    KERNEL(sleeping_turns)(Turns work, uint32_t* flags, uint32_t* sink) {
  uint32_t* const flag = flags + blockIdx.x / kGroup * kFlagWords;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int turn = blockIdx.x % kGroup; turn < work.turns; turn += kGroup) {
    if (threadIdx.x == 0) {
      uint32_t now;
      while (true) {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(flag) : "memory");
        if (now == static_cast<uint32_t>(turn)) break;
        asm volatile("nanosleep.u32 %0;" : : "r"(work.sleep_ns));
      }
    }
    __syncthreads();
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
    __syncthreads();
    if (threadIdx.x == 0) {
      const uint32_t next = turn + 1 == work.turns ? 0 : turn + 1;  // 0: for the next launch
      asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(flag), "r"(next) : "memory");
    }
  }
  zoo::Keep(chain, 0, sink);
}

// Zero between launches.
uint32_t* Flags(int groups) {
  static uint32_t* const flags = [groups] {
    void* made = nullptr;
    const size_t bytes = size_t{1} * groups * kFlagWords * sizeof(uint32_t);
    CUDA_CHECK(cudaMalloc(&made, bytes));
    zoo::Clear(made, bytes);
    return static_cast<uint32_t*>(made);
  }();
  return flags;
}

zoo::Family TwoPhases(const zoo::Setting& setting) {
  setting.draws->Begin("two_phases");
  const int reads = setting.draws->Near(160, 8), fmas = setting.draws->Near(2000, 8);
  const int sms = setting.sms;
  const auto run = [=](const Phases& its, int blocks) {
    KERNEL(two_phases)<<<sms * blocks, kThreads>>>(its, zoo::In(), zoo::Sink());
  };
  return {NAMES(two_phases),
          {{"dram", reads, reads / 4}, {"fma", fmas, fmas / 4}, {"parallel", kBlocks, 1}},
          [=](const zoo::Amounts& a) {
            run({a[0], a[1], 0}, a[2]);
          },
          {{"fix", "overlap-phases",
            [=] {
              run({reads, fmas, sms}, kBlocks);
            }},
           {"decoy", "raise-occupancy", [=] {
              const auto less = [](int work) { return (work * kBlocks + kBlocks) / (kBlocks + 1); };
              run({less(reads), less(fmas), 0}, kBlocks + 1);
            }}}};
}

zoo::Family GridSteps(const zoo::Setting& setting) {
  setting.draws->Begin("grid_steps");
  const int steps = setting.draws->Near(80, 16), sms = setting.sms;
  const auto run = [=](Steps its, int blocks) {
    uint32_t* words = zoo::Scratch();
    uint32_t* sink = zoo::Sink();
    void* arguments[] = {&its, &words, &sink};
    cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(KERNEL(grid_steps)), sms * blocks,
                                kThreads, arguments, 0, nullptr);
  };
  return {NAMES(grid_steps),
          {{"chain", steps, steps / 4}, {"fma", 8, 2}, {"parallel", 1, 1, true}},
          [=](const zoo::Amounts& a) {
            run({a[0], a[1], 1}, a[2]);
          },
          {{"fix", "fewer-grid-waits",
            [=] {
              run({steps, 8, 4}, 1);
            }},
           {"decoy", "fewer-fma",
            [=] {
              run({steps, 4, 1}, 1);
            }}},
          "",
          [=] {
            run({steps, 8, 1}, 1);
            uint32_t found = 0;
            zoo::ReadBack(&found, zoo::Scratch() + 2 * sms, sizeof(found));
            return found == static_cast<uint32_t>(steps);
          }};
}

zoo::Family SleepingTurns(const zoo::Setting& setting) {
  setting.draws->Begin("sleeping_turns");
  const int turns = setting.draws->Near(64, 4), sms = setting.sms;
  const unsigned sleep_ns = setting.draws->OneOf({500, 1000, 2000});
  uint32_t* const flags = Flags(sms * 3);
  const auto run = [=](const Turns& its, int groups) {
    KERNEL(sleeping_turns)<<<sms * groups * kGroup, kSmallThreads>>>(its, flags, zoo::Sink());
  };
  return {NAMES(sleeping_turns),
          {{"chain", turns, turns / 4}, {"fma", 8, 2}, {"parallel", 1, 1, true}},
          [=](const zoo::Amounts& a) {
            run({a[0], a[1], sleep_ns}, a[2]);
          },
          {{"fix",
            "shorter-sleep",
            [=] {
              run({turns, 8, 20}, 1);
            },
            {"sleep-less"}},
           {"decoy", "fewer-fma", [=] {
              run({turns, 4, sleep_ns}, 1);
            }}}};
}

}  // namespace

namespace zoo {

std::vector<Family> PhaseFamilies(const Setting& setting) {
  return {TwoPhases(setting), GridSteps(setting), SleepingTurns(setting)};
}

}  // namespace zoo
