// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/selection.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::exporting::selection_test {
namespace {

// Durations, in microseconds, of the operations that `options` select.
std::vector<int64_t> Selected(const Events& events, const ExportOptions& options) {
  std::string problem;
  const Selection selection(events, options, &problem);
  REQUIRE(problem.empty());
  std::vector<int64_t> durations;
  for (size_t row = 0; row < events.operations().size(); ++row) {
    const OperationEvent op = events.operations()[row];
    if (selection.Has(op, row)) durations.push_back((op.end_ns - op.start_ns) / 1000);
  }
  CHECK(selection.operations() == static_cast<int64_t>(durations.size()));
  return durations;
}

size_t SelectedCalls(const Events& events, const ExportOptions& options) {
  std::string problem;
  const Selection selection(events, options, &problem);
  size_t calls = 0;
  for (size_t row = 0; row < events.calls().size(); ++row) {
    calls += selection.Has(events.calls()[row], row) ? 1 : 0;
  }
  return calls;
}

std::string ProblemOf(const Events& events, const ExportOptions& options) {
  std::string problem;
  const Selection selection(events, options, &problem);
  return problem;
}

using Durations = std::vector<int64_t>;

TEST_CASE("Without options an export has everything that has a time") {
  const Events events = ReadEvents(test::ExampleRecording());
  CHECK(Selected(events, {}) == Durations{10, 15, 1, 4, 1, 10});
  CHECK(SelectedCalls(events, {}) == events.calls().size());
}

TEST_CASE("The longest operations are kept with their calls, the earlier of equal ones") {
  const Events events = ReadEvents(test::ExampleRecording());
  ExportOptions options;
  options.keep = 2;
  CHECK(Selected(events, options) == Durations{10, 15});
  CHECK(SelectedCalls(events, options) == 2);
  options.keep = 100;
  CHECK(Selected(events, options).size() == 6);
}

TEST_CASE("A part of the time counts from the begin of the recording") {
  const Events events = ReadEvents(test::ExampleRecording());
  ExportOptions options;
  options.from_ns = 46'000;  // the recording began at 1,000
  options.to_ns = 58'000;
  CHECK(Selected(events, options) == Durations{1});
}

TEST_CASE("One GPU's operations come with the calls that launched them") {
  const Events events = ReadEvents(test::ExampleRecording());
  ExportOptions options;
  options.gpu = 1;
  CHECK(Selected(events, options) == Durations{10});
  CHECK(SelectedCalls(events, options) == 1);
}

TEST_CASE("A range brings the ranges in it, and a pattern that is none is an error") {
  test::SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  b.Kernel(shape, "step/forward", 10'000, 11'000);
  b.Kernel(shape, "step", 20'000, 22'000);
  b.Kernel(shape, "other", 30'000, 33'000);
  const Events events = ReadEvents(b.Snapshot());
  ExportOptions options;
  options.range = "^step$";
  CHECK(Selected(events, options) == Durations{1, 2});
  options.range = "forward";
  CHECK(Selected(events, options) == Durations{1});
  options.range = "(";
  CHECK(ProblemOf(events, options).find("'('") != std::string::npos);
}

TEST_CASE("A range that matches nothing is an error that lists the ranges, and not all of many") {
  test::SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  b.Kernel(shape, "step/forward", 10'000, 11'000);
  ExportOptions options;
  options.range = "backward";
  CHECK(ProblemOf(ReadEvents(b.Snapshot()), options) ==
        "no range matches 'backward': step, step/forward");
  for (char c = 'a'; c <= 'z'; ++c) {
    b.Kernel(shape, std::string("a part of the program: ") + c, 20'000, 21'000);
  }
  const std::string problem = ProblemOf(ReadEvents(b.Snapshot()), options);
  CHECK(problem.size() < 500);
  CHECK(problem.substr(problem.size() - 5) == ", ...");
  test::SnapshotBuilder without;
  without.Kernel(without.Shape("k", {1}, {32}), "", 10'000, 11'000);
  CHECK(ProblemOf(ReadEvents(without.Snapshot()), options) ==
        "no range matches 'backward': the recording has no NVTX ranges");
}

TEST_CASE("A GPU that is not in the recording is an error that lists those that are") {
  const Events events = ReadEvents(test::ExampleRecording());
  ExportOptions options;
  options.gpu = 7;
  CHECK(ProblemOf(events, options) == "the recording has no GPU 7: it has 0, 1");
}

TEST_CASE("A time that is empty or outside of the recording is an error with its span") {
  const Events events = ReadEvents(test::ExampleRecording());  // from 1,000 to 200,000
  ExportOptions options;
  options.from_ns = 198'000;
  CHECK(ProblemOf(events, options).empty());
  options.to_ns = 197'000;
  CHECK(ProblemOf(events, options) ==
        "the time from 198 us to 197 us is empty: --from-time has to be the earlier one");
  options.to_ns = std::nullopt;
  options.from_ns = 1'000'000'000;
  CHECK(ProblemOf(events, options)
            .find("nothing was recorded from 1.00 s on: the recording ends "
                  "after ") == 0);
  options.from_ns = std::numeric_limits<int64_t>::max();
  CHECK_FALSE(ProblemOf(events, options).empty());
  options.from_ns = std::nullopt;
  options.to_ns = -2'000;
  CHECK(ProblemOf(events, options).find("nothing was recorded up to ") == 0);
}

}  // namespace
}  // namespace prof::exporting::selection_test
