// SPDX-License-Identifier: Apache-2.0
//
// Kernels with one known bottleneck each, and a cuBLAS GEMM, to compare prof's counters with
// Nsight Compute's: once under prof::Session (--json FILE), once bare, for ncu (--bare).
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

#include "lib/report/json.h"
#include "prof/analyzer.h"
#include "prof/session.h"

#define CUDA_CHECK(call)                                                  \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (false)

namespace {

constexpr int kBareRounds = 3;
constexpr int kMaxRounds = 400;
constexpr int kCleanRounds = 10;
constexpr int kStreamVectors = 1 << 25;  // 512 MiB in and out
constexpr int kL2Vectors = 1 << 20;      // 16 MiB: stays in L2
constexpr int kChaseWords = 1 << 26;     // 256 MiB: does not
constexpr int kChaseHops = 500;
constexpr int kGemm = 4096;

// DRAM: each byte once.
__global__ void stream_copy(const float4* in, float4* out, int count) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) out[i] = in[i];
}

// L2: the same 16 MiB again and again, past L1.
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

// Shared memory: neighbours read words 8 apart, which is an 8-way bank conflict.
__global__ void shared_conflicts(int rounds, float* sink) {
  __shared__ float words[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = static_cast<float>(i);
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int i = 0; i < rounds; ++i) sum += words[(threadIdx.x * 8 + i * 32) & 8191];
  if (sum == -1.0f) *sink = sum;
}

// FMA: eight independent chains in each thread.
__global__ void fma_chains(int rounds, float factor, float* sink) {
  float chain[8];
  for (int k = 0; k < 8; ++k) chain[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 4
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) chain[k] = fmaf(chain[k], factor, 1.0f);
  }
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += chain[k];
  if (sum == -1.0f) *sink = sum;
}

// Latency: every thread follows its own pointers. Few threads, but together they touch more than
// fits L2, so that a replay of the same launch does not find it there.
__global__ void pointer_chase(const unsigned* next, int hops, unsigned* sink) {
  unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) * 499979u % kChaseWords;
  for (int i = 0; i < hops; ++i) at = next[at];
  if (at == ~0u) *sink = at;
}

struct Buffers {
  float4 *in = nullptr, *out = nullptr;
  unsigned* next = nullptr;
  half *a = nullptr, *b = nullptr, *c = nullptr;
  float* sink = nullptr;
  cublasHandle_t cublas = nullptr;
};

template <typename T>
T* Upload(const std::vector<T>& values) {
  T* data = nullptr;
  CUDA_CHECK(cudaMalloc(&data, values.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}

Buffers Prepare() {
  Buffers buffers;
  unsigned state = 1;
  const auto random = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / static_cast<float>(1 << 24) - 0.5f;
  };
  std::vector<float4> vectors(kStreamVectors);
  for (float4& value : vectors) value = {random(), random(), random(), random()};
  buffers.in = Upload(vectors);
  CUDA_CHECK(cudaMalloc(&buffers.out, vectors.size() * sizeof(float4)));

  // A linear congruential generator of full period is one cycle through all words.
  std::vector<unsigned> next(kChaseWords);
  for (unsigned i = 0; i < kChaseWords; ++i) next[i] = (i * 1664525u + 1013904223u) % kChaseWords;
  buffers.next = Upload(next);

  std::vector<half> matrix(static_cast<size_t>(kGemm) * kGemm);
  for (half& value : matrix) value = __float2half(random());
  buffers.a = Upload(matrix);
  buffers.b = Upload(matrix);
  CUDA_CHECK(cudaMalloc(&buffers.c, matrix.size() * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&buffers.sink, sizeof(float)));
  if (cublasCreate(&buffers.cublas) != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "cublasCreate failed\n");
    std::exit(1);
  }
  return buffers;
}

void Round(const Buffers& buffers) {
  stream_copy<<<132 * 16, 256>>>(buffers.in, buffers.out, kStreamVectors);
  l2_read<<<132 * 8, 256>>>(buffers.in, kL2Vectors, 40, buffers.sink);
  shared_conflicts<<<132 * 8, 256>>>(2000, buffers.sink);
  fma_chains<<<132 * 16, 256>>>(4000, 0.999f, buffers.sink);
  pointer_chase<<<132, 128>>>(buffers.next, kChaseHops, reinterpret_cast<unsigned*>(buffers.sink));
  const float one = 1, zero = 0;
  const cublasStatus_t status =
      cublasGemmEx(buffers.cublas, CUBLAS_OP_T, CUBLAS_OP_N, kGemm, kGemm, kGemm, &one, buffers.a,
                   CUDA_R_16F, kGemm, buffers.b, CUDA_R_16F, kGemm, &zero, buffers.c, CUDA_R_16F,
                   kGemm, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  if (status != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "cublasGemmEx: %s\n", cublasGetStatusString(status));
    std::exit(1);
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  const bool bare = argc == 2 && std::strcmp(argv[1], "--bare") == 0;
  if (!bare && (argc != 3 || std::strcmp(argv[1], "--json") != 0)) {
    std::fprintf(stderr, "usage: five_kernels --bare | --json FILE\n");
    return 2;
  }
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }
  const Buffers buffers = Prepare();
  if (bare) {
    for (int i = 0; i < kBareRounds; ++i) Round(buffers);
    return 0;
  }

  prof::SessionOptions options;
  options.counters = prof::Counters::kAll;
  options.counter_budget_percent = 100;
  options.counter_budget_seconds = 60;
  prof::Session session(options);
  int rounds = 0;
  do {
    Round(buffers);
    ++rounds;
  } while (rounds < kMaxRounds && !session.counters_complete());
  for (int i = 0; i < kCleanRounds; ++i) Round(buffers);
  std::printf("%d rounds until the counters were complete\n", rounds);
  std::ofstream file(argv[2]);
  prof::WriteJson(file, prof::Analyze(session.Stop()));
  file.close();
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", argv[2]);
    return 1;
  }
  return 0;
}
