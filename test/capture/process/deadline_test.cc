// SPDX-License-Identifier: Apache-2.0
//
// Tests of a GPU that never goes idle, and of a CUPTI that never answers again. They run in a
// program of their own, because threads that hang stay behind.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/capture/capture.h"
#include "lib/snapshot/read/reader.h"
#include "test/capture/collector/fake_source.h"
#include "test/capture/wire/events.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::capture::test::deadline_test {
namespace {

using std::chrono::milliseconds;

TEST_CASE(
    "When CUPTI hangs, Stop keeps its deadline, and what was written stays readable and has the "
    "reason for missing counters") {
  static FakeGpu& gpu = *new FakeGpu;  // outlives the thread that hangs in it, and main
  gpu.counters = {State::kUnavailable, 35, "not permitted", "ask the administrator"};
  static prof::test::TempFolder folder;
  SessionOptions options;
  options.output = folder / "a.prof";
  SubsystemStatus why;
  std::unique_ptr<Capture> capture = Capture::Start(options, false, {}, &why);
  REQUIRE(capture != nullptr);
  gpu.Emit([](Encoder& encoder) {
    encoder.Add(AKernel());
    encoder.WriteBlock({});
  });
  REQUIRE(capture->Synchronize(milliseconds(10'000)));
  while (prof::test::ReadFile(options.output).empty()) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  gpu.HangAtStop();

  const auto start = std::chrono::steady_clock::now();
  const Snapshot snapshot = capture->Stop(milliseconds(100));
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(took >= milliseconds(100));
  CHECK(took < milliseconds(5000));
  CHECK(snapshot.integrity().incomplete);
  const absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  REQUIRE(model.ok());
  CHECK(model->ops.size() == 1);
  CHECK(model->integrity.incomplete);
  CHECK_FALSE(model->stopped_in_order);
  REQUIRE(model->notices.size() == 1);
  CHECK(model->notices[0].what == "not permitted");
  CHECK(model->notices[0].fix == "ask the administrator");

  // Every member still answers.
  CHECK(capture->status().timeline.state == State::kUnavailable);
  CHECK_FALSE(capture->status().timeline.what.empty());
  CHECK(capture->status().counters.state == State::kUnavailable);
  CHECK(capture->status().counters.code == 35);
  CHECK(capture->status().counters.what == "not permitted");
  CHECK_FALSE(capture->counters_pending());  // there is nothing to wait for
  CHECK_FALSE(capture->counters_complete());
  CHECK_FALSE(capture->Synchronize(milliseconds(10)));
  CHECK(capture->Stop(milliseconds(10)).path() == snapshot.path());
  capture.reset();

  // The thread that hangs still owns the rings and CUPTI: nobody else may use them.
  CHECK(Capture::Start({}, false, {}, &why) == nullptr);
  CHECK(why.state == State::kUnavailable);
  CHECK_FALSE(why.what.empty());

  // When the GPU answers after all, the thread ends by itself and harms nothing.
  gpu.Resume();
  const auto until = std::chrono::steady_clock::now() + milliseconds(10'000);
  while (gpu.calls().back() != "encode" && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  CHECK(gpu.calls().back() == "encode");
  std::this_thread::sleep_for(milliseconds(50));
}

TEST_CASE("When CUPTI hangs at the end, what came after the last block is in the file too") {
  static FakeGpu& gpu = *new FakeGpu;  // the thread hangs in it to the end
  static prof::test::TempFolder folder;
  static std::atomic<bool> encoded{false};
  SessionOptions options;
  options.output = folder / "a.prof";
  SubsystemStatus why;
  const std::unique_ptr<Capture> capture = Capture::Start(options, false, {}, &why);
  REQUIRE(capture != nullptr);
  gpu.Emit([](Encoder& encoder) {
    encoder.Add(AKernel());
    encoder.WriteBlock({});
    encoder.Add(AKernel());
    encoded = true;
  });
  while (!encoded) std::this_thread::sleep_for(milliseconds(1));
  gpu.HangAtStop();
  CHECK(capture->Stop(milliseconds(1000)).integrity().incomplete);
  const absl::StatusOr<model::Model> model = ReadSnapshotFile(options.output);
  REQUIRE(model.ok());
  CHECK(model->ops.size() == 2);
}

TEST_CASE("When CUPTI hangs at the end, what was kept is in the file nevertheless") {
  static FakeGpu& gpu = *new FakeGpu;  // the thread hangs in it to the end
  gpu.counters = {State::kUnavailable, 35, "not permitted", "ask the administrator"};
  static prof::test::TempFolder folder;
  SessionOptions options;
  options.output = folder / "kept.prof";
  options.keep_last_seconds = 60;
  SubsystemStatus why;
  std::unique_ptr<Capture> capture = Capture::Start(options, false, {}, &why);
  REQUIRE(capture != nullptr);
  gpu.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
  REQUIRE(capture->Synchronize(milliseconds(10'000)));
  gpu.HangAtStop();
  const Snapshot snapshot = capture->Stop(milliseconds(2000));
  CHECK(snapshot.integrity().incomplete);
  const absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  REQUIRE(model.ok());
  CHECK(model->ops.size() == 1);
  CHECK_FALSE(model->stopped_in_order);
  REQUIRE(model->notices.size() == 1);
  CHECK(model->notices[0].what == "not permitted");
}

// --- A GPU that never goes idle: a persistent kernel ---------------------------------------------

// Never destroyed, because a wait hangs in it to the end; reachable for leak checkers.
FakeGpu& LeftGpu() {
  static auto* const left = new std::vector<FakeGpu*>;
  return *left->emplace_back(new FakeGpu);
}

struct BusyGpu {
  explicit BusyGpu(SessionOptions options = {}) {
    gpu.counters = {State::kUnavailable, 35, "not permitted", "ask the administrator"};
    SubsystemStatus why;
    capture = Capture::Start(std::move(options), false, {}, &why);
    REQUIRE(capture != nullptr);
    gpu.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
    REQUIRE(capture->Synchronize(milliseconds(10'000)));
    gpu.Hang();
  }

  FakeGpu& gpu = LeftGpu();
  std::unique_ptr<Capture> capture;
};

TEST_CASE("A GPU that never goes idle leaves a recording with trailer and reason, in time") {
  BusyGpu busy;
  const auto start = std::chrono::steady_clock::now();
  const Snapshot snapshot = busy.capture->Stop(milliseconds(1000));
  CHECK(std::chrono::steady_clock::now() - start < milliseconds(1000));
  CHECK(snapshot.integrity().incomplete);
  const absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  REQUIRE(model.ok());
  CHECK(model->stopped_in_order);
  CHECK(model->integrity.incomplete);
  CHECK(model->ops.size() == 1);
  REQUIRE(model->notices.size() == 2);
  CHECK(model->notices[0].what == "not permitted");
  CHECK(model->notices[1].what.find("the GPU did not finish its work within ") == 0);
  CHECK(busy.gpu.calls().back() == "encode");  // after the end of the source
  CHECK(busy.capture->status().timeline.state == State::kDegraded);
  CHECK(busy.capture->status().counters.what == "not permitted");
}

TEST_CASE("After a GPU that never goes idle the process records again") {
  BusyGpu busy;
  CHECK(busy.capture->Stop(milliseconds(200)).integrity().incomplete);
  busy.capture.reset();
  FakeGpu next;
  SubsystemStatus why;
  const std::unique_ptr<Capture> capture = Capture::Start({}, false, {}, &why);
  INFO(why.what);
  REQUIRE(capture != nullptr);
  next.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
  CHECK(capture->Synchronize(milliseconds(10'000)));
  const Snapshot snapshot = capture->Stop(milliseconds(10'000));
  CHECK_FALSE(snapshot.integrity().incomplete);
  CHECK(snapshot.integrity().kernels == 1);
  busy.gpu.Resume();  // the wait that was left behind ends by itself
  std::this_thread::sleep_for(milliseconds(50));
}

TEST_CASE("A dump is answered while a wait for the GPU hangs, and so are rounds") {
  static prof::test::TempFolder folder;
  SessionOptions options;
  options.keep_last_seconds = 60;
  BusyGpu busy(options);
  CHECK_FALSE(busy.capture->Synchronize(milliseconds(50)));
  busy.gpu.Emit([](Encoder& encoder) { encoder.Add(AKernel()); });
  const auto start = std::chrono::steady_clock::now();
  REQUIRE(busy.capture->Dump(folder / "dump.prof", milliseconds(10'000)));
  CHECK(std::chrono::steady_clock::now() - start < milliseconds(5'000));
  const absl::StatusOr<model::Model> model = ReadSnapshotFile(folder / "dump.prof");
  REQUIRE(model.ok());
  CHECK(model->ops.size() == 2);
  CHECK(busy.capture->Stop(milliseconds(200)).integrity().incomplete);
}

TEST_CASE("A wait that hangs does not answer a later one, which gets its own") {
  BusyGpu busy;
  CHECK_FALSE(busy.capture->Synchronize(milliseconds(50)));
  CHECK_FALSE(busy.capture->Synchronize(milliseconds(50)));
  busy.gpu.Resume();
  CHECK(busy.capture->Synchronize(milliseconds(10'000)));
  CHECK_FALSE(busy.capture->Stop(milliseconds(10'000)).integrity().incomplete);
}

}  // namespace
}  // namespace prof::capture::test::deadline_test
