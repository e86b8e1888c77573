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
      host_ns_ += 2'000 + Jitter(300);
      Kernel(i % 97 % kShapes);
      if (i % 20 == 0) Copy();
    }
    return std::move(buffer_);
  }

 private:
  uint64_t Jitter(double mean_ns) {
    return static_cast<uint64_t>(std::exponential_distribution<>(1 / mean_ns)(random_));
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
