// SPDX-License-Identifier: Apache-2.0
//
// PM samples over time: means, percentiles and a coarse series of each metric.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_SUMMARY_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_SUMMARY_H_

#include <cstdint>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

constexpr int64_t kPmBuckets = 120;

// Over [start_ns, end_ns), the span of the device's operations; over the whole series when that is
// empty. Does not set clock, concurrency and notes. Linear in rows.
[[nodiscard]] ContinuousReport SummarizePm(const model::PmSeries& series, int64_t start_ns,
                                           int64_t end_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_SUMMARY_H_
