// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/continuous_text.h"

#include <vector>

#include "lib/report/base/strings.h"
#include "lib/text/metric_names.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::report {

std::string MetricLabel(const std::string& metric) {
  const size_t mark = metric.find("__");
  if (mark == metric.npos) return Printable(metric);
  const size_t before = metric.rfind('.', mark);
  const size_t first = before == metric.npos ? 0 : before + 1;
  return Printable(metric.substr(first, metric.find('.', mark) - first));
}

std::string ContinuousText(const ContinuousValues& values) {
  std::vector<std::string> parts;
  for (const auto& [metric, value] : values) {
    if (!value.value) continue;
    parts.push_back(MetricLabel(metric) + " " + text::Grouped(*value.value, 1) + " +-" +
                    text::Grouped(value.error, 1) + (text::IsPercentMetric(metric) ? " %" : ""));
  }
  return parts.empty() ? "" : "while it ran, by PM samples: " + text::Join(parts, ", ");
}

}  // namespace prof::report
