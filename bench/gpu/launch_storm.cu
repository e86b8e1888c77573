// SPDX-License-Identifier: Apache-2.0
//
// Many small launches from several threads: what one costs, and whether every one was recorded.
// Exits with 1 when kernels are missing and the snapshot does not say so.
//
// usage: launch_storm [none|timeline|counters] [launches per thread] [threads]
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "prof/analyzer.h"
#include "prof/range.h"
#include "prof/session.h"
#include "thread_times.h"

namespace {

constexpr int kLaunchesPerWait = 1000;

__global__ void increment(int* counter) { atomicAdd(counter, 1); }

void Launch(int launches, int* counter) {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
  for (int i = 0; i < launches; ++i) {
    const prof::ScopedRange range(i % 2 == 0 ? "even" : "odd");
    increment<<<1, 1, 0, stream>>>(counter);
    if ((i + 1) % kLaunchesPerWait == 0) cudaStreamSynchronize(stream);
  }
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "timeline";
  const int launches = argc > 2 ? std::atoi(argv[2]) : 100000;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  if (launches < 1 || threads < 1 || (mode != "none" && mode != "timeline" && mode != "counters")) {
    std::fprintf(stderr, "usage: launch_storm [none|timeline|counters] [launches] [threads]\n");
    return 2;
  }
  int* counter = nullptr;
  if (const cudaError_t error = cudaMalloc(&counter, sizeof(int)); error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }
  cudaMemset(counter, 0, sizeof(int));
  Launch(1, counter);  // loads the module

  std::optional<prof::Session> session;
  if (mode != "none") {
    prof::SessionOptions options;
    if (mode == "timeline") options.counters = prof::Counters::kNone;
    session.emplace(options);
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(Launch, launches, counter);
  for (std::thread& worker : workers) worker.join();
  const std::chrono::duration<double, std::micro> elapsed =
      std::chrono::steady_clock::now() - start;

  PrintProfThreadTimes();
  const unsigned long long made = static_cast<unsigned long long>(launches) * threads;
  int counted = 0;
  const cudaError_t error = cudaMemcpy(&counted, counter, sizeof(counted), cudaMemcpyDeviceToHost);
  std::printf("[timing] storm %s threads %d launches %llu us_per_launch %.3f\n", mode.c_str(),
              threads, made, elapsed.count() / static_cast<double>(made));
  if (error != cudaSuccess || counted != static_cast<int>(made) + 1) {
    std::printf("[failed] the GPU ran %d of %llu kernels: %s\n", counted, made + 1,
                cudaGetErrorString(error));
    return 1;
  }
  if (!session) return 0;

  const prof::Snapshot snapshot = session->Stop();
  const prof::Integrity& integrity = snapshot.integrity();
  const prof::Report report = prof::Analyze(snapshot);
  long long even = 0, odd = 0;
  for (const prof::KernelReport& kernel : report.kernels) {
    if (kernel.range == "even") even += kernel.launches;
    if (kernel.range == "odd") odd += kernel.launches;
  }
  std::printf(
      "[counts] made %llu recorded %lld launches %llu even %lld odd %lld samples %lld "
      "complete %d snapshot_bytes %zu\n",
      made, static_cast<long long>(report.totals.kernels),
      static_cast<unsigned long long>(integrity.launches), even, odd,
      static_cast<long long>(report.totals.samples), integrity.complete() ? 1 : 0,
      snapshot.bytes().size());
  for (const std::string& loss : report.integrity) std::printf("[loss] %s\n", loss.c_str());
  const bool all =
      report.totals.kernels == static_cast<long long>(made) && even + odd == report.totals.kernels;
  return all || !integrity.complete() ? 0 : 1;
}
