// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <thread>

#include "lib/capture/threads/thread_recorder.h"
#include "test/cupti_backend/sampling/sampler_program.h"

namespace prof::cupti::test::counted_ranges_test {
namespace {

// What NVTX does with ranges of two domains that are not nested.
SessionOptions Counted() {
  SessionOptions options = TwoStreams::Many();
  options.counted_ranges = "step";
  options.skip_first_launches = 0;
  return options;
}

struct Ranges : Program {
  Ranges() : Program(Counted()) {
    static LaunchSampler* sampling = nullptr;
    sampling = &sampler.launches();
    capture::SetRangeListener([](uint32_t path, uint32_t token, bool entered) {
      if (entered) {
        sampling->OnRangeEnter(path, token);
      } else {
        sampling->OnRangeExit(token);
      }
    });
    AwaitFirstGroup();
    // The first instance of each range shows what is launched in it.
    for (const bool nested : {false, true}) {
      if (nested) capture::PushRange({"outer", "A"});
      capture::PushRange({"step", nested ? "B" : ""});
      capture::PopRange(nested ? "B" : "");
      if (nested) capture::PopRange("A");
    }
    REQUIRE(Count("push") == 0);
  }
  ~Ranges() { capture::SetRangeListener(nullptr); }
};

TEST_CASE("A counted range is closed when a range around it ended first") {
  Ranges program;
  for (int i = 1; i <= 2; ++i) {
    capture::PushRange({"outer", "A"});
    capture::PushRange({"step", "B"});
    CHECK(program.Count("push") == i);
    capture::PopRange("A");
    capture::PopRange("B");
    CHECK(program.Count("pop") == i);
  }
}

TEST_CASE("A range in which a waiting kernel was launched is not counted any more") {
  Ranges program;
  const auto is_counted = [&](const char* kernel) {
    const long before = program.Count("push");
    capture::PushRange({"step", ""});
    const bool counted = program.Count("push") > before;
    cupti::Launch launch;
    launch.context = Context(1);
    launch.path = capture::CurrentPath();
    launch.kernel_name = kernel;
    launch.signature.function = kernel;
    launch.correlation = ++program.launches;
    program.sampler.launches().OnLaunchEnter(launch);
    program.sampler.launches().OnLaunchExit();
    capture::PopRange("");
    return counted;
  };
  CHECK(is_counted("gemm"));
  CHECK(is_counted("ncclDevKernel_AllReduce"));
  CHECK_FALSE(is_counted("gemm"));
}

TEST_CASE("A thread that ends inside a counted range closes it") {
  Ranges program;
  std::thread([] { capture::PushRange({"step", ""}); }).join();
  CHECK(program.Count("push") == 1);
  CHECK(program.Count("pop") == 1);
  CHECK(program.sampler.Undisturbed([] {}));
}

TEST_CASE("A counted range that is open at the end is closed there, and its sample is none") {
  Ranges program;
  capture::PushRange({"step", ""});
  program.sampler.Stop();
  CHECK(program.Count("pop") == 1);
  CHECK(program.cupti.log().back() == "disable");
  capture::PopRange("");
  CHECK(program.Count("pop") == 1);
  CHECK(program.sampler.TakeEvents().samples.empty());
  CHECK(program.SamplesFailed() == 1);
}

TEST_CASE("While paused nothing is sampled and the hardware is let go, then sampling goes on") {
  Program program(TwoStreams::Many());
  program.AwaitFirstGroup();
  program.recorded = true;
  REQUIRE(program.LaunchUntil([&] { return program.Count("push") > 0; }));
  REQUIRE(program.sampler.Pause());
  const long before = program.Count("push");
  CHECK(program.Eventually([&] { return program.Count("disable") == 1; }));
  for (int i = 0; i < 50; ++i) program.Launch(++program.launches);
  CHECK(program.Count("push") == before);
  CHECK(program.Count("disable") == 1);
  program.sampler.Resume();
  CHECK(program.LaunchUntil([&] { return program.Count("push") > before; }));
}

TEST_CASE("A counted range that is open when the recording is paused is closed there, once") {
  Ranges program;
  capture::PushRange({"step", ""});
  CHECK(program.Count("push") == 1);
  CHECK(program.sampler.Pause());
  CHECK(program.Count("pop") == 1);
  CHECK(program.sampler.TakeEvents().samples.empty());
  program.sampler.Resume();
  capture::PopRange("");  // its owner finds it closed
  CHECK(program.Count("pop") == 1);
  CHECK(program.sampler.Undisturbed([] {}));
}

}  // namespace
}  // namespace prof::cupti::test::counted_ranges_test
