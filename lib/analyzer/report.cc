// SPDX-License-Identifier: Apache-2.0
#include "prof/report.h"

#include <algorithm>
#include <utility>

namespace prof {

KernelReport Report::kernel(std::string_view name) && { return std::as_const(*this).kernel(name); }

const KernelReport& Report::kernel(std::string_view name) const& {
  const auto longest = [&](std::string KernelReport::*field) {
    const KernelReport* best = nullptr;
    for (const KernelReport& candidate : kernels) {
      if ((candidate.*field).find(name) == std::string::npos) continue;
      if (best == nullptr || candidate.total_ns > best->total_ns) best = &candidate;
    }
    return best;
  };
  const KernelReport* best = longest(&KernelReport::name);
  if (best == nullptr) best = longest(&KernelReport::full_name);  // "saxpy<float>"
  if (best != nullptr) return *best;

  // The reference must outlive this call, but the report does not own its object: there is one per
  // thread, which the next name that is not found replaces.
  thread_local KernelReport missing;
  missing = KernelReport{};
  missing.name = std::string(name);
  missing.verdict.missing = "no kernel has \"" + missing.name + "\" in its name; ";
  if (!error.empty()) {
    missing.verdict.missing += "the snapshot could not be read: " + error;
    return missing;
  }
  std::vector<std::string> names;
  for (const KernelReport& candidate : kernels) {
    if (std::find(names.begin(), names.end(), candidate.name) == names.end()) {
      names.push_back(candidate.name);
    }
  }
  constexpr size_t kMost = 20;
  missing.verdict.missing += names.empty() ? "no kernel was recorded" : "there are ";
  for (size_t i = 0; i < names.size() && i < kMost; ++i) {
    missing.verdict.missing += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMost) {
    missing.verdict.missing += " and " + std::to_string(names.size() - kMost) + " more";
  }
  return missing;
}

}  // namespace prof
