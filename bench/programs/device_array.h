// SPDX-License-Identifier: Apache-2.0
//
// A DeviceArray is device memory of the known kernels. It is made and filled when a kernel first
// needs it, and stays until the program ends.
#ifndef PROF_BENCH_PROGRAMS_DEVICE_ARRAY_H_
#define PROF_BENCH_PROGRAMS_DEVICE_ARRAY_H_

#include <cuda_runtime.h>

#include <memory>

#include "cuda_check.h"

// Uniform in [-0.5, 0.5): zeros would draw less power and flatter the tensor cores.
template <typename T>
struct RandomValue {
  static __device__ T At(size_t i) {
    unsigned x = static_cast<unsigned>(i) * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return static_cast<T>(static_cast<float>(((x >> 22u) ^ x) >> 8u) * 0x1p-24f - 0.5f);
  }
};

template <typename T, typename Value>
__global__ void fill(T* out, size_t count) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    out[i] = Value::At(i);
  }
}

template <typename T, typename Value = RandomValue<T>>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : state_(std::make_shared<State>()) { state_->count = count; }

  T* get() const {
    if (state_->data == nullptr) {
      CUDA_CHECK(cudaMalloc(&state_->data, state_->count * sizeof(T)));
      fill<T, Value><<<1056, 256>>>(state_->data, state_->count);
      CUDA_CHECK(cudaGetLastError());
    }
    return state_->data;
  }

 private:
  struct State {
    T* data = nullptr;
    size_t count = 0;
  };
  std::shared_ptr<State> state_;  // copies share one array
};

#endif  // PROF_BENCH_PROGRAMS_DEVICE_ARRAY_H_
