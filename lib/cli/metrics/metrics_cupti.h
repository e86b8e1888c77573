// SPDX-License-Identifier: Apache-2.0
//
// FindCupti() loads CUPTI as a recording would, and says which copy that is.
#ifndef PROF_LIB_CLI_METRICS_METRICS_CUPTI_H_
#define PROF_LIB_CLI_METRICS_METRICS_CUPTI_H_

#include <cstdint>
#include <string>

namespace prof::cli {

struct CuptiFound {
  std::string path;
  uint32_t version = 0;  // 130001; 0: not found
  std::string error, fix;
};

// Of this process: a program may bring its own copy. Up to a second.
[[nodiscard]] CuptiFound FindCupti();

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_METRICS_CUPTI_H_
