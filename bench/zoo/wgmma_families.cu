// SPDX-License-Identifier: Apache-2.0
//
// wgmma, the tensor instruction of a warpgroup. This file is built for sm_90a alone.
#include <vector>

#include "bench/zoo/memory.h"
#include "bench/zoo/names.h"
#include "bench/zoo/operations.cuh"
#include "bench/zoo/wgmma.h"
#include "bench/zoo/zoo.h"

namespace {

constexpr int kWarpgroup = 128, kSums = 64;  // of a thread: 64 x 128 sums
constexpr int kBlocks = 3;
constexpr unsigned kLeftBytes = 64 * 32, kRightBytes = 128 * 32;  // rows of 32 bytes

struct Work {
  int rounds, products, fmas;
};

// A matrix in shared memory without swizzle: cores of 8 rows of 16 bytes, the two of a row side by
// side (PTX ISA, "Matrix Descriptor Format").
__device__ __forceinline__ uint64_t Descriptor(uint32_t address) {
  constexpr uint64_t kBetweenCores = 128 >> 4, kBetweenRows = 256 >> 4;
  return ((address >> 4) & 0x3fff) | (kBetweenCores << 16) | (kBetweenRows << 32);
}

__device__ __forceinline__ void MultiplyHalf(float (&d)[kSums], uint64_t left, uint64_t right) {
  asm volatile(
      "{ .reg .pred add; setp.eq.u32 add, 0, 0; "
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, "
      "add, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
        "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
        "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
        "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
        "+f"(d[63])
      : "l"(left), "l"(right));
}

__device__ __forceinline__ void MultiplyFloat8(float (&d)[kSums], uint64_t left, uint64_t right) {
  asm volatile(
      "{ .reg .pred add; setp.eq.u32 add, 0, 0; "
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
      " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, "
      "add, 1, 1; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
        "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
        "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
        "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
        "+f"(d[63])
      : "l"(left), "l"(right));
}

// All elements are `value`, so the layout does not matter for the result.
template <bool kFloat8>
__device__ __forceinline__ void RunWgmma(const Work& work, uint32_t value, uint32_t* sink,
                                         float* first) {
  __shared__ __align__(1024) uint32_t tiles[(kLeftBytes + kRightBytes) / 4];
  for (unsigned i = threadIdx.x; i < (kLeftBytes + kRightBytes) / 4; i += blockDim.x) {
    tiles[i] = value;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const uint64_t left = Descriptor(zoo::SharedAddress(tiles));
  const uint64_t right = Descriptor(zoo::SharedAddress(tiles) + kLeftBytes);
  float d[kSums] = {};
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int i = 0; i < work.products; ++i) {
      if constexpr (kFloat8) {
        MultiplyFloat8(d, left, right);
      } else {
        MultiplyHalf(d, left, right);
      }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  float sum = 0;
#pragma unroll
  for (const float x : d) sum += x;
  if (blockIdx.x == 0 && threadIdx.x == 0) *first = sum / kSums;
  zoo::Keep(chain, sum == -77.0f ? 1 : 0, sink);
}

extern "C" __global__ void __launch_bounds__(kWarpgroup)
    KERNEL(wgmma_half)(Work work, uint32_t value, uint32_t* sink, float* first) {
  RunWgmma<false>(work, value, sink, first);
}
extern "C" __global__ void __launch_bounds__(kWarpgroup)
    KERNEL(wgmma_float)(Work work, uint32_t value, uint32_t* sink, float* first) {
  RunWgmma<true>(work, value, sink, first);
}

constexpr uint32_t kHalf = 0x2c002c00;    // 1 / 16
constexpr uint32_t kFloat8 = 0x28282828;  // e4m3: 1 / 4

float* First() { return reinterpret_cast<float*>(zoo::Sink() + 32); }

using Kernel = void (*)(Work, uint32_t, uint32_t*, float*);

zoo::Family Make(const char* id, const char* name, Kernel kernel, uint32_t value, double product,
                 const zoo::Setting& setting) {
  setting.draws->Begin(name);
  const Work work{setting.draws->Near(24), 32, 4};
  const int sms = setting.sms;
  const auto run = [=](const Work& its, int blocks) {
    kernel<<<sms * blocks, kWarpgroup>>>(its, value, zoo::Sink(), First());
  };
  zoo::Family family{id,
                     name,
                     {{"tensor", 32, 8}, {"fma", 4, 1}, {"parallel", kBlocks, 1}},
                     [=](const zoo::Amounts& a) {
                       run({work.rounds, a[0], a[1]}, a[2]);
                     },
                     {{"decoy", "fewer-fma",
                       [=] {
                         run({work.rounds, 32, 2}, kBlocks);
                       }},
                      {"decoy", "raise-occupancy", [=] {
                         run({work.rounds, 24, 3}, kBlocks + 1);
                       }}}};
  family.is_right = [=] {
    // Few products: a sum of FP8's products is thought to keep too few bits to grow without end.
    const Work few{2, work.products, work.fmas};
    run(few, kBlocks);
    float found = 0;
    zoo::ReadBack(&found, First(), sizeof(found));
    const double expected = product * few.rounds * few.products;
    return found > 0.99 * expected && found < 1.01 * expected;
  };
  family.least_major = 9;
  family.only_least = true;
  return family;
}

}  // namespace

namespace zoo {

void RunWgmmaHalf(int blocks, int rounds, int products) {
  KERNEL(wgmma_half)<<<blocks, kWarpgroup>>>({rounds, products, 0}, kHalf, Sink(), First());
}

std::vector<Family> WgmmaFamilies(const Setting& setting) {
  return {Make(NAMES(wgmma_half), KERNEL(wgmma_half), kHalf, 16.0 / 256, setting),
          Make(NAMES(wgmma_float), KERNEL(wgmma_float), kFloat8, 32.0 / 16, setting)};
}

}  // namespace zoo
