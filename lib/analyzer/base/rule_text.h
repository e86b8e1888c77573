// SPDX-License-Identifier: Apache-2.0
//
// The rules print a metric always with a unit, and with n and spread where there is one.
#ifndef PROF_LIB_ANALYZER_BASE_RULE_TEXT_H_
#define PROF_LIB_ANALYZER_BASE_RULE_TEXT_H_

#include <string>
#include <string_view>

#include "prof/statistic.h"

namespace prof::analyzer {

// "DRAM throughput 91.3 % (gpu__dram..., median of 5, 90.8 to 92.0)". `scale` turns CUPTI's unit
// into the one that is printed.
[[nodiscard]] std::string Describe(std::string_view label, const Statistic& value,
                                   std::string_view unit, std::string_view metric,
                                   double scale = 1);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_RULE_TEXT_H_
