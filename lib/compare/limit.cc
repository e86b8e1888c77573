// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/limit.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lib/compare/base/sample.h"
#include "lib/text/strings.h"

namespace prof::compare {
namespace {

constexpr int kLimiters = static_cast<int>(Limiter::kCommunication) + 1;
constexpr char kMeasured[] = "measured";  // how RooflineLevel::ceiling begins after a calibration

// That of more than half of the runs that have one.
Limiter LimiterOfMost(const std::vector<const KernelReport*>& runs) {
  std::map<Limiter, int> counts;
  int decided = 0;
  for (const KernelReport* kernel : runs) {
    if (!kernel->verdict.decided) continue;
    ++counts[kernel->verdict.limiter];
    ++decided;
  }
  for (const auto& [limiter, count] : counts) {
    if (2 * count > decided) return limiter;
  }
  return decided == 0 ? Limiter::kNotMeasured : Limiter::kUnknown;
}

std::vector<Unit> MixedUnits(const std::vector<const KernelReport*>& runs) {
  for (const KernelReport* kernel : runs) {
    if (kernel->verdict.limiter != Limiter::kMixed || kernel->units.size() < 2) continue;
    return {kernel->units[0].unit, kernel->units[1].unit};
  }
  return {};
}

LevelCeiling CeilingOf(const std::vector<const KernelReport*>& runs, const char* name) {
  for (const KernelReport* kernel : runs) {
    for (const RooflineLevel& level : kernel->roofline.levels) {
      if (level.level != name || !level.ceiling_bytes_per_s) continue;
      return {*level.ceiling_bytes_per_s, text::StartsWith(level.ceiling, kMeasured)};
    }
  }
  return {};
}

}  // namespace

KernelLimit LimitOf(const std::vector<const KernelReport*>& runs) {
  KernelLimit limit;
  limit.limiter = LimiterOfMost(runs);
  if (limit.limiter == Limiter::kMixed) limit.mixed = MixedUnits(runs);
  limit.dram = CeilingOf(runs, "dram");
  limit.l2 = CeilingOf(runs, "l2");
  Values clocks;
  for (const KernelReport* kernel : runs) {
    if (kernel->clock.run_hz.n > 0) clocks.push_back(kernel->clock.run_hz.median);
  }
  if (!clocks.empty()) limit.run_clock_hz = Median(clocks);
  return limit;
}

Limiter LimiterOf(const std::string& word) {
  for (int i = 0; i < kLimiters; ++i) {
    if (word == ToString(static_cast<Limiter>(i))) return static_cast<Limiter>(i);
  }
  return Limiter::kNotMeasured;
}

std::vector<Unit> UnitsOf(const std::vector<std::string>& words) {
  std::vector<Unit> units;
  for (const std::string& word : words) {
    for (int i = 0; i < kUnitCount; ++i) {
      if (word == ToString(static_cast<Unit>(i))) units.push_back(static_cast<Unit>(i));
    }
  }
  return units;
}

}  // namespace prof::compare
