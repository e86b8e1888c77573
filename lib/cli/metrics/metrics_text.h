// SPDX-License-Identifier: Apache-2.0
//
// MetricsText() writes the answer of `prof metrics` as text.
#ifndef PROF_LIB_CLI_METRICS_METRICS_TEXT_H_
#define PROF_LIB_CLI_METRICS_METRICS_TEXT_H_

#include <string>

#include "cupti_backend/metrics/metric_catalogue.h"
#include "lib/cli/metrics/metrics_options.h"

namespace prof::cli {

[[nodiscard]] std::string MetricsText(const cupti::CatalogueAnswer& answer,
                                      const MetricsOptions& options);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_METRICS_TEXT_H_
