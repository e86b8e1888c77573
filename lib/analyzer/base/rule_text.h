// SPDX-License-Identifier: Apache-2.0
//
// Numbers in the words of the rules: always with a unit, and with n and spread where there is one.
#ifndef PROF_LIB_ANALYZER_BASE_RULE_TEXT_H_
#define PROF_LIB_ANALYZER_BASE_RULE_TEXT_H_

#include <string>
#include <string_view>

#include "prof/report.h"

namespace prof::analyzer {

std::string Percent(double fraction);  // "91.3 %"

// "DRAM throughput 91.3 % (gpu__dram..., median of 5, 90.8 to 92.0)". `scale` turns CUPTI's unit
// into the one that is printed.
std::string Describe(std::string_view label, const Statistic& value, std::string_view unit,
                     std::string_view metric, double scale = 1);

// "a, b and c".
template <typename Names>
std::string Join(const Names& names) {
  std::string joined;
  size_t left = names.size();
  for (const auto& name : names) {
    joined += name;
    --left;
    if (left > 0) joined += left == 1 ? " and " : ", ";
  }
  return joined;
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_RULE_TEXT_H_
