// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/normalize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/text/numbers.h"

namespace prof::compare {
namespace {

constexpr double kOneFactor = 0.01;  // [own] two limits that scale alike are as good as one

// What a limit scales by from one device to the other.
enum class Scale { kAsMeasured, kDram, kL2, kSms, kClock };

Scale ScaleOf(Unit unit) {
  if (unit == Unit::kDram) return Scale::kDram;
  return unit == Unit::kL2 ? Scale::kL2 : Scale::kSms;
}

// A limit that is one unit, or a wait. kTail: another number of SMs has another last wave.
Scale ScaleOf(Limiter limiter) {
  switch (limiter) {
    case Limiter::kDram:
      return Scale::kDram;
    case Limiter::kL2:
      return Scale::kL2;
    case Limiter::kL1:
    case Limiter::kShared:
    case Limiter::kTensor:
    case Limiter::kFma:
    case Limiter::kAlu:
    case Limiter::kFp64:
    case Limiter::kSfu:
    case Limiter::kIssue:
      return Scale::kSms;
    case Limiter::kLatency:
    case Limiter::kOccupancy:
    case Limiter::kSmallGrid:
    case Limiter::kTail:
      return Scale::kClock;
    case Limiter::kUnknown:
    case Limiter::kNotMeasured:
    case Limiter::kMixed:
    case Limiter::kLaunchSized:
    case Limiter::kCommunication:
      return Scale::kAsMeasured;
  }
  return Scale::kAsMeasured;
}

std::vector<Scale> ScalesOf(const KernelLimit& limit) {
  if (limit.limiter != Limiter::kMixed) return {ScaleOf(limit.limiter)};
  std::vector<Scale> scales;
  for (const Unit unit : limit.mixed) {
    const Scale scale = ScaleOf(unit);
    if (std::find(scales.begin(), scales.end(), scale) == scales.end()) scales.push_back(scale);
  }
  return scales.empty() ? std::vector{Scale::kAsMeasured} : scales;
}

Normalization NotNormalized(std::string why) {
  Normalization normalization;
  normalization.why = std::move(why);
  return normalization;
}

Normalization By(const char* by, double before, double after, const std::string& rates) {
  Normalization normalization;
  normalization.factor = after / before;
  normalization.by = by;
  normalization.why = rates;
  return normalization;
}

std::string RatesText(double before, double after, const char* unit) {
  return text::Rate(after, unit) + " over " + text::Rate(before, unit);
}

// Measured ceilings where both have one, else the peaks of the devices.
Normalization ByDram(const KernelRuns& one, const KernelRuns& other, const RunSet& before,
                     const RunSet& after) {
  const LevelCeiling &a = one.limit.dram, &b = other.limit.dram;
  if (a.measured && b.measured && a.bytes_per_s > 0 && b.bytes_per_s > 0) {
    return By("DRAM bandwidth", a.bytes_per_s, b.bytes_per_s,
              RatesText(a.bytes_per_s, b.bytes_per_s, "B/s") + ", both measured");
  }
  const double from = before.dram_peak_bytes_per_s, to = after.dram_peak_bytes_per_s;
  if (!(from > 0) || !(to > 0)) {
    return NotNormalized("DRAM limits it, and its bandwidth is not known on both sides");
  }
  return By("DRAM bandwidth", from, to, RatesText(from, to, "B/s") + ", peaks");
}

Normalization ByL2(const KernelRuns& one, const KernelRuns& other) {
  const LevelCeiling &a = one.limit.l2, &b = other.limit.l2;
  if (!(a.bytes_per_s > 0) || !(b.bytes_per_s > 0) || a.measured != b.measured) {
    return NotNormalized(
        "L2 limits it, and what its slices can move is not known on both sides (--counters all)");
  }
  return By("L2 bandwidth", a.bytes_per_s, b.bytes_per_s,
            RatesText(a.bytes_per_s, b.bytes_per_s, "B/s") +
                (a.measured ? ", both measured" : ", clock x slices"));
}

// The clock of the kernel in the run, else that of the counted launches; of both sides the same.
std::optional<std::pair<double, double>> ClocksOf(const KernelRuns& one, const KernelRuns& other,
                                                  const RunSet& before, const RunSet& after) {
  if (one.limit.run_clock_hz > 0 && other.limit.run_clock_hz > 0) {
    return std::pair{one.limit.run_clock_hz, other.limit.run_clock_hz};
  }
  if (before.sm_clock_hz > 0 && after.sm_clock_hz > 0) {
    return std::pair{before.sm_clock_hz, after.sm_clock_hz};
  }
  return std::nullopt;
}

Normalization BySms(const std::pair<double, double>& clocks, const RunSet& before,
                    const RunSet& after) {
  if (!(before.sm_count > 0) || !(after.sm_count > 0)) {
    return NotNormalized("the number of SMs is not known on both sides");
  }
  return By("SM clock x SMs", clocks.first * before.sm_count, clocks.second * after.sm_count,
            text::Rate(clocks.second, "Hz") + " x " + text::Fixed(after.sm_count, 0) + " over " +
                text::Rate(clocks.first, "Hz") + " x " + text::Fixed(before.sm_count, 0));
}

Normalization ByScale(Scale scale, const Pair& pair, const RunSet& before, const RunSet& after) {
  const KernelRuns &one = *pair.before, &other = *pair.after;
  if (scale == Scale::kDram) return ByDram(one, other, before, after);
  if (scale == Scale::kL2) return ByL2(one, other);
  const auto clocks = ClocksOf(one, other, before, after);
  if (!clocks) return NotNormalized("the SM clock is not known on both sides");
  if (scale == Scale::kSms) return BySms(*clocks, before, after);
  return By("SM clock", clocks->first, clocks->second,
            RatesText(clocks->first, clocks->second, "Hz"));
}

// Of several limits: any, where all of them give the same factor.
Normalization ByAll(const std::vector<Scale>& scales, const Pair& pair, const RunSet& before,
                    const RunSet& after) {
  Normalization first = ByScale(scales.front(), pair, before, after);
  for (const Scale scale : scales) {
    const Normalization other = ByScale(scale, pair, before, after);
    if (other.by.empty() || first.by.empty()) return other.by.empty() ? other : first;
    if (std::abs(std::log(other.factor / first.factor)) > kOneFactor) {
      return NotNormalized("two limits of it differ by other ratios: " + first.by + " by " +
                           text::Fixed(first.factor, 3) + ", " + other.by + " by " +
                           text::Fixed(other.factor, 3));
    }
  }
  return first;
}

// Why the limit of one side scales nothing; empty: it does.
std::string WhyNoScale(const KernelLimit& limit, const char* side) {
  if (limit.limiter == Limiter::kLaunchSized) return "it is launch-sized";
  if (limit.limiter == Limiter::kCommunication) return "it waits for other ranks";
  if (ScalesOf(limit).front() != Scale::kAsMeasured) return "";
  return std::string("what limits it is not known ") + side;
}

std::string LimitText(const KernelLimit& limit) {
  if (limit.limiter != Limiter::kMixed) return ToString(limit.limiter);
  return std::string(ToString(limit.mixed.front())) + " and " + ToString(limit.mixed.back());
}

}  // namespace

Normalization NormalizeTime(const Pair& pair, const RunSet& before, const RunSet& after) {
  const KernelLimit &one = pair.before->limit, &other = pair.after->limit;
  for (const auto& [limit, side] : {std::pair{&one, "before"}, std::pair{&other, "after"}}) {
    const std::string why = WhyNoScale(*limit, side);
    if (!why.empty()) return NotNormalized(why);
  }
  const bool has_tail = one.limiter == Limiter::kTail || other.limiter == Limiter::kTail;
  if (has_tail && before.sm_count != after.sm_count) {
    return NotNormalized("its last wave of blocks is another one on another number of SMs");
  }
  std::vector<Scale> scales = ScalesOf(one);
  const std::vector<Scale> scales_after = ScalesOf(other);
  if (scales != scales_after) scales.insert(scales.end(), scales_after.begin(), scales_after.end());
  Normalization normalization = ByAll(scales, pair, before, after);
  if (normalization.by.empty() && scales.size() > 1 && LimitText(one) != LimitText(other)) {
    normalization.why +=
        ". Its limit is " + LimitText(one) + " before and " + LimitText(other) + " after";
  }
  return normalization;
}

std::string NormalizationText(const Normalization& normalization) {
  if (normalization.by.empty()) return "not normalized: " + normalization.why;
  return "normalized by " + normalization.by + ": x " + text::Fixed(normalization.factor, 3) +
         " (" + normalization.why + ")";
}

}  // namespace prof::compare
