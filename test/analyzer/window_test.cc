// SPDX-License-Identifier: Apache-2.0
//
// Counters of a range related to the kernel inside of it.
#include "lib/analyzer/window.h"

#include <cmath>

#include "test/support/catch.h"

namespace prof::analyzer {
namespace {

model::Op Kernel(int64_t duration_ns) {
  model::Op op;
  op.start_ns = 1'000;
  op.end_ns = 1'000 + duration_ns;
  return op;
}

double Factor(double window_ns, const model::Op& kernel) {
  model::PassGroup group;
  group.metrics = {"gpu__time_duration.sum", "dram__bytes.sum"};
  model::CounterSample sample;
  sample.values = {window_ns, 1.0};
  return WindowOverKernel(sample, group, kernel);
}

}  // namespace

TEST_CASE("The factor is the range's duration over that of its kernel") {
  CHECK(Factor(38'900, Kernel(26'600)) == Approx(38'900.0 / 26'600));
}

TEST_CASE("A range is never taken for shorter than its kernel") {
  CHECK(Factor(9'000, Kernel(10'000)) == 1.0);
}

TEST_CASE("Nothing is corrected where a duration is unknown") {
  CHECK(Factor(std::nan(""), Kernel(10'000)) == 1.0);
  CHECK(Factor(20'000, Kernel(0)) == 1.0);
  model::Op untimed = Kernel(10'000);
  untimed.timed = false;
  CHECK(Factor(20'000, untimed) == 1.0);
  model::PassGroup without;
  without.metrics = {"dram__bytes.sum"};
  model::CounterSample sample;
  sample.values = {1.0};
  CHECK(WindowOverKernel(sample, without, Kernel(10'000)) == 1.0);
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

}  // namespace prof::analyzer
