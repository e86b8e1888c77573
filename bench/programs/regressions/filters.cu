// SPDX-License-Identifier: Apache-2.0
//
// This program applies four filters to arrays of their own. CMake builds it twice: the second time
// the kernels are in a namespace with a version (FILTERS), and are launched in the opposite order
// (FILTERS_REVERSED). That is no regression.
//
//   filters --seed N [--steps N | --seconds S]
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/programs/device_array.h"
#include "bench/programs/regressions/timed_steps.h"

namespace FILTERS {

constexpr int kThreads = 256, kBins = 256;

__global__ void scale(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 0.5f * in[i] + 1;
}

__global__ void blur(const float* in, float* out, int count) {
  constexpr int kRadius = 4;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kRadius || i + kRadius >= count) return;
  float sum = 0;
  for (int j = -kRadius; j <= kRadius; ++j) sum += in[i + j];
  out[i] = sum / (2 * kRadius + 1);
}

__global__ void histogram(const float* in, unsigned* bins, int count) {
  __shared__ unsigned mine[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    atomicAdd(&mine[static_cast<int>((in[i] + 0.5f) * kBins) & (kBins - 1)], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}

__global__ void sharpen(const float* in, float* out, int count, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float value = in[i];
  for (int round = 0; round < rounds; ++round) value = fmaf(value, 1.001f, -0.0001f);
  out[i] = value;
}

}  // namespace FILTERS

int main(int argc, char** argv) {
  const StepOptions options = ParseSteps(argc, argv, 1);
  if (!HasDevice()) return 0;
  std::mt19937_64 random(options.seed);
  const int count = (1 << 20) * static_cast<int>(24 + random() % 25);  // more than L2 holds
  const int rounds = 200 + static_cast<int>(random() % 200);
  const int blocks = count / FILTERS::kThreads;
  std::vector<DeviceArray<float>> in, out;
  for (int i = 0; i < 4; ++i) {
    in.emplace_back(count);
    out.emplace_back(count);
  }
  unsigned* bins = nullptr;
  CUDA_CHECK(cudaMalloc(&bins, FILTERS::kBins * sizeof(unsigned)));
  CUDA_CHECK(cudaMemset(bins, 0, FILTERS::kBins * sizeof(unsigned)));

  struct Filter {
    const char* name;
    std::function<void()> launch;
  };
  std::vector<Filter> filters = {
      {"scale",
       [&] { FILTERS::scale<<<blocks, FILTERS::kThreads>>>(in[0].get(), out[0].get(), count); }},
      {"blur",
       [&] { FILTERS::blur<<<blocks, FILTERS::kThreads>>>(in[1].get(), out[1].get(), count); }},
      {"histogram",
       [&] { FILTERS::histogram<<<528, FILTERS::kThreads>>>(in[2].get(), bins, count); }},
      {"sharpen", [&] {
         FILTERS::sharpen<<<blocks, FILTERS::kThreads>>>(in[3].get(), out[3].get(), count, rounds);
       }}};
  if (FILTERS_REVERSED) std::reverse(filters.begin(), filters.end());
  TimedSteps timed;
  timed.Run(
      options.limit,
      [&] {
        nvtxRangePushA("filters");
        for (const Filter& filter : filters) timed.Time(filter.name, filter.launch);
        nvtxRangePop();
      },
      [&] {
        double sum = 0;
        for (const int i : {0, 1, 3}) sum += AbsoluteSum(out[i].get(), count);
        return sum;
      },
      "{\"values\": " + std::to_string(count) + ", \"rounds\": " + std::to_string(rounds) + "}");
  return 0;
}
