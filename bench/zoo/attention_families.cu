// SPDX-License-Identifier: Apache-2.0
//
// Causal attention, as FlashAttention does it: a block takes 64 queries, goes through the keys
// before them, and keeps the maximum and the sum of each row. Blocks stay until all tiles are done.
// A tile that is later in a sequence has more keys: blocks with equal numbers of tiles end at
// different times; with a queue, the longest first, they end together.
#include "bench/zoo/extra.cuh"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::Extra;

constexpr int kWarpThreads = 128, kBlocks = 2;
constexpr int kTile = 64;          // queries, keys, and values of a key
constexpr int kPitch = kTile + 8;  // halves between two rows in shared memory: no bank conflicts
constexpr int kParts = kTile / 8;  // of a row: 16 bytes each
constexpr int kMoreCopies = 4;     // of a thread, for a dose
constexpr int kQueue = 24;         // the word of Sink() that counts tiles

struct Attention {
  int heads, tiles;  // tiles of each head
  Extra extra;       // `near`: copies of 16 bytes from L2; `tensor`: groups of 8 mma.sync
};

__device__ __forceinline__ void CopyAsync(uint32_t to, const uint4* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

template <bool kTransposed>
__device__ __forceinline__ void LoadMatrices(uint32_t (&to)[4], uint32_t at) {
  if constexpr (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
  }
}

__device__ __forceinline__ void Multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ float Exp2(float x) {
  float y;
  asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ __forceinline__ uint32_t Pack(float low, float high) {
  uint32_t both;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

// Keys and values of one block of keys.
struct Stage {
  uint16_t rows[2][kTile][kPitch];
};

__device__ __forceinline__ void StartStage(Stage* stage, uint4* spare, const uint4* keys,
                                           const Extra& extra) {
#pragma unroll
  for (int n = 0; n < 2 * kTile * kParts / kWarpThreads; ++n) {
    const int i = n * kWarpThreads + threadIdx.x, row = i / kParts;
    CopyAsync(zoo::SharedAddress(&stage->rows[row / kTile][row % kTile][i % kParts * 8]), keys + i);
  }
#pragma unroll
  for (int n = 0; n < kMoreCopies; ++n) {  // the next block's, which other tiles read, too
    if (n >= extra.near) break;
    const int i = 2 * kTile * kParts + n * kWarpThreads + threadIdx.x;
    CopyAsync(zoo::SharedAddress(spare + threadIdx.x), keys + i);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// One tile of queries of one head, whose keys and values begin at `keys`. `kPolynomial`: it
// computes the exponentials of the scores.
template <bool kPolynomial>
__device__ __forceinline__ void RunTile(int tile, const uint4* keys, uint4* out, Stage* stages,
                                        uint4* spare, const Extra& extra,
                                        float (&chain)[zoo::kChains], uint32_t* keep) {
  constexpr int kStageVectors = 2 * kTile * kParts;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t query[4][4];  // of 16 rows; the same memory as the keys': their values do not matter
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint4 value = zoo::LoadPastL1(keys + (tile * kTile + warp * 16 + k * 4) * kParts + lane);
    query[k][0] = value.x & 0x3bff3bffu, query[k][1] = value.y & 0x3bff3bffu;
    query[k][2] = value.z & 0x3bff3bffu, query[k][3] = value.w & 0x3bff3bffu;
  }
  float sums[8][4] = {}, most[2] = {-1e30f, -1e30f}, total[2] = {};
  StartStage(stages, spare, keys, extra);
#pragma unroll 1
  for (int block = 0; block <= tile; ++block) {
    if (block < tile) {
      StartStage(stages + (block + 1) % 2, spare, keys + (block + 1) * kStageVectors, extra);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    const Stage& stage = stages[block % 2];
    const uint32_t key =
        zoo::SharedAddress(&stage.rows[0][lane / 16 * 8 + lane % 8][0]) + (lane / 8 % 2) * 16;
    const uint32_t value = zoo::SharedAddress(&stage.rows[1][lane % 16][0]) + (lane / 16) * 16;
    float scores[8][4] = {};
#pragma unroll
    for (int pair = 0; pair < 4; ++pair) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        uint32_t b[4];
        LoadMatrices<false>(b, key + pair * 16 * kPitch * 2 + k * 32);
        Multiply(scores[2 * pair], query[k], b[0], b[1]);
        Multiply(scores[2 * pair + 1], query[k], b[2], b[3]);
      }
    }
    float higher[2] = {most[0], most[1]};
#pragma unroll
    for (const auto& score : scores) {
#pragma unroll
      for (int i = 0; i < 4; ++i) higher[i / 2] = fmaxf(higher[i / 2], score[i]);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      higher[half] = fmaxf(higher[half], __shfl_xor_sync(~0u, higher[half], 1));
      higher[half] = fmaxf(higher[half], __shfl_xor_sync(~0u, higher[half], 2));
      const float scale = Exp2(most[half] - higher[half]);
      most[half] = higher[half];
      total[half] *= scale;
#pragma unroll
      for (auto& sum : sums) {
        sum[2 * half] *= scale;
        sum[2 * half + 1] *= scale;
      }
    }
#pragma unroll
    for (auto& score : scores) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float x = fmaf(score[i], 0.18f, -0.18f * most[i / 2]);
        if constexpr (kPolynomial) {
          score[i] = zoo::Exp2ByPolynomial(fmaxf(x, -126.0f));
        } else {
          score[i] = Exp2(x);
        }
        total[i / 2] += score[i];
      }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const uint32_t a[4] = {Pack(scores[2 * k][0], scores[2 * k][1]),
                             Pack(scores[2 * k][2], scores[2 * k][3]),
                             Pack(scores[2 * k + 1][0], scores[2 * k + 1][1]),
                             Pack(scores[2 * k + 1][2], scores[2 * k + 1][3])};
#pragma unroll
      for (int pair = 0; pair < 4; ++pair) {
        uint32_t b[4];
        LoadMatrices<true>(b, value + k * 16 * kPitch * 2 + pair * 32);
        Multiply(sums[2 * pair], a, b[0], b[1]);
        Multiply(sums[2 * pair + 1], a, b[2], b[3]);
      }
    }
    for (int i = 0; i < extra.tensor; ++i) {
#pragma unroll
      for (auto& sum : sums) Multiply(sum, query[0], query[1][0], query[1][1]);
    }
    for (int i = 0; i < extra.sfu; ++i) {
#pragma unroll
      for (float& x : chain) x = Exp2(x);
    }
    for (int i = 0; i < extra.fma; ++i) zoo::Fma(chain);
    for (int i = 0; i < extra.shared; ++i) {
      zoo::Use(zoo::LoadSharedAgain(zoo::SharedAddress(spare) + 16 * lane), keep);
    }
    __syncthreads();  // all have read the stage
  }
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const float x = 1 / total[0], y = 1 / total[1];
    const auto& low = sums[2 * part];
    const auto& high = sums[2 * part + 1];
    out[((tile * 4 + warp) * 4 + part) * 32 + lane] =
        make_uint4(Pack(low[0] * x, low[1] * x), Pack(low[2] * y, low[3] * y),
                   Pack(high[0] * x, high[1] * x), Pack(high[2] * y, high[3] * y));
  }
}

