// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/programs/cuda_check.h"
#include "bench/zoo/warps_knob.h"

namespace zoo {
namespace {

constexpr int kWarp = 32, kLeastBlocks = 3, kUnit = 128;  // shared memory comes in such units
int padding = 0;

int Attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

int BlocksThatFit(const void* kernel, int threads, int bytes) {
  int blocks = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes));
  return blocks;
}

void SetCarveout(const void* kernel, int percent) {
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

}  // namespace

void AddWarpsKnob(const void* kernel, int threads, Family* family) {
  const int blocks = BlocksThatFit(kernel, threads, 0);
  if (blocks < kLeastBlocks) return;
  const int of_block = threads / kWarp;
  family->knobs.push_back({"warps", blocks * of_block, -of_block, true, kernel, threads});
}

int Padding() { return padding; }

FewerWarps::FewerWarps(const Knob& knob, int warps) : kernel_(knob.kernel) {
  SetCarveout(kernel_, cudaSharedmemCarveoutMaxShared);
  const int blocks = warps * kWarp / knob.threads;
  if (blocks == BlocksThatFit(kernel_, knob.threads, 0)) return;
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel_));
  const int of_sm = Attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int own = static_cast<int>(attributes.sharedSizeBytes) +
                  Attribute(cudaDevAttrReservedSharedMemoryPerBlock);
  padding = (of_sm / blocks - own) / kUnit * kUnit;
  CUDA_CHECK(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, padding));
  if (BlocksThatFit(kernel_, knob.threads, padding) != blocks) {
    std::fprintf(stderr, "warps: %d bytes of shared memory do not leave %d blocks\n", padding,
                 blocks);
    std::exit(1);
  }
}

FewerWarps::~FewerWarps() {
  padding = 0;
  SetCarveout(kernel_, cudaSharedmemCarveoutDefault);
}

}  // namespace zoo
