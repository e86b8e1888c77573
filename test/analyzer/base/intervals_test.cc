// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/intervals.h"

#include "test/support/catch.h"

namespace prof::analyzer::intervals_test {
namespace {

TEST_CASE("A union is sorted and disjoint, without empty intervals") {
  const IntervalUnion all({{30, 40}, {0, 10}, {5, 20}, {20, 22}, {50, 50}, {60, 55}});
  REQUIRE(all.intervals().size() == 2);
  CHECK(all.intervals()[0].start_ns == 0);
  CHECK(all.intervals()[0].end_ns == 22);
  CHECK(all.intervals()[1].start_ns == 30);
  CHECK(all.length_ns() == 32);
  CHECK(IntervalUnion().length_ns() == 0);
}

TEST_CASE("The part of a union before a moment and within an interval is exact at its edges") {
  const IntervalUnion all({{10, 20}, {30, 40}});
  CHECK(all.BeforeNs(5) == 0);
  CHECK(all.BeforeNs(10) == 0);
  CHECK(all.BeforeNs(15) == 5);
  CHECK(all.BeforeNs(25) == 10);
  CHECK(all.BeforeNs(100) == 20);
  CHECK(all.WithinNs({15, 35}) == 10);
  CHECK(all.WithinNs({20, 30}) == 0);
  CHECK(all.WithinNs({35, 15}) == 0);
  CHECK(all.Contains(10));
  CHECK_FALSE(all.Contains(20));
  CHECK_FALSE(all.Contains(5));
}

TEST_CASE("Times of a damaged file do not overflow a sum") {
  constexpr int64_t kExtreme = int64_t{1} << 62;
  const IntervalUnion all({{-kExtreme, -kExtreme + 10}, {0, 20}, {kExtreme - 5, kExtreme}});
  CHECK(all.length_ns() == 35);
  CHECK(all.BeforeNs(kExtreme) == 35);
  CHECK(all.BeforeNs(-kExtreme + 4) == 4);
  CHECK(all.WithinNs({5, kExtreme}) == 20);
  const IntervalUnion long_one({{kExtreme - 2, kExtreme - 1}, {0, kExtreme - 3}});
  CHECK(long_one.length_ns() == kExtreme - 2);
  CHECK(long_one.BeforeNs(kExtreme) == kExtreme - 2);
}

TEST_CASE("Two unions overlap where both have time") {
  const IntervalUnion a({{0, 10}, {20, 30}, {40, 50}});
  const IntervalUnion b({{5, 25}, {45, 60}});
  CHECK(a.WithinNs(b) == 15);
  CHECK(b.WithinNs(a) == 15);
  CHECK(a.WithinNs(IntervalUnion()) == 0);
}

}  // namespace
}  // namespace prof::analyzer::intervals_test
