// SPDX-License-Identifier: Apache-2.0
//
// Findings about operations that could run beside each other.
#include <algorithm>
#include <string>

#include "test/analyzer/rules/finding_run.h"
#include "test/support/catch.h"

namespace prof::test::stream_finding_test {
namespace {

// Four kernels of half of the SMs, 100 us each, one directly behind the other, in ten rows.
Run RowsOfHalves() {
  Run run;
  model::Device device;
  device.sm_count = 132;
  run.model().devices.push_back(device);
  run.model().shapes[1].grid = {66, 1, 1};
  run.model().shapes[2].grid = {1320, 1, 1};
  for (int row = 0; row < 10; ++row) {
    for (int i = 0; i < 4; ++i) run.Kernel(2 * kUs, GapCause::kDependency, 100 * kUs);
    run.Kernel(0, GapCause::kDependency, 100 * kUs).shape = 2;
  }
  return run;
}

TEST_CASE("Kernels of few SMs may share them: a row takes its longest kernel at least") {
  const auto findings = RowsOfHalves().Find();
  const Finding* serial = Get(findings, "serialization");
  REQUIRE(serial != nullptr);
  // With one block on an SM they would need half of their time; with several, a quarter. The gaps
  // in the row go, too.
  CHECK(serial->gain_at_most_ns == Approx(10 * (400 + 3 * 2 - 100) * kUs));
}

TEST_CASE("Collectives in a row have small grids, and are no kernels to run side by side") {
  Run run = RowsOfHalves();
  run.model().shapes[1].name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
  CHECK(Get(run.Find(), "serialization") == nullptr);
}

TEST_CASE(
    "Where collectives are mostly longer than the shortest, the late rank is looked for first") {
  for (const bool waits : {true, false}) {
    Run run;
    run.model().shapes[2].name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
    for (int i = 0; i < 10; ++i) {
      run.Kernel(0, GapCause::kDependency, 100 * kUs);
      run.Kernel(2 * kUs, GapCause::kDependency, (waits && i > 0 ? 100 : 30) * kUs).shape = 2;
    }
    const auto findings = run.Find();
    const Finding* const found = Get(findings, "exposed-communication");
    REQUIRE(found != nullptr);
    CHECK((found->action.find("Find the rank") == 0) == waits);
    CHECK(Says(*found, "if each took as long as the shortest of its kind: 300 us"));
    const double kernels_ns = (waits ? 930 : 300) * kUs;
    CHECK(found->kernels_at_most_ns == Approx(kernels_ns));
    CHECK(found->gain_at_most_ns > kernels_ns);
  }
}

TEST_CASE("Streams that wait for the default stream do not run beside each other, either") {
  Run run;
  for (uint32_t stream : {1, 2, 3}) {
    model::Stream record;
    record.stream = stream;
    record.flag = stream == 1 ? model::StreamFlag::kNull : model::StreamFlag::kDefault;
    run.model().streams.push_back(record);
  }
  for (int i = 0; i < 20; ++i) {
    for (uint32_t stream : {1, 2, 1, 3}) {
      run.Kernel(0, GapCause::kDependency, (stream == 1 ? 10 : 100) * kUs).stream = stream;
    }
  }
  const auto findings = run.Find();
  const Finding* waits = Get(findings, "default-stream");
  REQUIRE(waits != nullptr);
  CHECK(waits->gain_at_most_ns == Approx(20 * 120 * kUs));  // all but one of the two streams
}

TEST_CASE("Only what follows another stream's operation is behind another stream") {
  Run run;
  for (int i = 0; i < 40; ++i) {
    run.Kernel(20 * kUs, GapCause::kDependency, 100 * kUs);
    run.Kernel(30 * kUs, GapCause::kDependency, 100 * kUs).stream = 2;
    run.Kernel(5 * kUs, GapCause::kDependency, 100 * kUs).stream = 2;
  }
  const auto findings = run.Find();
  const Finding* idle = Get(findings, "dependency-idle");
  REQUIRE(idle != nullptr);
  CHECK(Says(*idle, "behind another stream: 79 gaps, 1.98 ms"));
  CHECK(Says(*idle, "between operations of a stream: 40 gaps, 200 us"));
  CHECK_FALSE(Says(*idle, "no record names"));

  Run alone;
  for (int i = 0; i < 40; ++i) alone.Kernel(20 * kUs, GapCause::kDependency, 100 * kUs);
  const auto others = alone.Find();
  idle = Get(others, "dependency-idle");
  REQUIRE(idle != nullptr);
  CHECK_FALSE(Says(*idle, "behind another stream"));
  CHECK(Says(*idle, "of 10 us or more on one stream, behind something that no record names"));
}

}  // namespace
}  // namespace prof::test::stream_finding_test
