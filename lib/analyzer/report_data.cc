// SPDX-License-Identifier: Apache-2.0
//
// The member functions of the report's structs, and the names of its enumerators.
#include <algorithm>
#include <utility>

#include "lib/analyzer/base/metrics.h"
#include "prof/report.h"

namespace prof {

const char* ToString(Limiter limiter) {
  switch (limiter) {
    case Limiter::kUnknown:
      return "unknown";
    case Limiter::kNotMeasured:
      return "not-measured";
    case Limiter::kDram:
      return "dram";
    case Limiter::kL2:
      return "l2";
    case Limiter::kL1:
      return "l1";
    case Limiter::kShared:
      return "shared";
    case Limiter::kTensor:
      return "tensor";
    case Limiter::kFma:
      return "fma";
    case Limiter::kAlu:
      return "alu";
    case Limiter::kFp64:
      return "fp64";
    case Limiter::kSfu:
      return "sfu";
    case Limiter::kIssue:
      return "issue";
    case Limiter::kMixed:
      return "mixed";
    case Limiter::kLatency:
      return "latency";
    case Limiter::kOccupancy:
      return "occupancy";
    case Limiter::kSmallGrid:
      return "small-grid";
    case Limiter::kTail:
      return "tail";
    case Limiter::kLaunchSized:
      return "launch-sized";
  }
  return "unknown";
}

const char* ToString(Confidence confidence) {
  switch (confidence) {
    case Confidence::kNone:
      return "none";
    case Confidence::kLow:
      return "low";
    case Confidence::kMedium:
      return "medium";
    case Confidence::kHigh:
      return "high";
  }
  return "none";
}

const char* ToString(GapCause cause) {
  switch (cause) {
    case GapCause::kSync:
      return "sync";
    case GapCause::kLaunch:
      return "launch";
    case GapCause::kLoading:
      return "loading";
    case GapCause::kHostWork:
      return "host-work";
    case GapCause::kTransfer:
      return "transfer";
    case GapCause::kDependency:
      return "dependency";
    case GapCause::kProfiler:
      return "profiler";
    case GapCause::kUnknown:
      return "unknown";
  }
  return "unknown";
}

const char* ToString(Unit unit) {
  switch (unit) {
    case Unit::kDram:
      return "dram";
    case Unit::kL2:
      return "l2";
    case Unit::kL1:
      return "l1";
    case Unit::kShared:
      return "shared";
    case Unit::kTensor:
      return "tensor";
    case Unit::kFma:
      return "fma";
    case Unit::kAlu:
      return "alu";
    case Unit::kFp64:
      return "fp64";
    case Unit::kSfu:
      return "sfu";
    case Unit::kLsu:
      return "lsu";
    case Unit::kIssue:
      return "issue";
  }
  return "unknown";
}

const Statistic* Measured::Find(std::string_view metric) const {
  return analyzer::FindIn(metrics, metric);
}

std::optional<double> Measured::Metric(std::string_view metric) const {
  return analyzer::MedianIn(metrics, metric);
}

const UnitUse* Measured::Find(Unit unit) const {
  const auto found = std::find_if(units.begin(), units.end(),
                                  [unit](const UnitUse& use) { return use.unit == unit; });
  return found == units.end() ? nullptr : &*found;
}

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

  // The reference must outlive this call without the report owning it: one per thread, replaced
  // by the next name that is not found.
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
