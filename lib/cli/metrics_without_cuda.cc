// SPDX-License-Identifier: Apache-2.0
//
// prof metrics, in a prof that was built without the CUDA toolkit.
#include <iostream>

#include "lib/cli/commands.h"

namespace prof::cli {

int MetricsCommand(const MetricsOptions& /*options*/) {
  std::cerr << "prof: this prof was built without CUDA (PROF_CUDA=OFF), so it cannot ask CUPTI for "
               "metrics. Build it where the CUDA toolkit is installed\n";
  return kFailed;
}

}  // namespace prof::cli
