// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_pairs.h"

#include <cstdint>
#include <vector>

#include "test/support/catch.h"

namespace prof::analyzer::pm_pairs_test {
namespace {

struct Row {
  int64_t begin_ns, end_ns;
  uint32_t samples;
  float value;
  RowUse use;
};

PmPairs Join(const std::vector<Row>& given) {
  model::PmSeries series;
  series.metrics = {"m.pct"};
  series.interval_ns = 100;
  PmRows rows;
  rows.sample_ns = 100;
  for (const Row& row : given) {
    series.begin_ns.push_back(row.begin_ns);
    series.end_ns.push_back(row.end_ns);
    series.samples.push_back(row.samples);
    series.values.push_back(row.value);
    rows.use.push_back(row.use);
  }
  return JoinPairs(series, rows);
}

TEST_CASE("Two neighbours become one sample with their mean by time") {
  const PmPairs pairs = Join({{0, 100, 1, 10, RowUse::kIdle}, {100, 400, 1, 50, RowUse::kAlone}});
  REQUIRE(pairs.series.rows() == 1);
  CHECK(pairs.series.interval_ns == 200);
  CHECK(pairs.series.begin_ns[0] == 0);
  CHECK(pairs.series.end_ns[0] == 400);
  CHECK(pairs.series.samples[0] == 1);
  CHECK(pairs.series.values[0] == Approx(40));
  CHECK(pairs.rows.use[0] == RowUse::kAlone);
  CHECK(pairs.rows.sample_ns == 200);
}

TEST_CASE("Samples without a neighbour, or with one that cannot be used, are in no pair") {
  CHECK(Join({{0, 100, 1, 10, RowUse::kAlone}}).series.rows() == 0);
  CHECK(Join({{0, 100, 1, 10, RowUse::kAlone}, {150, 250, 1, 10, RowUse::kAlone}}).series.rows() ==
        0);
  CHECK(Join({{0, 100, 1, 10, RowUse::kAlone}, {100, 200, 1, 10, RowUse::kConcurrent}})
            .series.rows() == 0);
  const PmPairs after = Join({{0, 100, 1, 10, RowUse::kSkip},
                              {100, 200, 1, 10, RowUse::kIdle},
                              {200, 300, 1, 20, RowUse::kIdle}});
  REQUIRE(after.series.rows() == 1);
  CHECK(after.series.begin_ns[0] == 100);
  CHECK(after.rows.use[0] == RowUse::kIdle);
}

TEST_CASE("Equal samples of one row are half as many pairs") {
  const PmPairs pairs = Join({{0, 100, 1, 10, RowUse::kAlone}, {100, 1000, 9, 0, RowUse::kIdle}});
  REQUIRE(pairs.series.rows() == 1);
  CHECK(pairs.series.begin_ns[0] == 100);
  CHECK(pairs.series.end_ns[0] == 1000);
  CHECK(pairs.series.samples[0] == 4);
}

}  // namespace
}  // namespace prof::analyzer::pm_pairs_test
