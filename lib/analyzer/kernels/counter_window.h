// SPDX-License-Identifier: Apache-2.0
//
// Counters run for a range, not for a kernel: on an H200 they start and stop 5 to 12 us outside of
// the launch that they are for. Work (bytes, instructions, active cycles) is counted right, but
// what CUPTI relates to the time that elapsed is too small, by a tenth for a 100 us kernel and
// five-fold for a 2 us one. Each sample brings the range's duration, and the timeline that of the
// same launch of the kernel, so the percentages can be related to the kernel's own time.
#ifndef PROF_LIB_ANALYZER_KERNELS_COUNTER_WINDOW_H_
#define PROF_LIB_ANALYZER_KERNELS_COUNTER_WINDOW_H_

#include <string_view>

namespace prof::analyzer {

// Of a sample: how long its range lasted, in ns.
inline constexpr char kWindow[] = "gpu__time_duration.sum";

// The duration of the range over that of the work in it, at least 1. 1 when either is unknown (not
// finite, not positive): nothing is corrected then.
double WindowOverWork(double window_ns, double work_ns);

// `value` of `metric` as it would read had the counters run exactly as long as the kernel:
//  - shares of the elapsed time and rates per second grow by the factor,
//  - elapsed times and cycles shrink by it,
//  - counts, ratios, clocks and shares of the active time stay.
double AtKernelTime(std::string_view metric, double value, double window_over_kernel);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_COUNTER_WINDOW_H_
