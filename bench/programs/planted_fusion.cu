// SPDX-License-Identifier: Apache-2.0
//
// Kernels that DRAM limits, one behind the other: each reads what the one before it wrote, or none
// does.
#include <memory>

#include "planted.h"

namespace {

constexpr size_t kCount = size_t{64} << 20;  // 256 MB: more than any L2
constexpr int kThreads = 256, kBlocks = 8 * 1024;

template <typename Function>
__device__ void ForEach(Function function) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < kCount;
       i += stride) {
    function(i);
  }
}

__global__ void scale(float* out, const float* in) {
  ForEach([=](size_t i) { out[i] = in[i] * 0.5f; });
}

__global__ void shift(float* out, const float* in) {
  ForEach([=](size_t i) { out[i] = in[i] + 0.25f; });
}

__global__ void limit(float* out, const float* in) {
  ForEach([=](size_t i) { out[i] = fminf(in[i], 1.0f); });
}

__global__ void sum(float* out, const float* in) {
  float value = 0;
  ForEach([&](size_t i) { value += in[i]; });
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void largest(float* out, const float* in) {
  float value = 0;
  ForEach([&](size_t i) { value = fmaxf(value, in[i]); });
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

class Arrays {
 public:
  Arrays() {
    for (float*& array : arrays_) {
      CUDA_CHECK(cudaMalloc(&array, kCount * sizeof(float)));
      CUDA_CHECK(cudaMemset(array, 0, kCount * sizeof(float)));
    }
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  ~Arrays() {
    for (float* array : arrays_) CUDA_CHECK(cudaFree(array));
  }

  using Kernel = void (*)(float*, const float*);
  void Run(Kernel kernel, int to, int from, cudaStream_t stream) const {
    kernel<<<kBlocks, kThreads, 0, stream>>>(arrays_[to], arrays_[from]);
    CUDA_CHECK(cudaGetLastError());
  }

 private:
  float* arrays_[3] = {};
};

Step Elementwise(Machine* m) {
  const auto arrays = std::make_shared<Arrays>();
  const int times = static_cast<int>(m->Draw("times", 1, 4));
  return [=](int64_t) {
    for (int i = 0; i < times; ++i) {
      arrays->Run(scale, 1, 0, m->streams[0]);
      arrays->Run(shift, 2, 1, m->streams[0]);
      arrays->Run(limit, 0, 2, m->streams[0]);
    }
  };
}

// They read as much, and write almost nothing that the next one could read.
Step Reductions(Machine* m) {
  const auto arrays = std::make_shared<Arrays>();
  const int times = static_cast<int>(m->Draw("times", 1, 4));
  return [=](int64_t) {
    for (int i = 0; i < times; ++i) {
      arrays->Run(sum, 2, 0, m->streams[0]);
      arrays->Run(largest, 2, 1, m->streams[0]);
    }
  };
}

}  // namespace

Timelines FusionTimelines() {
  return {{"elementwise", Elementwise, 1.6}, {"reductions", Reductions, 1.6}};
}
