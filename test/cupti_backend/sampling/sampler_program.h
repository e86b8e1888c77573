// SPDX-License-Identifier: Apache-2.0
//
// Programs that launch kernels under a sampler of counters, on a fake CUPTI.
#ifndef PROF_TEST_CUPTI_BACKEND_SAMPLING_SAMPLER_PROGRAM_H_
#define PROF_TEST_CUPTI_BACKEND_SAMPLING_SAMPLER_PROGRAM_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cupti_backend/sampling/counter_sampler.h"
#include "test/cupti_backend/fake_cupti.h"
#include "test/support/catch.h"

namespace prof::cupti::test {

using Strings = std::vector<std::string>;

inline SessionOptions Options() {
  SessionOptions options;
  options.counters = Counters::kNone;
  options.metrics = {"m0", "m1", "m2"};
  for (std::string& metric : options.metrics) metric += ".sum.per_second";  // of traced launches
  options.samples_per_signature = 3;  // two, and one more after a rest
  options.skip_first_launches = 1;
  options.counter_budget_percent = 100;
  options.counter_budget_seconds = 100;
  return options;
}

// A program that launches kernels under a sampler.
struct Program {
  explicit Program(const SessionOptions& options = Options())
      : sampler(&cupti.api, &cupti.driver, options) {}

  void Launch(uint32_t correlation, const char* name = "kernel", uintptr_t context = 1,
              uintptr_t function = 1) {
    cupti::Launch launch;
    launch.signature.function = reinterpret_cast<const void*>(function);
    launch.context = Context(context);
    launch.stream = stream;
    launch.correlation = correlation;
    launch.path = 7000 + correlation;
    launch.kernel_name = name;
    sampler.launches().OnLaunchEnter(launch);
    cupti.Log("launch " + std::to_string(correlation));
    sampler.launches().OnLaunchExit();
    if (recorded) Ran(correlation, static_cast<uint32_t>(context), 1000);
  }
  // The record of a launch comes. Each one ends before the next one starts.
  void Ran(uint32_t correlation, uint32_t context, int64_t duration_ns) {
    sampler.records().Add(0, context, 7, correlation, gpu_ns, gpu_ns + duration_ns);
    gpu_ns += duration_ns + 1000;
    events.Append(sampler.TakeEvents());  // what a collector does
  }

  // Launches until `done`, as a program's loop does; false after 10 s.
  bool LaunchUntil(const std::function<bool()>& done, const char* name = "kernel",
                   uintptr_t function = 1) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done()) {
      if (std::chrono::steady_clock::now() > until) return false;
      Launch(++launches, name, 1, function);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  bool LaunchUntilComplete() {
    return LaunchUntil([this] { return sampler.Complete(); });
  }
  // The first group is counted from now on.
  void AwaitFirstGroup() {
    sampler.launches().OnContext(Context(1));
    REQUIRE(Eventually([this] { return Count("start") > 0 && sampler.Settled(); }));
  }
  bool Eventually(const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done() && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return done();
  }
  long Count(const std::string& prefix) {
    const Strings log = cupti.log();
    return std::count_if(log.begin(), log.end(),
                         [&](const std::string& line) { return line.rfind(prefix, 0) == 0; });
  }

  uint64_t SamplesFailed() const {
    Integrity integrity;
    sampler.AddLosses(integrity);
    return integrity.samples_failed;
  }

  FakeCupti cupti;
  CounterSampler sampler;
  uint32_t launches = 0;
  CUstream stream = nullptr;  // of the next launches
  bool recorded = false;      // launches have records
  int64_t gpu_ns = 1000;
  SamplerEvents events;  // so far, if launches have records
};

// Work on other streams, as cuStreamQuery sees it.
inline std::atomic<bool> gpu_is_busy{false};

// A program of two streams, whose kernel is known to end by itself.
struct TwoStreams : Program {
  static constexpr uintptr_t kOther = 16;

  TwoStreams() : Program(Many()) {
    gpu_is_busy = false;
    cupti.driver.stream_query = [](CUstream asked) {
      return gpu_is_busy && asked != nullptr ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
    };
    AwaitFirstGroup();
    recorded = true;
    stream = reinterpret_cast<CUstream>(kOther);  // NOLINT(performance-no-int-to-ptr)
    Launch(++launches);
    stream = nullptr;
    REQUIRE(LaunchUntil([this] { return Count("push") > 0; }));
  }
  static SessionOptions Many() {
    SessionOptions options = Options();
    options.samples_per_signature = 100;
    options.metrics.resize(1);
    return options;
  }
  // Launches for a while; true: some of them were sampled.
  bool Samples() {
    const long before = Count("push");
    for (int i = 0; i < 100 && Count("push") == before; ++i) {
      Launch(++launches);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Count("push") > before;
  }
};

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_SAMPLING_SAMPLER_PROGRAM_H_
