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

#define EIGHT_SUMS(d, at, constraint)                                                     \
  constraint(d[at]), constraint(d[at + 1]), constraint(d[at + 2]), constraint(d[at + 3]), \
      constraint(d[at + 4]), constraint(d[at + 5]), constraint(d[at + 6]), constraint(d[at + 7])
#define SUMS(d, constraint)                                                                        \
  EIGHT_SUMS(d, 0, constraint), EIGHT_SUMS(d, 8, constraint), EIGHT_SUMS(d, 16, constraint),       \
      EIGHT_SUMS(d, 24, constraint), EIGHT_SUMS(d, 32, constraint), EIGHT_SUMS(d, 40, constraint), \
      EIGHT_SUMS(d, 48, constraint), EIGHT_SUMS(d, 56, constraint)

// The sums are read and written. `scales`: the immediate operands after the predicate.
#define TYPE(name, sum, constraint, shape_and_types, scales)                                  \
  struct name {                                                                               \
    using Sum = sum;                                                                          \
    static __device__ __forceinline__ void Multiply(Sum (&d)[kSums], uint64_t left,           \
                                                    uint64_t right) {                         \
      asm volatile(                                                                           \
          "{ .reg .pred add; setp.eq.u32 add, 0, 0; "                                         \
          "wgmma.mma_async.sync.aligned." shape_and_types                                     \
          " {"                                                                                \
          "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "            \
          "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "  \
          "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "  \
          "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, " \
          "%64, %65, add" scales "; }"                                                        \
          : SUMS(d, constraint)                                                               \
          : "l"(left), "l"(right));                                                           \
    }                                                                                         \
  }
TYPE(Half, float, "+f", "m64n128k16.f32.f16.f16", ", 1, 1, 0, 0");
TYPE(Bfloat, float, "+f", "m64n128k16.f32.bf16.bf16", ", 1, 1, 0, 0");
TYPE(Tf32, float, "+f", "m64n128k8.f32.tf32.tf32", ", 1, 1");
TYPE(Float8, float, "+f", "m64n128k32.f32.e4m3.e4m3", ", 1, 1");
TYPE(Int8, int, "+r", "m64n128k32.s32.s8.s8", "");

__device__ __forceinline__ void Fill(uint32_t (&tiles)[(kLeftBytes + kRightBytes) / 4],
                                     uint32_t value) {
  for (unsigned i = threadIdx.x; i < (kLeftBytes + kRightBytes) / 4; i += blockDim.x) {
    tiles[i] = value;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

// All elements are `value`, so the layout does not matter for the result.
template <typename Type>
__device__ __forceinline__ void RunWgmma(const Work& work, uint32_t value, uint32_t* sink,
                                         float* first) {
  __shared__ __align__(1024) uint32_t tiles[(kLeftBytes + kRightBytes) / 4];
  Fill(tiles, value);
  const uint64_t left = Descriptor(zoo::SharedAddress(tiles));
  const uint64_t right = Descriptor(zoo::SharedAddress(tiles) + kLeftBytes);
  typename Type::Sum d[kSums] = {};
  float chain[zoo::kChains];
  zoo::StartChains(chain);
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int i = 0; i < work.products; ++i) {
      Type::Multiply(d, left, right);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
  }
  float sum = 0;
#pragma unroll
  for (const auto x : d) sum += static_cast<float>(x);
  if (blockIdx.x == 0 && threadIdx.x == 0) *first = sum / kSums;
  zoo::Keep(chain, sum == -77.0f ? 1 : 0, sink);
}

extern "C" __global__ void __launch_bounds__(kWarpgroup)
    KERNEL(wgmma_half)(Work work, uint32_t value, uint32_t* sink, float* first) {
  RunWgmma<Half>(work, value, sink, first);
}
extern "C" __global__ void __launch_bounds__(kWarpgroup)
    KERNEL(wgmma_float)(Work work, uint32_t value, uint32_t* sink, float* first) {
  RunWgmma<Float8>(work, value, sink, first);
}

template <typename Type>
__global__ void __launch_bounds__(kWarpgroup)
    OtherWgmma(Work work, uint32_t value, uint32_t* sink, float* first) {
  RunWgmma<Type>(work, value, sink, first);
}

// The loop of attention_like (matrix_families.cu): scores, an exponential of each, and a second
// product, which needs them.
__global__ void __launch_bounds__(kWarpgroup)
    AttentionByWgmma(Work work, int exponentials, uint32_t value, uint32_t* sink) {
  __shared__ __align__(1024) uint32_t tiles[(kLeftBytes + kRightBytes) / 4];
  Fill(tiles, value);
  const uint64_t left = Descriptor(zoo::SharedAddress(tiles));
  const uint64_t right = Descriptor(zoo::SharedAddress(tiles) + kLeftBytes);
  float d[kSums] = {}, chain[zoo::kChains];
  zoo::StartChains(chain);
  const auto multiply = [&] {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int i = 0; i < work.products; ++i) Half::Multiply(d, left, right);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  };
#pragma unroll 1
  for (int round = 0; round < work.rounds; ++round) {
    multiply();
    for (int i = 0; i < exponentials; ++i) {
#pragma unroll
      for (float& x : d) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    }
    for (int i = 0; i < work.fmas; ++i) zoo::Fma(chain);
    multiply();
  }
  float sum = 0;
#pragma unroll
  for (const float x : d) sum += x;
  zoo::Keep(chain, sum == -77.0f ? 1 : 0, sink);
  if (sum == -77.0f) *sink = 1;
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
  if (kernel == KERNEL(wgmma_half)) {  // an instruction has twice as many products of 8 bits
    family.variants.push_back({"fix", "smaller-type", [=] {
                                 KERNEL(wgmma_float)<<<sms * kBlocks, kWarpgroup>>>(
                                     {work.rounds, work.products / 2, work.fmas}, kFloat8,
                                     zoo::Sink(), First());
                               }});
  }
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

void RunWgmma(WgmmaType type, int blocks, int rounds, int products, int fmas) {
  constexpr uint32_t kBfloat = 0x3d803d80, kTf = 0x3d800000, kInt = 0x01010101;
  const auto run = [=](Kernel kernel, uint32_t value) {
    kernel<<<blocks, kWarpgroup>>>({rounds, products, fmas}, value, Sink(), First());
  };
  switch (type) {
    case WgmmaType::kHalf:
      return run(KERNEL(wgmma_half), kHalf);
    case WgmmaType::kBfloat:
      return run(OtherWgmma<Bfloat>, kBfloat);
    case WgmmaType::kTf32:
      return run(OtherWgmma<Tf32>, kTf);
    case WgmmaType::kInt8:
      return run(OtherWgmma<Int8>, kInt);
    case WgmmaType::kNone:
      return;
  }
}

void RunWgmmaAttention(int blocks, int steps, int products, int exponentials, int fmas) {
  AttentionByWgmma<<<blocks, kWarpgroup>>>({steps, products, fmas}, exponentials, kHalf, Sink());
}

std::vector<Family> WgmmaFamilies(const Setting& setting) {
  return {Make(NAMES(wgmma_half), KERNEL(wgmma_half), kHalf, 16.0 / 256, setting),
          Make(NAMES(wgmma_float), KERNEL(wgmma_float), kFloat8, 32.0 / 16, setting)};
}

}  // namespace zoo
