// SPDX-License-Identifier: Apache-2.0
//
// How the rules print numbers.
#include "lib/analyzer/base/rule_text.h"

#include "lib/analyzer/base/number_text.h"

namespace prof::analyzer {

std::string Percent(double fraction) { return FormatFixed(100 * fraction, 1) + " %"; }

std::string Describe(std::string_view label, const Statistic& value, std::string_view unit,
                     std::string_view metric, double scale) {
  std::string text(label);
  text += " " + FormatFixed(value.median * scale, 2);
  if (!unit.empty()) text.append(" ").append(unit);
  text.append(" (").append(metric);
  if (value.n > 1) {
    text += "; median of " + std::to_string(value.n) + ", " + FormatFixed(value.min * scale, 2) +
            " to " + FormatFixed(value.max * scale, 2);
  }
  return text + ")";
}

}  // namespace prof::analyzer
