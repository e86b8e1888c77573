// SPDX-License-Identifier: Apache-2.0
#include "bench/programs/cuda_check.h"
#include "bench/zoo/memory.h"

namespace zoo {
namespace {

__device__ uint32_t Hash(uint32_t x) {  // PCG, M. E. O'Neill
  x = x * 747796405u + 2891336453u;
  x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return (x >> 22u) ^ x;
}

// The exponent of 1: all floats are in [1, 2).
__global__ void fill_floats(uint32_t* out, size_t words) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < words;
       i += stride) {
    out[i] = 0x3f800000u | (Hash(static_cast<uint32_t>(i)) >> 9);
  }
}

// A linear congruential generator of full period is one cycle through all words.
__global__ void fill_cycle(unsigned* next) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < kWords; i += stride) {
    next[i] = (i * 1664525u + 1013904223u) & (kWords - 1);
  }
}

template <typename T>
T* Allocate(size_t count) {
  void* data = nullptr;
  CUDA_CHECK(cudaMalloc(&data, count * sizeof(T)));
  return static_cast<T*>(data);
}

template <typename T>
T* Filled(size_t count) {
  T* const data = Allocate<T>(count);
  fill_floats<<<1056, 256>>>(reinterpret_cast<uint32_t*>(data), count * (sizeof(T) / 4));
  CUDA_CHECK(cudaGetLastError());
  return data;
}

}  // namespace

const uint4* In() {
  static const uint4* const data = Filled<uint4>(kVectors);
  return data;
}

uint4* Out() {
  static uint4* const data = Filled<uint4>(kVectors);
  return data;
}

const unsigned* Next() {
  static const unsigned* const data = [] {
    unsigned* const made = Allocate<unsigned>(kWords);
    fill_cycle<<<1056, 256>>>(made);
    CUDA_CHECK(cudaGetLastError());
    return made;
  }();
  return data;
}

uint32_t* Sink() {
  static uint32_t* const data = Allocate<uint32_t>(64);
  return data;
}

uint32_t* Scratch() {
  static uint32_t* const data = Filled<uint32_t>(kScratchWords);
  return data;
}

uint4* HostMemory() {
  static uint4* const data = [] {
    void *host = nullptr, *device = nullptr;
    CUDA_CHECK(cudaHostAlloc(&host, kHostVectors * sizeof(uint4), cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&device, host, 0));
    return static_cast<uint4*>(device);
  }();
  return data;
}

void ReadBack(void* to, const void* from, size_t bytes) {
  CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void Clear(void* at, size_t bytes) { CUDA_CHECK(cudaMemset(at, 0, bytes)); }

}  // namespace zoo
