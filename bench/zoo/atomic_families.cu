// SPDX-License-Identifier: Apache-2.0
//
// Atomic additions: on one address, on a few, on one for each thread, in shared memory.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr int kBlocks = 4;

// In PTX: the compiler would add up in the warp first.
__device__ __forceinline__ void Add(uint32_t* at, uint32_t value) {
  asm volatile("red.global.add.u32 [%0], %1;" : : "l"(at), "r"(value) : "memory");
}

__device__ __forceinline__ uint32_t AddAndGet(uint32_t* at, uint32_t value) {
  uint32_t before;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(at), "r"(value) : "memory");
  return before;
}

// `mask` of the addresses (in words of one sector each), `by_warp`: a warp adds up first.
struct Atomics {
  int rounds, atomics, fmas;
  uint32_t mask;
  bool by_warp;
};

template <bool kReturn>
__device__ __forceinline__ void RunAtomics(const Atomics& work, uint32_t* words, uint32_t* sink) {
  const uint32_t me = blockIdx.x * blockDim.x + threadIdx.x;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
  uint32_t keep = 0;
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 1
    for (int i = 0; i < work.atomics; ++i) {
      uint32_t* const at = words + ((me + i) & work.mask);
      if (work.by_warp) {
        const uint32_t sum = __popc(__ballot_sync(~0u, true));
        if (threadIdx.x % 32 == 0) Add(words + ((me / 32 + i) & work.mask), sum);
      } else if constexpr (kReturn) {
        keep ^= AddAndGet(at, 1);
      } else {
        Add(at, 1);
      }
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  zoo::Keep(chain, keep, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(atomics_one)(Atomics work, uint32_t* words, uint32_t* sink) {
  RunAtomics<false>(work, words, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(atomics_few)(Atomics work, uint32_t* words, uint32_t* sink) {
  RunAtomics<false>(work, words, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(atomics_spread)(Atomics work, uint32_t* words, uint32_t* sink) {
  RunAtomics<false>(work, words, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(atomics_returned)(Atomics work, uint32_t* words, uint32_t* sink) {
  RunAtomics<true>(work, words, sink);
}

// On counters in shared memory, each of another thread of the block.
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(atomics_shared)(Atomics work, uint32_t* words, uint32_t* sink) {
  __shared__ uint32_t bins[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  const uint32_t at = zoo::SharedAddress(bins + threadIdx.x);
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
    for (int i = 0; i < work.atomics; i += 4) {  // a multiple of 4: hardly any other instruction
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        asm volatile("red.shared.add.u32 [%0], %1;"
                     :
                     : "r"(at + part * kThreads * 4), "r"(1)
                     : "memory");
      }
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  __syncthreads();
  if (bins[threadIdx.x] == ~0u) *words = 1;
  zoo::Keep(chain, 0, sink);
}

// As many additions: the four of a thread in a register, then one on each counter.
__global__ void __launch_bounds__(kThreads)
    SharedAddedUpFirst(Atomics work, uint32_t* words, uint32_t* sink) {
  __shared__ uint32_t bins[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  const uint32_t at = zoo::SharedAddress(bins + threadIdx.x);
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
    uint32_t sum[4] = {};
    for (int i = 0; i < work.atomics; i += 4) {
#pragma unroll
      for (uint32_t& one : sum) asm volatile("add.u32 %0, %0, %1;" : "+r"(one) : "r"(1));
    }
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      asm volatile("red.shared.add.u32 [%0], %1;"
                   :
                   : "r"(at + part * kThreads * 4), "r"(sum[part])
                   : "memory");
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  __syncthreads();
  if (bins[threadIdx.x] == ~0u) *words = 1;
  zoo::Keep(chain, 0, sink);
}

using Kernel = void (*)(Atomics, uint32_t*, uint32_t*);

zoo::Family Make(const char* id, const char* name, Kernel kernel, Atomics work, bool is_global,
                 const zoo::Setting& setting) {
  setting.draws->Begin(name);
  if (work.rounds > 3) work.rounds = setting.draws->Near(work.rounds);
  const int sms = setting.sms;
  const auto run = [=](const Atomics& its, int blocks) {
    kernel<<<sms * blocks, kThreads>>>(its, zoo::Scratch(), zoo::Sink());
  };
  zoo::Family family{id,
                     name,
                     {{is_global ? "atomics" : "shared-atomics", work.atomics, work.atomics / 4},
                      {"fma", work.fmas, work.fmas / 2},
                      {"parallel", kBlocks, 1}},
                     [=](const zoo::Amounts& a) {
                       Atomics its = work;
                       its.atomics = a[0];
                       its.fmas = a[1];
                       run(its, a[2]);
                     },
                     {}};
  Atomics better = work, bare = work;
  bare.fmas /= 2;
  if (is_global) {
    better.by_warp = true;
    family.cause = "atomics";
    family.variants.push_back({"fix", "aggregate-atomics", [=] { run(better, kBlocks); }});
    family.is_right = [=] {
      zoo::Clear(zoo::Scratch(), (work.mask + 1) * sizeof(uint32_t));
      run(work, kBlocks);
      std::vector<uint32_t> sums(work.mask + 1);
      zoo::ReadBack(sums.data(), zoo::Scratch(), sums.size() * sizeof(uint32_t));
      uint64_t total = 0;
      for (const uint32_t sum : sums) total += sum;
      return total == static_cast<uint64_t>(sms) * kBlocks * kThreads * work.rounds * work.atomics;
    };
  } else {
    family.variants.push_back({"fix", "aggregate-atomics", [=] {
                                 SharedAddedUpFirst<<<sms * kBlocks, kThreads>>>(
                                     work, zoo::Scratch(), zoo::Sink());
                               }});
  }
  family.variants.push_back({"decoy", "fewer-fma", [=] { run(bare, kBlocks); }});
  return family;
}

}  // namespace

namespace zoo {

std::vector<Family> AtomicFamilies(const Setting& setting) {
  std::vector<Family> families;
  families.push_back(
      Make(NAMES(atomics_one), KERNEL(atomics_one), {1, 4, 4, 0, false}, true, setting));
  families.push_back(
      Make(NAMES(atomics_few), KERNEL(atomics_few), {2, 8, 4, 63, false}, true, setting));
  families.push_back(Make(NAMES(atomics_spread), KERNEL(atomics_spread),
                          {20, 8, 4, (1u << 17) - 1, false}, true, setting));
  families.push_back(Make(NAMES(atomics_returned), KERNEL(atomics_returned),
                          {10, 8, 4, (1u << 17) - 1, false}, true, setting));
  families.push_back(Make(NAMES(atomics_shared), KERNEL(atomics_shared), {120, 16, 2, 1023, false},
                          false, setting));
  return families;
}

}  // namespace zoo
