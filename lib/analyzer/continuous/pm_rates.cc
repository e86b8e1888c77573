// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_rates.h"

#include <algorithm>
#include <string>

#include "lib/analyzer/base/thresholds.h"
#include "lib/format/triage_metrics.h"

namespace prof::analyzer {
namespace {

using format::TriageRate;
using format::TriageUnit;

// [hw] Wavefronts of L1's data path, and instructions issued, in a cycle of an SM: the peaks of the
// two percentages.
constexpr double kWavefrontsPerCycle = 1, kInstructionsPerCycle = 4;

// The value of one metric, times `scale`.
struct Rate {
  double value = 0, error = 0;
  int64_t samples = 0, launches = 0;
};

Rate Scaled(const ContinuousValue& value, double scale) {
  return {*value.value * scale, value.error * scale, value.samples, value.launches};
}

std::optional<Rate> FindRate(const ContinuousValues& values, TriageRate wanted) {
  for (const auto& [metric, value] : values) {
    const format::TriageRateMetric* const rate = format::FindTriageRate(metric);
    if (rate != nullptr && rate->rate == wanted && value.value) return Scaled(value, 1);
  }
  return std::nullopt;
}

// `peak`: of the unit, in a cycle.
std::optional<Rate> FindRateOfUnit(const ContinuousValues& values, TriageUnit wanted, double peak) {
  for (const auto& [metric, value] : values) {
    const format::TriageMetric* const unit = format::FindTriageMetric(metric);
    if (unit != nullptr && unit->unit == wanted && value.value) return Scaled(value, peak / 100);
  }
  return std::nullopt;
}

// part / whole. Below `least` of the whole nothing is known.
std::optional<PmRatio> RatioOf(const std::optional<Rate>& part, const std::optional<Rate>& whole,
                               double least) {
  if (!part || !whole) return std::nullopt;
  const double low = whole->value - whole->error, high = whole->value + whole->error;
  if (!(low > 0) || whole->value < least) return std::nullopt;
  PmRatio ratio;
  ratio.value = std::max(0.0, part->value) / whole->value;
  ratio.least = std::max(0.0, part->value - part->error) / high;
  ratio.most = std::max(0.0, part->value + part->error) / low;
  ratio.samples = std::min(part->samples, whole->samples);
  ratio.launches = std::min(part->launches, whole->launches);
  return ratio;
}

std::optional<PmRatio> NoMoreThanAll(std::optional<PmRatio> ratio) {
  if (!ratio) return ratio;
  ratio->value = std::min(1.0, ratio->value);
  ratio->least = std::min(1.0, ratio->least);
  ratio->most = std::min(1.0, ratio->most);
  return ratio;
}

// part / (part + rest); the sum is at least `least`.
std::optional<PmRatio> PartOf(const std::optional<Rate>& part, const std::optional<Rate>& rest,
                              double least) {
  if (!part || !rest || part->value + rest->value < least) return std::nullopt;
  const auto share = [](double of_part, double of_rest) {
    of_part = std::max(0.0, of_part);
    of_rest = std::max(0.0, of_rest);
    return of_part + of_rest > 0 ? of_part / (of_part + of_rest) : 0;
  };
  PmRatio ratio;
  ratio.value = share(part->value, rest->value);
  ratio.least = share(part->value - part->error, rest->value + rest->error);
  ratio.most = share(part->value + part->error, rest->value - rest->error);
  ratio.samples = std::min(part->samples, rest->samples);
  ratio.launches = std::min(part->launches, rest->launches);
  return ratio;
}

std::optional<Rate> SumOf(const std::optional<Rate>& a, const std::optional<Rate>& b) {
  if (!a || !b) return std::nullopt;
  return Rate{a->value + b->value, a->error + b->error, std::min(a->samples, b->samples),
              std::min(a->launches, b->launches)};
}

}  // namespace

PmRatios FindPmRatios(const ContinuousValues& values) {
  const std::optional<Rate> requests = FindRate(values, TriageRate::kRequests);
  const std::optional<Rate> fills = FindRate(values, TriageRate::kFills);
  const std::optional<Rate> dram_reads = FindRateOfUnit(values, TriageUnit::kDramRead, 100);
  std::optional<Rate> lanes = FindRate(values, TriageRate::kThreads);
  if (lanes) {
    lanes->value /= kWarpThreads;
    lanes->error /= kWarpThreads;
  }
  const std::optional<Rate> shared =
      FindRateOfUnit(values, TriageUnit::kShared, kWavefrontsPerCycle);
  PmRatios ratios;
  ratios.conflicts =
      NoMoreThanAll(RatioOf(FindRate(values, TriageRate::kConflicts), shared, kLeastSampledRate));
  if (const auto all = FindRateOfUnit(values, TriageUnit::kL1, kWavefrontsPerCycle);
      all && shared) {
    ratios.least_wavefronts = all->value - all->error - (shared->value + shared->error);
  }
  ratios.sectors_per_return = RatioOf(
      FindRate(values, TriageRate::kFills),
      SumOf(FindRate(values, TriageRate::kReturns), FindRate(values, TriageRate::kTextureReturns)),
      kLeastSampledRate);
  ratios.sectors_per_request =
      RatioOf(FindRate(values, TriageRate::kSectors), requests, kLeastSampledRate);
  ratios.other_memory = PartOf(FindRate(values, TriageRate::kOtherSectors),
                               FindRate(values, TriageRate::kDeviceSectors), kLeastHostFills);
  const bool asks_for_none = fills && fills->value + fills->error < kLeastSampledRate;
  if (asks_for_none && dram_reads && dram_reads->value - dram_reads->error > kLeastReadsForStores) {
    ratios.reads_for_stores =
        PartOf(dram_reads, FindRateOfUnit(values, TriageUnit::kDramWrite, 100), 0);
  }
  ratios.lanes = NoMoreThanAll(RatioOf(
      lanes, FindRateOfUnit(values, TriageUnit::kIssue, kInstructionsPerCycle), kLeastSampledRate));
  return ratios;
}

}  // namespace prof::analyzer
