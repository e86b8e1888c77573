// SPDX-License-Identifier: Apache-2.0
//
// The one way from the program prof to CUPTI, which it loads as a recording would.
#ifndef PROF_LIB_CLI_METRICS_METRICS_CUPTI_H_
#define PROF_LIB_CLI_METRICS_METRICS_CUPTI_H_

#include <cstdint>
#include <string>

#include "cupti_backend/metrics/metric_catalogue.h"

namespace prof::cli {

struct CuptiFound {
  std::string path;
  uint32_t version = 0;  // 130001; 0: not found
  std::string error, fix;
};

// AskCatalogue(). A prof that was built without CUDA answers with an error. Up to a second.
[[nodiscard]] cupti::CatalogueAnswer AskCupti(const cupti::CatalogueQuestion& question);

// Which copy this process would load: a program may bring its own. Up to a second.
[[nodiscard]] CuptiFound FindCupti();

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_METRICS_CUPTI_H_
