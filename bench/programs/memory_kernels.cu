// SPDX-License-Identifier: Apache-2.0
//
// Each of these kernels is limited by one level of the memory hierarchy.
#include "device_array.h"
#include "known_kernels.h"
#include "metric_names.h"

namespace {

constexpr int kWarp = 32, kSectorBytes = 32;
constexpr int kThreads = 256;
constexpr int kOneWave = 132 * 8;  // blocks that an H100 or H200 holds at once
constexpr int kTwoWaves = 132 * 16;
constexpr double kWarpsInOneWave = static_cast<double>(kOneWave) * kThreads / kWarp;

constexpr int kStreamVectors = 1 << 25;  // 512 MiB: far beyond L2
constexpr int kL2Vectors = 1 << 20;      // 16 MiB: stays in L2
constexpr int kL2Rounds = 40;
constexpr int kSharedRounds = 2000;
constexpr int kScatteredReads = 1 << 24;  // one sector each: all of the 512 MiB
constexpr int kSectorFloats = kSectorBytes / sizeof(float);
constexpr int kChaseWords = 1 << 26;  // 256 MiB
constexpr int kChaseBlocks = 132, kChaseThreads = 128, kChaseHops = 500;
constexpr int kSpreadRounds = 64, kContendedRounds = 2;
constexpr int kSpillValues = 64, kSpillRounds = 200;

__global__ void stream_copy(const float4* in, float4* out, int count) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) out[i] = in[i];
}

// The same 16 MiB again and again, past L1.
__global__ void l2_read(const float4* in, int count, int rounds, float* sink) {
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int round = 0; round < rounds; ++round) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
      const float4 value = __ldcg(in + i);
      sum += value.x + value.y + value.z + value.w;
    }
  }
  if (sum == -1.0f) *sink = sum;  // never: keeps the loads
}

// Neighbours read 16 bytes each, so a request takes four wavefronts, and no bank is asked twice in
// one. Its eight or so instructions take two cycles of the SM's issue slots, its wavefronts four of
// the pipe. With words of 4 bytes the issue slots were the limit (92 to 98 % on an H100, and the
// pipe at 77 %).
__global__ void shared_reads(int rounds, float* sink) {
  __shared__ float4 words[2048];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
    const auto value = static_cast<float>(i);
    words[i] = {value, value, value, value};
  }
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) {
    const float4 value = words[(threadIdx.x + i * 32) & 2047];
    sum += value.x + value.y + value.z + value.w;
  }
  if (sum == -1.0f) *sink = sum;
}

// Neighbours read words eight apart: an 8-way conflict.
__global__ void shared_conflicts(int rounds, float* sink) {
  __shared__ float words[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = static_cast<float>(i);
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) sum += words[(threadIdx.x * 8 + i * 32) & 8191];
  if (sum == -1.0f) *sink = sum;
}

// Neighbours read floats one sector apart: 4 of the 32 bytes that move are used.
__global__ void uncoalesced_reads(const float* in, int count, float* sink) {
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    sum += in[static_cast<size_t>(i) * kSectorFloats];
  }
  if (sum == -1.0f) *sink = sum;
}

// Latency: every thread follows its own pointers. Few threads, but together they touch more than
// fits L2, so that a replay of the same launch does not find it there.
__global__ void pointer_chase(const unsigned* next, int hops, unsigned* sink) {
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 499979u % kChaseWords;
  for (int i = 0; i < hops; ++i) at = next[at];
  if (at == ~0u) *sink = at;
}

// Floats: for integers the compiler would add up within the warp first.
__global__ void contended_atomics(int rounds, float* sum) {
  for (int i = 0; i < rounds; ++i) atomicAdd(sum, static_cast<float>(threadIdx.x));
}

__global__ void spread_atomics(int rounds, float* sums) {
  float* const mine = sums + blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < rounds; ++i) atomicAdd(mine, 1.0f);
}

// 64 live values in the 32 registers that 8 blocks of 256 threads leave to each thread.
__global__ void __launch_bounds__(kThreads, 8) register_spills(int rounds, float* sink) {
  float value[kSpillValues];
#pragma unroll
  for (int k = 0; k < kSpillValues; ++k) value[k] = static_cast<float>(threadIdx.x ^ (k * 7));
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < kSpillValues; ++k) {
      value[k] = fmaf(value[k], 0.999f, value[(k + 29) % kSpillValues]);
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kSpillValues; ++k) sum += value[k];
  if (sum == -1.0f) *sink = sum;
}

// A linear congruential generator of full period is one cycle through all words.
struct NextWord {
  static __device__ unsigned At(size_t i) {
    return (static_cast<unsigned>(i) * 1664525u + 1013904223u) % kChaseWords;
  }
};

struct Zero {
  static __device__ float At(size_t) { return 0; }
};

}  // namespace

