// SPDX-License-Identifier: Apache-2.0
//
// The metrics that prof reads for itself: the capture requests them, and the analyzer looks for
// them.
#ifndef PROF_LIB_FORMAT_METRIC_NAMES_H_
#define PROF_LIB_FORMAT_METRIC_NAMES_H_

namespace prof::format {

// How long the counters of a sample ran: the counter window, in ns.
inline constexpr char kWindowMetric[] = "gpu__time_duration.sum";
inline constexpr char kSmClockMetric[] = "gpc__cycles_elapsed.avg.per_second";
inline constexpr char kDramClockMetric[] = "dram__cycles_elapsed.avg.per_second";
inline constexpr char kDramRateMetric[] = "dram__bytes.sum.per_second";

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_METRIC_NAMES_H_
