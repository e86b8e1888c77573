// SPDX-License-Identifier: Apache-2.0
#include "prof/report.h"

#include "lib/report/text/text.h"

namespace prof {

std::ostream& operator<<(std::ostream& out, const Report& report) {
  WriteText(out, report, {});
  return out;
}

}  // namespace prof
