// SPDX-License-Identifier: Apache-2.0
#include "prof/timeline_report.h"

namespace prof {

const char* ToString(GapCause cause) {
  switch (cause) {
    case GapCause::kSync:
      return "sync";
    case GapCause::kLaunch:
      return "launch";
    case GapCause::kLoading:
      return "loading";
    case GapCause::kHostWork:
      return "host-work";
    case GapCause::kTransfer:
      return "transfer";
    case GapCause::kDependency:
      return "dependency";
    case GapCause::kProfiler:
      return "profiler";
    case GapCause::kUnknown:
      return "unknown";
  }
  return "unknown";
}

}  // namespace prof
