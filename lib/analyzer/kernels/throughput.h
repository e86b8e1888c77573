// SPDX-License-Identifier: Apache-2.0
//
// A throughput such as sm__throughput is the maximum of up to thirty metrics, which take up to nine
// passes. They are read one pass at a time, from launches of one signature, and are combined here.
#ifndef PROF_LIB_ANALYZER_KERNELS_THROUGHPUT_H_
#define PROF_LIB_ANALYZER_KERNELS_THROUGHPUT_H_

#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// The largest median among the parts of each of `throughputs` that `metrics` has. Parts that were
// not read, or whose values were left out, are named as missing. Repeated entries count once.
[[nodiscard]] SpeedOfLight FindSpeedOfLight(
    const std::vector<const model::Throughput*>& throughputs, const Metrics& metrics);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_THROUGHPUT_H_
