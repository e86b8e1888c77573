// SPDX-License-Identifier: Apache-2.0
//
// MetricsOptions holds what the command line of `prof metrics` requests.
#ifndef PROF_LIB_CLI_METRICS_METRICS_OPTIONS_H_
#define PROF_LIB_CLI_METRICS_METRICS_OPTIONS_H_

#include <string>

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

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_METRICS_OPTIONS_H_
