// SPDX-License-Identifier: Apache-2.0
//
// Windows and triggers in recordings of a fake GPU.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/thread_writes.h"
#include "lib/capture/windows/window_control.h"
#include "lib/snapshot/read/reader.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::capture::test::windows_test {
namespace {

using prof::test::TempFolder;

model::Model Read(const Snapshot& snapshot) {
  absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  INFO(model.status());
  REQUIRE(model.ok());
  return *std::move(model);
}

template <typename Condition>
bool Eventually(const Condition& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

long Calls(const FakeGpu& gpu, const char* call) {
  const std::vector<std::string> calls = gpu.calls();
  return std::count(calls.begin(), calls.end(), call);
}

// The threads' ranges end after the GPU's records.
bool PausedTimes(const FakeGpu& gpu, long times) {
  return Eventually([&] { return Calls(gpu, "pause") == times && !Recording(); });
}

// The call has waited for the recording to resume. On a busy machine it gives up.
template <typename Call>
bool WaitsForResume(const FakeGpu& gpu, long times, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  if (std::chrono::steady_clock::now() - begin < kWindowWait) return Calls(gpu, "resume") == times;
  return Eventually([&] { return Calls(gpu, "resume") == times; });
}

void Range(const char* name) {
  PushRange({name, "", 0, 0});
  PopRange("");
}

bool HasRange(const model::Model& model, const std::string& path) {
  return std::any_of(model.instances.begin(), model.instances.end(), [&](const auto& instance) {
    return model.paths.at(instance.path).full == path;
  });
}

void EmitKernel(FakeGpu& gpu, uint32_t correlation) {
  gpu.EmitTo([correlation](EventSink& sink) {
    KernelEvent kernel = AKernel();
    kernel.correlation = correlation;
    sink.Add(kernel);
  });
}

TEST_CASE("A range that is a window is recorded from its first range on, and nothing around it") {
  FakeGpu gpu;
  SessionOptions options;
  options.window_ranges = "^window test$";
  Session session(options);
  REQUIRE(PausedTimes(gpu, 1));
  Range("before window");
  for (int i = 1; i <= 2; ++i) {
    CHECK(WaitsForResume(gpu, i, [] { PushRange({"window test", "", 0, 0}); }));
    Range("in window");
    PopRange("");
    REQUIRE(PausedTimes(gpu, i + 1));
    Range("after window");
  }
  EmitKernel(gpu, 1);
  const model::Model model = Read(session.Stop());
  CHECK(HasRange(model, "window test/in window"));
  CHECK_FALSE(HasRange(model, "before window"));
  CHECK_FALSE(HasRange(model, "after window"));
  CHECK(model.pauses.size() == 3);
}

TEST_CASE("The profiler's start and stop are a window") {
  FakeGpu gpu;
  SessionOptions options;
  options.profiler_api = true;
  Session session(options);
  REQUIRE(PausedTimes(gpu, 1));
  CHECK(WaitsForResume(gpu, 1, [] { WindowControl::OnProfilerApi(true); }));
  WindowControl::OnProfilerApi(false);
  REQUIRE(PausedTimes(gpu, 2));
  CHECK(Calls(gpu, "synchronize") >= 1);  // the work of the window is recorded whole
  session.Stop();
}

TEST_CASE("A window that opens while the recording pauses waits until it has paused and resumed") {
  static std::atomic<int> wakes;
  wakes = 0;
  SessionOptions options;
  options.profiler_api = true;
  WindowControl control(options, [] { ++wakes; });
  control.Open();
  REQUIRE(control.Leave(MonotonicNs()));
  std::atomic<bool> opened{false};
  std::thread program([&] {
    WindowControl::OnProfilerApi(true);
    opened = true;
  });
  CHECK(Eventually([] { return wakes == 1; }));  // it does not take the phase for recording
  control.Reached(Phase::kPaused, MonotonicNs());
  CHECK(control.Wanted(MonotonicNs()) == Phase::kRecording);
  control.Reached(Phase::kRecording, MonotonicNs());
  program.join();
  CHECK(opened);
  CHECK(control.Close());
}

TEST_CASE("A recording does not pause when a window has opened since that was wanted") {
  SessionOptions options;
  options.profiler_api = true;
  WindowControl control(options, [] {});
  control.Open();
  REQUIRE(control.Wanted(MonotonicNs()) == Phase::kPaused);
  WindowControl::OnProfilerApi(true);
  CHECK_FALSE(control.Leave(MonotonicNs()));
  CHECK(control.Close());
}

TEST_CASE("A window whose end could not wait for the GPU is noted, and no other is") {
  FakeGpu gpu;
  SessionOptions options;
  options.profiler_api = true;
  Session session(options);
  REQUIRE(PausedTimes(gpu, 1));
  for (const bool waited : {true, false}) {
    gpu.SetSynchronizes(waited);
    const long pauses = Calls(gpu, "pause"), resumes = Calls(gpu, "resume");
    CHECK(WaitsForResume(gpu, resumes + 1, [] { WindowControl::OnProfilerApi(true); }));
    WindowControl::OnProfilerApi(false);
    REQUIRE(PausedTimes(gpu, pauses + 1));
  }
  gpu.SetSynchronizes(true);
  const model::Model model = Read(session.Stop());
  REQUIRE(model.notices.size() == 1);
  CHECK(model.notices[0].what.find("the GPU was not waited for at the end of a window") == 0);
  CHECK_FALSE(model.notices[0].fix.empty());
}

TEST_CASE("A delay is a pause at the beginning, and a duration ends with one") {
  FakeGpu gpu;
  SessionOptions options;
  options.delay_seconds = 0.1;
  options.duration_seconds = 0.1;
  const int64_t begin_ns = RealtimeNs();
  Session session(options);
  REQUIRE(PausedTimes(gpu, 2));
  EmitKernel(gpu, 1);
  const model::Model model = Read(session.Stop());
  REQUIRE(model.pauses.size() == 2);
  CHECK(model.pauses[0].end_ns - begin_ns >= 100'000'000);
  CHECK(model.pauses[1].begin_ns - begin_ns >= 200'000'000);
}

TEST_CASE(
    "A recording of a part of the time pauses again and again, and launches count all the time") {
  FakeGpu gpu;
  SessionOptions options;
  options.duty_percent = 50;
  Session session(options);
  CHECK(Eventually([&] { return gpu.counts_launches.load(); }));
  REQUIRE(Eventually([&] { return Calls(gpu, "resume") >= 2; }));
  CHECK(gpu.counts_launches);
  CHECK(Calls(gpu, "synchronize") >= 1);  // the work of a window is recorded whole
  CHECK(session.Pause());
  CHECK(Eventually([&] { return !gpu.counts_launches; }));  // by hand: nothing is wanted of it
  EmitKernel(gpu, 1);
  const model::Model model = Read(session.Stop());
  CHECK(model.pauses.size() >= 2);
}

TEST_CASE("Steps that warm up are traced, and nothing of them is kept") {
  FakeGpu gpu;
  SessionOptions options;
  options.step_wait = 1;
  options.step_warmup = 1;
  options.step_active = 1;
  options.step_repeat = 1;
  Session session(options);
  REQUIRE(PausedTimes(gpu, 1));
  CHECK(WaitsForResume(gpu, 1, [&] { CHECK(session.Step()); }));
  EmitKernel(gpu, 17);
  CHECK(session.Step());
  EmitKernel(gpu, 18);
  CHECK(session.Step());
  REQUIRE(PausedTimes(gpu, 2));
  const model::Model model = Read(session.Stop());
  REQUIRE(model.ops.size() == 1);
  CHECK(model.ops[0].correlation == 18);
  CHECK(model.pauses.size() == 2);  // the warm-up is a part of the first
}

TEST_CASE("A session without options about steps counts none") {
  FakeGpu gpu;
  Session session;
  CHECK_FALSE(session.Step());
  CHECK(Calls(gpu, "pause") == 0);
}

TEST_CASE("Resuming by hand opens a recording whatever its windows say") {
  FakeGpu gpu;
  SessionOptions options;
  options.window_ranges = "never pushed";
  Session session(options);
  REQUIRE(PausedTimes(gpu, 1));
  REQUIRE(session.Resume());
  Range("by hand");
  EmitKernel(gpu, 1);
  const model::Model model = Read(session.Stop());
  CHECK(HasRange(model, "by hand"));
  CHECK(model.notices.empty());
}

TEST_CASE("A recording whose window never opened has the reason") {
  FakeGpu gpu;
  SessionOptions options;
  options.window_ranges = "never pushed";
  Session session(options);
  REQUIRE(PausedTimes(gpu, 1));
  const model::Model model = Read(session.Stop());
  REQUIRE(model.notices.size() == 1);
  CHECK(model.notices[0].what.find("whose path matches 'never pushed'") != std::string::npos);
}

TEST_CASE("A collector that is held up does not hold up the program at a window for long") {
  FakeGpu gpu;
  SessionOptions options;
  options.window_ranges = "held up";
  Session session(options);
  REQUIRE(PausedTimes(gpu, 1));
  gpu.EmitTo([](EventSink&) { std::this_thread::sleep_for(std::chrono::seconds(1)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(60));  // it is in there
  const auto begin = std::chrono::steady_clock::now();
  Range("held up");
  CHECK(std::chrono::steady_clock::now() - begin < 2 * kWindowWait);
  session.Stop();
}

TEST_CASE("A long step writes a dump, which has the reason") {
  const TempFolder folder;
  FakeGpu gpu;
  SessionOptions options;
  options.output = folder / "a.prof";
  options.keep_last_seconds = 60;
  options.dump_long_step_ms = 20;
  Session session(options);
  EmitKernel(gpu, 1);
  CHECK(session.Step());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(session.Step());
  const std::string path = folder / "a.dump1.prof";  // the first of this process
  REQUIRE(Eventually([&] {
    const absl::StatusOr<model::Model> model = ReadSnapshotFile(path);
    return model.ok() && model->stopped_in_order;
  }));
  const model::Model model = Read(Snapshot::FromFile(path));
  CHECK(model.ops.size() == 1);
  REQUIRE(model.notices.size() == 1);
  CHECK(model.notices[0].what.find("this dump was triggered: a step took ") == 0);
}

TEST_CASE("A GPU that goes idle writes a dump") {
  const TempFolder folder;
  FakeGpu gpu;
  SessionOptions options;
  options.output = folder / "a.prof";
  options.keep_last_seconds = 60;
  options.dump_idle_percent = 50;
  Session session(options);
  gpu.EmitTo([](EventSink& sink) {
    KernelEvent kernel = AKernel();  // long ago
    sink.Add(kernel);
  });
  CHECK(Eventually([&] {  // dumps are numbered in the process
    return access((folder / "a.dump1.prof").c_str(), F_OK) == 0 ||
           access((folder / "a.dump2.prof").c_str(), F_OK) == 0;
  }));
}

}  // namespace
}  // namespace prof::capture::test::windows_test
