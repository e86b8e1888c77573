// SPDX-License-Identifier: Apache-2.0
#include "lib/text/numbers.h"

#include <limits>

#include "test/support/catch.h"

namespace prof::text::numbers_test {
namespace {

TEST_CASE("Times get a unit that suits them and three digits") {
  CHECK(Time(0) == "0 ns");
  CHECK(Time(850) == "850 ns");
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

TEST_CASE("Short percentages claim no more than they know") {
  CHECK(ShortPercent(0) == "0 %");
  CHECK(ShortPercent(0.0001) == "<0.1 %");
  CHECK(ShortPercent(0.034) == "3.4 %");
  CHECK(ShortPercent(0.0996) == "10 %");
  CHECK(ShortPercent(0.913) == "91 %");
  CHECK(ShortPercent(1) == "100 %");
  CHECK(ShortPercent(std::numeric_limits<double>::infinity()) == "-");
}

TEST_CASE("Counts and fixed numbers have thousands separators") {
  CHECK(Count(0) == "0");
  CHECK(Count(999) == "999");
  CHECK(Count(1'234'567) == "1,234,567");
  CHECK(Count(-1'234) == "-1,234");
  CHECK(Count(std::numeric_limits<int64_t>::min()) == "-9,223,372,036,854,775,808");
  CHECK(Grouped(1234.5, 2) == "1,234.50");
  CHECK(Grouped(-1234.5, 0) == "-1,234");
  CHECK(Grouped(-0.001, 1) == "0.0");
  CHECK(Grouped(1e300, 0).size() < 40);
}

TEST_CASE("Bytes and rates get a prefix") {
  CHECK(Bytes(512) == "512 B");
  CHECK(Bytes(1'200'000) == "1.20 MB");
  CHECK(Rate(4.36e12, "B/s") == "4.36 TB/s");
  CHECK(Rate(999.6e9, "B/s") == "1.00 TB/s");
}

TEST_CASE("Numbers of evidence have no separators, so that they can be copied") {
  CHECK(Fixed(12345.6, 2) == "12345.60");
  CHECK(Fixed(0.5, 0) == "0");
  CHECK(Percent(0.913) == "91.3 %");
  CHECK(Plural(1, "copy", "copies") == "1 copy");
  CHECK(Plural(2'000, "copy", "copies") == "2,000 copies");
}

TEST_CASE("A count beyond the range of int64_t is its end") {
  CHECK(Clamped(12) == 12);
  CHECK(Clamped(uint64_t{1} << 63) == std::numeric_limits<int64_t>::max());
  CHECK(Clamped(std::numeric_limits<uint64_t>::max()) == std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace prof::text::numbers_test
