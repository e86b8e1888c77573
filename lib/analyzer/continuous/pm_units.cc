// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_units.h"

#include <algorithm>
#include <string>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/continuous/continuous.h"
#include "lib/analyzer/kernels/unit_metrics.h"

namespace prof::analyzer {
namespace {

using format::TriageUnit;

// Below this a share of something is noise.
constexpr double kLeastOfPeak = 0.01;

UnitUse ByPmSamples(const std::string& metric, const ContinuousValue& value) {
  UnitUse use;
  use.of_peak = *value.value / 100;
  use.metric = metric;
  use.n = value.samples;
  use.source = Source::kPmSamples;
  use.error = value.error / 100;
  use.launches = value.launches;
  return use;
}

// Its rate is of cycles, and 1 at most: what the texture unit returns.
std::optional<UnitUse> FindTexture(const ContinuousValues& values) {
  for (const auto& [metric, value] : values) {
    const format::TriageRateMetric* const rate = format::FindTriageRate(metric);
    if (!value.value || rate == nullptr) continue;
    if (rate->rate != format::TriageRate::kTextureReturns) continue;
    UnitUse use = ByPmSamples(metric, value);
    use.of_peak *= 100;
    use.error *= 100;
    return use;
  }
  return std::nullopt;
}

std::optional<UnitUse> Highest(const ContinuousValues& values, Unit unit) {
  std::optional<UnitUse> highest;
  for (const PmUnit& entry : kPmUnits) {
    if (entry.unit != unit) continue;
    std::optional<UnitUse> use = FindPmUse(values, entry.read);
    if (use && (!highest || use->of_peak > highest->of_peak)) highest = std::move(use);
  }
  if (!highest && unit == Unit::kDram) {  // reads and writes, which may be metrics of their own
    if (const std::optional<ContinuousDram> dram = FindContinuousDram(values)) {
      highest = ByPmSamples(dram->metric, dram->value);
    }
  }
  if (unit == Unit::kTexture) highest = FindTexture(values);
  if (highest) highest->unit = unit;
  return highest;
}

bool Has(const std::vector<UnitUse>& units, Unit unit) {
  return std::any_of(units.begin(), units.end(), [&](const UnitUse& use) {
    return use.unit == unit || (unit == Unit::kL1 && use.unit == Unit::kShared);
  });
}

}  // namespace

std::optional<UnitUse> FindPmUse(const ContinuousValues& values, TriageUnit read) {
  std::optional<UnitUse> best;
  for (const auto& [metric, value] : values) {
    if (!value.value) continue;
    const format::TriageMetric* const triage = format::FindTriageMetric(metric);
    if (triage == nullptr || triage->unit != read) continue;
    if (!best || value.error < 100 * best->error) best = ByPmSamples(metric, value);
  }
  return best;
}

bool HasPmMetric(const ContinuousValues& values, Unit unit) {
  return std::any_of(values.begin(), values.end(), [&](const auto& one) {
    const format::TriageMetric* const triage = format::FindTriageMetric(one.first);
    if (triage == nullptr) return false;
    const bool is_of_dram =
        triage->unit == TriageUnit::kDramRead || triage->unit == TriageUnit::kDramWrite;
    return (is_of_dram && unit == Unit::kDram) ||
           std::any_of(std::begin(kPmUnits), std::end(kPmUnits), [&](const PmUnit& entry) {
             return entry.unit == unit && entry.read == triage->unit;
           });
  });
}

std::optional<double> FindPmSharedShare(const ContinuousValues& values) {
  const std::optional<UnitUse> all = FindPmUse(values, TriageUnit::kL1);
  const std::optional<UnitUse> shared = FindPmUse(values, TriageUnit::kShared);
  if (!all || !shared) return std::nullopt;
  if (all->of_peak < kLeastOfPeak) return 0;
  return std::min(1.0, shared->of_peak / all->of_peak);
}

std::optional<double> FindPmOccupancy(const ContinuousValues& values) {
  const std::optional<UnitUse> warps = FindPmUse(values, TriageUnit::kWarps);
  const std::optional<UnitUse> active = FindPmUse(values, TriageUnit::kSmActive);
  if (!warps || !active || active->of_peak < kLeastOfPeak) return std::nullopt;
  return std::min(1.0, warps->of_peak / active->of_peak);
}

void AddPmValues(KernelReport* kernel) {
  const ContinuousValues& values = kernel->continuous;
  std::vector<UnitUse>& units = kernel->units;
  for (const UnitName& name : kUnitNames) {
    if (name.unit == Unit::kShared || Has(units, name.unit)) continue;
    if (std::optional<UnitUse> use = Highest(values, name.unit)) units.push_back(*std::move(use));
  }
  if (const std::optional<double> share = FindPmSharedShare(values)) {
    const bool is_doubtful = FindSharedShare(kernel->metrics, MayUseShared(*kernel)).IsDoubtful();
    for (UnitUse& use : units) {
      if (use.unit != Unit::kL1 && use.unit != Unit::kShared) continue;
      if (use.source == Source::kCounters && !is_doubtful) continue;
      use.unit = *share >= kSharedIsMost ? Unit::kShared : Unit::kL1;
    }
  }
  std::stable_sort(units.begin(), units.end(),
                   [](const UnitUse& a, const UnitUse& b) { return a.of_peak > b.of_peak; });
  if (!kernel->occupancy.achieved) kernel->occupancy.achieved = FindPmOccupancy(values);
}

}  // namespace prof::analyzer
