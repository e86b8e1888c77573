// SPDX-License-Identifier: Apache-2.0
//
// Metrics that some chips have under another name. The recorder reads what the chip has, the
// snapshot keeps that name, and the analyzer finds it when it asks by the usual one.
#ifndef PROF_LIB_FORMAT_METRIC_ALIASES_H_
#define PROF_LIB_FORMAT_METRIC_ALIASES_H_

#include <string>
#include <string_view>

namespace prof::format {

// Base names: what stands before the suffix. Both mean the same, in the same unit.
struct MetricAlias {
  std::string_view usual, elsewhere;
};

inline constexpr MetricAlias kMetricAliases[] = {
    {"dram__bytes_read", "dram__bytes_op_read"},    // GB20x
    {"dram__bytes_write", "dram__bytes_op_write"},  // GB20x
};

// "dram__bytes_op_read.sum" for "dram__bytes_read.sum"; empty when there is no other name.
inline std::string OtherName(std::string_view metric) {
  const std::string_view base = metric.substr(0, metric.find('.'));
  for (const MetricAlias& alias : kMetricAliases) {
    if (alias.usual == base) {
      return std::string(alias.elsewhere) + std::string(metric.substr(base.size()));
    }
  }
  return {};
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_METRIC_ALIASES_H_
