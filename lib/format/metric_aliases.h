// SPDX-License-Identifier: Apache-2.0
//
// This table has the metrics that some chips know under another name. The recorder reads the name
// of the chip, the snapshot keeps it, and the analyzer finds the metric by its usual name.
#ifndef PROF_LIB_FORMAT_METRIC_ALIASES_H_
#define PROF_LIB_FORMAT_METRIC_ALIASES_H_

#include <string>
#include <string_view>

namespace prof::format {

// Names without their suffix. Both mean the same metric, in the same unit.
struct MetricAlias {
  std::string_view usual, elsewhere;
};

inline constexpr MetricAlias kMetricAliases[] = {
    {"dram__bytes_read", "dram__bytes_op_read"},    // GB20x
    {"dram__bytes_write", "dram__bytes_op_write"},  // GB20x
};

// "dram__bytes_op_read.sum" for "dram__bytes_read.sum"; empty when there is no other name.
[[nodiscard]] inline std::string OtherName(std::string_view metric) {
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
