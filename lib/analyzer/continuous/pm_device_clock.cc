// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_device_clock.h"

#include <algorithm>
#include <cmath>

namespace prof::analyzer {

std::optional<PmOffset> PmDeviceClock::offset() const {
  if (known_.empty()) return std::nullopt;
  PmOffset best = *std::min_element(
      known_.begin(), known_.end(),
      [](const PmOffset& a, const PmOffset& b) { return a.error_ns < b.error_ns; });
  for (const PmOffset& offset : known_) {
    best.error_ns = std::max(best.error_ns, std::abs(offset.ns - best.ns));
  }
  return best;
}

}  // namespace prof::analyzer
