// SPDX-License-Identifier: Apache-2.0
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "cuda_check.h"
#include "storm.h"

namespace {

constexpr int kKernelsPerWait = 1000;

__global__ void increment(unsigned long long* counter) { atomicAdd(counter, 1ull); }

}  // namespace

struct Storm::Gpu {
  unsigned long long* counter = nullptr;
  std::vector<cudaStream_t> streams;    // one a thread
  std::vector<cudaGraphExec_t> graphs;  // one a thread, because a graph runs once at a time
};

std::optional<StormOptions> ParseStorm(int argc, char** argv) {
  StormOptions options;
  const std::string kind = argc > 2 ? argv[2] : "ranges";
  if (argc > 0) options.kernels = std::atoi(argv[0]);
  if (argc > 1) options.threads = std::atoi(argv[1]);
  if (kind == "plain") options.kind = StormKind::kPlain;
  if (kind == "graph") options.kind = StormKind::kGraph;
  const bool known = kind == "plain" || kind == "ranges" || kind == "graph";
  const bool fits = kind != "graph" || options.kernels % kKernelsPerWait == 0;
  if (known && fits && options.kernels > 0 && options.threads > 0) return options;
  std::fprintf(
      stderr,
      "expected [kernels] [threads] [plain|ranges|graph]; graphs need thousands of kernels\n");
  return std::nullopt;
}

bool Storm::Prepare(const StormOptions& options) {
  options_ = options;
  gpu_ = new Gpu;
  if (const cudaError_t error = cudaMalloc(&gpu_->counter, sizeof(*gpu_->counter));
      error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return false;
  }
  increment<<<1, 1>>>(gpu_->counter);  // loads the module
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemset(gpu_->counter, 0, sizeof(*gpu_->counter)));
  for (int i = 0; i < options.threads; ++i) {
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gpu_->streams.push_back(stream);
    if (options.kind != StormKind::kGraph) continue;
    cudaGraph_t graph = nullptr;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int node = 0; node < kKernelsPerWait; ++node) {
      increment<<<1, 1, 0, stream>>>(gpu_->counter);
    }
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&gpu_->graphs.emplace_back(), graph, 0));
    CUDA_CHECK(cudaGraphUpload(gpu_->graphs.back(), stream));
    CUDA_CHECK(cudaGraphDestroy(graph));
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  return true;
}

void Storm::Launch(int thread) {
  cudaStream_t stream = gpu_->streams[thread];
  for (int i = 0; i < options_.kernels; i += kKernelsPerWait) {
    const int end = std::min(i + kKernelsPerWait, options_.kernels);
    switch (options_.kind) {
      case StormKind::kPlain:
        for (int j = i; j < end; ++j) increment<<<1, 1, 0, stream>>>(gpu_->counter);
        break;
      case StormKind::kRanges:
        for (int j = i; j < end; ++j) {
          nvtxRangePushA(j % 2 == 0 ? "even" : "odd");
          increment<<<1, 1, 0, stream>>>(gpu_->counter);
          nvtxRangePop();
        }
        break;
      case StormKind::kGraph:
        CUDA_CHECK(cudaGraphLaunch(gpu_->graphs[thread], stream));
        break;
    }
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }
}

double Storm::Run() {
  ++runs_;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (int i = 1; i < options_.threads; ++i) others.emplace_back([this, i] { Launch(i); });
  Launch(0);
  for (std::thread& other : others) other.join();
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(kernels());
}

unsigned long long Storm::kernels() const {
  return static_cast<unsigned long long>(options_.kernels) * options_.threads;
}

bool Storm::CountIsRight() const {
  unsigned long long counted = 0;
  CUDA_CHECK(cudaMemcpy(&counted, gpu_->counter, sizeof(counted), cudaMemcpyDeviceToHost));
  if (counted == made()) return true;
  std::printf("[failed] the GPU ran %llu of %llu kernels\n", counted, made());
  return false;
}

void PrintStorm(const char* name, const StormOptions& options, double us_per_kernel) {
  constexpr const char* kKinds[] = {"plain", "ranges", "graph"};
  std::printf("[timing] storm %s %s threads %d kernels %d us_per_kernel %.4f\n", name,
              kKinds[static_cast<int>(options.kind)], options.threads, options.kernels,
              us_per_kernel);
}

void RequestParts(int set) {
  sigval value = {};
  value.sival_int = set;
  pthread_sigqueue(pthread_self(), SIGUSR2, value);
}

void RunUnderParts(Storm& storm, const StormOptions& options, int set) {
  RequestParts(set);
  storm.Run();
  PrintStorm(("set_" + std::to_string(set)).c_str(), options, storm.Run());
}
