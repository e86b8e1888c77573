// SPDX-License-Identifier: Apache-2.0
//
// Copies from global to shared memory that no thread waits for: cp.async, and bulk copies of the
// tensor memory accelerator (sm_90).
#include "bench/zoo/bulk_copy.cuh"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/other_ways.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr int kStages = 4;
constexpr int kMostVectors = 1024;  // of a stage: 16 KiB
constexpr int kBlocks = 2;

struct Copies {
  int tiles;    // of a block
  int vectors;  // of a tile, at most kMostVectors
  int reads;    // of the tile, 16 bytes a thread
  int fmas;
};

// Tiles begin kMostVectors apart, whatever they hold: a dose of bytes reads no tile twice.
__device__ __forceinline__ const uint4* Tile(const uint4* in, int tile) {
  const unsigned at = (static_cast<unsigned>(tile) * gridDim.x + blockIdx.x) * kMostVectors;
  return in + (at & (zoo::kVectors - 1));
}

// `kHalves`: a vector has 8 values of 16 bits.
template <bool kHalves>
__device__ __forceinline__ void ReadTile(uint32_t tile, const Copies& work,
                                         float (&chain)[zoo::kChains], uint32_t* keep) {
#pragma unroll 4
  for (int i = 0; i < work.reads; ++i) {
    const unsigned vector = (threadIdx.x + 32 * i) & (kMostVectors - 1);
    const uint4 value = zoo::LoadSharedVector(tile + 16 * vector);
    if constexpr (kHalves) {
      zoo::UseHalves(value, keep);
    } else {
      zoo::Use(value, keep);
    }
  }
  for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
}

template <bool kHalves>
__device__ __forceinline__ void RunBulk(Copies work, const uint4* in, uint32_t* sink) {
  extern __shared__ __align__(128) uint4 stages[];
  [[maybe_unused]] __shared__ __align__(8) uint64_t full[kStages];
  uint32_t keep = 0;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#if __CUDA_ARCH__ >= 900
  const uint32_t bytes = work.vectors * 16;
  const auto start = [&](int tile) {
    const int stage = tile % kStages;
    const uint32_t barrier = zoo::SharedAddress(full + stage);
    zoo::ExpectBytes(barrier, bytes);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        :
        : "r"(zoo::SharedAddress(stages + stage * kMostVectors)), "l"(Tile(in, tile)), "r"(bytes),
          "r"(barrier)
        : "memory");
  };
  if (threadIdx.x == 0) {
    zoo::InitBarriers(full);
    for (int tile = 0; tile < min(kStages, work.tiles); ++tile) start(tile);
  }
  __syncthreads();
#pragma unroll 1
  for (int tile = 0; tile < work.tiles; ++tile) {
    const int stage = tile % kStages;
    zoo::WaitFor(zoo::SharedAddress(full + stage), (tile / kStages) & 1);
    ReadTile<kHalves>(zoo::SharedAddress(stages + stage * kMostVectors), work, chain, &keep);
    __syncthreads();  // all have read it
    if (threadIdx.x == 0 && tile + kStages < work.tiles) start(tile + kStages);
  }
#endif
  zoo::Keep(chain, keep, sink);
}

__device__ __forceinline__ void CopyTile(uint4* to, const uint4* from, const Copies& work) {
  for (int i = threadIdx.x; i < work.vectors; i += blockDim.x) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :
                 : "r"(zoo::SharedAddress(to + i)), "l"(from + i)
                 : "memory");
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <bool kHalves>
__device__ __forceinline__ void RunAsync(const Copies& work, const uint4* in, uint32_t* sink) {
  extern __shared__ __align__(128) uint4 stages[];
  uint32_t keep = 0;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
  for (int tile = 0; tile < kStages - 1; ++tile) {
    CopyTile(stages + tile * kMostVectors, Tile(in, tile), work);
  }
#pragma unroll 1
  for (int tile = 0; tile < work.tiles; ++tile) {
    const int ahead = tile + kStages - 1;
    asm volatile("cp.async.wait_group %0;" : : "n"(kStages - 2) : "memory");
    __syncthreads();  // the tile is there, and all have read the one that is replaced
    CopyTile(stages + (ahead % kStages) * kMostVectors, Tile(in, ahead), work);
    ReadTile<kHalves>(zoo::SharedAddress(stages + (tile % kStages) * kMostVectors), work, chain,
                      &keep);
  }
  zoo::Keep(chain, keep, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(bulk_copies)(Copies work, const uint4* in, uint32_t* sink) {
  RunBulk<false>(work, in, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(async_copies)(Copies work, const uint4* in, uint32_t* sink) {
  RunAsync<false>(work, in, sink);
}
__global__ void __launch_bounds__(kThreads)
    BulkCopiesOfHalves(Copies work, const uint4* in, uint32_t* sink) {
  RunBulk<true>(work, in, sink);
}
__global__ void __launch_bounds__(kThreads)
    AsyncCopiesOfHalves(Copies work, const uint4* in, uint32_t* sink) {
  RunAsync<true>(work, in, sink);
}

using Kernel = void (*)(Copies, const uint4*, uint32_t*);

zoo::Family Make(const char* id, const char* name, Kernel kernel, Kernel of_halves, int reads,
                 int fmas, int least_major, const zoo::Setting& setting) {
  constexpr int kBytes = kStages * kMostVectors * 16;
  setting.draws->Begin(name);
  const Copies work{setting.draws->Near(80), 768, reads, fmas};
  const int sms = setting.sms;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  cudaFuncSetAttribute(of_halves, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  const auto run = [=](const Copies& its, int blocks) {
    kernel<<<sms * blocks, kThreads, kBytes>>>(its, zoo::In(), zoo::Sink());
  };
  Copies bare = work;
  bare.fmas /= 2;
  const Copies halves{work.tiles, work.vectors / 2, reads / 2, fmas};
  zoo::Family family{
      id,
      name,
      {{"dram", 768, 128},
       {"shared", reads, reads / 4},
       {"fma", fmas, fmas / 4},
       {"parallel", kBlocks, 1}},
      [=](const zoo::Amounts& a) {
        run({work.tiles, a[0], a[1], a[2]}, a[3]);
      },
      {{"fix", "fewer-bytes",
        [=] { of_halves<<<sms * kBlocks, kThreads, kBytes>>>(halves, zoo::In(), zoo::Sink()); }},
       {"decoy", "fewer-fma", [=] { run(bare, kBlocks); }}}};
  family.least_major = least_major;
  return family;
}

}  // namespace

namespace zoo {

std::vector<Family> BulkFamilies(const Setting& setting) {
  return {Make(NAMES(bulk_copies), KERNEL(bulk_copies), BulkCopiesOfHalves, 4, 16, 9, setting),
          Make(NAMES(async_copies), KERNEL(async_copies), AsyncCopiesOfHalves, 4, 16, 8, setting)};
}

}  // namespace zoo
