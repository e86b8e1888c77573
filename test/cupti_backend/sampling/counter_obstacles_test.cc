// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <string>
#include <thread>

#include "lib/capture/threads/thread_recorder.h"
#include "test/cupti_backend/sampling/sampler_program.h"

namespace prof::cupti::test::counter_obstacles_test {
namespace {

void CheckUnavailable(Program& program, const char* what, int code) {
  REQUIRE(
      program.Eventually([&] { return program.sampler.status().state == State::kUnavailable; }));
  const SubsystemStatus status = program.sampler.status();
  CHECK(status.what.find(what) != std::string::npos);
  CHECK(status.code == code);
  CHECK_FALSE(status.fix.empty());
  const long pushes = program.Count("push");
  for (uint32_t i = 1; i <= 50; ++i) program.Launch(i);
  CHECK(program.Count("push") == pushes);
  CHECK(program.sampler.Complete());  // nothing more will come
}

TEST_CASE("Without the right to count the status has the way to get it, and nothing is pushed") {
  Program program;
  program.cupti.Fail("range_enable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "administrators", 35);
  CHECK(program.sampler.status().fix.find("CAP_SYS_ADMIN") != std::string::npos);
}

TEST_CASE("Each refusal of CUPTI's is a status with its code, and nothing is pushed") {
  const std::pair<CUptiResult, const char*> refusals[] = {
      {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "virtual GPU"},
      {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "hypervisor"},
      {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, "confidential computing"},
      {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "mining card"},
      {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "MIG"},
      {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "SLI"},
      {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, "WSL"},
      {CUPTI_ERROR_INVALID_CHIP_NAME, "does not know this GPU"},
      {CUPTI_ERROR_NOT_SUPPORTED, "could not"}};
  for (const auto& [code, word] : refusals) {
    for (const char* place : {"profiler_initialize", "range_enable"}) {
      INFO(place << " " << code);
      Program program;
      program.cupti.Fail(place, code);
      program.sampler.launches().OnContext(Context(1));
      CheckUnavailable(program, word, code);
      const std::string what = program.sampler.status().what;
      CHECK(what.find("(" + std::to_string(code) + ")") != std::string::npos);
    }
  }
}

TEST_CASE("An exception in the sampler's thread ends sampling, and holds no launch up") {
  for (const bool prepared : {false, true}) {
    INFO(prepared);
    Program program;
    if (prepared) {
      program.cupti.api.range_start = [](CUpti_RangeProfiler_Start_Params*) -> CUptiResult {
        throw std::bad_alloc();
      };
    } else {
      program.cupti.api.profiler_initialize = [](CUpti_Profiler_Initialize_Params*) -> CUptiResult {
        throw std::bad_alloc();
      };
    }
    program.sampler.launches().OnContext(Context(1));
    REQUIRE(program.Eventually([&] { return program.sampler.status().state == State::kDegraded; }));
    CHECK(program.sampler.status().what.find("sampling ended: ") == 0);
    const auto start = std::chrono::steady_clock::now();
    for (uint32_t i = 1; i <= 5; ++i) program.Launch(i);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
    program.sampler.Stop();
    CHECK(program.sampler.status().what.find("sampling ended: ") == 0);
    CHECK(program.Count("push") == 0);
  }
}

// Wherever CUPTI notices it, and however often.
TEST_CASE("Counters that another program holds are taken as soon as they are free") {
  for (const char* place : {"profiler_initialize", "range_enable"}) {
    INFO(place);
    Program program;
    program.cupti.Fail(place, CUPTI_ERROR_HARDWARE_BUSY);
    program.sampler.launches().OnContext(Context(1));
    CheckUnavailable(program, "another program", 26);
    CHECK(program.sampler.status().fix.find("when they are free") != std::string::npos);
    program.cupti.Fail(place, CUPTI_SUCCESS);
    REQUIRE(program.Eventually([&] { return program.sampler.status().state == State::kWorking; }));
    CHECK(program.sampler.status().what.empty());
    REQUIRE(program.LaunchUntilComplete());
    program.sampler.Stop();
    const SamplerEvents events = program.sampler.TakeEvents();
    CHECK(events.samples.size() == 9);
    REQUIRE(events.notices.size() == 1);
    CHECK(events.notices[0].code == 26);
    CHECK(events.notices[0].what.find("another program had the GPU's counters for") == 0);
  }
}

TEST_CASE("Counters that another program takes in the middle of a run are waited for") {
  Program program;
  program.AwaitFirstGroup();
  REQUIRE(program.LaunchUntil([&] { return program.Count("push") == 2; }));
  program.cupti.Fail("range_start", CUPTI_ERROR_HARDWARE_BUSY);
  REQUIRE(
      program.LaunchUntil([&] { return program.sampler.status().state == State::kUnavailable; }));
  CHECK(program.Count("disable") == 1);  // nothing is held while waiting
  program.cupti.Fail("range_start", CUPTI_SUCCESS);
  REQUIRE(program.LaunchUntil([&] { return program.sampler.status().state == State::kWorking; }));
  REQUIRE(program.LaunchUntilComplete());
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.size() == 9);
}

TEST_CASE("A recording that ends while another program holds the counters does not wait for it") {
  Program program;
  program.cupti.Fail("range_enable", CUPTI_ERROR_HARDWARE_BUSY);
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "another program", 26);
  const auto begin = std::chrono::steady_clock::now();
  program.sampler.Stop();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK(program.sampler.status().code == 26);
}

TEST_CASE("A chip that CUPTI does not know is a status") {
  Program program;
  program.cupti.Fail("device_get_chip_name", CUPTI_ERROR_INVALID_DEVICE);
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "does not know this GPU", CUPTI_ERROR_INVALID_DEVICE);
}

