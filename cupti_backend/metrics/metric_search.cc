// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/metrics/metric_search.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace prof::cupti {
namespace {

constexpr size_t kLongestName = 256;  // a longer one is no name, and costs its square

// Levenshtein's: letters inserted, removed or replaced.
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// The suffixes that are used most; there are up to 44.
std::string SuffixText(const std::vector<std::string>& suffixes) {
  std::vector<std::string> shown;
  size_t more = 0;
  for (const std::string& suffix : suffixes) {
    const bool rare = suffix.rfind(".max.", 0) == 0 || suffix.rfind(".min.", 0) == 0 ||
                      suffix.rfind(".sum.pct_", 0) == 0 || suffix.find(".peak_") != suffix.npos;
    if (rare) {
      ++more;
    } else {
      shown.push_back(suffix);
    }
  }
  return Joined(shown) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

}  // namespace

std::vector<std::string> Nearest(const std::vector<std::string>& names, const std::string& name,
                                 size_t count) {
  if (name.empty() || name.size() > kLongestName) return {};
  std::vector<std::pair<size_t, std::string>> near;
  const size_t most = std::max<size_t>(2, name.size() / 3);  // more is another word
  for (const std::string& candidate : names) {
    const size_t longer = std::max(candidate.size(), name.size());
    if (longer - std::min(candidate.size(), name.size()) > most) continue;
    const size_t distance = Distance(candidate, name);
    if (distance <= most) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  if (near.size() > count) near.resize(count);
  std::vector<std::string> best;
  std::transform(near.begin(), near.end(), std::back_inserter(best),
                 [](auto& entry) { return std::move(entry.second); });
  return best;
}

std::string ExplainName(const MetricHost& host, const std::string& metric) {
  std::string base = host.BaseOf(metric);
  if (base.empty() && host.metrics().count(metric) != 0) base = metric;
  if (!base.empty()) {
    const std::vector<std::string> suffixes = host.Suffixes(base);
    if (base == metric) return "needs one of its suffixes: " + SuffixText(suffixes);
    if (std::find(suffixes.begin(), suffixes.end(), metric.substr(base.size())) == suffixes.end()) {
      return base + " has no " + metric.substr(base.size()) + ", but " + SuffixText(suffixes);
    }
    return "CUPTI does not take it";
  }
  std::string text = "no such metric on " + host.chip();
  std::vector<std::string> names;
  std::transform(host.metrics().begin(), host.metrics().end(), std::back_inserter(names),
                 [](const auto& entry) { return entry.first; });
  const std::vector<std::string> nearest = Nearest(names, metric.substr(0, metric.find('.')), 3);
  if (!nearest.empty()) text += "; nearest: " + Joined(nearest);
  return text;
}

}  // namespace prof::cupti
