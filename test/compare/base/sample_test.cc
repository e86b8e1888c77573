// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/base/sample.h"

#include <cmath>
#include <random>
#include <vector>

#include "test/support/catch.h"

namespace prof::compare::sample_test {
namespace {

TEST_CASE("Only numbers above zero are present") {
  CHECK(Present({1, std::nan(""), 0, -3, 2, INFINITY}) == Values{1, 2});
  CHECK(SummaryOf({std::nan("")}).n == 0);
  CHECK(std::isnan(SummaryOf({}).median));
  CHECK(Median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("The spread of logarithms is about the relative spread") {
  CHECK_FALSE(LogSpread({5}).has_value());
  // 1.4826 * 0.01, and 1.495 for three values.
  CHECK(*LogSpread({99, 100, 101}) == Approx(0.0222).margin(0.0002));
  CHECK(*PooledLogSpread({99, 100, 101}, {198, 200, 202}, 4) == Approx(0.0222).margin(0.0002));
  CHECK(*LogSpread({98, 99, 99.5, 100, 100.5, 101, 140}) == Approx(0.0169).margin(0.0002));
  CHECK_FALSE(PooledLogSpread({99, 101}, {1, 2, 3}, 4).has_value());
}

TEST_CASE("The spread of normal values is their standard deviation, on average") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.01);
  for (const size_t n : {3, 5, 7, 12}) {
    double sum = 0;
    for (int draw = 0; draw < 3000; ++draw) {
      Values values;
      for (size_t i = 0; i < n; ++i) values.push_back(std::exp(noise(random)));
      sum += *LogSpread(values);
    }
    CHECK(sum / 3000 == Approx(0.01).epsilon(0.05));
  }
}

TEST_CASE("Two narrow groups far apart are two modes") {
  const auto modes = FindModes({100, 101, 100.5, 99.5, 120, 121, 119.5});
  REQUIRE(modes.has_value());
  CHECK(modes->low == Approx(100.25));
  CHECK(modes->high == Approx(120.17).margin(0.01));
  CHECK(modes->share_of_high == Approx(3.0 / 7));
}

TEST_CASE("One wide group, a group with an outlier, and few values are one kind") {
  CHECK_FALSE(FindModes({100, 102, 104, 106, 108, 110, 112, 114}).has_value());
  CHECK_FALSE(FindModes({100, 100, 100, 101, 101, 101, 100, 150}).has_value());
  CHECK_FALSE(FindModes({100, 100.1, 101, 101.1, 100, 101}).has_value());  // 1 % apart
  CHECK_FALSE(FindModes({100, 100, 120, 120}).has_value());
  CHECK_FALSE(FindModes({100, 100, 100, 100, 100, 100}).has_value());
}

TEST_CASE("The median of more launches is surer") {
  Values quantiles;
  for (int q = 0; q <= 20; ++q) quantiles.push_back(90 + q);  // 95 to 105 are its quarters
  CHECK(LaunchNoise(quantiles, 100) == Approx(1.57 * 10 / 10 / 2 / 100));
  CHECK(LaunchNoise(quantiles, 400) == Approx(LaunchNoise(quantiles, 100) / 2));
  CHECK(std::isnan(LaunchNoise(quantiles, 1)));
  CHECK(std::isnan(LaunchNoise({}, 100)));
}

}  // namespace
}  // namespace prof::compare::sample_test
