// SPDX-License-Identifier: Apache-2.0
//
// The counter window is the time in which the counters of a range ran. It is longer than the
// kernel: on an H200 counters start and stop 5 to 12 us outside of the launch. Work (bytes,
// instructions, active cycles) is counted right, but values that CUPTI relates to the elapsed time
// are too small, by a tenth for a 100 us kernel and five-fold for a 2 us one. Each sample has the
// range's duration, and the timeline has that of this very launch, so the percentages are related
// to the kernel's time.
#ifndef PROF_LIB_ANALYZER_KERNELS_COUNTER_WINDOW_H_
#define PROF_LIB_ANALYZER_KERNELS_COUNTER_WINDOW_H_

#include <string_view>

namespace prof::analyzer {

// The duration of the range over that of the work in it, at least 1. 1 when either is unknown (not
// finite, not positive): nothing is corrected then.
[[nodiscard]] double WindowOverWork(double window_ns, double work_ns);

// `value` of `metric` as if the counters had run exactly as long as the kernel:
//  - shares of the elapsed time and rates per second grow by the factor,
//  - elapsed times and cycles shrink by it,
//  - counts, ratios, clocks and shares of the active time stay.
//
// Without the kernel's time nothing can be done about the first two: DependsOnWindow().
[[nodiscard]] double AtKernelTime(std::string_view metric, double value, double window_over_kernel);
[[nodiscard]] bool DependsOnWindow(std::string_view metric);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_COUNTER_WINDOW_H_