template <bool kFromQueue, bool kPolynomial = false>
__device__ __forceinline__ void Attend(const Attention& work, const uint4* in, uint4* out,
                                       uint32_t* sink) {
  __shared__ __align__(16) Stage stages[2];
  __shared__ uint4 spare[kWarpThreads];
  __shared__ int taken;
  spare[threadIdx.x] = make_uint4(1, 2, 3, 4);
  uint32_t keep = 0;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
  const int all = work.heads * work.tiles;
  const int64_t blocks = gridDim.x;
  int next = static_cast<int>(all * int64_t{blockIdx.x} / blocks);
  const int end = static_cast<int>(all * (int64_t{blockIdx.x} + 1) / blocks);
#pragma unroll 1
  while (true) {
    int head, tile;
    if constexpr (kFromQueue) {
      if (threadIdx.x == 0) taken = static_cast<int>(atomicAdd(sink + kQueue, 1u));
      __syncthreads();
      const int mine = taken;
      __syncthreads();
      if (mine >= all) break;
      head = mine % work.heads;
      tile = work.tiles - 1 - mine / work.heads;
    } else {
      if (next >= end) break;
      head = next / work.tiles;
      tile = next % work.tiles;
      ++next;
    }
    const size_t begin = size_t{1} * head * (work.tiles + 1) * 2 * kTile * kParts;
    RunTile<kPolynomial>(tile, in + begin, out + begin, stages, spare, work.extra, chain, &keep);
  }
  zoo::Keep(chain, keep, sink);
}

