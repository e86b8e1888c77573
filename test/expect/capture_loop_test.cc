// SPDX-License-Identifier: Apache-2.0
//
// How often prof::Capture runs its function. Session is defined here, so that the test decides when
// counters are complete.
#include <cmath>
#include <stdexcept>
#include <utility>

#include "prof/capture.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof {
namespace {

struct FakeGpu {
  State counters = State::kWorking;
  int complete_after = 0;  // synchronizations
  int synchronizations = 0;
  int sessions_open = 0;
  double budget_percent = 0;
};
FakeGpu gpu;

// Resets the GPU and counts its own calls.
struct Work {
  explicit Work(FakeGpu state) { gpu = state; }
  int runs = 0;
  std::function<void()> function() {
    return [this] { ++runs; };
  }
};

}  // namespace

struct Session::Impl {};
// NOLINTNEXTLINE(performance-unnecessary-value-param): the signature is Session's
Session::Session(SessionOptions options) noexcept {
  ++gpu.sessions_open;
  gpu.budget_percent = options.counter_budget_percent;
}
Session::~Session() { --gpu.sessions_open; }
Status Session::status() const noexcept {
  Status status;
  status.counters.state = gpu.counters;
  return status;
}
bool Session::counters_complete() const noexcept {
  return gpu.synchronizations >= gpu.complete_after;
}
bool Session::counters_pending() const noexcept {
  const bool can_come = gpu.counters == State::kWorking || gpu.counters == State::kDegraded;
  return can_come && !counters_complete();
}
bool Session::Synchronize() noexcept {
  ++gpu.synchronizations;
  return true;
}
Snapshot Session::Stop() noexcept {
  test::SnapshotBuilder recorded;
  recorded.process.command = "recorded";
  return recorded.Snapshot();
}

namespace {

CaptureOptions Limits(int min_runs, int max_runs, int timing_runs) {
  CaptureOptions options;
  options.min_runs = min_runs;
  options.max_runs = max_runs;
  options.timing_runs = timing_runs;
  return options;
}

TEST_CASE("Capture goes on until the counters are complete, then times clean runs") {
  FakeGpu state;
  state.complete_after = 37;
  Work work(state);
  const Report report = Capture(work.function(), Limits(10, 1000, 5));
  CHECK(work.runs == 37 + 5);
  CHECK(report.command == "recorded");
  CHECK(gpu.sessions_open == 0);
}

TEST_CASE("Capture makes its least number of runs when counters are complete at once") {
  Work work(FakeGpu{});
  Capture(work.function(), Limits(10, 1000, 0));
  CHECK(work.runs == 10);
}

TEST_CASE("Capture waits for the GPU after each run, and once after the timing runs") {
  Work work(FakeGpu{});
  Capture(work.function(), Limits(10, 1000, 5));
  CHECK(gpu.synchronizations == 10 + 1);
}

TEST_CASE("Capture gives up at its greatest number of runs") {
  FakeGpu state;
  state.complete_after = 1000000;
  Work work(state);
  Capture(work.function(), Limits(10, 20, 0));
  CHECK(work.runs == 20);
}

TEST_CASE("Capture gives up after its time, but runs once") {
  FakeGpu state;
  state.complete_after = 1000000;
  Work work(state);
  CaptureOptions options = Limits(10, 1000, 0);
  options.max_seconds = 0;
  Capture(work.function(), options);
  CHECK(work.runs == 1);
}

TEST_CASE("Capture does not wait for counters that cannot come") {
  for (const State unavailable : {State::kUnavailable, State::kOff}) {
    FakeGpu state;
    state.complete_after = 1000000;
    state.counters = unavailable;
    Work work(state);
    Capture(work.function(), Limits(10, 1000, 0));
    CHECK(work.runs == 10);
  }
}

TEST_CASE("Options of a capture that are out of range are reported with name and range") {
  Work work(FakeGpu{});
  CaptureOptions options = Limits(-1, 0, -5);
  options.max_seconds = std::nan("");
  const Report report = Capture(work.function(), options);
  CHECK(work.runs == 1);
  REQUIRE(report.notices.size() == 4);
  for (const NoticeReport& notice : report.notices) {
    CHECK(notice.severity == "warning");
    CHECK(notice.subsystem == "options");
  }
  CHECK(report.notices[0].what == "min_runs = -1 is not from 0 to 1000000000; 0 is used");
  CHECK(report.notices[1].what == "max_runs = 0 is not from 1 to 1000000000; 1 is used");
  CHECK(report.notices[2].what.find("max_seconds = nan is not from 0") == 0);
  CHECK(report.notices[3].what.find("timing_runs = -5 is not from 0") == 0);
}

TEST_CASE("An exception of the function is passed on after the recording has ended") {
  Work work(FakeGpu{});
  CHECK_THROWS_AS(Capture([] { throw std::runtime_error("mine"); }), std::runtime_error);
  CHECK(gpu.sessions_open == 0);
}

TEST_CASE("No function to run is an error in the report, not an exception") {
  CHECK_FALSE(Capture(nullptr).error.empty());
}

TEST_CASE("A capture lifts the counter budget unless the options set it") {
  Work work(FakeGpu{});
  Capture(work.function(), Limits(1, 1, 0));
  CHECK(gpu.budget_percent == 100);
  CaptureOptions options = Limits(1, 1, 0);
  options.session = SessionOptions{};
  Capture(work.function(), options);
  CHECK(gpu.budget_percent == SessionOptions{}.counter_budget_percent);
}

}  // namespace
}  // namespace prof
