// SPDX-License-Identifier: Apache-2.0
//
// Chains of loads, each of which needs the one before, at each level of the memory.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

constexpr int kChaseThreads = 128, kMostChains = 4;

// `mask`: the words that are visited; the cycle of all words is a cycle in each power of 2.
struct Chase {
  int hops, chains, fmas;
  unsigned mask;
};

template <bool kPastL1>
__device__ __forceinline__ void RunChase(const Chase& chase, const unsigned* next, uint32_t* sink) {
  unsigned at[kMostChains];
#pragma unroll
  for (int k = 0; k < kMostChains; ++k) {
    at[k] = ((blockIdx.x * blockDim.x + threadIdx.x) * kMostChains + k) * 499979u & chase.mask;
  }
  float work[zoo::kChains];
  zoo::StartChains(work);
#pragma unroll 1
  for (int i = 0; i < chase.hops; ++i) {
#pragma unroll
    for (int k = 0; k < kMostChains; ++k) {
      if (k >= chase.chains) break;
      at[k] =
          (kPastL1 ? zoo::LoadWordPastL1(next + at[k]) : zoo::LoadWord(next + at[k])) & chase.mask;
    }
    for (int f = 0; f < chase.fmas; ++f) zoo::Fma(work);
  }
  unsigned keep = 0;
#pragma unroll
  for (const unsigned one : at) keep ^= one;
  if (keep == 0xdeadbeefu) *sink = keep;
  zoo::Keep(work, keep, sink);
}

extern "C" __global__ void KERNEL(chase_dram)(Chase chase, const unsigned* next, uint32_t* sink) {
  RunChase<true>(chase, next, sink);
}
extern "C" __global__ void KERNEL(chase_cached)(Chase chase, const unsigned* next, uint32_t* sink) {
  RunChase<true>(chase, next, sink);
}
extern "C" __global__ void KERNEL(chase_near)(Chase chase, const unsigned* next, uint32_t* sink) {
  RunChase<false>(chase, next, sink);
}

extern "C" __global__ void KERNEL(chase_shared)(Chase chase, const unsigned* next, uint32_t* sink) {
  __shared__ unsigned words[2048];
  for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = next[i] & 2047;
  __syncthreads();
  // All lanes together: no bank conflicts.
  unsigned at = blockIdx.x & 2047;
  float work[zoo::kChains];
  zoo::StartChains(work);
  const uint32_t base = zoo::SharedAddress(words);
#pragma unroll 4
  for (int i = 0; i < chase.hops; ++i) {
    at = zoo::LoadSharedWord(base + 4 * at);
    for (int f = 0; f < chase.fmas; ++f) zoo::Fma(work);
  }
  if (at == 0xdeadbeefu) *sink = at;
  zoo::Keep(work, at, sink);
}

using Kernel = void (*)(Chase, const unsigned*, uint32_t*);

zoo::Family Make(const char* id, const char* name, Kernel kernel, Chase chase, bool has_fix,
                 const zoo::Setting& setting) {
  setting.draws->Begin(name);
  chase.hops = setting.draws->Near(chase.hops, kMostChains);
  const int sms = setting.sms;
  const auto run = [=](const Chase& its, int blocks) {
    kernel<<<sms * blocks, kChaseThreads>>>(its, zoo::Next(), zoo::Sink());
  };
  zoo::Family family{id,
                     name,
                     {{"chain", chase.hops, chase.hops / 4},
                      {"fma", chase.fmas, 1, true},
                      {"parallel", 1, 1, true}},
                     [=](const zoo::Amounts& a) {
                       Chase its = chase;
                       its.hops = a[0];
                       its.fmas = a[1];
                       run(its, a[2]);
                     },
                     {}};
  Chase more = chase, bare = chase, quarter = chase;
  more.chains = kMostChains;
  more.hops = quarter.hops = chase.hops / kMostChains;
  bare.fmas = 0;
  if (has_fix) {
    family.variants.push_back({"fix", "more-loads-in-flight", [=] { run(more, 1); }});
    if (kernel == KERNEL(chase_near)) family.variants.back().same = {"independent-loads"};
  }
  family.variants.push_back({"fix", "raise-occupancy", [=] { run(quarter, kMostChains); }});
  family.variants.push_back({"decoy", "fewer-fma", [=] { run(bare, 1); }});
  return family;
}

}  // namespace

namespace zoo {

std::vector<Family> LatencyFamilies(const Setting& setting) {
  std::vector<Family> families;
  families.push_back(
      Make(NAMES(chase_dram), KERNEL(chase_dram), {400, 1, 1, kWords - 1}, true, setting));
  families.push_back(
      Make(NAMES(chase_cached), KERNEL(chase_cached), {800, 1, 1, (1u << 20) - 1}, true, setting));
  families.push_back(
      Make(NAMES(chase_near), KERNEL(chase_near), {4000, 1, 1, (1u << 11) - 1}, true, setting));
  families.push_back(
      Make(NAMES(chase_shared), KERNEL(chase_shared), {6000, 1, 1, 2047}, false, setting));
  return families;
}

}  // namespace zoo
