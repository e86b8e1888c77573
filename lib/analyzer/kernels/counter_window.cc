// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/counter_window.h"

#include <algorithm>
#include <cmath>

namespace prof::analyzer {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

}  // namespace

double WindowOverWork(double window_ns, double work_ns) {
  if (!std::isfinite(window_ns) || !(work_ns > 0)) return 1;
  return std::max(1.0, window_ns / work_ns);
}

double AtKernelTime(std::string_view metric, double value, double window_over_kernel) {
  const bool elapsed =
      Contains(metric, "__cycles_elapsed.") || Contains(metric, "__time_duration.");
  const bool rate = EndsWith(metric, ".per_second");
  if (elapsed) return rate ? value : value / window_over_kernel;  // cycles per second: a clock
  if (rate || Contains(metric, ".pct_of_peak_sustained_elapsed") ||
      Contains(metric, ".per_cycle_elapsed")) {
    return value * window_over_kernel;
  }
  return value;
}

}  // namespace prof::analyzer
