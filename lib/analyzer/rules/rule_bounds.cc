// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_bounds.h"

#include <algorithm>
#include <string_view>

#include "lib/analyzer/base/ceilings.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/continuous/pm_units.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

struct Floor {
  double time = 0;  // of the kernel's, 0..1
  Unit unit = Unit::kDram;
  bool has_error = false;
};

// The use that stays when a part of the wavefronts of L1's data path is gone. Its other metrics
// keep theirs.
double WithFewerWavefronts(const RuleInputs& inputs, const UnitUse& use, double part) {
  if (use.source == Source::kPmSamples) return use.at_least() * (1 - part);
  double highest = 0;
  for (const UnitMetric& row : kUnitMetrics) {
    if (row.unit != Unit::kL1) continue;
    const double percent = inputs.Median(row.metric).value_or(0);
    highest = std::max(highest, percent / 100 * (row.metric == kL1Wavefronts ? 1 - part : 1));
  }
  return highest;
}

// The use of the requests alone, which stay, and of the rest with a part of it gone. PM samples
// have no requests.
double WithRequests(const RuleInputs& inputs, const UnitUse& use, double part) {
  double highest = use.at_least() * (1 - part);
  if (use.source == Source::kPmSamples) return highest;
  const double requests = inputs.Median(kL1Requests).value_or(0) / 100;
  return std::max(highest, std::min(requests, use.at_least()));
}

double WorkLeft(const RuleInputs& inputs, const Relief& relief, const UnitUse& use) {
  const double part = std::clamp(relief.Of(use.unit), 0.0, 1.0);
  const bool is_l1 = use.unit == Unit::kL1 || use.unit == Unit::kShared;
  if (is_l1 && relief.wavefronts_only) return WithFewerWavefronts(inputs, use, part);
  if (is_l1 && relief.requests_stay) return WithRequests(inputs, use, part);
  return use.at_least() * (1 - part);
}

Floor FloorOf(const RuleInputs& inputs, const Relief& relief) {
  Floor floor;
  for (const UnitUse& use : inputs.units()) {
    if (inputs.half_on_fma && use.unit == Unit::kTensor) continue;
    const double time = WorkLeft(inputs, relief, use) / CeilingOf(inputs, use.unit);
    if (time <= floor.time) continue;
    floor = {std::min(time, 1.0), use.unit, use.error > 0};
  }
  return floor;
}

std::string Formula(const RuleInputs& inputs, const Floor& floor) {
  std::string text = "1 - " + text::Fixed(floor.time, 3) + " (the work that is left for ";
  text += NameOf(floor.unit) + ", at " + text::Fixed(100 * CeilingOf(inputs, floor.unit), 0) +
          " % of its peak and the same clock";
  return text + (floor.has_error ? "; the lower end of the error bound)" : ")");
}

}  // namespace

Relief& Relief::Take(std::initializer_list<Unit> units, double part) {
  for (const Unit unit : units) share[static_cast<size_t>(unit)] = std::clamp(part, 0.0, 1.0);
  return *this;
}

Relief AllBut(std::initializer_list<Unit> kept) {
  Relief relief;
  relief.share.fill(1);
  return relief.Take(kept, 0);
}

double CeilingOf(const RuleInputs& inputs, Unit unit) {
  if (unit != Unit::kDram) return 1;
  const std::optional<double> peak = DramPeakOf(inputs.counters->metrics, inputs.device);
  const double measured = HighestDramCeiling(inputs.device).per_s;
  if (!peak || !(*peak > 0) || !(measured > 0)) return kDramCeiling;
  return std::clamp(measured / *peak, kDramCeiling, 1.0);
}

namespace {

// Of the bytes between DRAM and L2, 0..1: by counters, or by PM samples.
std::optional<double> ReadShare(const RuleInputs& inputs) {
  std::optional<double> read = inputs.Median("dram__bytes_read.sum");
  std::optional<double> written = inputs.Median("dram__bytes_write.sum");
  if ((!read || !written) && inputs.kernel != nullptr) {
    const auto reads = FindPmUse(inputs.kernel->continuous, format::TriageUnit::kDramRead);
    const auto writes = FindPmUse(inputs.kernel->continuous, format::TriageUnit::kDramWrite);
    if (!reads || !writes) return std::nullopt;
    read = reads->of_peak;
    written = writes->of_peak;
  }
  if (!read || !written || !(*read + *written > 0)) return std::nullopt;
  return *read / (*read + *written);
}

}  // namespace

ExpectedCeiling ExpectedOfDram(const RuleInputs& inputs) {
  const std::optional<double> peak = DramPeakOf(inputs.counters->metrics, inputs.device);
  const std::optional<double> share = ReadShare(inputs);
  const MixCeiling measured =
      share ? DramCeiling(inputs.device, *share) : HighestDramCeiling(inputs.device);
  if (!peak || !(measured.per_s > 0)) {
    return {kDramCeiling, std::string("own: the highest of 26 kernels, on an H200; ") +
                              (measured.per_s > 0 ? "the peak of this device is not known"
                                                  : "the recording has no calibration")};
  }
  std::string from = text::Rate(measured.per_s, "B/s") + " on this device (" + measured.from;
  if (!share) from += ", the highest: its reads and writes were not told apart";
  return {std::min(1.0, measured.per_s / *peak), from + ")"};
}

Bound BoundBy(const RuleInputs& inputs, const Relief& relief) {
  const Floor floor = FloorOf(inputs, relief);
  if (!(floor.time > 0)) {
    return {std::nullopt, "nothing that was measured bounds it: no other unit has work"};
  }
  return {1 - floor.time, Formula(inputs, floor)};
}

Bound BoundOfLessWork(const RuleInputs& inputs, const Relief& relief) {
  const Floor floor = FloorOf(inputs, relief);
  if (floor.time >= kBoundOfOthers) return {1 - floor.time, Formula(inputs, floor)};
  return {std::nullopt,
          "nothing that was measured bounds it: how much of the work is needed is not known, and "
          "all other units are below " +
              text::Fixed(100 * kBoundOfOthers, 0) + " %"};
}

Bound BoundByWarpSlots(const RuleInputs& inputs) {
  if (!inputs.warps_used) {
    return {std::nullopt, "nothing that was measured bounds it: the warps in use were not"};
  }
  return {1 - *inputs.warps_used, "1 - " + text::Fixed(*inputs.warps_used, 3) +
                                      " (warps in use over all warp slots of the SMs: no warp "
                                      "becomes faster with more of them)"};
}

Bound LeastOf(std::initializer_list<Bound> bounds) {
  Bound least = *bounds.begin();
  for (const Bound& bound : bounds) {
    if (bound.gain && (!least.gain || *bound.gain < *least.gain)) least = bound;
  }
  return least;
}

Bound BoundOfMoreWarps(const RuleInputs& inputs) {
  return LeastOf({BoundBy(inputs, {}), BoundByWarpSlots(inputs)});
}

Bound BoundOfSameWork(const RuleInputs& inputs, const UnitUse& use) {
  const double ceiling = CeilingOf(inputs, use.unit);
  std::string formula = "1 - " + text::Fixed(use.at_least(), 3);
  if (use.error > 0) formula += ", the lower end of the error bound,";
  if (ceiling < 1) formula += " / " + text::Fixed(ceiling, 2);
  formula += ceiling < 1 ? " (the most of its peak that DRAM is known to reach; the same clock)"
                         : " (the same work at 100 % of this unit's peak and the same clock)";
  return {1 - use.at_least() / ceiling, formula};
}

}  // namespace prof::analyzer
