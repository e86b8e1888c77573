// SPDX-License-Identifier: Apache-2.0
//
// Products of a warpgroup (wgmma) by type, from shared memory. Built for sm_90a alone.
#include "ceilings.h"

namespace {

constexpr int kSums = 64;  // of a thread: 64 x 128 in a warpgroup
constexpr int kWarpgroup = 128;
constexpr unsigned kLeftBytes = 64 * 32, kRightBytes = 128 * 32;  // rows of 32 bytes

// A matrix without swizzle: cores of 8 rows of 16 bytes, the two of a row side by side (PTX ISA,
// "Matrix Descriptor Format").
__device__ __forceinline__ uint64_t Descriptor(uint32_t address) {
  constexpr uint64_t kBetweenCores = 128 >> 4, kBetweenRows = 256 >> 4;
  return ((address >> 4) & 0x3fff) | (kBetweenCores << 16) | (kBetweenRows << 32);
}

#define EIGHT_SUMS(type, i)                                                                   \
  type(d[i]), type(d[i + 1]), type(d[i + 2]), type(d[i + 3]), type(d[i + 4]), type(d[i + 5]), \
      type(d[i + 6]), type(d[i + 7])
#define ALL_SUMS(type)                                                                  \
  EIGHT_SUMS(type, 0), EIGHT_SUMS(type, 8), EIGHT_SUMS(type, 16), EIGHT_SUMS(type, 24), \
      EIGHT_SUMS(type, 32), EIGHT_SUMS(type, 40), EIGHT_SUMS(type, 48), EIGHT_SUMS(type, 56)

#define PRODUCT(name, value, constraint, instruction, scales)                                  \
  struct name {                                                                                \
    using Value = value;                                                                       \
    static __device__ __forceinline__ void Multiply(Value (&d)[kSums], uint64_t left,          \
                                                    uint64_t right) {                          \
      asm volatile(                                                                            \
          "{ .reg .pred add; setp.eq.u32 add, 0, 0; wgmma.mma_async.sync.aligned." instruction \
          " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "      \
          "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, "   \
          "%33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, "   \
          "%49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, "  \
          "%65, add" scales "; }"                                                              \
          : ALL_SUMS(constraint)                                                               \
          : "l"(left), "l"(right));                                                            \
    }                                                                                          \
  };

PRODUCT(Half, float, "+f", "m64n128k16.f32.f16.f16", ", 1, 1, 0, 0")
PRODUCT(Bfloat, float, "+f", "m64n128k16.f32.bf16.bf16", ", 1, 1, 0, 0")
PRODUCT(Tf32, float, "+f", "m64n128k8.f32.tf32.tf32", ", 1, 1")
PRODUCT(Float8, float, "+f", "m64n128k32.f32.e4m3.e4m3", ", 1, 1")
PRODUCT(Int8, int32_t, "+r", "m64n128k32.s32.s8.s8", "")

constexpr int kInGroup = 32;

template <typename Type>
__global__ void __launch_bounds__(kWarpgroup) tensor(int products, Clock* clock, uint32_t* sink) {
  __shared__ __align__(1024) uint32_t tiles[(kLeftBytes + kRightBytes) / 4];
  for (unsigned i = threadIdx.x; i < (kLeftBytes + kRightBytes) / 4; i += blockDim.x) tiles[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(tiles));
  const uint64_t left = Descriptor(address), right = Descriptor(address + kLeftBytes);
  typename Type::Value d[kSums] = {};
  const Clock begin = ReadClock();
#pragma unroll 1
  for (int done = 0; done < products; done += kInGroup) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 1
    for (int i = 0; i < kInGroup; ++i) Type::Multiply(d, left, right);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  Leave(begin, clock);
  typename Type::Value sum = 0;
#pragma unroll
  for (const auto x : d) sum += x;
  if (sum != 0) *sink = 1;  // never: the tiles are 0
}

template <typename Type>
void Launch(int blocks, int products, Clock* clock, uint32_t* sink) {
  tensor<Type><<<blocks, kWarpgroup>>>(products, clock, sink);
}

constexpr double kPerDepth = 2.0 * 64 * 128;

}  // namespace

const TensorKind kHopperTensor[kTensorKinds] = {
    {"flops fp16 tensor", kPerDepth * 16, Launch<Half>},
    {"flops bf16 tensor", kPerDepth * 16, Launch<Bfloat>},
    {"flops tf32 tensor", kPerDepth * 8, Launch<Tf32>},
    {"flops fp8 tensor", kPerDepth * 32, Launch<Float8>},
    {"flops int8 tensor", kPerDepth * 32, Launch<Int8>},
};
