// SPDX-License-Identifier: Apache-2.0
//
// CheckMetrics() looks for the metrics of `prof run --metrics` on the GPU of this machine before
// the program starts.
#ifndef PROF_LIB_CLI_METRICS_METRICS_CHECK_H_
#define PROF_LIB_CLI_METRICS_METRICS_CHECK_H_

#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_catalogue.h"

namespace prof::cli {

struct MetricsCheck {
  std::string problem;      // not empty: these metrics cannot be read, with the names that are near
  std::string not_checked;  // not empty: why nobody knows
};

// CUPTI is asked in a child process, which has ended after this call. Some seconds at most; without
// a GPU less than one.
[[nodiscard]] MetricsCheck CheckMetrics(const std::vector<std::string>& metrics);

// The same for CUPTI's answer.
[[nodiscard]] MetricsCheck CheckOf(const cupti::CatalogueAnswer& answer);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_METRICS_CHECK_H_
