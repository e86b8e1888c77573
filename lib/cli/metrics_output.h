// SPDX-License-Identifier: Apache-2.0
//
// The answer of `prof metrics` as text and as JSON.
#ifndef PROF_LIB_CLI_METRICS_OUTPUT_H_
#define PROF_LIB_CLI_METRICS_OUTPUT_H_

#include <string>

#include "cupti_backend/metrics/metric_catalogue.h"
#include "prof/session.h"

namespace prof::cli {

struct MetricsOptions {
  std::string chip;     // empty: the first GPU's
  std::string level;    // empty: an overview of all levels
  std::string search;   // not empty: a regular expression for names
  std::string metrics;  // not empty: "a,b,c", planned as `prof run --metrics` would
  int samples = SessionOptions().samples_per_signature;
  bool json = false;
};

[[nodiscard]] std::string MetricsText(const cupti::CatalogueAnswer& answer,
                                      const MetricsOptions& options);
[[nodiscard]] std::string MetricsJson(const cupti::CatalogueAnswer& answer,
                                      const MetricsOptions& options);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_OUTPUT_H_
