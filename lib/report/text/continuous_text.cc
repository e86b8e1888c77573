// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/continuous_text.h"

#include "lib/report/base/strings.h"

namespace prof::report {

std::string MetricLabel(const std::string& metric) {
  const size_t mark = metric.find("__");
  if (mark == metric.npos) return Printable(metric);
  const size_t before = metric.rfind('.', mark);
  const size_t first = before == metric.npos ? 0 : before + 1;
  return Printable(metric.substr(first, metric.find('.', mark) - first));
}

}  // namespace prof::report
