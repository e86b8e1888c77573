// SPDX-License-Identifier: Apache-2.0
//
// Tiles of a plane that the tensor memory accelerator copies by a tensor map (sm_90), for a stencil
// in shared memory: with four copies on their way, and with one, which everything waits for.
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

#include <cstdio>

#include "bench/zoo/bulk_copy.cuh"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr int kWidth = 8192, kHeight = 32768;  // of the plane: all of In()
constexpr int kBoxWidth = 64, kBoxHeight = 6;  // floats
constexpr int kBoxBytes = kBoxWidth * kBoxHeight * 4;
constexpr int kBoxes = 8, kMostBoxes = 10;  // of a tile, one below the other
[[maybe_unused]] constexpr int kTileHeight =
    kMostBoxes * kBoxHeight;  // tiles do not overlap, whatever the dose
constexpr int kMostStages = 4;
constexpr int kStageBytes = kMostBoxes * kBoxBytes;
[[maybe_unused]] constexpr int kStageWords = kStageBytes / 4;
constexpr int kFirst = 40;  // the word of Sink() for the check

struct Tiles {
  int tiles;  // of a block
  int boxes, points, fmas, stages;
};

__device__ __forceinline__ void RunTiles(const Tiles& work, const CUtensorMap& map,
                                         uint32_t* sink) {
  extern __shared__ __align__(128) uint32_t stages[];
  [[maybe_unused]] __shared__ __align__(8) uint64_t full[kMostStages];
  uint32_t keep = 0;
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#if __CUDA_ARCH__ >= 900
  const auto start = [&](int tile) {
    const uint32_t barrier = zoo::SharedAddress(full + tile % work.stages);
    const uint32_t to = zoo::SharedAddress(stages + tile % work.stages * kStageWords);
    const int at = tile * gridDim.x + blockIdx.x;
    const int x = at % (kWidth / kBoxWidth) * kBoxWidth;
    const int y = at / (kWidth / kBoxWidth) % (kHeight / kTileHeight) * kTileHeight;
    zoo::ExpectBytes(barrier, work.boxes * kBoxBytes);
    for (int box = 0; box < work.boxes; ++box) {
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
          "[%0], [%1, {%2, %3}], [%4];"
          :
          : "r"(to + box * kBoxBytes), "l"(&map), "r"(x), "r"(y + box * kBoxHeight), "r"(barrier)
          : "memory");
    }
  };
  if (threadIdx.x == 0) {
    zoo::InitBarriers(full);
    for (int tile = 0; tile < min(work.stages, work.tiles); ++tile) start(tile);
  }
  __syncthreads();
  const int column = threadIdx.x % kBoxWidth, below = threadIdx.x / kBoxWidth;
  int stage = 0, parity = 0;
#pragma unroll 1
  for (int tile = 0; tile < work.tiles; ++tile) {
    zoo::WaitFor(zoo::SharedAddress(full + stage), parity);
    const uint32_t mine = zoo::SharedAddress(stages + stage * kStageWords);
    const auto word = [&](int row, int x) {
      return zoo::LoadSharedWord(mine + 4 * (row * kBoxWidth + (x & (kBoxWidth - 1))));
    };
    if (tile == 0 && blockIdx.x == 0 && threadIdx.x == 0) sink[kFirst] = word(1, 1);
#pragma unroll 2
    for (int i = 0; i < work.points; ++i) {
      const int row = 1 + (4 * i + below) % 32;
      keep ^= word(row, column) ^ word(row - 1, column) ^ word(row + 1, column) ^
              word(row, column - 1) ^ word(row, column + 1);
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
    __syncthreads();  // all have read it
    if (threadIdx.x == 0 && tile + work.stages < work.tiles) start(tile + work.stages);
    if (++stage == work.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
#endif
  zoo::Keep(chain, keep, sink);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(tensor_copies)(Tiles work, const __grid_constant__ CUtensorMap map, uint32_t* sink) {
  RunTiles(work, map, sink);
}
extern "C" __global__ void __launch_bounds__(kThreads)
    KERNEL(tensor_copies_waiting)(Tiles work, const __grid_constant__ CUtensorMap map,
                                  uint32_t* sink) {
  RunTiles(work, map, sink);
}

// Returns false where the driver does not know tensor maps.
bool Encode(CUtensorMap* map) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                   &status);
#else
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &status);
#endif
  if (found == nullptr || status != cudaDriverEntryPointSuccess) return false;
  const cuuint64_t size[] = {kWidth, kHeight}, pitch[] = {kWidth * sizeof(float)};
  const cuuint32_t box[] = {kBoxWidth, kBoxHeight}, step[] = {1, 1};
  const auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
  return encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<uint4*>(zoo::In()), size, pitch,
                box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

using Kernel = void (*)(Tiles, CUtensorMap, uint32_t*);

zoo::Family Make(const char* id, const char* name, Kernel kernel, const CUtensorMap& map,
                 int stages, const zoo::Setting& setting) {
  setting.draws->Begin(name);
  const bool waits = stages == 1;
  const Tiles work{setting.draws->Near(waits ? 60 : 80), kBoxes, 4, 16, stages};
  const int sms = setting.sms, blocks = waits ? 1 : 2;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       kMostStages * kStageBytes);
  const auto run = [=](const Tiles& its, int its_blocks) {
    kernel<<<sms * its_blocks, kThreads, its.stages * kStageBytes>>>(its, map, zoo::Sink());
  };
  Tiles bare = work, ahead = work, more = work;
  bare.fmas /= 2;
  ahead.stages = kMostStages;
  zoo::Family family{
      id,
      name,
      {{"dram", kBoxes, 2}, {"shared", 4, 1}, {"fma", 16, 4}, {"parallel", blocks, 1, waits}},
      [=](const zoo::Amounts& a) {
        run({work.tiles, a[0], a[1], a[2], stages}, a[3]);
      },
      {{"decoy", "fewer-fma", [=] { run(bare, blocks); }}},
      "",
      [=] {
        run(work, blocks);
        uint32_t found = 0, wanted = 0;
        zoo::ReadBack(&found, zoo::Sink() + kFirst, sizeof(found));
        zoo::ReadBack(&wanted, reinterpret_cast<const uint32_t*>(zoo::In()) + kWidth + 1,
                      sizeof(wanted));
        return found == wanted;
      }};
  if (waits) {
    family.variants.push_back({"fix", "more-loads-in-flight", [=] { run(ahead, blocks); }});
  } else {
    more.tiles = (work.tiles * blocks + blocks) / (blocks + 1);
    family.variants.push_back({"fix", "raise-occupancy", [=] { run(more, blocks + 1); }});
  }
  family.least_major = 9;
  return family;
}

}  // namespace

namespace zoo {

std::vector<Family> TensorMapFamilies(const Setting& setting) {
  CUtensorMap map{};
  if (!Encode(&map)) {
    std::fprintf(stderr, "zoo: no tensor maps: the driver does not make them\n");
    return {};
  }
  return {Make(NAMES(tensor_copies), KERNEL(tensor_copies), map, kMostStages, setting),
          Make(NAMES(tensor_copies_waiting), KERNEL(tensor_copies_waiting), map, 1, setting)};
}

}  // namespace zoo
