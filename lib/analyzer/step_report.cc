// SPDX-License-Identifier: Apache-2.0
#include "prof/step_report.h"

namespace prof {

const char* ToString(StepPart part) {
  switch (part) {
    case StepPart::kForward:
      return "forward";
    case StepPart::kBackward:
      return "backward";
    case StepPart::kOptimizer:
      return "optimizer";
    case StepPart::kData:
      return "data";
    case StepPart::kCommunication:
      return "communication";
    case StepPart::kOther:
      return "other";
    case StepPart::kNotKnown:
      return "not known";
  }
  return "?";
}

const char* ToString(StepPathKind kind) {
  switch (kind) {
    case StepPathKind::kHost:
      return "host";
    case StepPathKind::kCall:
      return "call";
    case StepPathKind::kLaunch:
      return "launch";
    case StepPathKind::kKernel:
      return "kernel";
    case StepPathKind::kCommunication:
      return "communication";
    case StepPathKind::kCopy:
      return "copy";
    case StepPathKind::kWait:
      return "wait";
  }
  return "?";
}

}  // namespace prof
