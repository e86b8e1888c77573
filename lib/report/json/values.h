// SPDX-License-Identifier: Apache-2.0
//
// Numbers and statistics as JSON. What was not measured is null. The functions are in the namespace
// of the report's types, because List() finds them by these.
#ifndef PROF_LIB_REPORT_JSON_VALUES_H_
#define PROF_LIB_REPORT_JSON_VALUES_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "prof/kernel_report.h"
#include "prof/statistic.h"

namespace prof {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json Number(double value);  // null where it is not finite
[[nodiscard]] Json Number(const std::optional<double>& value);
[[nodiscard]] Json Known(double value);  // of what is not known where it is 0
[[nodiscard]] Json ToJson(const Statistic& value);
[[nodiscard]] Json ToJson(const Metrics& values);

template <typename T>
[[nodiscard]] Json List(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(ToJson(value));
  return list;
}

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_VALUES_H_
