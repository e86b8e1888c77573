// SPDX-License-Identifier: Apache-2.0
//
// Counters of a range related to the kernel inside of it.
#include "lib/analyzer/kernels/counter_window.h"

#include <cmath>

#include "test/support/catch.h"

namespace prof::analyzer::counter_window_test {

TEST_CASE("The factor is the range's duration over that of its kernel") {
  CHECK(WindowOverWork(38'900, 26'600) == Approx(38'900.0 / 26'600));
}

TEST_CASE("A range is never taken for shorter than its kernel") {
  CHECK(WindowOverWork(9'000, 10'000) == 1.0);
}

TEST_CASE("Nothing is corrected where a duration is unknown") {
  CHECK(WindowOverWork(std::nan(""), 10'000) == 1.0);
  CHECK(WindowOverWork(20'000, 0) == 1.0);
}

TEST_CASE("Shares of the elapsed time and rates grow") {
  CHECK(AtKernelTime("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 54, 1.5) == 81);
  CHECK(AtKernelTime("dram__bytes.sum.per_second", 2e12, 1.5) == 3e12);
  CHECK(AtKernelTime("sm__inst_executed.avg.per_cycle_elapsed", 0.5, 2) == 1);
}

TEST_CASE("Elapsed times and cycles shrink") {
  CHECK(AtKernelTime("gpu__time_duration.sum", 30'000, 1.5) == 20'000);
  CHECK(AtKernelTime("sm__cycles_elapsed.max", 30'000, 1.5) == 20'000);
}

TEST_CASE("Counts, ratios, clocks and shares of the active time stay") {
  for (const char* metric :
       {"dram__bytes_read.sum", "smsp__average_warp_latency_per_inst_issued.ratio",
        "gpc__cycles_elapsed.avg.per_second", "dram__cycles_elapsed.avg.per_second",
        "sm__warps_active.avg.pct_of_peak_sustained_active", "sm__cycles_active.avg",
        "l1tex__t_sector_hit_rate.pct", "smsp__issue_active.avg.per_cycle_active"}) {
    INFO(metric);
    CHECK(AtKernelTime(metric, 42, 1.5) == 42);
  }
}

}  // namespace prof::analyzer::counter_window_test
