// SPDX-License-Identifier: Apache-2.0
//
// What a warp waits for beside data: other lanes, other warps, instructions, constants, and values
// that did not fit its registers.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kChains;
using zoo::kThreads;

constexpr int kBlocks = 4;

struct Paths {
  int rounds, fmas, paths;
  bool by_warp;
};

// Lane (or warp) number n takes path n modulo `paths`.
__device__ __forceinline__ void RunPaths(const Paths& work, uint32_t* sink) {
  float chain[kChains];
  zoo::StartChains(chain);
  const int mine = (work.by_warp ? threadIdx.x / 32 : threadIdx.x % 32) % work.paths;
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 1
    for (int path = 0; path < work.paths; ++path) {
      if (path == mine) {
#pragma unroll 2
        for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
      }
    }
  }
  zoo::Keep(chain, 0, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(paths_two)(Paths work, uint32_t* sink) {
  RunPaths(work, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(paths_eight)(Paths work, uint32_t* sink) {
  RunPaths(work, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(paths_all)(Paths work, uint32_t* sink) {
  RunPaths(work, sink);
}

// One warp works while the others wait.
struct Turns {
  int rounds, barriers, fmas;
  bool all_work;
};

template <int kUnrolled>
__device__ __forceinline__ void TakeTurns(const Turns& work, uint32_t* sink) {
  float chain[kChains];
  zoo::StartChains(chain);
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32;
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
    if (work.all_work ? round % warps == 0 : round % warps == warp) {
#pragma unroll kUnrolled
      for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
    }
    for (int i = 0; i < work.barriers; ++i) __syncthreads();
  }
  zoo::Keep(chain, 0, sink);
}
extern "C" __global__ void __launch_bounds__(512, 1) KERNEL(barriers)(Turns work, uint32_t* sink) {
  TakeTurns<2>(work, sink);
}
__global__ void __launch_bounds__(512, 1) TurnsInShortLoop(Turns work, uint32_t* sink) {
  TakeTurns<1>(work, sink);
}

// 64 values of a thread, indexed at run time: they are in local memory.
struct Local {
  int rounds, accesses, fmas;
};

__device__ __forceinline__ void RunLocal(const Local& work, unsigned values, uint32_t* sink) {
  float value[128];
  for (unsigned k = 0; k < values; ++k) value[k] = static_cast<float>(threadIdx.x + k);
  float chain[kChains];
  zoo::StartChains(chain);
  unsigned at = threadIdx.x / 32;
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 4
    for (int i = 0; i < work.accesses; ++i) {
      at = (at + 5) & (values - 1);
      value[at] = fmaf(value[(at + 29) & (values - 1)], 0.999f, 0.5f);
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  float sum = 0;
  for (unsigned k = 0; k < values; ++k) sum += value[k];
  zoo::Keep(chain, sum == -1.0f ? 1 : 0, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(local_small)(Local work, uint32_t* sink) {
  RunLocal(work, 16, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(local_large)(Local work, uint32_t* sink) {
  RunLocal(work, 128, sink);
}

// As many accesses, of values in registers.
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(local_fixed)(Local work, uint32_t* sink) {
  float value[16], chain[kChains];
#pragma unroll
  for (int k = 0; k < 16; ++k) value[k] = static_cast<float>(threadIdx.x + k);
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 1
    for (int i = 0; i < work.accesses; i += 16) {
#pragma unroll
      for (int k = 0; k < 16; ++k) value[k] = fmaf(value[(k + 5) % 16], 0.999f, 0.5f);
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  float sum = 0;
#pragma unroll
  for (const float x : value) sum += x;
  zoo::Keep(chain, sum == -1.0f ? 1 : 0, sink);
}

// 64 values in the 32 registers that 8 blocks leave to a thread: the compiler spills.
__device__ __forceinline__ void RunLive(int rounds, uint32_t* sink) {
  constexpr int kLive = 64;
  float value[kLive];
#pragma unroll
  for (int k = 0; k < kLive; ++k) value[k] = static_cast<float>(threadIdx.x ^ (k * 7));
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < kLive; ++k) value[k] = fmaf(value[k], 0.999f, value[(k + 29) % kLive]);
  }
  float sum = 0;
#pragma unroll
  for (const float x : value) sum += x;
  if (sum == -1.0f) *sink = 1;
}
extern "C" __global__ void __launch_bounds__(kThreads, 8)
    KERNEL(spills)(int rounds, uint32_t* sink) {
  RunLive(rounds, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 2)
    KERNEL(spills_fixed)(int rounds, uint32_t* sink) {
  RunLive(rounds, sink);
}

__constant__ float table[4096];

struct Constants {
  int rounds, loads, fmas;
  bool uniform;
};

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(constants)(Constants work, uint32_t* sink) {
  float chain[kChains];
  zoo::StartChains(chain);
  float sum = 0;
  unsigned at = work.uniform ? blockIdx.x : threadIdx.x * 13;
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 4
    for (int i = 0; i < work.loads; ++i, at += 37) sum += table[at & 4095];
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  zoo::Keep(chain, sum == -1.0f ? 1 : 0, sink);
}

// 48 KiB of instructions for each of eight parts: more than the instruction caches of an SM hold.
template <int kPart>
__device__ __noinline__ float Part(float x, float y) {
#pragma unroll
  for (int k = 0; k < 1536; ++k) {
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, %1;" : "+f"(x) : "f"(y));
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, %1;" : "+f"(y) : "f"(1.0f + kPart));
  }
  return x + y;
}

// As many instructions, in four chains.
template <int kPart>
__device__ __noinline__ float PartOfFour(float x, float y) {
  float z = x + 1, w = y + 1;
#pragma unroll
  for (int k = 0; k < 768; ++k) {
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, %1;" : "+f"(x) : "f"(y));
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, %1;" : "+f"(y) : "f"(1.0f + kPart));
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, %1;" : "+f"(z) : "f"(w));
    asm volatile("fma.rn.f32 %0, %0, 0f3F000000, %1;" : "+f"(w) : "f"(1.0f + kPart));
  }
  return x + y + z + w;
}

struct Code {
  int rounds, parts;
  bool same;  // all of them the first part
};

template <int kPart, bool kFour>
__device__ __forceinline__ float RunPart(float x) {
  if constexpr (kFour) return PartOfFour<kPart>(x, 1.0f);
  return Part<kPart>(x, 1.0f);
}

template <bool kFour>
__device__ __forceinline__ void RunCode(const Code& work, uint32_t* sink) {
  float x = static_cast<float>(threadIdx.x);
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 1
    for (int part = 0; part < work.parts; ++part) {
      switch (work.same ? 0 : (part + threadIdx.x / 32) % 8) {
        case 0:
          x = RunPart<0, kFour>(x);
          break;
        case 1:
          x = RunPart<1, kFour>(x);
          break;
        case 2:
          x = RunPart<2, kFour>(x);
          break;
        case 3:
          x = RunPart<3, kFour>(x);
          break;
        case 4:
          x = RunPart<4, kFour>(x);
          break;
        case 5:
          x = RunPart<5, kFour>(x);
          break;
        case 6:
          x = RunPart<6, kFour>(x);
          break;
        default:
          x = RunPart<7, kFour>(x);
          break;
      }
    }
  }
  if (x == -1.0f) *sink = 1;
}
extern "C" __global__ void __launch_bounds__(kThreads, 4)
    KERNEL(large_code)(Code work, uint32_t* sink) {
  RunCode<false>(work, sink);
}
__global__ void __launch_bounds__(kThreads, 4) CodeOfFourChains(Code work, uint32_t* sink) {
  RunCode<true>(work, sink);
}

zoo::Family MakePaths(const char* id, const char* name, void (*kernel)(Paths, uint32_t*), int paths,
                      int rounds, const zoo::Setting& setting) {
  setting.draws->Begin(name);
  const Paths work{setting.draws->Near(rounds), 16, paths, false};
  const int sms = setting.sms;
  const auto run = [=](const Paths& its, int blocks) {
    kernel<<<sms * blocks, kThreads>>>(its, zoo::Sink());
  };
  Paths together = work;
  together.by_warp = true;
  return {id,
          name,
          {{"fma", 16, 4}, {"parallel", kBlocks, 1}},
          [=](const zoo::Amounts& a) {
            run({work.rounds, a[0], paths, false}, a[1]);
          },
          {{"fix", "one-path-per-warp", [=] { run(together, kBlocks); }},
           {"decoy", "more-blocks",
            [=] { kernel<<<sms * kBlocks * 2, kThreads / 2>>>(work, zoo::Sink()); }}},
          "divergence"};
}

}  // namespace

namespace zoo {

std::vector<Family> ControlFamilies(const Setting& setting) {
  const int sms = setting.sms;
  std::vector<Family> families;
  families.push_back(MakePaths(NAMES(paths_two), KERNEL(paths_two), 2, 120, setting));
  families.push_back(MakePaths(NAMES(paths_eight), KERNEL(paths_eight), 8, 30, setting));
  families.push_back(MakePaths(NAMES(paths_all), KERNEL(paths_all), 32, 8, setting));

  setting.draws->Begin("barriers");
  const int turns = setting.draws->Near(600, 16);
  const auto take_turns = [=](const Turns& work, int blocks) {
    KERNEL(barriers)<<<sms * blocks, 512>>>(work, Sink());
  };
  families.push_back({NAMES(barriers),
                      {{"barrier", 4, 1}, {"chain", 8, 2}, {"parallel", 1, 1, true}},
                      [=](const Amounts& a) {
                        take_turns({turns, a[0], a[1], false}, a[2]);
                      },
                      {{"fix", "balance-barriers",
                        [=] {
                          take_turns({turns, 4, 8, true}, 1);
                        }},
                       {"decoy", "smaller-loop", [=] {
                          TurnsInShortLoop<<<sms, 512>>>({turns, 4, 8, false}, Sink());
                        }}}});

  setting.draws->Begin("local");
  const int rounds = setting.draws->Near(8);
  const auto local = [=](auto kernel, const Local& work, int blocks) {
    kernel<<<sms * blocks, kThreads>>>(work, Sink());
  };
  for (const bool is_large : {false, true}) {
    const auto kernel = is_large ? KERNEL(local_large) : KERNEL(local_small);
    const int its_rounds = is_large ? rounds / 2 : rounds;
    const char* const id = is_large ? ZOO_TEXT(KERNEL(local_large)) : ZOO_TEXT(KERNEL(local_small));
    families.push_back({id,
                        is_large ? "local_large" : "local_small",
                        {{"l1", 64, 16}, {"fma", 8, 2}, {"parallel", kBlocks, 1}},
                        [=](const Amounts& a) {
                          local(kernel, {its_rounds, a[0], a[1]}, a[2]);
                        },
                        {{"fix", "remove-spills",
                          [=] {
                            local(KERNEL(local_fixed), {its_rounds, 64, 8}, kBlocks);
                          }},
                         {"decoy", "fewer-fma",
                          [=] {
                            local(kernel, {its_rounds, 64, 4}, kBlocks);
                          }}},
                        "spills"});
  }

  setting.draws->Begin("spills");
  const int live = setting.draws->Near(16, 4);
  families.push_back(
      {NAMES(spills),
       {{"l1", live, live / 4}},
       [=](const Amounts& a) { KERNEL(spills)<<<sms * 8, kThreads>>>(a[0], Sink()); },
       {{"fix", "remove-spills",
         [=] { KERNEL(spills_fixed)<<<sms * 8, kThreads>>>(live, Sink()); }},
        {"decoy", "more-blocks",
         [=] { KERNEL(spills)<<<sms * 16, kThreads / 2>>>(live, Sink()); }}},
       "spills"});

  setting.draws->Begin("constants");
  const int lookups = setting.draws->Near(6);
  const auto look_up = [=](const Constants& work, int blocks) {
    KERNEL(constants)<<<sms * blocks, kThreads>>>(work, Sink());
  };
  families.push_back({NAMES(constants),
                      {{"constant", 16, 4}, {"fma", 4, 1}, {"parallel", kBlocks, 1}},
                      [=](const Amounts& a) {
                        look_up({lookups, a[0], a[1], false}, a[2]);
                      },
                      {{"fix", "uniform-constants",
                        [=] {
                          look_up({lookups, 16, 4, true}, kBlocks);
                        }},
                       {"decoy", "fewer-fma", [=] {
                          look_up({lookups, 16, 2, false}, kBlocks);
                        }}}});

  setting.draws->Begin("large_code");
  const int passes = setting.draws->Near(4);
  const auto run_code = [=](const Code& work, int blocks) {
    KERNEL(large_code)<<<sms * blocks, kThreads>>>(work, Sink());
  };
  families.push_back({NAMES(large_code),
                      {{"icache", 8, 2}, {"parallel", 3, 1}},
                      [=](const Amounts& a) {
                        run_code({passes, a[0], false}, a[1]);
                      },
                      {{"fix", "smaller-loop",
                        [=] {
                          run_code({passes, 8, true}, 3);
                        }},
                       {"decoy", "independent-instructions", [=] {
                          CodeOfFourChains<<<sms * 3, kThreads>>>({passes, 8, false}, Sink());
                        }}}});
  return families;
}

}  // namespace zoo
