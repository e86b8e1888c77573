// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/values.h"

#include <cmath>

namespace prof {

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json Number(const std::optional<double>& value) { return value ? Number(*value) : Json(nullptr); }

Json Known(double value) { return value > 0 ? Number(value) : Json(nullptr); }

Json ToJson(const Statistic& value) {
  const auto of_any = [&](double number) { return value.n > 0 ? Number(number) : Json(nullptr); };
  return {{"n", value.n},
          {"median", of_any(value.median)},
          {"min", of_any(value.min)},
          {"max", of_any(value.max)},
          {"sum", of_any(value.sum)}};
}

Json ToJson(const Metrics& values) {
  Json metrics = Json::object();
  for (const auto& [name, statistic] : values) metrics[name] = ToJson(statistic);
  return metrics;
}

}  // namespace prof
