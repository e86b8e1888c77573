// SPDX-License-Identifier: Apache-2.0
//
// The work of RunMix() in other ways: the fixes of its families.
#ifndef PROF_BENCH_ZOO_OTHER_MIX_CUH_
#define PROF_BENCH_ZOO_OTHER_MIX_CUH_

#include "bench/zoo/mix_family.cuh"
#include "bench/zoo/other_ways.cuh"

namespace zoo {

enum MixWays : unsigned {
  kHalfStorage = 1,  // DRAM has 16-bit floats: half as many vectors have the same values
  kPackedFmas = 2,   // two 16-bit values for each instruction
  kPackedLops = 4,
  kOwnSlice = 8,  // blocks share the data of L2 among them, and each reads its part through L1
  kHeld = 16,     // what is read again stays in registers
};

// For kHeld: a block reads the same shared memory in each round, so it uses what it read for
// kRoundUnit rounds at once.
inline void HoldRounds(Mix& mix) {
  mix.rounds /= kRoundUnit;
  mix.fmas *= kRoundUnit;
  mix.lops *= kRoundUnit;
}

template <unsigned kKinds, unsigned kWays>
__global__ void __launch_bounds__(kThreads, 5) OtherMix(Mix mix, MixData data) {
  constexpr bool kHasShared = (kKinds & (kSharedVectors | kSharedWords)) != 0;
  constexpr int kUses = kHasShared && (kWays & kHeld) != 0 ? kRoundUnit : 1;
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ uint4 shared[kHasShared ? kSharedWordCount / 4 : 1];
  const uint32_t shared_at = SharedAddress(shared);
  if constexpr (kHasShared) {
    for (unsigned i = threadIdx.x; i < kSharedWordCount / 4; i += blockDim.x) {
      shared[i] = make_uint4(i, i + 1, i + 2, i + 3);
    }
    __syncthreads();
  }
  float chain[kChains];
  uint32_t word[kChains], fma_pair[kPairs], lop_pair[kPairs], keep = me;
  StartChains(chain);
  StartPairs(fma_pair);
  StartPairs(lop_pair);
#pragma unroll
  for (int k = 0; k < kChains; ++k) word[k] = me + k;
  unsigned read = me, written = me, vector = threadIdx.x, single = threadIdx.x * mix.word_stride;
  // A slice is a multiple of kThreads: all slices together are the data, or a little more.
  const unsigned slice =
      (mix.l2_vectors + gridDim.x * kThreads - 1) / (gridDim.x * kThreads) * kThreads;
  unsigned near = threadIdx.x;
  uint4 held[kBlockVectors / kThreads];
  if constexpr ((kKinds & kL1Reads) != 0) {
    const uint4* const mine = data.in + blockIdx.x * kBlockVectors;
#pragma unroll
    for (unsigned k = 0; k < kBlockVectors / kThreads; ++k) {
      held[k] = LoadThroughL1(mine + threadIdx.x + k * kThreads);
    }
  }
#pragma unroll 1
  for (int round = 0; round < mix.rounds; ++round) {
    if constexpr ((kKinds & kDramReads) != 0) {
      if constexpr ((kWays & kHalfStorage) != 0) {
#pragma unroll 4
        for (int i = 0; i < mix.dram_reads; i += 2, read += threads) {
          UseHalves(LoadPastL1(data.in + (read & (kVectors - 1))), &keep);
        }
      } else {
#pragma unroll 4
        for (int i = 0; i < mix.dram_reads; ++i, read += threads) {
          Use(LoadPastL1(data.in + (read & (kVectors - 1))), &keep);
        }
      }
    }
    if constexpr ((kKinds & kDramWrites) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.dram_writes; i += 2, written += threads) {
        const float x = __uint_as_float(keep), y = __uint_as_float(me);
        StoreStream(data.out + (written & (kVectors - 1)),
                    make_uint4(ToHalves(x, y), ToHalves(x, y), ToHalves(x, y), ToHalves(x, y)));
      }
    }
    if constexpr ((kKinds & kL2Reads) != 0) {
      if constexpr ((kWays & kOwnSlice) != 0) {
        const uint4* const mine = data.in + blockIdx.x * slice;
#pragma unroll 4
        for (int i = 0; i < mix.l2_reads; ++i) {
          Use(LoadThroughL1(mine + near), &keep);
          near = near + kThreads < slice ? near + kThreads : threadIdx.x;
        }
      } else {
#pragma unroll 4
        for (int i = 0; i < mix.l2_reads; ++i, read += threads) {
          Use(LoadPastL1(data.in + (read & (mix.l2_vectors - 1))), &keep);
        }
      }
    }
    if constexpr ((kKinds & kL1Reads) != 0) {
#pragma unroll 8
      for (int i = 0; i < mix.l1_reads; i += kBlockVectors / kThreads) {
#pragma unroll
        for (const uint4& value : held) Use(value, &keep);
      }
    }
    if constexpr ((kKinds & kSharedVectors) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.shared_vectors; ++i, vector += 32) {
        const uint4 value =
            LoadSharedVector(shared_at + 16 * (vector & (kSharedWordCount / 4 - 1)));
#pragma unroll
        for (int use = 0; use < kUses; ++use) Use(value, &keep);
      }
    }
    if constexpr ((kKinds & kSharedWords) != 0) {
#pragma unroll 1
      for (int i = 0; i < mix.shared_words; i += kWordsAtOnce, single += kWordsAtOnce * 32) {
        const uint32_t at = shared_at + 4 * (single & (kSharedWordCount / 2 - 1));
#pragma unroll
        for (int k = 0; k < kWordsAtOnce; k += 4) {
          const auto word = [&](int j) { return LoadSharedWord(at + 128 * (k + j)); };
          const uint4 value = make_uint4(word(0), word(1), word(2), word(3));
#pragma unroll
          for (int use = 0; use < kUses; ++use) Use(value, &keep);
        }
      }
    }
    if constexpr ((kKinds & kFmas) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.fmas; ++i) {
        if constexpr ((kWays & kPackedFmas) != 0) {
          FmaPairs(fma_pair);
        } else {
          Fma(chain);
        }
      }
    }
    if constexpr ((kKinds & kLops) != 0) {
#pragma unroll 4
      for (int i = 0; i < mix.lops; ++i) {
        if constexpr ((kWays & kPackedLops) != 0) {
          LopPairs(lop_pair);
        } else {
          Lop(word);
        }
      }
    }
  }
#pragma unroll
  for (const uint32_t x : word) keep ^= x;
  Keep(chain, keep ^ Bits(fma_pair) ^ Bits(lop_pair), data.sink);
}

}  // namespace zoo

#endif  // PROF_BENCH_ZOO_OTHER_MIX_CUH_
