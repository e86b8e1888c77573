// SPDX-License-Identifier: Apache-2.0
//
// These tests check where a stage of the analysis runs, and that its result and its errors arrive.
#include "lib/analyzer/base/background.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer::background_test {
namespace {

TEST_CASE("A stage over few rows runs where its result is asked for") {
  std::future<std::thread::id> ran_on =
      InBackground(kManyRows - 1, [] { return std::this_thread::get_id(); });
  CHECK(ran_on.get() == std::this_thread::get_id());
}

TEST_CASE("A stage over many rows runs beside the thread that began it") {
  std::promise<void> goes_on;
  std::future<bool> met = InBackground(kManyRows, [told = goes_on.get_future()] {
    return told.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  });
  goes_on.set_value();
  CHECK(met.get());
}

TEST_CASE("What a stage throws arrives where its result is asked for") {
  for (const size_t rows : {size_t{0}, kManyRows}) {
    std::future<int> failed = InBackground(rows, []() -> int { throw std::runtime_error("full"); });
    CHECK_THROWS_AS(failed.get(), std::runtime_error);
  }
}

// Steps of 100 launches of two kernels, with host work before each step.
Report StepsOf(size_t launches) {
  constexpr int64_t kEachNs = 10'000, kWorkNs = 400'000;
  constexpr size_t kStep = 100;
  test::SnapshotBuilder b;
  const uint32_t shapes[] = {b.Shape("copy", {132}, {256}), b.Shape("scale", {264}, {128})};
  int64_t now_ns = 0;
  for (size_t i = 0; i < launches; ++i) {
    if (i % kStep == 0) {
      now_ns += kWorkNs;
      b.Range("step", now_ns - 20'000, now_ns + static_cast<int64_t>(kStep) * kEachNs);
    }
    (void)b.Kernel(shapes[i % 2], "", now_ns, now_ns + kEachNs - 1'000);
    now_ns += kEachNs;
  }
  return Analyze(b.Snapshot());
}

TEST_CASE("A run that is analyzed on two threads has the report of one launch less on one",
          "[long]") {
  const Report one = StepsOf(kManyRows - 1), two = StepsOf(kManyRows);
  REQUIRE(two.totals.kernels == static_cast<int64_t>(kManyRows));
  REQUIRE_FALSE(one.findings.empty());
  std::vector<std::string> of_one, of_two;
  for (const Finding& finding : one.findings) of_one.push_back(finding.id);
  for (const Finding& finding : two.findings) of_two.push_back(finding.id);
  CHECK(of_one == of_two);
  for (size_t i = 0; i < std::min(of_one.size(), of_two.size()); ++i) {
    CHECK(two.findings[i].gain_at_most_ns == Approx(one.findings[i].gain_at_most_ns).epsilon(1e-3));
  }
  REQUIRE(one.gaps.size() == two.gaps.size());
  for (size_t i = 0; i < one.gaps.size(); ++i) {
    CHECK(one.gaps[i].cause == two.gaps[i].cause);
    CHECK(one.gaps[i].where == two.gaps[i].where);
    CHECK(two.gaps[i].total_ns == Approx(one.gaps[i].total_ns).epsilon(1e-3));
  }
  REQUIRE(one.kernels.size() == 2);
  REQUIRE(two.kernels.size() == 2);
  CHECK(one.kernels[0].launches + one.kernels[1].launches + 1 ==
        two.kernels[0].launches + two.kernels[1].launches);
  REQUIRE(one.ranges.size() == two.ranges.size());
  CHECK(two.span_ns == Approx(one.span_ns).epsilon(1e-3));
}

}  // namespace
}  // namespace prof::analyzer::background_test
