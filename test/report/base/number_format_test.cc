// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/number_format.h"

#include <clocale>
#include <cmath>
#include <limits>
#include <numeric>

#include "test/support/catch.h"

namespace prof::report {
namespace {

TEST_CASE("Times get a unit that suits them and three digits") {
  CHECK(Time(0) == "0 us");
  CHECK(Time(850) == "0.85 us");
  CHECK(Time(9'994) == "9.99 us");
  CHECK(Time(9'996) == "10.0 us");
  CHECK(Time(12'340) == "12.3 us");
  CHECK(Time(999'400) == "999 us");
  CHECK(Time(999'600) == "1.00 ms");
  CHECK(Time(12'345'678) == "12.3 ms");
  CHECK(Time(4.56e9) == "4.56 s");
  CHECK(Time(12'345e9) == "12,345 s");
  CHECK(Time(std::numeric_limits<double>::quiet_NaN()) == "-");
}

TEST_CASE("Percentages claim no more than they know") {
  CHECK(Percent(0) == "0 %");
  CHECK(Percent(0.0001) == "<0.1 %");
  CHECK(Percent(0.034) == "3.4 %");
  CHECK(Percent(0.0996) == "10 %");
  CHECK(Percent(0.913) == "91 %");
  CHECK(Percent(1) == "100 %");
  CHECK(Percent(std::numeric_limits<double>::infinity()) == "-");
}

TEST_CASE("Counts and fixed numbers have thousands separators") {
  CHECK(Count(0) == "0");
  CHECK(Count(999) == "999");
  CHECK(Count(1'234'567) == "1,234,567");
  CHECK(Count(-1'234) == "-1,234");
  CHECK(Count(std::numeric_limits<int64_t>::min()) == "-9,223,372,036,854,775,808");
  CHECK(Fixed(1234.5, 2) == "1,234.50");
  CHECK(Fixed(-1234.5, 0) == "-1,234");
  CHECK(Fixed(-0.001, 1) == "0.0");
  CHECK(Fixed(1e300, 0).size() < 40);
}

TEST_CASE("Bytes and rates get a prefix") {
  CHECK(Bytes(512) == "512 B");
  CHECK(Bytes(1'200'000) == "1.20 MB");
  CHECK(Rate(4.36e12, "B/s") == "4.36 TB/s");
  CHECK(Rate(999.6e9, "B/s") == "1.00 TB/s");
}

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

}  // namespace
}  // namespace prof::report
