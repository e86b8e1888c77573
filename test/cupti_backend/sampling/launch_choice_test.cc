// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "test/cupti_backend/sampling/sampler_program.h"

namespace prof::cupti::test::launch_choice_test {
namespace {

TEST_CASE("A launch that is captured into a graph is not sampled") {
  Program program;
  program.AwaitFirstGroup();
  program.cupti.SetCapturing(true);
  for (uint32_t i = 1; i <= 10; ++i) program.Launch(i);
  CHECK(program.Count("push") == 0);
  program.cupti.SetCapturing(false);
  program.Launch(11);
  CHECK(program.Count("push") == 1);
}

TEST_CASE("Kernels that wait for other GPUs are never sampled") {
  Program program;
  program.AwaitFirstGroup();
  uintptr_t function = 10;
  for (const char* name : {"ncclDevKernel_AllReduce_Sum_f32", "_Z12nvshmem_wait", "mscclpp_k"}) {
    ++function;
    for (uint32_t i = 1; i <= 20; ++i) program.Launch(i, name, 1, function);
  }
  CHECK(program.Count("push") == 0);
  program.Launch(100);
  program.Launch(101);
  CHECK(program.Count("push") == 1);
}

TEST_CASE("A process with NCCL's kernels and one GPU is a rank: it takes its part of the budget") {
  Program program;
  program.cupti.driver.device_get_count = [](int* count) {
    *count = 4;
    return CUDA_SUCCESS;
  };
  program.AwaitFirstGroup();
  program.Launch(1);
  CHECK(program.sampler.budget().ranks() == 1);
  program.Launch(2, "ncclDevKernel_AllReduce_Sum_f32", 1, 12);
  const SamplerEvents events = program.sampler.TakeEvents();
  CHECK(program.sampler.budget().ranks() == 4);
  REQUIRE(events.notices.size() == 1);
  CHECK_THAT(events.notices[0].what, Catch::Matchers::Contains("taken as one of 4 processes"));
  CHECK(program.sampler.TakeEvents().notices.empty());
}

TEST_CASE(
    "A process with NCCL's kernels and two GPUs is all of the ranks: it has the whole budget") {
  static std::atomic<CUcontext> current{nullptr};
  Program program;
  program.cupti.driver.ctx_set_current = [](CUcontext context) {
    current = context;
    return CUDA_SUCCESS;
  };
  program.cupti.driver.ctx_get_device = [](CUdevice* device) {
    *device = current.load() == Context(2) ? 1 : 0;
    return CUDA_SUCCESS;
  };
  program.AwaitFirstGroup();
  current = Context(2);  // as the program's thread has it at the first call for the context
  program.Launch(1, "kernel", 2, 11);
  REQUIRE(program.Eventually([&] { return program.sampler.Settled(); }));
  program.Launch(2, "ncclDevKernel_AllReduce_Sum_f32", 1, 12);
  CHECK(program.sampler.TakeEvents().notices.empty());
  CHECK(program.sampler.budget().ranks() == 1);
}

TEST_CASE("With a filter only kernels with it in their demangled name are sampled") {
  SessionOptions options = Options();
  options.kernel_filter = "^sgemm\\(";
  Program program(options);
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 20; ++i) program.Launch(i, "saxpy", 1, 1);
  for (uint32_t i = 1; i <= 20; ++i) program.Launch(i, nullptr, 1, 2);
  CHECK(program.Count("push") == 0);
  for (uint32_t i = 1; i <= 3; ++i) program.Launch(i, "_Z5sgemmv", 1, 3);
  CHECK(program.Count("push") == 2);
}

TEST_CASE("Before and after the launches that were asked for nothing is sampled") {
  SessionOptions options = Options();
  options.skip_first_launches = 0;
  options.launch_skip = 10;
  options.launch_count = 1;
  Program program(options);
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 10; ++i) program.Launch(i);
  CHECK(program.Count("push") == 0);
  CHECK_FALSE(program.sampler.Complete());
  program.Launch(11);
  CHECK(program.Count("push") == 1);
  CHECK(program.sampler.Complete());
  for (uint32_t i = 12; i <= 20; ++i) program.Launch(i, "other", 1, 2);
  CHECK(program.Count("push") == 1);
}

TEST_CASE("What was not sampled is in the notices when the recording ends") {
  Program program;
  program.AwaitFirstGroup();
  for (uint32_t i = 1; i <= 20; ++i) program.Launch(i, "nvshmem_barrier_all");
  CHECK(program.sampler.TakeEvents().notices.empty());
  CHECK(program.sampler.Complete());
  program.sampler.Stop();
  const SamplerEvents events = program.sampler.TakeEvents();
  REQUIRE(events.notices.size() == 1);
  CHECK(events.notices[0].what.find("(20 launches): nvshmem_barrier_all") != std::string::npos);
}

TEST_CASE("A launch while other streams are at work is not sampled, and holds nothing up") {
  TwoStreams program;
  gpu_is_busy = true;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) program.Launch(++program.launches);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500));
  CHECK_FALSE(program.Samples());
  gpu_is_busy = false;
  CHECK(program.Samples());  // at once, without punishment
}

TEST_CASE("A stream that is at work is asked seldom") {
  TwoStreams program;
  static std::atomic<int> asked{0};
  asked = 0;
  program.cupti.driver.stream_query = [](CUstream stream) {
    ++asked;
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // as 100 streams
    return stream != nullptr ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  };
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100)) {
    program.Launch(++program.launches);
  }
  CHECK(asked > 0);
  CHECK(asked < 60);  // 1 % of 100 ms, with two streams each time
}

TEST_CASE("Behind work that may wait for the host there is no range until that has ended") {
  Program program(TwoStreams::Many());
  gpu_is_busy = true;
  program.cupti.driver.stream_query = [](CUstream) {
    return gpu_is_busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  };
  program.sampler.launches().OnContext(Context(1));
  REQUIRE(program.Eventually([&] { return program.Count("start") > 0; }));
  for (uint32_t i = 1; i <= 50; ++i) program.Launch(i);
  CHECK(program.Count("push") == 0);  // a kernel that no record shows to end
  SECTION("the GPU was idle") { gpu_is_busy = false; }
  SECTION("its records show that it ends by itself, and all earlier work has ended") {
    program.recorded = true;
  }
  CHECK(program.LaunchUntil([&] { return program.Count("push") > 0; }));
}

TEST_CASE("A kernel that takes as long as the host does is not sampled") {
  Program program(TwoStreams::Many());
  program.AwaitFirstGroup();
  program.Ran(900'000, 1, 1000);  // the records of this context come
  for (uint32_t i = 1; i <= 20; ++i) {
    program.Launch(i, "waits for a flag");
    program.Ran(i, 1, i % 2 == 0 ? 30'000 : 300'000);
  }
  CHECK(program.Count("push") == 0);
  for (uint32_t i = 21; i <= 24; ++i) {
    program.Launch(i, "waits for a flag");
    program.Ran(i, 1, 250'000);
  }
  CHECK(program.Count("push") > 0);  // it does not wait any more
}

}  // namespace
}  // namespace prof::cupti::test::launch_choice_test
