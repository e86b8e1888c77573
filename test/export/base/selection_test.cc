// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/selection.h"

#include <string>
#include <vector>

#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::exporting {
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
  std::string problem;
  const Selection selection(events, options, &problem);
  CHECK(problem.find("'('") != std::string::npos);
}

}  // namespace
}  // namespace prof::exporting
