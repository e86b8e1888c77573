// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "test/gpu/kernels.h"

namespace prof::test {
namespace {

__global__ void saxpy(size_t n, float a, const float* x, float* y) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void spin(int rounds, float* sink) {
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < rounds; ++i) value = fmaf(value, 0.999f, 1.0f);
  if (value == -1.0f) *sink = value;
}

__global__ void empty() {}

}  // namespace

bool HasGpu() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

Vectors::Vectors(size_t elements) : elements_(elements) {
  if (cudaMalloc(&x_, elements * sizeof(float)) != cudaSuccess) return;
  if (cudaMalloc(&y_, elements * sizeof(float)) != cudaSuccess) return;
  cudaMemset(x_, 0, elements * sizeof(float));
  cudaMemset(y_, 0, elements * sizeof(float));
}

Vectors::~Vectors() {
  cudaFree(x_);
  cudaFree(y_);
}

void Vectors::Saxpy() {
  saxpy<<<static_cast<unsigned>((elements_ + 255) / 256), 256>>>(elements_, 2.0f, x_, y_);
}

void Vectors::Spin(int rounds) { spin<<<66, 128>>>(rounds, y_); }

void Vectors::Empty(int count) {
  for (int i = 0; i < count; ++i) empty<<<1, 32>>>();
}

void Vectors::EmptyWithAttributes(int count) {
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 32;
  for (int i = 0; i < count; ++i) cudaLaunchKernelEx(&config, empty);
}

void Vectors::EmptyGraph(int nodes, int launches) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int i = 0; i < nodes; ++i) empty<<<1, 32, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  for (int i = 0; i < launches; ++i) cudaGraphLaunch(instance, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

namespace {

cudaStream_t NonBlocking() {  // the legacy stream may not wait for a stream that captures
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

// Calls of this thread spoil no capture.
void LaunchUntil(const std::atomic<bool>& done, cudaStream_t stream) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  while (!done) {
    for (int i = 0; i < 8; ++i) spin<<<66, 128, 0, stream>>>(1500, nullptr);
    cudaStreamSynchronize(stream);
  }
}

}  // namespace

std::vector<double> Vectors::CaptureBesideLaunches(double seconds) {
  const cudaStream_t capturing = NonBlocking(), launching = NonBlocking();
  empty<<<1, 32, 0, capturing>>>();  // a kernel is loaded by its first launch, which may
                                     // synchronize
  spin<<<66, 128, 0, launching>>>(1, nullptr);
  cudaDeviceSynchronize();
  std::atomic<bool> done{false};
  std::thread launcher([&] { LaunchUntil(done, launching); });
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  int captures = 0;
  std::vector<double> spoilt;
  while (passed() < seconds) {
    cudaGraph_t graph = nullptr;
    if (cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal) != cudaSuccess) break;
    empty<<<1, 32, 0, capturing>>>();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    empty<<<1, 32, 0, capturing>>>();
    if (cudaStreamEndCapture(capturing, &graph) != cudaSuccess || graph == nullptr) {
      spoilt.push_back(passed());
    }
    if (graph != nullptr) cudaGraphDestroy(graph);
    ++captures;
  }
  done = true;
  launcher.join();
  cudaGetLastError();
  cudaStreamDestroy(capturing);
  cudaStreamDestroy(launching);
  if (captures == 0) spoilt.push_back(-1);
  return spoilt;
}

void Vectors::SpinAndAsk(int rounds, int turns) {
  cudaEvent_t done = nullptr;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  for (int i = 0; i < turns; ++i) {
    Spin(rounds);
    cudaEventRecord(done);
    while (cudaEventQuery(done) == cudaErrorNotReady) {
    }
  }
  cudaEventDestroy(done);
}

void Vectors::Synchronize() { cudaDeviceSynchronize(); }

size_t Vectors::CopyIn() {
  const std::vector<float> host(elements_, 1.0f);
  cudaMemcpy(x_, host.data(), elements_ * sizeof(float), cudaMemcpyHostToDevice);
  return elements_ * sizeof(float);
}

}  // namespace prof::test
