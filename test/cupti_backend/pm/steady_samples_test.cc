// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/steady_samples.h"

#include <limits>

#include "test/support/catch.h"

namespace prof::cupti::test::steady_samples_test {
namespace {

const std::vector<std::string> kMetrics = {
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "TPC.TriageCompute.sm__cycles_active.avg.pct_of_peak_sustained_elapsed"};

std::vector<double> Rows(size_t rows, double active) {
  std::vector<double> values;
  for (size_t i = 0; i < rows; ++i) {
    values.push_back(i % 2 == 0 ? 90 : 5);  // phases of the kernel
    values.push_back(active);
  }
  return values;
}

TEST_CASE("Samples in which as many SMs work may be of one launch, whatever the units do") {
  std::vector<double> values = Rows(60, 30);  // a small grid
  CHECK(AreSteady(values, kMetrics, 0));
  values[2 * 40 + 1] = 26;  // the pause between two launches
  CHECK_FALSE(AreSteady(values, kMetrics, 0));
  values[2 * 40 + 1] = 28;  // noise
  CHECK(AreSteady(values, kMetrics, 0));
}

TEST_CASE("Samples of an idle GPU, few of them, and those without the SMs' activity show nothing") {
  CHECK_FALSE(AreSteady(Rows(60, 0), kMetrics, 0));
  CHECK_FALSE(AreSteady(Rows(60, std::numeric_limits<double>::quiet_NaN()), kMetrics, 0));
  CHECK_FALSE(AreSteady(Rows(20, 30), kMetrics, 0));
  CHECK_FALSE(AreSteady(Rows(60, 30), kMetrics, 40));  // those before are of another burst
  CHECK_FALSE(AreSteady(Rows(60, 30), {kMetrics[0], kMetrics[0]}, 0));
  CHECK_FALSE(AreSteady({}, kMetrics, 0));
}

}  // namespace
}  // namespace prof::cupti::test::steady_samples_test
