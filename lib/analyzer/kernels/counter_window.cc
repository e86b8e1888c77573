// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/counter_window.h"

#include <algorithm>
#include <cmath>

#include "lib/text/strings.h"

namespace prof::analyzer {

double WindowOverWork(double window_ns, double work_ns) {
  if (!std::isfinite(window_ns) || !(work_ns > 0)) return 1;
  return std::max(1.0, window_ns / work_ns);
}

double AtKernelTime(std::string_view metric, double value, double window_over_kernel) {
  const bool elapsed =
      text::Contains(metric, "__cycles_elapsed.") || text::Contains(metric, "__time_duration.");
  const bool rate = text::EndsWith(metric, ".per_second");
  if (elapsed) return rate ? value : value / window_over_kernel;  // cycles per second: a clock
  if (rate || text::Contains(metric, ".pct_of_peak_sustained_elapsed") ||
      text::Contains(metric, ".per_cycle_elapsed")) {
    return value * window_over_kernel;
  }
  return value;
}

bool DependsOnWindow(std::string_view metric) { return AtKernelTime(metric, 1, 2) != 1; }

}  // namespace prof::analyzer
