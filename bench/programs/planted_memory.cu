// SPDX-License-Identifier: Apache-2.0
//
// Device memory: allocated around kernels, kept from step to step, or not to be had.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <memory>

#include "planted.h"

namespace {

Step AroundEach(Machine* m) {
  const double us = m->Draw("kernel_us", 0.1, 10);
  return [=](int64_t) {
    for (int i = 0; i < 5; ++i) {
      void* memory = nullptr;
      CUDA_CHECK(cudaMalloc(&memory, Machine::kFloats));
      m->Work(us);
      CUDA_CHECK(cudaFree(memory));
    }
  };
}

// From a pool that keeps its memory: nothing waits.
Step FromAPool(Machine* m) {
  const double us = m->Draw("kernel_us", 80, 120);
  cudaMemPool_t pool = nullptr;
  uint64_t keep = UINT64_MAX;
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  return [=](int64_t) {
    for (int i = 0; i < 5; ++i) {
      void* memory = nullptr;
      CUDA_CHECK(cudaMallocAsync(&memory, Machine::kFloats, m->streams[0]));
      m->Work(us);
      CUDA_CHECK(cudaFreeAsync(memory, m->streams[0]));
    }
  };
}

// Memory of all steps, until the last one is over.
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    for (void* block : blocks_) CUDA_CHECK(cudaFree(block));
  }
  // Bounded: a run never takes more than some 1 GB.
  void Add(size_t bytes) {
    if (blocks_.size() == 4096) return;
    CUDA_CHECK(cudaMalloc(&blocks_.emplace_back(), bytes));
  }

 private:
  std::vector<void*> blocks_;
};

Step Grows(Machine* m) {
  const auto bytes = static_cast<size_t>(m->Draw("kept_bytes", 64'000, 256'000));
  const auto kept = std::make_shared<Kept>();
  return [=](int64_t) {
    nvtxRangePushA("step");
    kept->Add(bytes);
    for (int i = 0; i < 10; ++i) m->Work(80);
    nvtxRangePop();
  };
}

// A program that asks for too much, and goes on with less.
Step TooLarge(Machine* m) {
  const double us = m->Draw("kernel_us", 80, 120);
  size_t left = 0, all = 0;
  CUDA_CHECK(cudaMemGetInfo(&left, &all));
  return [=](int64_t number) {
    for (int i = 0; i < 10; ++i) m->Work(us);
    if (number % 40 != 20) return;
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, 2 * all);
    if (error != cudaErrorMemoryAllocation) {
      std::fprintf(stderr, "cudaMalloc of too much: %s\n", cudaGetErrorString(error));
      std::exit(1);
    }
    (void)cudaGetLastError();  // it would be the error of the next launch
  };
}

}  // namespace

Timelines MemoryTimelines() {
  return {{"allocations", AroundEach},
          {"allocations-async", FromAPool},
          {"memory-growth", Grows},
          {"out-of-memory", TooLarge}};
}
