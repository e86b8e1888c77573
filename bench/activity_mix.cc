// SPDX-License-Identifier: Apache-2.0
#include "bench/activity_mix.h"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace prof::bench {
namespace {

using cupti::test::Zeroed;

constexpr size_t kNames = 20, kShapes = 40;
constexpr uint32_t kTid = 4242;

// As long as the mangled names of PyTorch's kernels.
const std::array<std::string, kNames>& Names() {
  static const std::array<std::string, kNames> names = [] {
    std::array<std::string, kNames> made;
    for (size_t i = 0; i < kNames; ++i) {
      made[i] = "_ZN2at6native29vectorized_elementwise_kernelILi" + std::to_string(i) +
                "ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_" + std::string(5 * i, 'x');
    }
    return made;
  }();
  return names;
}

class Mix {
 public:
  explicit Mix(uint32_t first_correlation)
      : host_ns_(1'700'000'000'000'000'000 + uint64_t{3000} * first_correlation),
        correlation_(first_correlation) {}

  cupti::test::ActivityBuffer Make(size_t launches) {
    for (size_t i = 0; i < launches; ++i) {
      ++correlation_;
      if (i % 4 == 0) Call(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 300);
      Call(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 0);
      host_ns_ += 2'000 + Jitter(300);
      Kernel(i % 97 % kShapes);
      if (i % 20 == 0) Copy();
      if (i % 50 == 0) Synchronize();
    }
    return std::move(buffer_);
  }

 private:
  uint64_t Jitter(double mean_ns) {
    return static_cast<uint64_t>(std::exponential_distribution<>(1 / mean_ns)(random_));
  }
  // A call that begins now, or `inside_ns` later and ends as much earlier.
  void Call(CUpti_ActivityKind kind, uint32_t cbid, uint64_t inside_ns) {
    auto call = Zeroed<CUpti_ActivityAPI>(kind);
    call.cbid = static_cast<CUpti_CallbackId>(cbid);
    call.processId = 1;
    call.threadId = kTid;
    call.correlationId = correlation_;
    call.start = host_ns_ + inside_ns;
    call.end = host_ns_ + 1'900 + Jitter(150) - inside_ns;
    buffer_.Add(call);
  }
  void Kernel(size_t shape) {
    auto kernel = Zeroed<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    kernel.name = Names()[shape % kNames].c_str();
    kernel.gridX = static_cast<int32_t>(132 + shape);
    kernel.gridY = kernel.gridZ = 1;
    kernel.blockX = 128;
    kernel.blockY = kernel.blockZ = 1;
    kernel.registersPerThread = 32;
    kernel.contextId = 1;
    kernel.streamId = 7 + (shape % 8 == 0 ? shape / 8 % 4 : 0);
    kernel.correlationId = correlation_;
    kernel.start = host_ns_ + 3'000 + Jitter(100);
    kernel.end = kernel.start + 1'200 + 100 * shape + Jitter(32);
    buffer_.Add(kernel);
  }
  void Copy() {
    ++correlation_;
    Call(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, 0);
    auto copy = Zeroed<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
    copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    copy.bytes = 1 << 16;
    copy.contextId = 1;
    copy.streamId = 7;
    copy.correlationId = correlation_;
    copy.start = host_ns_ + 5'000;
    copy.end = copy.start + 4'000 + Jitter(200);
    buffer_.Add(copy);
    host_ns_ += 2'500 + Jitter(300);
  }
  void Synchronize() {
    ++correlation_;
    Call(CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, 0);
    auto sync = Zeroed<CUpti_ActivitySynchronization2>(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
    sync.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    sync.contextId = 1;
    sync.streamId = 7;
    sync.correlationId = correlation_;
    sync.start = host_ns_ + 100;
    sync.end = host_ns_ + 1'800;
    buffer_.Add(sync);
    host_ns_ += 2'500 + Jitter(300);
  }

  cupti::test::ActivityBuffer buffer_;
  std::mt19937 random_{1};
  uint64_t host_ns_;
  uint32_t correlation_;
};

}  // namespace

cupti::test::ActivityBuffer ActivityMix(size_t launches, uint32_t first_correlation) {
  return Mix(first_correlation).Make(launches);
}

}  // namespace prof::bench
