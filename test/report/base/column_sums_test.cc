// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/column_sums.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "test/support/catch.h"

namespace prof::report::column_sums_test {
namespace {

TEST_CASE("Rounded values sum to their rounded sum") {
  const std::vector<double> thirds = {100.0 / 3, 100.0 / 3, 100.0 / 3};
  const std::vector<double> rounded = RoundToSum(thirds, 1);
  CHECK(std::accumulate(rounded.begin(), rounded.end(), 0.0) == Approx(100.0).margin(1e-9));
  for (const double value : rounded) CHECK(std::abs(value - 100.0 / 3) < 0.1);

  std::vector<double> many(1000, 0.0149);
  double sum = 0;
  for (const double value : RoundToSum(many, 2)) sum += value;
  CHECK(sum == Approx(14.9).margin(1e-9));
}

TEST_CASE("Values that are no numbers count as nothing when a column is rounded") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(RoundToSum({1.26, nan, -3}, 1) == std::vector<double>{1.3, 0, 0});
  CHECK(RoundToSum({}, 1).empty());
}

TEST_CASE("A value with a most is rounded up beyond it only where the sum is missed otherwise") {
  const std::vector<double> values = {70.04, 0.046, 171.03, 0};
  CHECK(RoundToSum(values, 1) == std::vector<double>{70.0, 0.1, 171.0, 0});
  const std::vector<double> most = {70.0, 0.0, 500, 500};
  CHECK(RoundToSum(values, 1, most) == std::vector<double>{70.0, 0.0, 171.1, 0});
  const std::vector<double> tight = {70.0, 0.0, 171.0, 500};  // a 0 stays one
  CHECK(RoundToSum(values, 1, tight) == std::vector<double>{70.0, 0.1, 171.0, 0});
}

TEST_CASE("A part is not 100 % of its whole, unless it is the whole") {
  CHECK(PartPercent(1) == "100 %");
  CHECK(PartPercent(1 - 1e-12) == "100 %");  // a sum of parts
  CHECK(PartPercent(0.998) == "99.8 %");
  CHECK(PartPercent(0.99999) == ">99.9 %");
  CHECK(PartPercent(0.994) == "99 %");
  CHECK(PartPercent(0.002) == "0.2 %");
}

}  // namespace
}  // namespace prof::report::column_sums_test