extern "C" __global__ void __launch_bounds__(kWarpThreads, 3)
    KERNEL(attention_tiles)(Attention work, const uint4* in, uint4* out, uint32_t* sink) {
  Attend<false>(work, in, out, sink);
}
extern "C" __global__ void __launch_bounds__(kWarpThreads, 3)
    KERNEL(attention_queue)(Attention work, const uint4* in, uint4* out, uint32_t* sink) {
  Attend<true>(work, in, out, sink);
}

template <bool kFromQueue>
__global__ void __launch_bounds__(kWarpThreads, 3)
    ByPolynomials(Attention work, const uint4* in, uint4* out, uint32_t* sink) {
  Attend<kFromQueue, true>(work, in, out, sink);
}

using Kernel = void (*)(Attention, const uint4*, uint4*, uint32_t*);

// Of a thread and a block of keys: 64 mma.sync (8 groups), 34 exponentials (4 groups), about 16
// groups of FP32 instructions, 32 ldmatrix, 8 copies.
zoo::Family Make(const char* id, const char* name, Kernel kernel, const Attention& work,
                 const zoo::Setting& setting) {
  const int sms = setting.sms;
  const bool has_queue = kernel == KERNEL(attention_queue);
  const auto launch = [=](Kernel by, const Attention& its, int blocks) {
    if (has_queue) cudaMemsetAsync(zoo::Sink() + kQueue, 0, sizeof(uint32_t));
    by<<<sms * blocks, kWarpThreads>>>(its, zoo::In(), zoo::Out(), zoo::Sink());
  };
  const auto run = [=](const Extra& extra, int blocks) {
    launch(kernel, {work.heads / kBlocks * blocks, work.tiles, extra}, blocks);
  };
  zoo::Family family{id,
                     name,
                     {{"tensor", 8, 2, true},
                      {"sfu", 4, 1, true},
                      {"fma", 16, 4, true},
                      {"shared", 32, 8, true},
                      {"l2", 8, 2, true},
                      {"parallel", kBlocks, 1}},
                     [=](const zoo::Amounts& a) {
                       Extra extra;
                       extra.tensor = a[0] - 8;
                       extra.sfu = a[1] - 4;
                       extra.fma = a[2] - 16;
                       extra.shared = a[3] - 32;
                       extra.near = a[4] - 8;
                       run(extra, a[5]);
                     },
                     {}};
  const Kernel by_polynomials = has_queue ? ByPolynomials<true> : ByPolynomials<false>;
  if (has_queue) {
    family.variants.push_back(
        {"fix", "raise-occupancy", [=] { launch(kernel, work, kBlocks + 1); }});
  }
  family.variants.push_back(
      {"decoy", "fewer-special-functions", [=] { launch(by_polynomials, work, kBlocks); }});
  family.least_major = 8;
  return family;
}

}  // namespace

namespace zoo {

std::vector<Family> AttentionFamilies(const Setting& setting) {
  setting.draws->Begin("attention");
  const int heads = setting.draws->Near(32, 2), tiles = setting.draws->OneOf({40, 48, 64});
  const Attention work{heads, tiles, {}};
  const int sms = setting.sms;
  Family uneven = Make(NAMES(attention_tiles), KERNEL(attention_tiles), work, setting);
  uneven.cause = "imbalance";
  uneven.variants.push_back({"fix", "even-out-blocks", [=] {
                               cudaMemsetAsync(Sink() + kQueue, 0, sizeof(uint32_t));
                               KERNEL(attention_queue)<<<sms * kBlocks, kWarpThreads>>>(
                                   work, In(), Out(), Sink());
                             }});
  return {uneven, Make(NAMES(attention_queue), KERNEL(attention_queue), work, setting)};
}

}  // namespace zoo
