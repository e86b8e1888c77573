// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "planted.h"

namespace {

constexpr int kThreads = 256;
// A multiply-add that waits for the one before it takes 4 cycles: 500 of them some microsecond.
constexpr double kRoundsPerUs = 500;

__global__ void work(int rounds, float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = values[i];
  for (int round = 0; round < rounds; ++round) value = fmaf(value, 0.999f, 0.5f);
  values[i] = value;
}

}  // namespace

Machine::Machine() {
  CUDA_CHECK(cudaDeviceGetAttribute(&sms_, cudaDevAttrMultiProcessorCount, 0));
  pageable.resize(kFloats);
  CUDA_CHECK(cudaMalloc(&values, kBytes));
  CUDA_CHECK(cudaMalloc(&other, kBytes));
  CUDA_CHECK(cudaMallocHost(&pinned, kBytes));
  for (cudaStream_t& stream : streams) {
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  // The code of the kernel is loaded here, and not in a step.
  CUDA_CHECK(cudaMemset(values, 0, kBytes));
  Work(1);
  CUDA_CHECK(cudaDeviceSynchronize());
}

void Machine::Begin(uint64_t seed, const std::string& name) {
  random_.seed(seed ^ std::hash<std::string>()(name));
  drawn_ = "\"kind\": \"" + name + "\"";
}

double Machine::Draw(const char* name, double least, double most) {
  const double part = static_cast<double>(random_() >> 11) * 0x1p-53;
  const double value = least + part * (most - least);
  char text[80];
  std::snprintf(text, sizeof(text), ", \"%s\": %.2f", name, value);
  drawn_ += text;
  return value;
}

void Machine::Launch(double us, double sms, cudaStream_t stream) const {
  const int rounds = std::max(1, static_cast<int>(us * kRoundsPerUs));
  const int most = static_cast<int>(kFloats) / kThreads;
  const int blocks = std::clamp(static_cast<int>(sms * sms_), 1, most);
  work<<<blocks, kThreads, 0, stream>>>(rounds, values);
  CUDA_CHECK(cudaGetLastError());
}

void Machine::ShortKernels(double us) const {
  for (int i = 0; i < kShortKernels; ++i) Work(us, 0);
}

void Machine::Copy(void* to, const void* from, size_t bytes, int stream) const {
  CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, streams[stream]));
}
