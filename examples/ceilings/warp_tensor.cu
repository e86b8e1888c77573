// SPDX-License-Identifier: Apache-2.0
//
// Products of a warp (mma.sync) by type, from registers. A type that the chip lacks, or the code
// that was built, has an empty kernel: the program asks first.
#include "ceilings.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kChains = 4;  // products that do not wait for each other

#if defined(__CUDA_ARCH__)
#define CHIP_HAS(capability) (__CUDA_ARCH__ >= 10 * (capability))
#else
#define CHIP_HAS(capability) 0
#endif

// A product of 16 x 8 sums: four registers of the left side and two of the right one, all 0.
#define FOUR_AND_TWO(name, capability, value, constraint, instruction)                       \
  struct name {                                                                              \
    using Value = value;                                                                     \
    static __device__ __forceinline__ void Multiply(Value (&d)[4], uint32_t a, uint32_t b) { \
      if (!CHIP_HAS(capability)) return;                                                     \
      MULTIPLY_##capability("mma.sync.aligned." instruction                                  \
                            " {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, "                \
                            "{%0, %1, %2, %3};",                                             \
                            constraint)                                                      \
    }                                                                                        \
  };
#define MULTIPLY(text, constraint)                                                      \
  asm volatile(text                                                                     \
               : constraint(d[0]), constraint(d[1]), constraint(d[2]), constraint(d[3]) \
               : "r"(a), "r"(b));
#if CHIP_HAS(80)
#define MULTIPLY_80(text, constraint) MULTIPLY(text, constraint)
#else
#define MULTIPLY_80(text, constraint)
#endif
#if CHIP_HAS(89)
#define MULTIPLY_89(text, constraint) MULTIPLY(text, constraint)
#else
#define MULTIPLY_89(text, constraint)
#endif

FOUR_AND_TWO(Half, 80, float, "+f", "m16n8k16.row.col.f32.f16.f16.f32")
FOUR_AND_TWO(Bfloat, 80, float, "+f", "m16n8k16.row.col.f32.bf16.bf16.f32")
FOUR_AND_TWO(Tf32, 80, float, "+f", "m16n8k8.row.col.f32.tf32.tf32.f32")
FOUR_AND_TWO(Int8, 80, int32_t, "+r", "m16n8k32.row.col.s32.s8.s8.s32")
FOUR_AND_TWO(Float8, 89, float, "+f", "m16n8k32.row.col.f32.e4m3.e4m3.f32")

template <typename Type>
__global__ void __launch_bounds__(kThreads) warp_products(int steps, Clock* clock, uint32_t* sink) {
  typename Type::Value d[kChains][4] = {};
  const uint32_t zero = gridDim.y - 1;  // not known to the compiler
  const Clock begin = ReadClock();
#pragma unroll 4
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (auto& chain : d) Type::Multiply(chain, zero, zero);
  }
  Leave(begin, clock);
  typename Type::Value sum = 0;
  for (const auto& chain : d) {
    for (const auto x : chain) sum += x;
  }
  if (sum != 0) *sink = 1;  // never: both sides are 0
}

template <typename Type>
void Launch(int blocks, int steps, Clock* clock, uint32_t* sink) {
  warp_products<Type><<<blocks, kThreads>>>(steps, clock, sink);
}

template <typename Type>
int CompiledFor() {
  cudaFuncAttributes found{};
  if (cudaFuncGetAttributes(&found, warp_products<Type>) != cudaSuccess) return 0;
  return found.binaryVersion < found.ptxVersion ? found.binaryVersion : found.ptxVersion;
}

constexpr double kPerDepth = 2.0 * 16 * 8 * kChains * kWarps;

}  // namespace

const WarpKind kWarpTensor[kWarpKinds] = {
    {"flops fp16 tensor", 80, kPerDepth * 16, CompiledFor<Half>, Launch<Half>},
    {"flops bf16 tensor", 80, kPerDepth * 16, CompiledFor<Bfloat>, Launch<Bfloat>},
    {"flops tf32 tensor", 80, kPerDepth * 8, CompiledFor<Tf32>, Launch<Tf32>},
    {"flops int8 tensor", 80, kPerDepth * 32, CompiledFor<Int8>, Launch<Int8>},
    {"flops fp8 tensor", 89, kPerDepth * 32, CompiledFor<Float8>, Launch<Float8>},
};
