// SPDX-License-Identifier: Apache-2.0
//
// Texture fetches with linear filtering. The data are in L1; the texture unit is a part of it, so
// their dose is one of L1.
#include "bench/programs/cuda_check.h"
#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/zoo.h"

namespace {

using zoo::kThreads;

constexpr int kBlocks = 4, kUnit = 5;
constexpr int kWidth = 64, kRows = 32;  // of a block: 8 KiB
constexpr int kMostRows = 65000;        // of a texture

struct Fetches {
  int rounds, fetches, fmas;
};

extern "C" __global__ void __launch_bounds__(kThreads, 5)
    KERNEL(texture_filtered)(Fetches work, cudaTextureObject_t texture, uint32_t* sink) {
  float chain[zoo::kChains];
  zoo::StartChains(chain);
  const unsigned top = blockIdx.x * kRows % (kMostRows - kRows);
  unsigned x = threadIdx.x, y = threadIdx.x / kWidth;
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 8
    for (int i = 0; i < work.fetches; ++i, x += 5, y += 3) {
      const float column = static_cast<float>(x % kWidth) + 0.75f;
      sum += tex2D<float>(texture, column, static_cast<float>(top + y % kRows) + 0.75f);
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  zoo::Keep(chain, __float_as_uint(sum), sink);
}

// All fetches are at 3/4 of a texel: each place is filtered once, and then read from shared memory.
__global__ void __launch_bounds__(kThreads, 5)
    FilteredOnce(Fetches work, cudaTextureObject_t texture, uint32_t* sink) {
  __shared__ float filtered[kRows * kWidth];
  float chain[zoo::kChains];
  zoo::StartChains(chain);
  const unsigned top = blockIdx.x * kRows % (kMostRows - kRows);
  for (unsigned i = threadIdx.x; i < kRows * kWidth; i += kThreads) {
    filtered[i] = tex2D<float>(texture, static_cast<float>(i % kWidth) + 0.75f,
                               static_cast<float>(top + i / kWidth) + 0.75f);
  }
  __syncthreads();
  const uint32_t at = zoo::SharedAddress(filtered);
  unsigned x = threadIdx.x, y = threadIdx.x / kWidth;
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
#pragma unroll 8
    for (int i = 0; i < work.fetches; ++i, x += 5, y += 3) {
      sum += __uint_as_float(zoo::LoadSharedWord(at + 4 * (y % kRows * kWidth + x % kWidth)));
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  zoo::Keep(chain, __float_as_uint(sum), sink);
}

cudaTextureObject_t Texture() {
  static const cudaTextureObject_t texture = [] {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = const_cast<uint4*>(zoo::In());
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = kWidth;
    resource.res.pitch2D.height = kMostRows;
    resource.res.pitch2D.pitchInBytes = kWidth * sizeof(float);
    cudaTextureDesc filtered{};
    filtered.addressMode[0] = filtered.addressMode[1] = cudaAddressModeClamp;
    filtered.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t made = 0;
    CUDA_CHECK(cudaCreateTextureObject(&made, &resource, &filtered, nullptr));
    return made;
  }();
  return texture;
}

}  // namespace

namespace zoo {

std::vector<Family> TextureFamilies(const Setting& setting) {
  setting.draws->Begin("texture_filtered");
  const Fetches work{setting.draws->Near(20, kUnit), 32, 8};
  const int sms = setting.sms;
  const auto run = [=](const Fetches& its, int blocks) {
    KERNEL(texture_filtered)<<<sms * blocks, kThreads>>>(its, Texture(), Sink());
  };
  Fetches bare = work, more = work;
  bare.fmas /= 2;
  more.rounds = work.rounds / kUnit * kBlocks;
  return {{NAMES(texture_filtered),
           {{"l1", work.fetches, 8}, {"fma", work.fmas, 2}, {"parallel", kBlocks, 1}},
           [=](const Amounts& a) {
             run({work.rounds, a[0], a[1]}, a[2]);
           },
           {{"fix",
             "fewer-texture-fetches",
             [=] { FilteredOnce<<<sms * kBlocks, kThreads>>>(work, Texture(), Sink()); },
             {"fewer-l1-accesses"}},
            {"decoy", "fewer-fma", [=] { run(bare, kBlocks); }},
            {"decoy", "raise-occupancy", [=] { run(more, kUnit); }}}}};
}

}  // namespace zoo
