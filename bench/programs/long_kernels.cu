// SPDX-License-Identifier: Apache-2.0
//
// This program launches few kernels, and each runs for 0.4 to 4 s: a simulation that stays on the
// GPU. Which ones, in which order and for how long is drawn from a seed, and hardly any comes
// again.
//
//   long_kernels --seed N [--steps N | --seconds S]
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "cuda_check.h"
#include "step_clock.h"

namespace {

constexpr int kBlocks = 1056, kThreads = 256;
constexpr size_t kFloats = size_t{1} << 28;  // 1 GiB each
constexpr int kKernels = 5;

__device__ float Multiply(float value, int rounds) {
#pragma unroll 16
  for (int round = 0; round < rounds; ++round) value = fmaf(value, 0.999f, 0.0005f);
  return value;
}

__device__ void Copy(const float4* in, float4* out, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kFloats / 4;
         i += gridDim.x * blockDim.x) {
      out[i] = in[i];
    }
  }
}

__global__ void copy_rounds(const float4* in, float4* out, int rounds) { Copy(in, out, rounds); }

__global__ void multiply_rounds(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = Multiply(1.0f + 0.001f * threadIdx.x, rounds);
}

__global__ void sine_rounds(float* out, int rounds) {
  float value = 0.001f * threadIdx.x;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) value = __sinf(value);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Each thread waits for its own next load.
__global__ void follow_rounds(const float4* in, float* out, int rounds) {
  size_t at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    sum += in[at].x;
    at = (at * 1664525 + 1013904223 + static_cast<size_t>(sum * 0.0f)) % (kFloats / 4);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Two halves: bytes, then arithmetic.
__global__ void copy_then_multiply(const float4* in, float4* out, int rounds, int more) {
  Copy(in, out, rounds);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i].x = Multiply(out[i].x, more);
}

// About `seconds` on an H200. Returns the name.
const char* Launch(int kernel, double seconds, const float4* in, float4* out) {
  const auto rounds = [&](double per_second) { return static_cast<int>(per_second * seconds) + 1; };
  float* const results = reinterpret_cast<float*>(out);
  switch (kernel) {
    case 0:
      copy_rounds<<<kBlocks, kThreads>>>(in, out, rounds(1900));
      return "copy_rounds";
    case 1:
      multiply_rounds<<<kBlocks, kThreads>>>(results, rounds(1.1e8));
      return "multiply_rounds";
    case 2:
      sine_rounds<<<kBlocks, kThreads>>>(results, rounds(1.4e7));
      return "sine_rounds";
    case 3:
      follow_rounds<<<kBlocks / 8, kThreads>>>(in, results, rounds(1e6));
      return "follow_rounds";
    default:
      copy_then_multiply<<<kBlocks, kThreads>>>(in, out, rounds(950), rounds(0.55e8));
      return "copy_then_multiply";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const StepOptions options = ParseSteps(argc, argv, 1);
  if (!HasDevice()) return 0;
  std::mt19937_64 random(options.seed);
  float4 *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, kFloats * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, kFloats * sizeof(float)));
  CUDA_CHECK(cudaMemset(in, 0, kFloats * sizeof(float)));
  CUDA_CHECK(cudaMemset(out, 0, kFloats * sizeof(float)));
  CUDA_CHECK(cudaDeviceSynchronize());

  int order[kKernels];
  for (int i = 0; i < kKernels; ++i) order[i] = i;
  StepClock clock(options.limit);
  std::string names;
  int next = kKernels;
  while (clock.GoesOn()) {
    if (next == kKernels) {  // all of them before one comes again
      for (int i = kKernels - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
      next = 0;
    }
    const double seconds = 0.4 * static_cast<double>(1 + random() % 10);
    const char* const name = Launch(order[next++], seconds, in, out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    clock.Waited(1);
    names += (names.empty() ? "\"" : " ") + std::string(name);
  }
  clock.Print("{\"kernels\": " + names + "\"}");
  return 0;
}
