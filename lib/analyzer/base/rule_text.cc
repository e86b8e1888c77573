// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/rule_text.h"

#include "lib/text/numbers.h"

namespace prof::analyzer {

std::string Describe(std::string_view label, const Statistic& value, std::string_view unit,
                     std::string_view metric, double scale) {
  std::string text(label);
  text += " " + text::Fixed(value.median * scale, 2);
  if (!unit.empty()) text.append(" ").append(unit);
  text.append(" (").append(metric);
  if (value.n > 1) {
    text += "; median of " + std::to_string(value.n) + ", " + text::Fixed(value.min * scale, 2) +
            " to " + text::Fixed(value.max * scale, 2);
  }
  return text + ")";
}

}  // namespace prof::analyzer
