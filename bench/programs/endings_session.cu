// SPDX-License-Identifier: Apache-2.0
//
// This program ends sessions of its own in ways that are hard on prof.
//
//   endings_session counted-range       Stop() inside an open counted range; later sessions count
//                                       right
//   endings_session dump FILE           Dump() while a wait for the GPU hangs
//
// Each check that fails is a line "[wrong] ..."; the exit code is 1 then. It prints "[ending]
// kernels N" and "[session] recorded N": of the last session.
#include <cuda_runtime.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cuda_check.h"
#include "prof/analyzer.h"
#include "prof/range.h"
#include "prof/session.h"

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kElements = 1 << 26;
constexpr double kReadBytes = 2.0 * sizeof(float) * kElements;  // of one launch
constexpr int kPerRange = 2;
constexpr const char* kRead = "dram__bytes_read.sum";

bool all_right = true;

void Check(bool right, const std::string& what) {
  if (right) return;
  all_right = false;
  std::printf("[wrong] %s\n", what.c_str());
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void counted(int* done) { atomicAdd(done, 1); }

// Until the host has set the flag.
__global__ void held(const volatile int* flag) {
  while (*flag == 0) {
  }
}

class Vectors {
 public:
  Vectors() {
    for (float** vector : {&x_, &y_}) {
      CUDA_CHECK(cudaMalloc(vector, kElements * sizeof(float)));
      CUDA_CHECK(cudaMemset(*vector, 0, kElements * sizeof(float)));
    }
  }
  void Saxpy() {
    saxpy<<<kElements / 256, 256>>>(kElements, 2.0f, x_, y_);
    CUDA_CHECK(cudaGetLastError());
    ++launched_;
  }
  void SaxpyInRange() {
    PROF_RANGE("counted");
    for (int i = 0; i < kPerRange; ++i) Saxpy();
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  int TakeLaunched() { return std::exchange(launched_, 0); }

 private:
  float *x_ = nullptr, *y_ = nullptr;
  int launched_ = 0;
};

prof::SessionOptions Counting(const std::string& ranges) {
  prof::SessionOptions options;
  options.counters = prof::Counters::kPulse;
  options.counted_ranges = ranges;
  options.counter_budget_percent = 100;
  options.counter_budget_seconds = 60;
  return options;
}

void CheckBytes(const prof::Measured& measured, double bytes, const std::string& what) {
  const std::optional<double> read = measured.Metric(kRead);
  Check(measured.samples_used > 0 && read.has_value(), what + ": no counters");
  if (!read) return;
  std::printf("[counted] %s: %.4f of the bytes, %lld samples\n", what.c_str(), *read / bytes,
              static_cast<long long>(measured.samples_used));
  Check(std::abs(*read / bytes - 1) < 0.05, what + ": other bytes");
}

// The counters of the kernel, by the launch.
void CountKernels(Vectors* vectors) {
  prof::Session session(Counting(""));
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < 100 || (session.counters_pending() && SecondsSince(start) < 5); ++i) {
    vectors->Saxpy();
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  const prof::Report report = prof::Analyze(session.Stop());
  CheckBytes(report.kernel("saxpy"), kReadBytes, "the kernel in a session after it");
}

// The same of a range that is closed in order.
void CountRanges(Vectors* vectors) {
  vectors->TakeLaunched();
  prof::Session session(Counting("^counted$"));
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < 100 || (session.counters_pending() && SecondsSince(start) < 5); ++i) {
    vectors->SaxpyInRange();
  }
  const prof::Snapshot snapshot = session.Stop();
  const prof::Report report = prof::Analyze(snapshot);
  bool found = false;
  for (const prof::RegionReport& region : report.regions) {
    if (region.kind != prof::RegionReport::Kind::kRange) continue;
    found = true;
    CheckBytes(region, kPerRange * kReadBytes, "the range in a session after it");
  }
  Check(found, "no counted range in a session after it");
  std::printf("[ending] kernels %d\n[session] recorded %lld\n", vectors->TakeLaunched(),
              static_cast<long long>(report.totals.kernels));
}

void CountedRange(const std::string&) {
  Vectors vectors;
  {
    prof::Session session(Counting("^counted$"));
    const Clock::time_point ready = Clock::now();
    while (SecondsSince(ready) < 1) vectors.SaxpyInRange();
    prof::PushRange("counted");
    for (int i = 0; i < kPerRange; ++i) vectors.Saxpy();
    const Clock::time_point start = Clock::now();
    const prof::Report report = prof::Analyze(session.Stop());
    Check(SecondsSince(start) < 5, "Stop() inside the range took long");
    Check(report.error.empty(), "the recording that ended inside the range: " + report.error);
    vectors.Saxpy();
    prof::PopRange();
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  CountKernels(&vectors);
  CountRanges(&vectors);
}

int64_t Launches(const prof::Report& report, const std::string& kernel) {
  int64_t launches = 0;
  for (const prof::KernelReport& found : report.kernels) {
    if (found.name == kernel) launches += found.launches;
  }
  return launches;
}

// The wait of a session gives up after 10 s; what it has begun still waits for the GPU then.
void Dump(const std::string& path) {
  constexpr int kLaunches = 2000;
  int *flag = nullptr, *on_device = nullptr, *done = nullptr;
  CUDA_CHECK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  CUDA_CHECK(cudaHostGetDevicePointer(&on_device, flag, 0));
  CUDA_CHECK(cudaMalloc(&done, sizeof(int)));
  *flag = 1;
  held<<<1, 1>>>(on_device);  // it is loaded, and ends at once
  CUDA_CHECK(cudaDeviceSynchronize());
  prof::SessionOptions options;
  options.keep_last_seconds = 60;
  prof::Session session(options);
  for (int i = 0; i < kLaunches; ++i) counted<<<1, 1>>>(done);
  CUDA_CHECK(cudaDeviceSynchronize());
  std::this_thread::sleep_for(milliseconds(700));
  *flag = 0;
  held<<<1, 1>>>(on_device);
  CUDA_CHECK(cudaGetLastError());
  Check(!session.Synchronize(), "a wait for a kernel without end is said to be over");
  const Clock::time_point start = Clock::now();
  Check(session.Dump(path), "Dump() failed");
  Check(SecondsSince(start) < 5, "Dump() took long");
  *static_cast<volatile int*>(flag) = 1;
  CUDA_CHECK(cudaDeviceSynchronize());
  Check(session.Synchronize(), "a wait after it failed");
  const prof::Report whole = prof::Analyze(session.Stop());
  const prof::Report dumped = prof::Analyze(prof::Snapshot::FromFile(path));
  Check(dumped.error.empty(), "the dump: " + dumped.error);
  Check(Launches(dumped, "counted") == kLaunches,
        "the dump has " + std::to_string(Launches(dumped, "counted")) + " kernels");
  std::printf("[ending] kernels %d\n[session] recorded %lld\n", kLaunches,
              static_cast<long long>(Launches(whole, "counted")));
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void(const std::string&)>> kinds = {
      {"counted-range", CountedRange}, {"dump", Dump}};
  const auto found = kinds.find(argc > 1 ? argv[1] : "");
  if (found == kinds.end() || (found->first == "dump") != (argc == 3)) {
    std::fprintf(stderr, "usage: endings_session counted-range | dump FILE\n");
    return 2;
  }
  if (!HasDevice()) return 0;
  found->second(argc == 3 ? argv[2] : "");
  return all_right ? 0 : 1;
}
