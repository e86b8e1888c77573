// SPDX-License-Identifier: Apache-2.0
//
// Kernel reports built by hand, for the tests of the expectations.
#ifndef PROF_TEST_EXPECT_KERNELS_H_
#define PROF_TEST_EXPECT_KERNELS_H_

#include "lib/analyzer/kernels/unit_use.h"
#include "prof/report.h"

namespace prof::test {

constexpr char kDram[] = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr char kL2Sectors[] = "lts__t_sectors.avg.pct_of_peak_sustained_elapsed";
constexpr char kL2ToXbar[] = "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr char kLocalLoads[] = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
constexpr char kLocalStores[] = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";

inline Statistic Measured(double median, double min, double max, int64_t n = 3) {
  Statistic statistic;
  statistic.n = n;
  statistic.median = median;
  statistic.min = min;
  statistic.max = max;
  statistic.sum = median * static_cast<double>(n);
  return statistic;
}

// Computes the use of the units from the metrics, as the analyzer does.
inline KernelReport WithUnits(KernelReport kernel) {
  kernel.units = analyzer::FindUnits(kernel.metrics, analyzer::MayUseShared(kernel));
  return kernel;
}

// A saxpy at 91.2 % of DRAM, half occupied, 890 us a launch.
inline KernelReport Saxpy() {
  KernelReport kernel;
  kernel.name = "saxpy";
  kernel.launches = 20;
  kernel.duration_ns = Measured(890e3, 880e3, 905e3, 17);
  kernel.metrics[kDram] = Measured(91.2, 90.8, 91.9);
  kernel.metrics[kL2Sectors] = Measured(30.0, 29.0, 31.0);
  kernel.metrics[kL2ToXbar] = Measured(42.0, 41.0, 43.0);
  kernel.occupancy.known = true;
  kernel.occupancy.theoretical = 1.0;
  kernel.occupancy.achieved = 0.5;
  kernel.verdict.limiter = Limiter::kDram;
  kernel.verdict.confidence = Confidence::kHigh;
  kernel.verdict.summary = "DRAM is at 91.2 % of its peak";
  kernel.verdict.evidence = {"4.4 TB/s of 4.8 TB/s"};
  return WithUnits(kernel);
}

// The same launches where counters could not be read.
inline KernelReport WithoutCounters() {
  KernelReport kernel = Saxpy();
  kernel.metrics.clear();
  kernel.units.clear();
  kernel.occupancy.achieved.reset();
  kernel.verdict = {};
  kernel.verdict.missing = "no counter sample: the driver restricts counters to administrators";
  return kernel;
}

inline Report ReportOf(KernelReport kernel) {
  Report report;
  report.kernels.push_back(std::move(kernel));
  return report;
}

}  // namespace prof::test

#endif  // PROF_TEST_EXPECT_KERNELS_H_