std::vector<KnownKernel> MemoryKernels(Variation& vary) {
  const DeviceArray<float> in(size_t{4} * kStreamVectors), sink(1);
  const DeviceArray<float, Zero> out(size_t{4} * kStreamVectors), sums(kOneWave * kThreads);
  const DeviceArray<unsigned, NextWord> next(kChaseWords);
  const auto vectors = [](float* data) { return reinterpret_cast<float4*>(data); };

  const int stream_vectors = vary.Draw(kStreamVectors, 1 << 12), l2_rounds = vary.Draw(kL2Rounds);
  const int l2_vectors = vary.Draw(kL2Vectors, 1 << 12);
  const int scattered_reads = vary.Draw(kScatteredReads, 1 << 12);
  const int shared_rounds = vary.Draw(kSharedRounds), chase_hops = vary.Draw(kChaseHops);
  const int spread_rounds = vary.Draw(kSpreadRounds), spill_rounds = vary.Draw(kSpillRounds);

  const double vector_requests = static_cast<double>(stream_vectors) / kWarp;
  const double vector_sectors = stream_vectors * sizeof(float4) / kSectorBytes;
  const double l2_reads = static_cast<double>(l2_vectors) * l2_rounds;
  const double shared_requests = kWarpsInOneWave * shared_rounds;
  const double chase_requests =
      static_cast<double>(kChaseBlocks) * kChaseThreads / kWarp * chase_hops;
  constexpr double kFloatSectorsPerWarp = kWarp * sizeof(float) / kSectorBytes;

  return {
      {"stream_copy",
       "DRAM: each byte once",
       [=] {
         stream_copy<<<kTwoWaves, kThreads>>>(vectors(in.get()), vectors(out.get()),
                                              stream_vectors);
       },
       {{metric::kLoadRequests, vector_requests},
        {metric::kLoadSectors, vector_sectors},
        {metric::kStoreRequests, vector_requests},
        {metric::kStoreSectors, vector_sectors},
        {metric::kFfma, 0}},
       {"dram"}},
      {"l2_read",
       "L2: 16 MiB again and again",
       [=] {
         l2_read<<<kOneWave, kThreads>>>(vectors(in.get()), l2_vectors, l2_rounds, sink.get());
       },
       {{metric::kLoadRequests, l2_reads / kWarp},
        {metric::kLoadSectors, l2_reads * sizeof(float4) / kSectorBytes},
        {metric::kStoreSectors, 0},
        {metric::kFadd, 4 * l2_reads}},
       {"l2"}},
      {"shared_reads",
       "shared memory, no bank conflicts",
       [=] { shared_reads<<<kOneWave, kThreads>>>(shared_rounds, sink.get()); },
       {{metric::kSharedLoadWavefronts, 4 * shared_requests},
        {metric::kFadd, 4 * kWarp * shared_requests}},
       {"shared"}},
      {"shared_conflicts",
       "shared memory, 8-way bank conflicts",
       [=] { shared_conflicts<<<kOneWave, kThreads>>>(shared_rounds, sink.get()); },
       {{metric::kSharedLoadWavefronts, 8 * shared_requests},
        {metric::kFadd, kWarp * shared_requests}},
       {"shared"}},
      {"uncoalesced_reads",
       "DRAM: an eighth of each sector is used",
       [=] { uncoalesced_reads<<<kTwoWaves, kThreads>>>(in.get(), scattered_reads, sink.get()); },
       {{metric::kLoadRequests, static_cast<double>(scattered_reads) / kWarp},
        {metric::kLoadSectors, scattered_reads},
        {metric::kFadd, scattered_reads}},
       {"dram"}},
      {"pointer_chase",
       "latency: dependent loads",
       [=] {
         pointer_chase<<<kChaseBlocks, kChaseThreads>>>(next.get(), chase_hops,
                                                        reinterpret_cast<unsigned*>(sink.get()));
       },
       {{metric::kLoadRequests, chase_requests}},
       {"latency", "occupancy", "small-grid"}},
      {"contended_atomics",
       "atomics on one address",
       [=] { contended_atomics<<<kOneWave, kThreads>>>(kContendedRounds, sums.get()); },
       {{metric::kReductionSectors, kWarpsInOneWave * kContendedRounds}},
       {"latency", "l2"}},
      {"spread_atomics",
       "atomics, an address for each thread",
       [=] { spread_atomics<<<kOneWave, kThreads>>>(spread_rounds, sums.get()); },
       {{metric::kReductionSectors, kWarpsInOneWave * spread_rounds * kFloatSectorsPerWarp}},
       {"l2", "latency"}},
      {"register_spills",
       "local memory: 64 values in 32 registers",
       [=] { register_spills<<<kOneWave, kThreads>>>(spill_rounds, sink.get()); },
       {{metric::kFfma, kWarp * kWarpsInOneWave * spill_rounds * kSpillValues}},
       {"l1", "l2", "dram", "mixed"}},
  };
}
