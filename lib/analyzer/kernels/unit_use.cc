// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/unit_use.h"

#include <algorithm>
#include <string_view>

#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/kernels/stalls.h"
#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

double StallShare(const std::vector<Stall>& stalls, std::string_view reason) {
  for (const Stall& stall : stalls) {
    if (stall.reason == reason) return stall.share;
  }
  return 0;
}

// The use of one unit; n is 0 when none of its metrics was measured.
UnitUse HighestUse(const Metrics& metrics, Unit unit) {
  UnitUse use;
  use.unit = unit;
  for (const UnitMetric& entry : kUnitMetrics) {
    if (entry.unit != unit) continue;
    const Statistic* const value = FindUsable(metrics, entry.metric);
    if (value == nullptr) {
      if (entry.needed) use.missing.emplace_back(entry.metric);
    } else if (use.n == 0 || value->median / 100 > use.of_peak) {
      use.of_peak = value->median / 100;
      use.metric = entry.metric;
      use.n = value->n;
    }
  }
  return use;
}

}  // namespace

SharedShare FindSharedShare(const Metrics& metrics, bool may_use_shared) {
  const std::optional<double> all = UsableMedian(metrics, kL1Wavefronts);
  const std::optional<double> shared = UsableMedian(metrics, kSharedWavefronts);
  if (all && shared && *all > 0) return {std::min(1.0, *shared / *all), false};
  if (!may_use_shared) return {0, false};
  const std::vector<Stall> stalls = FindStalls(metrics);
  const double on_shared =
      StallShare(stalls, "short_scoreboard") + StallShare(stalls, "mio_throttle");
  const double on_global =
      StallShare(stalls, "long_scoreboard") + StallShare(stalls, "lg_throttle");
  if (on_shared + on_global <= kMargin) return {};
  return {on_shared / (on_shared + on_global), true};
}

std::vector<UnitUse> FindUnits(const Metrics& metrics, bool may_use_shared) {
  const bool mostly_shared =
      FindSharedShare(metrics, may_use_shared).share.value_or(0) >= kSharedIsMost;
  std::vector<UnitUse> units;
  for (const UnitName& name : kUnitNames) {
    UnitUse use = HighestUse(metrics, name.unit);
    if (use.n == 0) continue;
    if (use.unit == Unit::kL1 && mostly_shared) use.unit = Unit::kShared;
    units.push_back(std::move(use));
  }
  std::stable_sort(units.begin(), units.end(),
                   [](const UnitUse& a, const UnitUse& b) { return a.of_peak > b.of_peak; });
  return units;
}

std::string BusiestUnits(const std::vector<UnitUse>& units) {
  std::string line;
  for (size_t i = 0; i < std::min<size_t>(units.size(), 2); ++i) {
    line += (i == 0 ? "" : ", ") + std::string(NamesOf(units[i].unit).heading) + ' ' +
            text::Fixed(100 * units[i].of_peak, 0) + " %";
    if (units[i].source == Source::kPmSamples) {
      line = line.substr(0, line.size() - 2) + " +-" + text::Fixed(100 * units[i].error, 1) + " %";
    }
    if (i > 0) continue;
    line += units[i].source == Source::kPmSamples ? " of peak (PM samples, n=" : " of peak (n=";
    line += text::Count(units[i].n) + ')';
  }
  return line;
}

}  // namespace prof::analyzer
