// SPDX-License-Identifier: Apache-2.0
#include "prof/clock_report.h"

namespace prof {

const char* ToString(ClockHold::Kind kind) {
  switch (kind) {
    case ClockHold::Kind::kPower:
      return "power";
    case ClockHold::Kind::kThermal:
      return "thermal";
    case ClockHold::Kind::kChosen:
      return "chosen";
  }
  return "?";
}

}  // namespace prof
