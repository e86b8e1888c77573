// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes of single words: strided, misaligned, at random.
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr unsigned kAllWords = zoo::kVectors * 4;
constexpr int kBlocks = 4;

struct Access {
  int rounds, loads, fmas;
  unsigned stride, offset;  // in words
};

template <bool kHalves = false>  // a word has two values of 16 bits
__device__ __forceinline__ void ReadWords(const Access& access, const uint32_t* in,
                                          uint32_t* sink) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t keep = at;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < access.rounds; ++round) {
#pragma unroll 8
    for (int i = 0; i < access.loads; ++i, at += threads) {
      const unsigned word = at * access.stride + access.offset;
      const uint32_t value = zoo::LoadWordPastL1(in + (word & (kAllWords - 1)));
      if constexpr (kHalves) {
        zoo::UseHalves(value, &keep);
      } else {
        keep ^= value;
      }
    }
    for (int i = 0; i < access.fmas; ++i) zoo::Fma(chain);
  }
  zoo::Keep(chain, keep, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(strided_two)(Access access, const uint32_t* in, uint32_t* sink) {
  ReadWords(access, in, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(strided_eight)(Access access, const uint32_t* in, uint32_t* sink) {
  ReadWords(access, in, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(strided_far)(Access access, const uint32_t* in, uint32_t* sink) {
  ReadWords(access, in, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(single_words)(Access access, const uint32_t* in, uint32_t* sink) {
  ReadWords(access, in, sink);
}

__global__ void __launch_bounds__(kThreads, 5)
    WordsOfHalves(Access access, const uint32_t* in, uint32_t* sink) {
  ReadWords<true>(access, in, sink);
}

// Each lane reads a word of its own sector. `mask`: of the words that it may choose.
__device__ __forceinline__ void Gather(const Access& access, unsigned mask, bool scattered,
                                       const uint32_t* in, uint32_t* sink) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t keep = at;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < access.rounds; ++round) {
#pragma unroll 8
    for (int i = 0; i < access.loads; ++i, at += threads) {
      const unsigned far = at * 2654435761u;  // a bijection: no two are the same
      keep ^= zoo::LoadWordPastL1(in + ((scattered ? far : at) & mask));
    }
    for (int i = 0; i < access.fmas; ++i) zoo::Fma(chain);
  }
  zoo::Keep(chain, keep, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(gather_dram)(Access access, bool scattered, const uint32_t* in, uint32_t* sink) {
  Gather(access, kAllWords - 1, scattered, in, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(gather_cached)(Access access, bool scattered, const uint32_t* in, uint32_t* sink) {
  Gather(access, (1u << 21) - 1, scattered, in, sink);
}

// Words written `stride` apart.
extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(scattered_writes)(Access access, uint32_t* out, uint32_t* sink) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < access.rounds; ++round) {
#pragma unroll 8
    for (int i = 0; i < access.loads; ++i, at += threads) {
      out[(at * access.stride) & (kAllWords - 1)] = at;
    }
    for (int i = 0; i < access.fmas; ++i) zoo::Fma(chain);
  }
  zoo::Keep(chain, at, sink);
}

const uint32_t* Words() { return reinterpret_cast<const uint32_t*>(zoo::In()); }

using Reader = void (*)(Access, const uint32_t*, uint32_t*);
using Gatherer = void (*)(Access, bool, const uint32_t*, uint32_t*);

zoo::Family Strided(const char* id, const char* name, Reader kernel, Access access,
                    const zoo::Setting& setting) {
  setting.draws->Begin(name);
  access.rounds = setting.draws->Near(access.rounds, 5);
  const int sms = setting.sms;
  const auto run = [=](const Access& its, int blocks) {
    kernel<<<sms * blocks, kThreads>>>(its, Words(), zoo::Sink());
  };
  zoo::Family family{id,
                     name,
                     {{"dram", access.loads, 8}, {"fma", access.fmas, 1}, {"parallel", kBlocks, 1}},
                     [=](const zoo::Amounts& a) {
                       Access its = access;
                       its.loads = a[0];
                       its.fmas = a[1];
                       run(its, a[2]);
                     },
                     {}};
  Access together = access, bare = access, more = access;
  together.stride = 1;
  bare.fmas /= 2;
  more.rounds = access.rounds / 5 * 4;
  if (access.stride > 1) {
    family.variants.push_back({"fix", "coalesce", [=] { run(together, kBlocks); }});
    family.cause = "uncoalesced";
  } else {
    Access halves = access;
    halves.loads /= 2;
    family.variants.push_back(
        {"fix", "fewer-bytes",
         [=] { WordsOfHalves<<<sms * kBlocks, kThreads>>>(halves, Words(), zoo::Sink()); }});
  }
  family.variants.push_back({"decoy", "fewer-fma", [=] { run(bare, kBlocks); }});
  family.variants.push_back({"decoy", "raise-occupancy", [=] { run(more, 5); }});
  return family;
}

zoo::Family Gathered(const char* id, const char* name, Gatherer kernel, const char* resource,
                     Access access, const zoo::Setting& setting) {
  setting.draws->Begin(name);
  access.rounds = setting.draws->Near(access.rounds, 5);
  const int sms = setting.sms;
  const auto run = [=](const Access& its, bool scattered, int blocks) {
    kernel<<<sms * blocks, kThreads>>>(its, scattered, Words(), zoo::Sink());
  };
  Access bare = access;
  bare.fmas /= 2;
  return {id,
          name,
          {{resource, access.loads, 8}, {"fma", access.fmas, 1}, {"parallel", kBlocks, 1}},
          [=](const zoo::Amounts& a) {
            Access its = access;
            its.loads = a[0];
            its.fmas = a[1];
            run(its, true, a[2]);
          },
          {{"fix", "coalesce", [=] { run(access, false, kBlocks); }},
           {"decoy", "fewer-fma", [=] { run(bare, true, kBlocks); }}},
          "uncoalesced"};
}

zoo::Family Writes(const zoo::Setting& setting) {
  setting.draws->Begin("scattered_writes");
  const Access access{setting.draws->Near(4), 32, 4, 8, 0};
  const int sms = setting.sms;
  const auto run = [=](const Access& its, int blocks) {
    KERNEL(scattered_writes)<<<sms * blocks, kThreads>>>(
        its, reinterpret_cast<uint32_t*>(zoo::Out()), zoo::Sink());
  };
  Access together = access, bare = access;
  together.stride = 1;
  bare.fmas /= 2;
  return {NAMES(scattered_writes),
          {{"dram", 32, 8}, {"fma", 4, 1}, {"parallel", kBlocks, 1}},
          [=](const zoo::Amounts& a) {
            Access its = access;
            its.loads = a[0];
            its.fmas = a[1];
            run(its, a[2]);
          },
          {{"fix", "coalesce", [=] { run(together, kBlocks); }},
           {"decoy", "fewer-fma", [=] { run(bare, kBlocks); }}},
          "uncoalesced"};
}

}  // namespace

namespace zoo {

std::vector<Family> AccessFamilies(const Setting& setting) {
  std::vector<Family> families;
  families.push_back(
      Strided(NAMES(single_words), KERNEL(single_words), {20, 32, 4, 1, 0}, setting));
  families.push_back(Strided(NAMES(strided_two), KERNEL(strided_two), {10, 32, 4, 2, 0}, setting));
  families.push_back(
      Strided(NAMES(strided_eight), KERNEL(strided_eight), {5, 32, 4, 8, 1}, setting));
  families.push_back(Strided(NAMES(strided_far), KERNEL(strided_far), {5, 32, 4, 32, 3}, setting));
  families.push_back(
      Gathered(NAMES(gather_dram), KERNEL(gather_dram), "dram", {5, 32, 4, 1, 0}, setting));
  families.push_back(
      Gathered(NAMES(gather_cached), KERNEL(gather_cached), "l2", {10, 32, 4, 1, 0}, setting));
  families.push_back(Writes(setting));
  return families;
}

}  // namespace zoo