TEST_CASE("Counters whose availability cannot be read are a status") {
  Program program;
  program.cupti.Fail("profiler_get_counter_availability", CUPTI_ERROR_UNKNOWN);
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "which counters exist", CUPTI_ERROR_UNKNOWN);
}

TEST_CASE("A context that cannot be used is a status") {
  Program program;
  program.cupti.context_is_dead = true;
  program.sampler.launches().OnContext(Context(1));
  CheckUnavailable(program, "context", CUDA_ERROR_INVALID_CONTEXT);
}

// A green context, before CUPTI 13.3.
TEST_CASE("A context that CUPTI refuses is said, and the others are sampled on") {
  Program program;
  const auto enable_only = [&](bool first) {
    static decltype(program.cupti.api.range_enable) enable = nullptr;
    static CUcontext refused = nullptr;
    if (enable == nullptr) enable = program.cupti.api.range_enable;
    refused = Context(first ? 2 : 1);
    program.cupti.api.range_enable = [](CUpti_RangeProfiler_Enable_Params* p) {
      return p->ctx == refused ? CUPTI_ERROR_NOT_SUPPORTED : enable(p);
    };
  };
  const bool first = GENERATE(true, false);
  enable_only(first);
  const auto status = [&] { return program.sampler.status(); };
  program.sampler.launches().OnContext(Context(1));
  if (!first) REQUIRE(program.Eventually([&] { return status().state == State::kUnavailable; }));
  if (first) REQUIRE(program.Eventually([&] { return program.Count("start") > 0; }));
  program.sampler.launches().OnContext(Context(2));
  REQUIRE(program.Eventually([&] { return status().state == State::kDegraded; }));
  CHECK(status().code == CUPTI_ERROR_NOT_SUPPORTED);
  CHECK(status().what.find("in one CUDA context of the program there are no counters: ") == 0);
  program.recorded = true;
  const uintptr_t counted = first ? 1 : 2;
  REQUIRE(program.Eventually([&] {
    program.Launch(++program.launches, "kernel", counted);
    return program.Count("push") > 0;
  }));
  program.sampler.Stop();
  CHECK(status().state == State::kDegraded);
}

TEST_CASE("A push that fails ends the sampling, and the samples before it are counted as failed") {
  Program program;
  program.AwaitFirstGroup();
  program.Launch(1);
  program.Launch(2);
  program.cupti.Fail("range_push", CUPTI_ERROR_INVALID_OPERATION);
  program.Launch(3);
  CheckUnavailable(program, "open a counter range", CUPTI_ERROR_INVALID_OPERATION);
  CHECK(program.SamplesFailed() == 1);
  program.sampler.Stop();
  CHECK(program.sampler.TakeEvents().samples.empty());
}

TEST_CASE("A pop that fails ends the sampling") {
  Program program;
  program.AwaitFirstGroup();
  program.cupti.Fail("range_pop", CUPTI_ERROR_INVALID_OPERATION);
  program.Launch(1);
  program.Launch(2);
  CheckUnavailable(program, "close a counter range", CUPTI_ERROR_INVALID_OPERATION);
}

TEST_CASE("An exception while a range is opened or a group changes leaves the gate open") {
  TwoStreams program;
  static std::atomic<bool> throws{false};
  throws = true;
  static decltype(program.cupti.api.range_push) push = nullptr;
  push = program.cupti.api.range_push;
  program.cupti.api.range_push = [](CUpti_RangeProfiler_PushRange_Params* p) {
    if (throws) throw std::bad_alloc();
    return push(p);
  };
  const auto begin = std::chrono::steady_clock::now();
  CHECK_FALSE(program.Samples());
  std::thread([&] { program.Launch(++program.launches); }).join();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(2));
  throws = false;
  CHECK(program.Samples());
}

}  // namespace
}  // namespace prof::cupti::test::counter_obstacles_test
