// SPDX-License-Identifier: Apache-2.0
//
// RunMix() is a loop with a given amount of each kind of work per round. A family of one or two
// resources is a kernel that calls it with the kinds that it uses.
#ifndef PROF_BENCH_ZOO_MIX_CUH_
#define PROF_BENCH_ZOO_MIX_CUH_

#include "bench/zoo/memory.h"
#include "bench/zoo/operations.cuh"

namespace zoo {

enum MixKinds : unsigned {
  kDramReads = 1,  // 16 bytes a thread, each address once
  kDramWrites = 2,
  kL2Reads = 4,         // 16 bytes a thread, of `l2_vectors`, past L1
  kL1Reads = 8,         // 16 bytes a thread, of 8 KiB a block
  kSharedVectors = 16,  // 16 bytes a thread, without conflicts
  kSharedWords = 32,    // 4 bytes a thread, `word_stride` words apart, in multiples of kWordsAtOnce
  kFmas = 64,           // groups of kChains FP32 instructions
  kLops = 128,          // groups of kChains logical instructions
};

// Of each kind in one round.
struct Mix {
  int rounds = 1;
  int dram_reads = 0, dram_writes = 0, l2_reads = 0, l1_reads = 0;
  int shared_vectors = 0, shared_words = 0, fmas = 0, lops = 0;
  unsigned l2_vectors = 1u << 19;  // a power of 2
  unsigned word_stride = 1;
};

struct MixData {
  const uint4* in;
  uint4* out;
  uint32_t* sink;
};

inline constexpr unsigned kBlockVectors = 512;      // 8 KiB a block, of L1 reads
inline constexpr unsigned kSharedWordCount = 4096;  // 16 KiB a block
inline constexpr int kWordsAtOnce = 16;             // of one address, so that reads are most of it

template <unsigned kKinds>
__device__ __forceinline__ void RunMix(const Mix& mix, const MixData& data) {
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ uint4
      shared[(kKinds & (kSharedVectors | kSharedWords)) != 0 ? kSharedWordCount / 4 : 1];
  const uint32_t shared_at = SharedAddress(shared);
  if constexpr ((kKinds & (kSharedVectors | kSharedWords)) != 0) {
    for (unsigned i = threadIdx.x; i < kSharedWordCount / 4; i += blockDim.x) {
      shared[i] = make_uint4(i, i + 1, i + 2, i + 3);
    }
    __syncthreads();
  }
  float chain[kChains];
  uint32_t word[kChains], keep = me;
  StartChains(chain);
#pragma unroll
  for (int k = 0; k < kChains; ++k) word[k] = me + k;
  unsigned read = me, written = me, l2 = me, l1 = threadIdx.x, vector = threadIdx.x;
  unsigned single = threadIdx.x * mix.word_stride;
#pragma unroll 1
  for (int round = 0; round < mix.rounds; ++round) {
    if constexpr ((kKinds & kDramReads) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.dram_reads; ++i, read += threads) {
        Use(LoadPastL1(data.in + (read & (kVectors - 1))), &keep);
      }
    }
    if constexpr ((kKinds & kDramWrites) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.dram_writes; ++i, written += threads) {
        StoreStream(data.out + (written & (kVectors - 1)), make_uint4(keep, me, keep, me));
      }
    }
    if constexpr ((kKinds & kL2Reads) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.l2_reads; ++i, l2 += threads) {
        Use(LoadPastL1(data.in + (l2 & (mix.l2_vectors - 1))), &keep);
      }
    }
    if constexpr ((kKinds & kL1Reads) != 0) {
      const uint4* const mine = data.in + blockIdx.x * kBlockVectors;
#pragma unroll 8
      for (int i = 0; i < mix.l1_reads; ++i, l1 += blockDim.x) {
        Use(LoadThroughL1(mine + (l1 & (kBlockVectors - 1))), &keep);
      }
    }
    if constexpr ((kKinds & kSharedVectors) != 0) {
#pragma unroll 8
      for (int i = 0; i < mix.shared_vectors; ++i, vector += 32) {
        Use(LoadSharedVector(shared_at + 16 * (vector & (kSharedWordCount / 4 - 1))), &keep);
      }
    }
    if constexpr ((kKinds & kSharedWords) != 0) {
#pragma unroll 1
      for (int i = 0; i < mix.shared_words; i += kWordsAtOnce, single += kWordsAtOnce * 32) {
        const uint32_t at = shared_at + 4 * (single & (kSharedWordCount / 2 - 1));
#pragma unroll
        for (int k = 0; k < kWordsAtOnce; k += 4) {
          const auto word = [&](int j) { return LoadSharedWord(at + 128 * (k + j)); };
          Use(make_uint4(word(0), word(1), word(2), word(3)), &keep);
        }
      }
    }
    if constexpr ((kKinds & kFmas) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.fmas; ++i) Fma(chain);
    }
    if constexpr ((kKinds & kLops) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.lops; ++i) Lop(word);
    }
  }
#pragma unroll
  for (const uint32_t x : word) keep ^= x;
  Keep(chain, keep, data.sink);
}

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_MIX_CUH_
