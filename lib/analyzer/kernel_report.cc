// SPDX-License-Identifier: Apache-2.0
#include "prof/kernel_report.h"

#include <algorithm>

#include "lib/analyzer/base/metrics.h"

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
    case Limiter::kCommunication:
      return "communication";
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

const char* ToString(GainKind kind) {
  switch (kind) {
    case GainKind::kSameWork:
      return "same-work";
    case GainKind::kLessWork:
      return "less-work";
    case GainKind::kCauseRemoved:
      return "cause-removed";
    case GainKind::kIdleTime:
      return "idle-time";
    case GainKind::kMemory:
      return "memory";
  }
  return "same-work";
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
    case Unit::kTexture:
      return "texture";
    case Unit::kIssue:
      return "issue";
  }
  return "unknown";
}

const char* ToString(Source source) {
  switch (source) {
    case Source::kNone:
      return "none";
    case Source::kCounters:
      return "counters";
    case Source::kPmSamples:
      return "pm-samples";
    case Source::kBoth:
      return "both";
  }
  return "none";
}

std::optional<double> Verdict::known_gain() const {
  const bool is_known = actions.empty() || actions.front().gain_at_most.has_value();
  return is_known ? std::optional<double>(gain_at_most) : std::nullopt;
}

const Statistic* Measured::Find(std::string_view metric) const& {
  return analyzer::FindIn(metrics, metric);
}

std::optional<double> Measured::Metric(std::string_view metric) const {
  return analyzer::MedianIn(metrics, metric);
}

const UnitUse* Measured::Find(Unit unit) const& {
  const auto found = std::find_if(units.begin(), units.end(),
                                  [unit](const UnitUse& use) { return use.unit == unit; });
  return found == units.end() ? nullptr : &*found;
}

}  // namespace prof
