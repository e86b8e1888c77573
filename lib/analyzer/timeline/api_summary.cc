// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/api_summary.h"

#include <algorithm>
#include <tuple>

namespace prof::analyzer {

std::vector<ApiSummary> SummarizeApiCalls(const model::Model& model) {
  std::vector<ApiSummary> by_name(model.strings.size());
  for (const model::ApiCall& call : model.api_calls) {
    ApiSummary& summary = by_name[call.name];
    const auto length_ns = static_cast<double>(call.end_ns - call.start_ns);
    ++summary.count;
    summary.total_ns += length_ns;
    summary.longest_ns = std::max(summary.longest_ns, length_ns);
    if (call.error != 0) ++summary.failed;
  }
  std::vector<ApiSummary> result;
  for (size_t i = 0; i < by_name.size(); ++i) {
    if (by_name[i].count == 0) continue;
    by_name[i].name = model.strings[i];
    result.push_back(by_name[i]);
  }
  std::sort(result.begin(), result.end(), [](const ApiSummary& a, const ApiSummary& b) {
    return std::tie(b.total_ns, a.name) < std::tie(a.total_ns, b.name);
  });
  return result;
}

}  // namespace prof::analyzer
