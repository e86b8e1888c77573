// SPDX-License-Identifier: Apache-2.0
//
// Ready-made expectations on a kernel, for tests: ReachesDram(0.80), OccupancyAtLeast(0.5). They
// combine with &&, || and !. A value that was not measured never counts as met. They need no test
// framework; prof/catch.h and prof/gtest.h put them into assertions. Link prof::analyzer.
#ifndef PROF_EXPECT_H_
#define PROF_EXPECT_H_

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prof/expectation.h"
#include "prof/report.h"

namespace prof {

namespace expect_detail {

// printf into a string; what does not fit is cut.
template <typename... Args>
std::string Format(const char* format, Args... args) {
  char text[512];
  const int length = std::snprintf(text, sizeof(text), format, args...);
  return length > 0 ? std::string(text) : std::string();
}

inline std::string PercentText(double fraction) { return Format("%.1f %%", 100 * fraction); }

inline const Statistic* Find(const KernelReport& kernel, std::string_view metric) {
  const Statistic* const found = kernel.Find(metric);
  return found != nullptr && std::isfinite(found->median) ? found : nullptr;
}

inline std::string Line(std::string_view metric, const Statistic& statistic) {
  return Format("\n  %.*s: median %.4g of n = %lld, %.4g to %.4g", static_cast<int>(metric.size()),
                metric.data(), statistic.median, static_cast<long long>(statistic.n), statistic.min,
                statistic.max);
}

// The verdict stands below every explanation.
inline std::string VerdictLines(const KernelReport& kernel) {
  const Verdict& verdict = kernel.verdict;
  std::string text = std::string("\n  verdict: ") + ToString(verdict.limiter) + ", confidence " +
                     ToString(verdict.confidence);
  if (!verdict.summary.empty()) text += ": " + verdict.summary;
  for (const std::string& evidence : verdict.evidence) text += "\n  - " + evidence;
  if (!verdict.action.empty()) text += "\n  try: " + verdict.action;
  return text;
}

// Why a number cannot be meant, with the way out. Empty: it can.

// A fraction that is none: of 80, most likely 0.80 was meant.
inline std::string WhyNoFraction(Fraction limit) {
  if (limit.valid()) return "";
  const double value = limit.is_percent() ? 100 * limit.value() : limit.value();
  if (limit.is_percent()) return Format("prof::Percent(%.6g) is not from 0 to 100", value);
  std::string text = Format("%.6g is no fraction from 0 to 1", value);
  if (value > 1 && value <= 100) {
    text += Format("; %.6g %% is %.6g, or prof::Percent(%.6g)", value, value / 100, value);
  }
  return text;
}

// Nearly every kernel reaches this, so with Percent(0.8) a test would always pass.
constexpr double kLeastMeant = 0.01;

// Percent(1) too: 1.0 is all. 0 asks for a value, whatever it is.
inline std::string WhyNotAtLeast(Fraction limit) {
  const double value = limit.value();
  const bool meant =
      value == 0 || value > kLeastMeant || (value >= kLeastMeant && !limit.is_percent());
  if (!limit.valid() || meant) return WhyNoFraction(limit);
  return Format("at least %.6g %% is nearly always met; %.6g %% is %.6g, or prof::Percent(%.6g)",
                100 * value, 1e4 * value, 100 * value, 1e4 * value) +
         "; the least is 0.01";
}

inline std::string WhyNoLimit(double limit, const char* unit) {
  if (std::isnan(limit)) return "NaN: the computation of the limit went wrong";
  if (std::isfinite(limit) && limit >= 0) return "";
  return Format("%.6g is no number of %s: write one from 0 on", limit, unit);
}

inline std::string WhyNoDuration(std::chrono::nanoseconds limit) {
  if (limit.count() > 0) return "";
  return Format(
      "nothing takes %lld ns or less: write a duration above 0, such as "
      "std::chrono::microseconds(100)",
      static_cast<long long>(limit.count()));
}

inline Evaluation NotMeasured(const KernelReport& kernel, const std::string& what) {
  std::string text = "not measured: " + what;
  if (!kernel.verdict.missing.empty()) text += "\n  " + kernel.verdict.missing;
  if (kernel.samples_rejected > 0) {
    text += Format("\n  %lld counter samples were rejected",
                   static_cast<long long>(kernel.samples_rejected));
  }
  return {Outcome::kNotMeasured, text};
}

inline Evaluation Decided(bool met, std::string text, const KernelReport& kernel) {
  text += VerdictLines(kernel);
  return {met ? Outcome::kMet : Outcome::kNotMet, std::move(text)};
}

constexpr double kMostBound = 0.15;   // a wider error bound decides nothing (own)
constexpr double kMostOfPeak = 1.02;  // a little over 100 % is rounding, more is an error

inline Evaluation CheckUnit(const std::string& name, const UnitUse* use, double fraction,
                            const KernelReport& kernel) {
  if (use == nullptr) return NotMeasured(kernel, "the use of " + name);
  if (use->error > kMostBound) {
    return NotMeasured(kernel, "the use of " + name + " (PM samples have it within +-" +
                                   PercentText(use->error) + ": record for longer)");
  }
  if (use->of_peak > kMostOfPeak) {
    return NotMeasured(kernel, use->metric + " (more than 100 %: unreliable)");
  }
  const bool met = use->of_peak >= fraction;
  if (!met && !use->missing.empty()) return NotMeasured(kernel, use->missing.front());
  std::string text = name + " reached " + PercentText(use->of_peak) +
                     " of its peak, expected at least " + PercentText(fraction);
  if (const Statistic* metric = Find(kernel, use->metric)) {
    text += Line(use->metric, *metric);
    if (metric->min < 100 * fraction && metric->max >= 100 * fraction) {
      text += "\n  the expected value lies within the spread";
    }
  }
  return Decided(met, text, kernel);
}

// A kernel has a value of at most one of `units`.
inline Expectation Reaches(const std::string& name, std::vector<Unit> units, Fraction limit) {
  const double fraction = limit.value();
  const auto evaluate = [name, units = std::move(units), fraction](const KernelReport& kernel) {
    const UnitUse* use = nullptr;
    for (const Unit unit : units) {
      if (use == nullptr) use = kernel.Find(unit);
    }
    return CheckUnit(name, use, fraction, kernel);
  };
  return Expectation("reaches " + PercentText(fraction) + " of the peak of " + name, evaluate,
                     WhyNotAtLeast(limit));
}

// Whatever the verdict lacks, this metric is missing for a reason of its own.
inline Evaluation MetricNotMeasured(const KernelReport& kernel, const std::string& metric) {
  if (kernel.launches == 0 || kernel.metrics.empty()) return NotMeasured(kernel, metric);
  return {Outcome::kNotMeasured,
          "not measured: " + metric +
              "\n  other metrics of the kernel were: `prof metrics` lists "
              "the names of this GPU, and SessionOptions::metrics (--metrics) adds one"};
}

inline Expectation MetricWithin(const std::string& metric, double limit, bool at_least) {
  const char* relation = at_least ? "at least" : "at most";
  std::string description = "has " + metric + Format(" of %s %.4g", relation, limit);
  std::string invalid;
  if (metric.empty()) invalid = "no metric: write its CUPTI name, `prof metrics` lists them";
  if (!std::isfinite(limit)) invalid = Format("%.6g is no limit: write a finite number", limit);
  const auto evaluate = [=](const KernelReport& kernel) {
    const Statistic* statistic = Find(kernel, metric);
    if (statistic == nullptr) return MetricNotMeasured(kernel, metric);
    const double value = statistic->median;
    return Decided(at_least ? value >= limit : value <= limit,
                   Format("measured %.4g, expected %s %.4g", value, relation, limit) +
                       Line(metric, *statistic),
                   kernel);
  };
  return Expectation(std::move(description), evaluate, invalid);
}

inline std::string MicrosecondText(double ns) { return Format("%.4g us", ns / 1000); }

inline std::string DurationLine(const Statistic& duration) {
  return Format("\n  duration: median %s of n = %lld, %s to %s",
                MicrosecondText(duration.median).c_str(), static_cast<long long>(duration.n),
                MicrosecondText(duration.min).c_str(), MicrosecondText(duration.max).c_str());
}

}  // namespace expect_detail

/// The unit's use is at least `fraction` (0..1, or Percent(80)) of its peak while the kernel runs.
/// It is the highest of the unit's metrics; docs/guide/rules.md lists them. A highest metric above
/// 102 % of the peak is an error of the measurement: the outcome is then "not measured", and so it
/// is where PM samples have the use within more than +-15 points (own).
inline Expectation ReachesDram(Fraction fraction) {
  return expect_detail::Reaches("DRAM", {Unit::kDram}, fraction);
}
/// @copydoc ReachesDram
inline Expectation ReachesL2(Fraction fraction) {
  return expect_detail::Reaches("L2", {Unit::kL2}, fraction);
}
/// @copydoc ReachesDram
/// The data path of L1, which shared memory uses as well.
inline Expectation ReachesL1(Fraction fraction) {
  return expect_detail::Reaches("L1", {Unit::kL1, Unit::kShared}, fraction);
}
/// @copydoc ReachesDram
inline Expectation ReachesTensor(Fraction fraction) {
  return expect_detail::Reaches("the tensor cores", {Unit::kTensor}, fraction);
}
/// @copydoc ReachesDram
inline Expectation ReachesFma(Fraction fraction) {
  return expect_detail::Reaches("the FMA pipe", {Unit::kFma}, fraction);
}
/// @copydoc ReachesDram
inline Expectation ReachesFp64(Fraction fraction) {
  return expect_detail::Reaches("the FP64 pipe", {Unit::kFp64}, fraction);
}

/// The median of a metric, by CUPTI name and in CUPTI's unit, is at least / at most `value`.
inline Expectation MetricAtLeast(const std::string& metric, double value) {
  return expect_detail::MetricWithin(metric, value, true);
}
inline Expectation MetricAtMost(const std::string& metric, double value) {
  return expect_detail::MetricWithin(metric, value, false);
}

/// The analyzer's verdict names this limiter.
inline Expectation IsBoundBy(Limiter limiter) {
  return Expectation(std::string("is limited by ") + ToString(limiter),
                     [limiter](const KernelReport& kernel) {
                       if (kernel.verdict.limiter == Limiter::kNotMeasured) {
                         return expect_detail::NotMeasured(kernel, "what limits the kernel");
                       }
                       return expect_detail::Decided(kernel.verdict.limiter == limiter,
                                                     std::string("limited by ") +
                                                         ToString(kernel.verdict.limiter) +
                                                         ", expected " + ToString(limiter),
                                                     kernel);
                     });
}

/// Achieved occupancy is at least `limit` (0..1), from counters. Does not fall back to the
/// theoretical one.
inline Expectation OccupancyAtLeast(Fraction limit) {
  using namespace expect_detail;
  const double fraction = limit.value();
  return Expectation(
      "has an achieved occupancy of at least " + PercentText(fraction),
      [fraction](const KernelReport& kernel) {
        if (!kernel.occupancy.achieved) {
          return NotMeasured(kernel, "achieved occupancy");
        }
        const double achieved = *kernel.occupancy.achieved;
        std::string text = "achieved occupancy " + PercentText(achieved) + ", expected at least " +
                           PercentText(fraction);
        if (kernel.occupancy.known) {
          text += "\n  theoretical " + PercentText(kernel.occupancy.theoretical);
        }
        return Decided(achieved >= fraction, text, kernel);
      },
      WhyNotAtLeast(limit));
}

/// At least `limit` (0..1) is the occupancy that registers, shared memory and block size allow.
/// Needs no counters.
inline Expectation TheoreticalOccupancyAtLeast(Fraction limit) {
  using namespace expect_detail;
  const double fraction = limit.value();
  return Expectation(
      "has a theoretical occupancy of at least " + PercentText(fraction),
      [fraction](const KernelReport& kernel) {
        const Occupancy& occupancy = kernel.occupancy;
        if (!occupancy.known) {
          return NotMeasured(kernel, "the device's limits were not recorded");
        }
        std::string text = "theoretical occupancy " + PercentText(occupancy.theoretical) +
                           ", expected at least " + PercentText(fraction);
        for (const std::string& reason : occupancy.limited_by) {
          text += "\n  limited by " + reason;
        }
        return Decided(occupancy.theoretical >= fraction, text, kernel);
      },
      WhyNotAtLeast(limit));
}

/// The median duration of a launch is at most `limit`. Needs no counters.
inline Expectation TakesAtMost(std::chrono::nanoseconds limit) {
  using namespace expect_detail;
  const double limit_ns = static_cast<double>(limit.count());
  return Expectation(
      "takes at most " + MicrosecondText(limit_ns),
      [limit_ns](const KernelReport& kernel) {
        const Statistic& duration = kernel.duration_ns;
        if (duration.n == 0 || !std::isfinite(duration.median)) {
          return NotMeasured(kernel, "the kernel's duration");
        }
        return Decided(duration.median <= limit_ns,
                       "took " + MicrosecondText(duration.median) + ", expected at most " +
                           MicrosecondText(limit_ns) + DurationLine(duration),
                       kernel);
      },
      WhyNoDuration(limit));
}

/// No traffic to local memory: no register spills, no arrays that are indexed at run time. Needs
/// counters (Counters::kAll) only when the kernel has local memory, or when that is not known.
inline Expectation DoesNotSpill() {
  using namespace expect_detail;
  return Expectation("does not spill", [](const KernelReport& kernel) {
    if (kernel.launches == 0) return NotMeasured(kernel, "the kernel was not launched");
    if (kernel.local_known && kernel.local_bytes_per_thread == 0) {
      return Decided(true, "no local memory is allocated", kernel);
    }
    const std::string has =
        kernel.local_known
            ? Format("%u bytes of local memory for each thread", kernel.local_bytes_per_thread)
            : std::string("whether it has local memory is not known");
    const char* const loads = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
    const char* const stores = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
    const Statistic *loaded = Find(kernel, loads), *stored = Find(kernel, stores);
    if (loaded == nullptr || stored == nullptr) {
      return NotMeasured(kernel, has + "; " + loads + " and " + stores + " would decide");
    }
    return Decided(loaded->median == 0 && stored->median == 0,
                   has + Line(loads, *loaded) + Line(stores, *stored), kernel);
  });
}

/// At most so many registers for each thread. Needs no counters.
inline Expectation RegistersAtMost(int limit) {
  using namespace expect_detail;
  return Expectation(
      Format("has at most %d registers for each thread", limit),
      [limit](const KernelReport& kernel) {
        if (kernel.launches == 0 || !kernel.resources_known) {
          return NotMeasured(kernel, "the registers of a launch");
        }
        const auto used = static_cast<int>(kernel.registers_per_thread);
        return Decided(used <= limit,
                       Format("uses %d registers for each thread, expected at most "
                              "%d",
                              used, limit),
                       kernel);
      },
      limit > 0 ? "" : Format("no kernel has %d registers: write a number from 1 to 255", limit));
}

/// A launch reads and writes at most so many bytes of DRAM, median. Needs counters (level `sol`).
inline Expectation DramBytesAtMost(double limit) {
  using namespace expect_detail;
  return Expectation(
      Format("moves at most %.4g bytes of DRAM", limit),
      [limit](const KernelReport& kernel) {
        const Statistic* const read = Find(kernel, "dram__bytes_read.sum");
        const Statistic* const written = Find(kernel, "dram__bytes_write.sum");
        if (read == nullptr || written == nullptr) {
          return NotMeasured(kernel, "dram__bytes_read.sum, dram__bytes_write.sum");
        }
        const double moved = read->median + written->median;
        return Decided(moved <= limit,
                       Format("moves %.4g bytes of DRAM, expected at most %.4g", moved, limit) +
                           Line("read", *read) + Line("written", *written),
                       kernel);
      },
      WhyNoLimit(limit, "bytes"));
}

/// At most this share (0..1) of the wavefronts of shared memory repeats another one because of bank
/// conflicts; a store of several wavefronts by its width does not count. Needs counters (level
/// `memory`, Counters::kAll).
inline Expectation BankConflictsAtMost(Fraction limit) {
  using namespace expect_detail;
  return Expectation(
      "has at most " + PercentText(limit.value()) + " of its wavefronts in conflict",
      [limit](const KernelReport& kernel) {
        double wavefronts = 0, conflicts = 0;
        for (const char* const op : {"ld", "st"}) {
          const std::string of = std::string("_mem_shared_op_") + op + ".sum";
          const std::string conflict = std::string("l1tex__data_bank_conflicts_pipe_lsu") + of;
          const std::string all = std::string("l1tex__data_pipe_lsu_wavefronts") + of;
          const Statistic* const some = Find(kernel, conflict);
          const Statistic* const every = Find(kernel, all);
          if (some == nullptr || every == nullptr) {
            return NotMeasured(kernel, some == nullptr ? conflict : all);
          }
          conflicts += some->median;
          wavefronts += every->median;
        }
        const double share = wavefronts > 0 ? conflicts / wavefronts : 0;
        return Decided(share <= limit.value(),
                       Format("%.4g of %.4g wavefronts of shared memory (", conflicts, wavefronts) +
                           PercentText(share) + ") are conflicts, expected at most " +
                           PercentText(limit.value()),
                       kernel);
      },
      WhyNoFraction(limit));
}

/// At least this share (0..1) of each sector of 32 bytes that global loads and stores touch is
/// used. Needs counters (level `memory`, Counters::kAll).
inline Expectation CoalescedAtLeast(Fraction limit) {
  using namespace expect_detail;
  return Expectation(
      "uses at least " + PercentText(limit.value()) + " of the bytes of global sectors",
      [limit](const KernelReport& kernel) {
        const std::string base = "smsp__sass_average_data_bytes_per_sector_mem_global_op_";
        std::string text;
        double least = 2;
        for (const char* const op : {"ld", "st"}) {
          const std::string metric = base + op + ".ratio";
          const Statistic* const bytes = Find(kernel, metric);
          if (bytes == nullptr || bytes->median == 0) continue;  // 0: it has no such access
          least = std::min(least, bytes->median / 32);
          text += Line(metric, *bytes);
        }
        if (text.empty()) return NotMeasured(kernel, base + "ld.ratio, ..st.ratio");
        return Decided(least >= limit.value(),
                       "uses " + PercentText(least) +
                           " of the bytes of its sectors, expected at "
                           "least " +
                           PercentText(limit.value()) + text,
                       kernel);
      },
      WhyNotAtLeast(limit));
}

/// The reason why this machine could not measure: no GPU, no permission for counters. Empty when
/// any kernel has counters, and when no such reason was reported: a test must then fail, not be
/// skipped.
inline std::string WhyNotMeasured(const Report& report) {
  for (const KernelReport& kernel : report.kernels) {
    if (!kernel.metrics.empty()) return "";
  }
  for (const char* severity : {"error", "warning"}) {
    for (const NoticeReport& notice : report.notices) {
      const bool decisive = notice.subsystem == "timeline" || notice.subsystem == "counters";
      if (!decisive || notice.severity != severity) continue;
      return notice.fix.empty() ? notice.what : notice.what + "; " + notice.fix;
    }
  }
  return "";
}

/// True when the variable PROF_REQUIRE_MEASURED is set in the environment, to anything but "" and
/// "0": PROF_SKIP_UNLESS_MEASURED then fails a test that cannot measure. For CI machines that must
/// have a GPU.
inline bool MustBeMeasured() {
  const char* const value = std::getenv("PROF_REQUIRE_MEASURED");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

/// What such a test prints: `reason` is that of WhyNotMeasured().
inline std::string NotMeasuredFailure(const std::string& reason) {
  return "PROF_REQUIRE_MEASURED forbids to skip this test: " + reason;
}

}  // namespace prof

#endif  // PROF_EXPECT_H_
