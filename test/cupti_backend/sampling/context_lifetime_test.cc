// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "cupti_backend/sampling/context_slots.h"
#include "test/cupti_backend/sampling/sampler_program.h"

namespace prof::cupti::test::context_lifetime_test {
namespace {

TEST_CASE("A context that is destroyed before its counters are prepared stays closed") {
  FakeCupti cupti;
  SamplerParts parts(&cupti.api, &cupti.driver, Options());
  ContextSampler context(&parts, 0);
  REQUIRE(context.Claim(Context(1)));
  REQUIRE(context.NeedsPreparation(0));
  SECTION("after the worker has found it") {
    context.Close();
    context.Prepare();
  }
  SECTION("while its counters are planned") {
    static ContextSampler* destroyed = nullptr;
    destroyed = &context;
    cupti.api.get_context_id = [](CUcontext, uint32_t* id) {
      *id = 1;
      destroyed->Close();
      return CUPTI_SUCCESS;
    };
    context.Prepare();
  }
  CHECK(context.phase() == ContextSampler::Phase::kClosed);
  CHECK_FALSE(context.awaits_group());
}

TEST_CASE("A context that is destroyed while a change of group is asked for keeps nobody awake") {
  FakeCupti cupti;
  SamplerParts parts(&cupti.api, &cupti.driver, Options());
  ContextSampler context(&parts, 0);
  REQUIRE(context.Claim(Context(1)));
  context.Prepare();
  REQUIRE(context.awaits_group());
  context.Close();
  context.RequestGroup(1);  // of a launch that saw it open
  CHECK_FALSE(context.awaits_group());
  CHECK(context.retry_ns() == std::numeric_limits<int64_t>::max());
  CHECK_FALSE(context.Claim(Context(1)));  // the next context at this address has another slot
}

TEST_CASE("Threads that come with a new context at one time find one slot") {
  FakeCupti cupti;
  SamplerParts parts(&cupti.api, &cupti.driver, Options());
  for (int round = 0; round < 300; ++round) {
    ContextSlots contexts(&parts);
    constexpr int kThreads = 3;
    std::array<ContextSampler*, kThreads> found{};
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        while (ready != kThreads) std::this_thread::yield();
        found[i] = contexts.Find(Context(1));
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(found[0] == &*contexts.begin());
    CHECK(std::count(found.begin(), found.end(), found[0]) == kThreads);
    CHECK_FALSE(contexts.several());
  }
}

TEST_CASE("Two contexts of one chip share its pass groups") {
  Program program;
  program.recorded = true;
  program.sampler.launches().OnContext(Context(1));
  program.sampler.launches().OnContext(Context(2));
  REQUIRE(
      program.Eventually([&] { return program.Count("start") == 2 && program.sampler.Settled(); }));
  uint32_t launch = 0;
  REQUIRE(program.Eventually([&] {
    program.Launch(++launch, "kernel", 1);
    program.Launch(1'000'000 + launch, "kernel", 2);
    return program.Count("push") == 4;
  }));
  program.sampler.Stop();
  SamplerEvents& events = program.events;
  events.Append(program.sampler.TakeEvents());
  CHECK(events.groups.size() == 3);
  REQUIRE(events.samples.size() == 4);
  for (const capture::CounterSampleEvent& sample : events.samples) {
    CHECK(sample.group == 1);
    CHECK(sample.context == (sample.correlation > 1'000'000 ? 2 : 1));
  }
}

// Destroys the context from another thread while `function` of the profiler runs, and gives the
// driver's part its time.
FakeCupti* destroyed_in = nullptr;
CounterSampler* destroyed_of = nullptr;
std::thread destroyer;
std::atomic<bool> destroying{false};

void BeginDestroying() {
  if (destroying.exchange(true)) return;
  destroyer = std::thread([] {
    destroyed_of->launches().OnContextDestroyed(Context(1));
    destroyed_in->Log("context destroyed");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

TEST_CASE("A context is not destroyed under a call of the profiler, and is left alone afterwards") {
  Program program;
  destroyed_in = &program.cupti;
  destroyed_of = &program.sampler;
  destroying = false;
  SECTION("while its counters are planned") {
    program.cupti.api.get_context_id = [](CUcontext, uint32_t* id) {
      *id = 1;
      BeginDestroying();
      return CUPTI_SUCCESS;
    };
  }
  SECTION("while the profiler is enabled for the first time") {
    static decltype(program.cupti.api.range_get_counter_data_size) ask = nullptr;
    ask = program.cupti.api.range_get_counter_data_size;
    program.cupti.api.range_get_counter_data_size =
        [](CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
          BeginDestroying();
          return ask(p);
        };
  }
  SECTION("while a group is configured") {
    static decltype(program.cupti.api.range_set_config) configure = nullptr;
    configure = program.cupti.api.range_set_config;
    program.cupti.api.range_set_config = [](CUpti_RangeProfiler_SetConfig_Params* p) {
      BeginDestroying();
      return configure(p);
    };
  }
  program.sampler.launches().OnContext(Context(1));
  REQUIRE(program.Eventually([&] { return program.Count("context destroyed") > 0; }));
  destroyer.join();
  for (uint32_t i = 1; i <= 10; ++i) program.Launch(i, "kernel", 2);
  program.sampler.Stop();
  const Strings log = program.cupti.log();
  const auto destroyed = std::find(log.begin(), log.end(), "context destroyed");
  // Context 2 has a profiler of its own; nothing of the first one is stopped or disabled.
  const long disabled = std::count(destroyed, log.end(), "disable");
  const long enabled = std::count(destroyed, log.end(), "enable");
  CHECK(disabled <= enabled);
}

TEST_CASE("A context that comes back at its address has samples of its own") {
  Program program;
  program.recorded = true;
  program.AwaitFirstGroup();
  REQUIRE(program.LaunchUntil([&] { return program.Count("push") == 2; }));
  program.sampler.launches().OnContextDestroyed(Context(1));
  program.sampler.launches().OnContext(Context(1));
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  program.events.Append(program.sampler.TakeEvents());
  CHECK(program.events.samples.size() == 9);  // the samples of the first one were lost
}

TEST_CASE("The samples of a context that goes away are counted as failed") {
  Program program;
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 3; ++i) program.Launch(i);
  program.sampler.launches().OnContextDestroyed(Context(1));
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.empty());
  CHECK(program.SamplesFailed() == 2);
  CHECK(program.Count("disable") == 0);  // there is nothing left to touch
}

}  // namespace
}  // namespace prof::cupti::test::context_lifetime_test
