// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/kernels.h"

#include <cstdint>
#include <vector>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::test::kernels_test {
namespace {

TEST_CASE("The quantiles of a kernel's durations go from the shortest to the longest") {
  SnapshotBuilder builder;
  const uint32_t saxpy = builder.Shape("saxpy", {132, 1, 1}, {256, 1, 1});
  for (int64_t i = 0; i < 41; ++i) {  // 1000 to 5000 ns, in another order
    const int64_t start_ns = 100'000 + i * 10'000;
    builder.Kernel(saxpy, "", start_ns, start_ns + 1000 + (i * 17 % 41) * 100);
  }
  const Report report = Analyze(builder.Snapshot());
  REQUIRE(report.kernels.size() == 1);
  const std::vector<double>& quantiles = report.kernels[0].duration_quantiles_ns;
  REQUIRE(quantiles.size() == kDurationQuantiles);
  for (int q = 0; q < kDurationQuantiles; ++q)
    CHECK(quantiles[static_cast<size_t>(q)] == 1000 + 200 * q);
  CHECK(quantiles[10] == report.kernels[0].duration_ns.median);
}

TEST_CASE("One launch is every quantile") {
  SnapshotBuilder builder;
  builder.Kernel(builder.Shape("saxpy", {1, 1, 1}, {32, 1, 1}), "", 10'000, 12'500);
  const Report report = Analyze(builder.Snapshot());
  REQUIRE(report.kernels.size() == 1);
  CHECK(report.kernels[0].duration_quantiles_ns == std::vector<double>(kDurationQuantiles, 2500));
}

TEST_CASE("The order of kernels is that of their first launches") {
  SnapshotBuilder builder;
  const uint32_t early = builder.Shape("early", {1, 1, 1}, {32, 1, 1});
  const uint32_t late = builder.Shape("late", {1, 1, 1}, {32, 1, 1});
  builder.Kernel(early, "", 10'000, 11'000);
  builder.Kernel(late, "", 20'000, 60'000);
  builder.Kernel(early, "", 70'000, 71'000);
  const Report report = Analyze(builder.Snapshot());
  CHECK(report.kernel("early").order == 0);
  CHECK(report.kernel("late").order == 1);
}

TEST_CASE("A kernel comes again that was launched near the end, as seen from its own distance") {
  SnapshotBuilder builder;
  const auto launch = [&](const char* name, const std::vector<int64_t>& at_ms) {
    const uint32_t shape = builder.Shape(name, {1, 1, 1}, {32, 1, 1});
    for (const int64_t ms : at_ms) builder.Kernel(shape, "", ms * 1'000'000, ms * 1'000'000 + 5000);
  };
  launch("initialize", {1, 2, 3, 4});
  launch("loop", {10, 20, 30, 40, 50, 60, 70, 80, 91, 101});
  launch("each half", {11, 61});
  launch("at the end", {99});
  launch("twice, early", {5, 12});
  const Report report = Analyze(builder.Snapshot());
  CHECK_FALSE(report.kernel("initialize").comes_again);
  CHECK(report.kernel("loop").comes_again);
  CHECK(report.kernel("each half").comes_again);
  CHECK_FALSE(report.kernel("at the end").comes_again);  // once: nobody knows
  CHECK_FALSE(report.kernel("twice, early").comes_again);
}

}  // namespace
}  // namespace prof::test::kernels_test
