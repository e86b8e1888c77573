// SPDX-License-Identifier: Apache-2.0
//
// MetricsJson() writes the answer of `prof metrics` as JSON.
#ifndef PROF_LIB_CLI_METRICS_METRICS_JSON_H_
#define PROF_LIB_CLI_METRICS_METRICS_JSON_H_

#include <string>

#include "cupti_backend/metrics/metric_catalogue.h"
#include "lib/cli/metrics/metrics_options.h"

namespace prof::cli {

[[nodiscard]] std::string MetricsJson(const cupti::CatalogueAnswer& answer,
                                      const MetricsOptions& options);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_METRICS_JSON_H_
