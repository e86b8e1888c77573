// SPDX-License-Identifier: Apache-2.0
//
// A program that does nothing but launch small kernels, each in an NVTX range of its own: what the
// sizes and speeds of snapshots are measured with. Times jitter as they do on an H200: the host's
// by tens to hundreds of nanoseconds, the device's in steps of 32 ns.
#ifndef PROF_TEST_SUPPORT_LAUNCH_STORM_H_
#define PROF_TEST_SUPPORT_LAUNCH_STORM_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lib/capture/wire/encoder.h"

namespace prof::test {

class LaunchStorm {
 public:
  static constexpr int64_t kStartNs = 1'700'000'000'000'000'000;
  static constexpr uint32_t kTid = 4242;

  // Adds the header and the paths of `kernels` ranges, which are launched in turns.
  LaunchStorm(capture::Encoder* encoder, uint32_t kernels) : encoder_(encoder), kernels_(kernels) {
    capture::HeaderEvent header;
    header.start_ns = kStartNs;
    encoder->Add(header);
    for (uint32_t i = 1; i <= kernels; ++i) {
      encoder->Add(capture::RangePathInfo{i, 0, "layer_" + std::to_string(i), "", 0, 0});
      names_.push_back("_ZN5layer6kernelILi" + std::to_string(i) + "EEEvPKfPfi");
    }
  }

  // One push, launch and pop on the host, and the kernel behind them.
  void Launch() {
    const uint32_t which = launches_++ % kernels_;
    host_ns_ += 300 + Jitter(60);
    encoder_->Add(kTid, capture::RangeEvent{host_ns_, which + 1});
    host_ns_ += 120 + Jitter(30);
    capture::ApiEvent call{"cudaLaunchKernel", kTid, launches_, 0, host_ns_, 0};
    host_ns_ += 1900 + Jitter(150);
    call.end_ns = host_ns_;
    encoder_->Add(call);
    host_ns_ += 90 + Jitter(25);
    encoder_->Add(kTid, capture::RangeEvent{host_ns_, 0});

    capture::KernelEvent kernel;
    kernel.name = names_[which];
    kernel.grid = {132 + which, 1, 1};
    kernel.block = {256, 1, 1};
    kernel.context = 1;
    kernel.stream = 7;
    kernel.correlation = launches_;
    kernel.start_ns = std::max(device_ns_ + 1056, call.end_ns + 2500) / 32 * 32 + 32 * Steps();
    device_ns_ = kernel.start_ns + 1216 + 320 * (which % 4) + 32 * Steps();
    kernel.end_ns = device_ns_;
    encoder_->Add(kernel);
  }

  int64_t host_ns() const { return host_ns_; }

 private:
  int64_t Jitter(double mean_ns) {
    return static_cast<int64_t>(std::exponential_distribution<>(1 / mean_ns)(random_));
  }
  int64_t Steps() { return std::lround(std::normal_distribution<>(0, 1)(random_)); }

  capture::Encoder* encoder_;
  uint32_t kernels_, launches_ = 0;
  std::vector<std::string> names_;
  std::mt19937 random_{1};
  int64_t host_ns_ = kStartNs, device_ns_ = kStartNs;
};

}  // namespace prof::test

#endif  // PROF_TEST_SUPPORT_LAUNCH_STORM_H_
