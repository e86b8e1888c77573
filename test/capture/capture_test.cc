// SPDX-License-Identifier: Apache-2.0
//
// Tests of Capture and Collector with a fake GPU behind them.
#include "lib/capture/capture.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/process_info.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/tick_clock.h"
#include "lib/snapshot/read/reader.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/blocks.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::capture::test::capture_test {
namespace {

using prof::test::Payloads;
using prof::test::ReadFile;
using prof::test::TempFolder;
using std::chrono::milliseconds;

constexpr milliseconds kPatience(10'000);

SessionOptions Options(std::string output = "") {
  SessionOptions options;
  options.output = std::move(output);
  return options;
}

std::unique_ptr<Capture> Start(SessionOptions options = {}, bool injected = false) {
  SubsystemStatus why;
  std::unique_ptr<Capture> capture = Capture::Start(std::move(options), injected, {}, &why);
  INFO(why.what);
  REQUIRE(capture != nullptr);
  return capture;
}

model::Model Read(const Snapshot& snapshot) {
  absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  INFO(model.status());
  REQUIRE(model.ok());
  CHECK(model->truncation.empty());
  return *std::move(model);
}

void EmitKernel(FakeGpu& gpu) {
  gpu.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
}

TEST_CASE("A capture that saw nothing is a snapshot with its process, its place and its time") {
  FakeGpu gpu;
  gpu.versions = {13010, 130001, "/x/libcupti.so.13", "580.1"};
  const int64_t before_ns = RealtimeNs();
  const Snapshot snapshot = Start()->Stop(kPatience);
  CHECK(snapshot.integrity().complete());
  const model::Model model = Read(snapshot);
  CHECK(model.stopped_in_order);
  CHECK(model.process.pid == static_cast<uint32_t>(getpid()));
  CHECK(model.process.host == HostName());
  CHECK(model.process.command == CommandLine());
  CHECK(model.process.command.find("prof_capture_test") != std::string::npos);
  CHECK_FALSE(model.process.prof_version.empty());
  CHECK_FALSE(model.process.injected);
  CHECK(model.process.cupti_version == 130001);
  CHECK(model.process.nvidia_driver == "580.1");
  CHECK(model.process.start_ns >= before_ns);
  CHECK(model.end_ns >= model.process.start_ns);
  CHECK(model.end_ns <= RealtimeNs());
  CHECK(model.notices.empty());
}

TEST_CASE("GPU work, losses and the final integrity are in the snapshot") {
  FakeGpu gpu;
  gpu.losses.launches = 12;
  gpu.losses.samples_failed = 3;
  const auto capture = Start();
  EmitKernel(gpu);
  const Snapshot snapshot = capture->Stop(kPatience);
  const model::Model model = Read(snapshot);
  CHECK(model.ops.size() == 1);
  CHECK(model.integrity.kernels == 1);
  CHECK(model.integrity.launches == 12);
  CHECK(model.integrity.samples_failed == 3);
  CHECK(snapshot.integrity().launches == 12);
  CHECK(snapshot.integrity().samples_failed == 3);
}

// The samples of this thread, which calls CUDA once, while it sleeps after that. `paused`: so is
// the recording.
std::vector<model::HostSample> SamplesOf(int per_second, bool paused) {
  FakeGpu gpu;
  SessionOptions options = Options();
  options.host_samples = per_second;
  const auto capture = Start(std::move(options));
  EmitKernel(gpu);
  const int64_t now = NowTicks();
  RecordCall({now, now, 1, 1, 0, 0, 0});
  if (paused) CHECK(capture->Pause(kPatience));
  const int64_t asleep_ns = RealtimeNs();
  std::this_thread::sleep_for(milliseconds(200));
  const model::Model model = Read(capture->Stop(kPatience));
  std::vector<model::HostSample> samples;
  for (const model::HostSample& sample : model.host_samples) {
    if (model.threads.at(sample.thread).tid != CurrentThreadId()) continue;
    if (sample.time_ns >= asleep_ns) samples.push_back(sample);
  }
  return samples;
}

TEST_CASE("A recording with host samples has those of a thread that called CUDA, and no others") {
  CHECK(SamplesOf(0, false).empty());
  const int64_t begin_ns = RealtimeNs();
  const std::vector<model::HostSample> samples = SamplesOf(1000, false);
  REQUIRE_FALSE(samples.empty());
  CHECK(samples.front().time_ns >= begin_ns);
  CHECK(samples.back().time_ns <= RealtimeNs());
  CHECK(samples.front().kind == model::HostSampleKind::kNative);  // there is no Python
  CHECK(SamplesOf(1000, true).empty());
}

TEST_CASE("At the end counters stop first, then the GPU is waited for, then the source stops") {
  FakeGpu gpu;
  Start()->Stop(kPatience);
  const std::vector<std::string> calls = gpu.calls();
  const auto begin = std::find(calls.begin(), calls.end(), "stop counters");
  CHECK(std::vector<std::string>(begin, calls.end()) ==
        std::vector<std::string>{"stop counters", "synchronize", "gather", "encode", "stop",
                                 "gather", "encode"});
}

TEST_CASE("A second Stop returns the same snapshot") {
  FakeGpu gpu;
  const auto capture = Start();
  const Snapshot first = capture->Stop(kPatience);
  const Snapshot second = capture->Stop(kPatience);
  CHECK(&first.bytes() == &second.bytes());
  CHECK_FALSE(first.bytes().empty());
}

TEST_CASE("What does not work becomes a notice, what works does not") {
  FakeGpu gpu;
  gpu.timeline = {State::kUnavailable, 15, "no driver", "install one"};
  gpu.counters = {State::kDegraded, 0, "not sampled: x", "check the name"};
  const auto capture = Start();
  CHECK(capture->status().timeline.what == "no driver");
  CHECK(capture->status().counters.state == State::kDegraded);
  const model::Model model = Read(capture->Stop(kPatience));
  REQUIRE(model.notices.size() == 2);
  CHECK(model.notices[0].severity == Severity::kError);
  CHECK(model.notices[0].subsystem == Subsystem::kTimeline);
  CHECK(model.notices[0].code == 15);
  CHECK(model.notices[0].what == "no driver");
  CHECK(model.notices[0].fix == "install one");
  CHECK(model.notices[1].severity == Severity::kWarning);
  CHECK(model.notices[1].subsystem == Subsystem::kCounters);
}

TEST_CASE("Complaints about options become notices") {
  FakeGpu gpu;
  SubsystemStatus why;
  const auto capture = Capture::Start({}, false, {"PROF_SAMPLES=x is not a number"}, &why);
  REQUIRE(capture != nullptr);
  const model::Model model = Read(capture->Stop(kPatience));
  REQUIRE(model.notices.size() == 1);
  CHECK(model.notices[0].severity == Severity::kWarning);
  CHECK(model.notices[0].what == "PROF_SAMPLES=x is not a number");
  CHECK(model.notices[0].subsystem == Subsystem::kOptions);
}

TEST_CASE("Options out of range are brought into it") {
  FakeGpu gpu;
  SessionOptions wild;
  wild.samples_per_signature = 1000;
  wild.skip_first_launches = -5;
  wild.counter_budget_percent = 300;
  wild.counter_budget_seconds = -1;
  wild.buffer_mib = 0;
  wild.device_mib = 1;
  wild.launch_skip = -1;
  wild.launch_count = -1;
  wild.sample_every = 0;
  wild.continuous = true;
  wild.continuous_interval_us = 1;
  Start(wild)->Stop(kPatience);
  CHECK_FALSE(gpu.injected());
  CHECK(gpu.options().samples_per_signature == 100);
  CHECK(gpu.options().skip_first_launches == 0);
  CHECK(gpu.options().counter_budget_percent == 100);
  CHECK(gpu.options().counter_budget_seconds == 0);
  CHECK(gpu.options().buffer_mib == 1);
  CHECK(gpu.options().device_mib == 16);
  CHECK(gpu.options().launch_skip == 0);
  CHECK(gpu.options().launch_count == 0);
  CHECK(gpu.options().sample_every == 1);
  CHECK(gpu.options().continuous_interval_us == 20);
}

TEST_CASE("An expression that is none is left out, and a notice reports that") {
  FakeGpu gpu;
  SessionOptions wild;
  wild.kernel_filter = "gemm(";
  wild.range_filter = "step/.*";
  wild.counted_ranges = "[";
  const model::Model model = Read(Start(wild)->Stop(kPatience));
  CHECK(gpu.options().kernel_filter.empty());
  CHECK(gpu.options().range_filter == "step/.*");
  CHECK(gpu.options().counted_ranges.empty());
  REQUIRE(model.notices.size() == 2);
  CHECK(model.notices[0].what.find("kernel_filter = gemm( is not a regular expression") == 0);
  CHECK(model.notices[1].what.find("counted_ranges = [ is not a regular expression") == 0);
}

TEST_CASE("Synchronize returns whether the GPU has answered") {
  FakeGpu gpu;
  const auto capture = Start();
  CHECK(capture->Synchronize(kPatience));
  gpu.SetSynchronizes(false);
  CHECK_FALSE(capture->Synchronize(kPatience));
  gpu.SetSynchronizes(true);
  gpu.Hang();
  CHECK_FALSE(capture->Synchronize(milliseconds(30)));
  gpu.Resume();
  CHECK(capture->Synchronize(kPatience));
  capture->Stop(kPatience);
  CHECK_FALSE(capture->Synchronize(kPatience));
}

TEST_CASE("Where there is nothing to record, no wait for the GPU succeeds") {
  FakeGpu gpu;
  gpu.timeline = {State::kUnavailable, 15, "no driver", "install one"};
  const auto capture = Start();
  CHECK_FALSE(capture->Synchronize(kPatience));
}

TEST_CASE("Counters are complete or pending as the source has it, and neither after the end") {
  FakeGpu gpu;
  const auto capture = Start();
  CHECK(capture->counters_pending());
  CHECK_FALSE(capture->counters_complete());
  gpu.SetCounters(true, false);
  CHECK(capture->counters_complete());
  CHECK_FALSE(capture->counters_pending());
}

TEST_CASE("A pause is in the file with its times, and ranges of the pause are not") {
  FakeGpu gpu;
  const auto capture = Start();
  PushRange({"pause test outer", "", 0, 0});
  EmitKernel(gpu);
  const int64_t before_ns = RealtimeNs();
  REQUIRE(capture->Pause(kPatience));
  CHECK_FALSE(capture->Pause(kPatience));
  const int64_t paused_ns = RealtimeNs();
  PushRange({"pause test meanwhile", "", 0, 0});
  PopRange("");
  const int64_t resuming_ns = RealtimeNs();
  REQUIRE(capture->Resume(kPatience));
  CHECK_FALSE(capture->Resume(kPatience));
  PushRange({"inner", "", 0, 0});
  PopRange("");
  PopRange("");
  const std::vector<std::string> calls = gpu.calls();
  CHECK(std::count(calls.begin(), calls.end(), "pause") == 1);
  CHECK(std::count(calls.begin(), calls.end(), "resume") == 1);
  const model::Model model = Read(capture->Stop(kPatience));
  REQUIRE(model.pauses.size() == 1);
  CHECK(model.pauses[0].begin_ns >= before_ns);
  CHECK(model.pauses[0].begin_ns <= paused_ns);
  CHECK(model.pauses[0].end_ns >= resuming_ns);
  CHECK(model.profiler_intervals.empty());
  CHECK(model.integrity.counter_cost_ns == 0);
  std::vector<std::string> names;
  for (const model::RangeInstance& instance : model.instances) {
    names.push_back(model.paths.at(instance.path).full);
  }
  CHECK(std::count(names.begin(), names.end(), "pause test outer/inner") == 1);
  for (const std::string& name : names) CHECK(name.find("meanwhile") == std::string::npos);
}

TEST_CASE("A range that ended while the recording was paused is not open afterwards") {
  FakeGpu gpu;
  const auto capture = Start();
  PushRange({"pause test over", "", 0, 0});
  REQUIRE(capture->Pause(kPatience));
  PopRange("");
  REQUIRE(capture->Resume(kPatience));
  PushRange({"pause test next", "", 0, 0});
  PopRange("");
  const model::Model model = Read(capture->Stop(kPatience));
  REQUIRE(model.instances.size() == 2);
  CHECK(model.paths.at(model.instances[1].path).full == "pause test next");
  CHECK(model.instances[0].closed);
}

TEST_CASE("A recording that ends in a pause has the pause, up to its end") {
  FakeGpu gpu;
  const auto capture = Start();
  EmitKernel(gpu);
  REQUIRE(capture->Pause(kPatience));
  const model::Model model = Read(capture->Stop(kPatience));
  REQUIRE(model.pauses.size() == 1);
  CHECK(model.pauses[0].end_ns > model.pauses[0].begin_ns);
}

TEST_CASE("A program that is killed in a pause leaves a file with the pause in it") {
  const TempFolder folder;
  FakeGpu gpu;
  const auto capture = Start(Options(folder / "a.prof"));
  EmitKernel(gpu);
  REQUIRE(capture->Pause(kPatience));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  size_t pauses = 0;
  while (pauses == 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(20));
    const absl::StatusOr<model::Model> model = ReadSnapshotFile(folder / "a.prof");
    if (model.ok()) pauses = model->pauses.size();
  }
  CHECK(pauses == 1);
}

TEST_CASE("A source that cannot pause records on") {
  FakeGpu gpu;
  gpu.SetPauses(false);
  const auto capture = Start();
  CHECK_FALSE(capture->Pause(kPatience));
  CHECK_FALSE(capture->Resume(kPatience));
  PushRange({"pause test refused", "", 0, 0});
  PopRange("");
  const model::Model model = Read(capture->Stop(kPatience));
  CHECK(model.pauses.empty());
  CHECK(model.instances.size() == 1);
}

TEST_CASE("A GPU that is at work when the recording is paused is a notice") {
  FakeGpu gpu;
  const auto capture = Start();
  EmitKernel(gpu);
  gpu.SetSynchronizes(false);
  CHECK(capture->Pause(kPatience));
  gpu.SetSynchronizes(true);
  const model::Model model = Read(capture->Stop(kPatience));
  REQUIRE(model.notices.size() == 1);
  CHECK(model.notices[0].what.find("the GPU was at work when the recording was paused") == 0);
}

TEST_CASE("A GPU that fails at the end leaves an incomplete snapshot") {
  FakeGpu gpu;
  const auto capture = Start();
  gpu.SetSynchronizes(false);
  const Snapshot snapshot = capture->Stop(kPatience);
  CHECK(snapshot.integrity().incomplete);
  CHECK(Read(snapshot).integrity.incomplete);
}

TEST_CASE("There is one recording at a time, and another one after it") {
  FakeGpu gpu;
  const auto first = Start();
  SubsystemStatus why;
  CHECK(Capture::Start({}, false, {}, &why) == nullptr);
  CHECK(why.state == State::kUnavailable);
  CHECK(why.what.find("another recording") != std::string::npos);
  CHECK_FALSE(why.fix.empty());
  first->Stop(kPatience);
  Start()->Stop(kPatience);
}

TEST_CASE("A recording that could not start does not block the next one") {
  FakeGpu gpu;
  gpu.throws_at_start = true;
  SubsystemStatus why;
  CHECK_THROWS_AS(Capture::Start({}, false, {}, &why), std::bad_alloc);
  gpu.throws_at_start = false;
  Start()->Stop(kPatience);
}

TEST_CASE("Ranges are recorded with the thread that was in them") {
  FakeGpu gpu;
  const auto capture = Start();
  PushRange({"capture test outer", "", 0, 0});
  PushRange({"inner", "", 0, 0});
  PopRange("");
  PopRange("");
  const model::Model model = Read(capture->Stop(kPatience));
  REQUIRE(model.instances.size() == 2);
  const model::RangeInstance& inner = model.instances[1];
  CHECK(model.paths.at(inner.path).full == "capture test outer/inner");
  CHECK(model.threads.at(inner.thread).tid == CurrentThreadId());
  CHECK(inner.closed);
}

TEST_CASE("Marks, payloads, names and what does not pair up reach the file") {
  FakeGpu gpu;
  const auto capture = Start();
  RangeName mark{"capture test mark", "", 0, 0};
  const Payload payload = {PayloadType::kInt32, 0xfffffffe};
  mark.payloads = {&payload, 1};
  Mark(mark);
  GiveName({NameKind::kStream, 0x1234, "", "capture test stream", 5, 6});
  CHECK(PopRange("") == -1);
  CountUnreadPayload();
  const model::Model model = Read(capture->Stop(kPatience));
  REQUIRE(model.marks.size() == 1);
  CHECK(model.paths.at(model.marks[0].path).full == "capture test mark");
  REQUIRE(model.payloads.size() == 1);
  CHECK(model.payloads[0].value == -2);
  CHECK(model.payloads[0].time_ns == model.marks[0].time_ns);
  REQUIRE(!model.stream_names.empty());
  CHECK(model.stream_names.back().name == "capture test stream");
  CHECK(model.stream_names.back().stream == 6);
  CHECK(model.integrity.range_ends_unmatched == 1);
  CHECK(model.integrity.payloads_not_read == 1);
}

TEST_CASE("Ranges are left out when they were not asked for") {
  FakeGpu gpu;
  SessionOptions options;
  options.ranges = false;
  const auto capture = Start(options);
  CHECK(capture->status().ranges.state == State::kOff);
  PushRange({"unwanted", "", 0, 0});
  PopRange("");
  const model::Model model = Read(capture->Stop(kPatience));
  CHECK(model.instances.empty());
  for (const auto& steps : model.steps) CHECK(steps.empty());
}

TEST_CASE("A program that does nothing but name ranges gets blocks below the format's limit") {
  FakeGpu gpu;
  const auto capture = Start();
  const auto until = std::chrono::steady_clock::now() + milliseconds(600);
  while (std::chrono::steady_clock::now() < until) {
    for (int i = 0; i < 1000; ++i) {
      PushRange({"busy", "", 0, 0});
      PopRange("");
    }
  }
  const Snapshot snapshot = capture->Stop(kPatience);
  const std::vector<std::string> payloads = Payloads(snapshot.bytes());
  size_t steps = 0;
  for (const std::string& payload : payloads) {
    CHECK(payload.size() < format::kMaxPayload / 16);
    wire::Block block;
    REQUIRE(block.ParseFromString(payload));
    steps += static_cast<size_t>(block.ranges().time_guess_ns_size());
  }
  CHECK(steps > 100'000);
}

TEST_CASE("A file holds what happened up to a second ago, for when the program is killed") {
  FakeGpu gpu;
  const TempFolder folder;
  const auto capture = Start(Options(folder / "%p.prof"));
  const std::string path = folder / (std::to_string(getpid()) + ".prof");
  EmitKernel(gpu);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  const auto written = [&] {  // the first block is, whole
    const absl::StatusOr<model::Model> model = ReadSnapshotFile(path);
    return model.ok() && model->truncation.empty();
  };
  while (!written() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  const model::Model early = Read(Snapshot::FromFile(path));
  CHECK(early.ops.size() == 1);
  CHECK(early.process.pid == static_cast<uint32_t>(getpid()));
  CHECK_FALSE(early.stopped_in_order);
  CHECK(capture->status().output.state == State::kWorking);

  const Snapshot snapshot = capture->Stop(kPatience);
  CHECK(snapshot.path() == path);
  CHECK(Read(snapshot).stopped_in_order);
}

TEST_CASE("An injected recording makes a file only when there was GPU work") {
  const TempFolder folder;
  {
    FakeGpu gpu;
    const auto capture = Start(Options(folder / "none.prof"), /*injected=*/true);
    PushRange({"host only", "", 0, 0});
    PopRange("");
    std::this_thread::sleep_for(milliseconds(50));
    capture->Stop(kPatience);
    CHECK(access((folder / "none.prof").c_str(), F_OK) != 0);
  }
  FakeGpu gpu;
  const auto capture = Start(Options(folder / "some.prof"), /*injected=*/true);
  CHECK(gpu.injected());
  PushRange({"before the first kernel", "", 0, 0});
  PopRange("");
  std::this_thread::sleep_for(milliseconds(50));
  EmitKernel(gpu);
  const model::Model model = Read(capture->Stop(kPatience));
  CHECK(model.process.injected);
  CHECK(model.ops.size() == 1);
  REQUIRE(model.instances.size() == 1);
  CHECK(model.paths.at(model.instances[0].path).full == "before the first kernel");
}

TEST_CASE("A session without GPU work makes its file nevertheless") {
  FakeGpu gpu;
  const TempFolder folder;
  const Snapshot snapshot = Start(Options(folder / "a.prof"))->Stop(kPatience);
  CHECK(Read(snapshot).stopped_in_order);
}

TEST_CASE("An output that cannot be written is a status, and its bytes are counted") {
  FakeGpu gpu;
  const TempFolder folder;
  const std::string path = folder / "missing/a.prof";
  const auto capture = Start(Options(path));
  EmitKernel(gpu);
  const Snapshot snapshot = capture->Stop(kPatience);
  CHECK(snapshot.integrity().bytes_not_written > 0);
  CHECK_FALSE(snapshot.integrity().complete());
  const SubsystemStatus status = capture->status().output;
  CHECK(status.state == State::kUnavailable);
  CHECK(status.code == ENOENT);
  CHECK(status.what.find(path) != std::string::npos);
  CHECK_FALSE(status.fix.empty());
}

}  // namespace
}  // namespace prof::capture::test::capture_test
