// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "test/cupti_backend/sampling/sampler_program.h"

namespace prof::cupti::test::sampler_threads_test {
namespace {

TEST_CASE("Nothing of the profiler is between the enter and the exit of another thread's launch") {
  TwoStreams program;
  std::atomic<bool> entered{false}, leave{false};
  std::thread other([&] {
    cupti::Launch launch;
    launch.context = Context(1);
    launch.stream = reinterpret_cast<CUstream>(TwoStreams::kOther);
    launch.correlation = 900'000;
    launch.signature.function = reinterpret_cast<const void*>(uintptr_t{2});
    launch.kernel_name = "waits for a later launch";
    program.sampler.launches().OnLaunchEnter(launch);
    entered = true;
    while (!leave) std::this_thread::yield();
    program.sampler.launches().OnLaunchExit();
  });
  while (!entered) std::this_thread::yield();
  const auto profiler_calls = [&] {
    return program.Count("push") + program.Count("config") + program.Count("stop");
  };
  const long before = profiler_calls();
  CHECK_FALSE(program.Samples());
  CHECK(profiler_calls() == before);
  leave = true;
  other.join();
  CHECK(program.Samples());
}

TEST_CASE("A launch that does not return is not paused over") {
  Program program(TwoStreams::Many());
  program.AwaitFirstGroup();
  cupti::Launch launch;
  launch.context = Context(1);
  for (launch.correlation = 1; launch.correlation <= 2; ++launch.correlation) {
    program.sampler.launches().OnLaunchEnter(launch);
    if (launch.correlation == 1) program.sampler.launches().OnLaunchExit();
  }
  REQUIRE(program.cupti.log().back() == "push 0");
  CHECK_FALSE(program.sampler.Pause());
  program.sampler.launches().OnLaunchExit();
  CHECK(program.Count("pop") == 1);  // the worker may go on at once
  CHECK(program.LaunchUntil([&] { return program.Count("push") > 1; }));
}

std::atomic<bool> gpu_hangs{false};
std::atomic<int> waits{0};

TEST_CASE("A wait for a GPU that never goes idle outlives the sampler, and begins nothing new") {
  gpu_hangs = true;
  waits = 0;
  FakeCupti cupti;
  cupti.driver.ctx_synchronize = [] {
    ++waits;
    while (gpu_hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return CUDA_SUCCESS;
  };
  SessionOptions options;
  options.counters = Counters::kNone;
  auto sampler = std::make_unique<CounterSampler>(&cupti.api, &cupti.driver, options);
  sampler->launches().OnContext(Context(1));
  sampler->launches().OnContext(Context(2));
  std::atomic<bool> given_up{false}, answer{true};
  std::thread thread(
      [&given_up, &answer, work = sampler->WaitForGpu()] { answer = work(given_up); });
  while (waits == 0) std::this_thread::yield();
  sampler->Stop();
  given_up = true;
  sampler.reset();
  gpu_hangs = false;
  thread.join();
  CHECK(waits == 1);  // the second context may be gone by now
  CHECK_FALSE(answer);
}

TEST_CASE("A launch that does not return keeps the memory that CUPTI writes to") {
  FakeCupti cupti;
  auto sampler = std::make_unique<CounterSampler>(&cupti.api, &cupti.driver, TwoStreams::Many());
  sampler->launches().OnContext(Context(1));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto started = [&] {
    const Strings log = cupti.log();
    return std::count(log.begin(), log.end(), "start") > 0 && sampler->Settled();
  };
  while (!started() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  cupti::Launch launch;
  launch.context = Context(1);
  for (launch.correlation = 1; launch.correlation <= 2; ++launch.correlation) {
    sampler->launches().OnLaunchEnter(launch);
    if (launch.correlation == 1) sampler->launches().OnLaunchExit();
  }
  REQUIRE(cupti.log().back() == "push 0");
  LaunchSampler& launches = sampler->launches();
  sampler->Stop();
  CHECK(sampler->status().state == State::kDegraded);
  sampler.reset();
  launches.OnLaunchExit();  // it is still there
  CHECK(cupti.log().back() == "pop");
}

TEST_CASE("Threads that launch while groups change never have two ranges open at once") {
  SessionOptions options = Options();
  options.samples_per_signature = 20;
  Program program(options);
  program.AwaitFirstGroup();
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&program, t] {
      for (uint32_t i = 1; i <= 300; ++i) {
        program.Launch(1000 * t + i, "kernel", 1, t + 1);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  program.sampler.Stop();
  int open = 0;
  bool started = false;
  for (const std::string& line : program.cupti.log()) {
    if (line == "start") started = true;
    if (line == "stop") started = false;
    if (line.rfind("push", 0) == 0) {
      CHECK(started);
      CHECK(++open == 1);
    }
    if (line == "pop") CHECK(--open == 0);
    if (line == "stop" || line == "config" || line == "decode") CHECK(open == 0);
  }
  CHECK(program.Count("push") > 20);
  CHECK(static_cast<long>(program.sampler.TakeEvents().samples.size()) == program.Count("push"));
}

}  // namespace
}  // namespace prof::cupti::test::sampler_threads_test
