// SPDX-License-Identifier: Apache-2.0
//
// Trends in numbers whose nature is known: noise, walks, leaks, warm-ups.
#include "lib/analyzer/memory/trend.h"

#include <cmath>
#include <random>

#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"

namespace prof::analyzer::trend_test {
namespace {

constexpr double kMb = 1e6;

template <typename Level>
std::vector<double> Levels(size_t n, Level level) {
  std::vector<double> levels;
  for (size_t i = 0; i < n; ++i) levels.push_back(level(static_cast<double>(i)));
  return levels;
}

// How many of 1,000 series that `draw` makes are called growth.
template <typename Draw>
int Alarms(Draw draw) {
  INFO("PROF_MEMORY_SEED=" << test::MemorySeed());
  std::mt19937 random(test::MemorySeed());
  int alarms = 0;
  for (int i = 0; i < 1000; ++i) alarms += FindTrend(draw(&random)).grows ? 1 : 0;
  return alarms;
}

TEST_CASE("A steady leak has its slope, and an interval of no width") {
  for (const size_t n : {15, 19, 100, 5'000}) {
    const Trend trend = FindTrend(Levels(n, [](double i) { return 4e9 + kMb * i; }));
    CHECK(trend.grows);
    CHECK(trend.slope == kMb);
    CHECK(trend.at_least == kMb);
    CHECK(trend.at_most == kMb);
  }
}

TEST_CASE(
    "A leak with noise around it keeps its slope within the interval, as often as it claims") {
  INFO("PROF_MEMORY_SEED=" << test::MemorySeed());
  std::mt19937 random(test::MemorySeed());
  std::normal_distribution<double> noise(0, 2 * kMb);
  int grows = 0, within = 0;
  for (int i = 0; i < 500; ++i) {
    const Trend trend = FindTrend(Levels(60, [&](double x) { return kMb * x + noise(random); }));
    grows += trend.grows ? 1 : 0;
    within += trend.at_least <= kMb && kMb <= trend.at_most ? 1 : 0;
  }
  CHECK(grows >= 450);
  CHECK(within >= 450);  // 95 % are claimed: 475 are expected, and 450 are 5 deviations fewer
}

TEST_CASE("A leak every few steps is growth") {
  CHECK(FindTrend(Levels(100, [](double i) { return 20 * kMb * std::floor(i / 10); })).grows);
}

TEST_CASE("Noise is called growth in a series of ten thousand at most") {
  // 8 of 600,000 series were, so four of 1,000 come once in 10^9 runs of this test.
  CHECK(Alarms([](std::mt19937* random) {
          std::uniform_real_distribution<double> noise(0, 1e9);
          return Levels(15 + (*random)() % 100, [&](double) { return noise(*random); });
        }) <= 3);
}

TEST_CASE("A walk up and down is hardly ever called growth") {
  CHECK(Alarms([](std::mt19937* random) {
          std::normal_distribution<double> change(0, 10 * kMb);
          double level = 1e9;
          return Levels(15 + (*random)() % 100, [&](double) { return level += change(*random); });
        }) <= 40);
}

TEST_CASE("What settles is no growth, and neither is a jump or a fall") {
  for (const size_t n : {15, 40, 300}) {
    const auto all = static_cast<double>(n);
    const Trend filled =
        FindTrend(Levels(n, [&](double i) { return 1e9 * std::min(1.0, 2 * i / all); }));
    CHECK_FALSE(filled.grows);
    CHECK(filled.why_not == "it settles");
    const Trend slower =
        FindTrend(Levels(n, [&](double i) { return 1e9 * (1 - std::exp(-4 * i / all)); }));
    CHECK_FALSE(slower.grows);
    const Trend jump = FindTrend(Levels(n, [&](double i) { return i < all / 2 ? 1e9 : 2e9; }));
    CHECK_FALSE(jump.grows);
    CHECK(jump.why_not == "half of it or more came at once");
    const Trend fall = FindTrend(Levels(n, [](double i) { return 1e9 - kMb * i; }));
    CHECK_FALSE(fall.grows);
    CHECK(fall.why_not.empty());
    CHECK(fall.slope == -kMb);
  }
}

TEST_CASE("Less than a megabyte in all is no growth, and a few levels decide nothing") {
  const Trend small = FindTrend(Levels(100, [](double i) { return 1'000 * i; }));
  CHECK_FALSE(small.grows);
  CHECK(small.why_not == "it is less than 1.00 MB in all");
  for (size_t n = 0; n < 10; ++n) {
    const Trend few = FindTrend(Levels(n, [](double i) { return kMb * i; }));
    CHECK_FALSE(few.grows);
    CHECK(few.why_not == "too few steps");
  }
}

}  // namespace
}  // namespace prof::analyzer::trend_test
