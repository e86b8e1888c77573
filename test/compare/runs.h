// SPDX-License-Identifier: Apache-2.0
//
// Reports of runs in a few lines, for the tests of comparisons.
#ifndef PROF_TEST_COMPARE_RUNS_H_
#define PROF_TEST_COMPARE_RUNS_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "prof/compare.h"
#include "prof/report.h"

namespace prof::test {

inline Statistic Median(double value, int64_t n = 100) {
  Statistic statistic;
  statistic.n = n;
  statistic.median = value;
  statistic.min = value * 0.99;
  statistic.max = value * 1.01;
  statistic.sum = value * static_cast<double>(n);
  return statistic;
}

inline KernelReport Kernel(const std::string& name, double time_ns, int order = 0) {
  KernelReport kernel;
  kernel.name = kernel.full_name = name;
  kernel.range = "step";
  kernel.grid = {132, 1, 1};
  kernel.block = {256, 1, 1};
  kernel.registers_per_thread = 32;
  kernel.launches = 100;
  kernel.order = order;
  kernel.duration_ns = Median(time_ns);
  kernel.total_ns = time_ns * 100;
  for (int q = 0; q < kDurationQuantiles; ++q) {
    kernel.duration_quantiles_ns.push_back(time_ns * (0.99 + 0.001 * q));
  }
  return kernel;
}

// One run; `pid` makes it a run of its own.
inline Report Run(std::vector<KernelReport> kernels, uint32_t pid) {
  Report report;
  report.pid = pid;
  report.command = "./app";
  report.nvidia_driver = "580.1";
  DeviceReport device;
  device.name = "NVIDIA H200";
  device.chip = "GH100";
  device.sm_count = 132;
  for (const KernelReport& kernel : kernels) device.busy_ns += kernel.total_ns;
  report.span_ns = report.undisturbed_ns = device.busy_ns;
  report.devices.push_back(device);
  report.kernels = std::move(kernels);
  report.totals.kernels = 100;
  return report;
}

// Runs with one kernel "saxpy" of these times.
inline std::vector<Report> Runs(const std::vector<double>& times_ns, uint32_t first_pid = 1) {
  std::vector<Report> runs;
  for (const double time_ns : times_ns)
    runs.push_back(Run({Kernel("saxpy", time_ns)}, first_pid++));
  return runs;
}

// Seven runs around `time_ns` that differ by +-0.3 %.
inline std::vector<double> Around(double time_ns) {
  std::vector<double> times;
  for (const double part : {0.997, 0.998, 0.999, 1.0, 1.001, 1.002, 1.003}) {
    times.push_back(time_ns * part);
  }
  return times;
}

constexpr char kInstructions[] = "smsp__inst_executed.sum";
constexpr char kCycles[] = "sm__cycles_elapsed.max";
constexpr char kLoadSectors[] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr char kLoadRequests[] = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr char kDramRead[] = "dram__bytes_read.sum";

// A metric of five launches, all with this value.
inline KernelReport With(KernelReport kernel, const std::string& metric, double value) {
  Statistic& statistic = kernel.metrics[metric];
  statistic.n = 5;
  statistic.median = statistic.min = statistic.max = value;
  statistic.sum = 5 * value;
  return kernel;
}

}  // namespace prof::test

#endif  // PROF_TEST_COMPARE_RUNS_H_
