// SPDX-License-Identifier: Apache-2.0
//
// Each of these kernels is limited by one arithmetic pipe. The operations are in PTX, so that the
// compiler neither adds nor removes one.
#include <cstdint>

#include "device_array.h"
#include "known_kernels.h"
#include "metric_names.h"

namespace {

constexpr int kThreads = 256, kWarp = 32;
constexpr int kOneWave = 132 * 8;
constexpr int kChains = 8;  // independent of each other: they hide the latency of the pipe
constexpr int kFmaRounds = 4000, kDoubleRounds = 2000, kHalfRounds = 4000;
constexpr int kSfuRounds = 1000, kSfuChains = 2, kIntegerRounds = 2000;
constexpr int kMmaBlocks = 132 * 4, kMmaRounds = 1200, kMmaChains = 4;
constexpr double kMmaOperations = 2.0 * 16 * 8 * 16;

// Each chain applies `step` to its value, `rounds` times.
template <typename T, int kCount, typename Step>
__device__ void RunChains(T (&chain)[kCount], int rounds, Step step) {
#pragma unroll
  for (int k = 0; k < kCount; ++k) chain[k] = static_cast<T>(threadIdx.x + k);
#pragma unroll 4
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (T& value : chain) step(value);
  }
}

template <typename T, int kCount>
__device__ T Sum(const T (&chain)[kCount]) {
  T sum = chain[0];
#pragma unroll
  for (int k = 1; k < kCount; ++k) sum += chain[k];
  return sum;
}

__global__ void fma_chains(int rounds, float factor, float* sink) {
  float chain[kChains];
  RunChains(chain, rounds, [=](float& value) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(factor));
  });
  if (Sum(chain) == -1.0f) *sink = 1;  // never: keeps the chains
}

__global__ void double_fma_chains(int rounds, double factor, float* sink) {
  double chain[kChains];
  RunChains(chain, rounds, [=](double& value) {
    asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(value) : "d"(factor));
  });
  if (Sum(chain) == -1.0) *sink = 1;
}

__global__ void half2_fma_chains(int rounds, uint32_t factors, float* sink) {
  uint32_t chain[kChains];
  RunChains(chain, rounds, [=](uint32_t& value) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(value) : "r"(factors));
  });
  if (Sum(chain) == ~0u) *sink = 1;
}

// exp2 and sin. The hardware's sine takes turns, so that each has a multiplication before it.
__global__ void special_functions(int rounds, float* sink) {
  float chain[kSfuChains];
  RunChains(chain, rounds, [](float& value) {
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value));
    asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(value));
  });
  if (Sum(chain) == -1.0f) *sink = 1;
}

// One multiplication, one shift and one logical operation of each chain in turn.
__global__ void integer_chains(int rounds, uint32_t factor, float* sink) {
  uint32_t chain[kChains];
  RunChains(chain, rounds, [=](uint32_t& value) {
    asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(value) : "r"(factor));
    asm volatile("shf.l.wrap.b32 %0, %0, %0, 7;" : "+r"(value));
    asm volatile("lop3.b32 %0, %0, %1, 0x55555555, 0x96;" : "+r"(value) : "r"(factor));
  });
  if (Sum(chain) == ~0u) *sink = 1;
}

// mma.sync, the tensor instruction of the chips before Hopper: 16 x 8 x 16 for each warp.
__global__ void mma_sync_chains(int rounds, uint32_t seed, float* sink) {
  float sums[kMmaChains][4] = {};
  const uint32_t a = seed + threadIdx.x, b = seed ^ threadIdx.x;
#pragma unroll 2
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (float(&sum)[4] : sums) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
          "{%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(a), "r"(b));
    }
  }
  float all = 0;
  for (const float(&sum)[4] : sums) all += sum[0] + sum[1] + sum[2] + sum[3];
  if (all == -1.0f) *sink = all;
}

}  // namespace

std::vector<KnownKernel> ComputeKernels(Variation& vary) {
  const DeviceArray<float> sink(1);
  constexpr double kAll = static_cast<double>(kOneWave) * kThreads;
  constexpr double kMmaWarps = static_cast<double>(kMmaBlocks) * kThreads / kWarp;
  const int fma_rounds = vary.Draw(kFmaRounds), double_rounds = vary.Draw(kDoubleRounds);
  const int half_rounds = vary.Draw(kHalfRounds), sfu_rounds = vary.Draw(kSfuRounds);
  const int integer_rounds = vary.Draw(kIntegerRounds), mma_rounds = vary.Draw(kMmaRounds);
  constexpr uint32_t kHalves = 0x38003800;  // 0.5 and 0.5
  constexpr uint32_t kSmallHalves = 0x2c002c00;

  return {
      {"fma_chains",
       "FP32 pipe",
       [=] { fma_chains<<<kOneWave, kThreads>>>(fma_rounds, 0.999f, sink.get()); },
       {{metric::kFfma, kAll * kChains * fma_rounds},
        {metric::kFadd, kAll * (kChains - 1)},
        {metric::kDfma, 0},
        {metric::kLoadSectors, 0}},
       {"fma"}},
      {"double_fma_chains",
       "FP64 pipe",
       [=] { double_fma_chains<<<kOneWave, kThreads>>>(double_rounds, 0.999, sink.get()); },
       {{metric::kDfma, kAll * kChains * double_rounds},
        {metric::kDadd, kAll * (kChains - 1)},
        {metric::kDmul, 0},
        {metric::kFfma, 0}},
       {"fp64"}},
      {"half2_fma_chains",
       "FP16 on the FMA pipe",
       [=] { half2_fma_chains<<<kOneWave, kThreads>>>(half_rounds, kHalves, sink.get()); },
       {{metric::kHfma, kAll * kChains * half_rounds}, {metric::kHadd, 0}, {metric::kHmul, 0}},
       {"fma"}},
      {"special_functions",
       "SFU: exp2 and sin",
       [=] { special_functions<<<kOneWave, kThreads>>>(sfu_rounds, sink.get()); },
       {{metric::kFmul, kAll * kSfuChains * sfu_rounds}, {metric::kFfma, 0}},
       {"sfu"}},
      {"integer_chains",
       "ALU and integer multiplication",
       [=] { integer_chains<<<kOneWave, kThreads>>>(integer_rounds, 747796405u, sink.get()); },
       {{metric::kFadd, 0}, {metric::kFmul, 0}, {metric::kFfma, 0}},
       {"alu", "mixed"}},
      {"mma_sync_chains",
       "tensor cores through mma.sync",
       [=] { mma_sync_chains<<<kMmaBlocks, kThreads>>>(mma_rounds, kSmallHalves, sink.get()); },
       {{metric::kMmaHalf, kMmaWarps * kMmaChains * mma_rounds * kMmaOperations},
        {metric::kWgmmaHalf, 0},
        {metric::kFfma, 0}},
       {"tensor"}},
  };
}
