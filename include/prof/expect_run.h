// SPDX-License-Identifier: Apache-2.0
//
// Expectations on a whole report, for tests: ranges, idle time, copies, findings, all kernels of a
// name, and a baseline. They combine with &&, || and !, as expectations on kernels do. Link
// prof::analyzer.
#ifndef PROF_EXPECT_RUN_H_
#define PROF_EXPECT_RUN_H_

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "prof/compare.h"
#include "prof/expect.h"
#include "prof/expectation.h"
#include "prof/report.h"

namespace prof {

/// A condition on a report. Cheap to copy.
class RunExpectation {
 public:
  using Evaluator = std::function<Evaluation(const Report&)>;

  /// `description` continues the sentence "the run ...": "idles for at most 5 %".
  /// `invalid`: why it can never be right, with the way out. Empty: it can.
  RunExpectation(std::string description, Evaluator evaluate, std::string invalid = "")
      : description_(std::move(description)),
        evaluate_(std::move(evaluate)),
        invalid_(std::move(invalid)) {}

  [[nodiscard]] Evaluation Evaluate(const Report& report) const {
    if (!invalid_.empty()) return expect_detail::Invalid(invalid_);
    if (report.error.empty()) return evaluate_(report);
    return {Outcome::kNotMeasured, "not measured: " + report.error};
  }
  [[nodiscard]] Outcome Check(const Report& report) const { return Evaluate(report).outcome; }
  [[nodiscard]] std::string Explain(const Report& report) const {
    return Evaluate(report).explanation;
  }
  const std::string& Describe() const& { return description_; }
  std::string Describe() && { return std::move(description_); }
  /// Why it can never be right; empty where it can.
  const std::string& WhyInvalid() const& { return invalid_; }
  std::string WhyInvalid() && { return std::move(invalid_); }

  /// Catch2's matcher protocol. Catch2 asks for the text after match(), without the report.
  bool match(const Report& report) const {
    const Evaluation evaluation = Evaluate(report);
    explanation_ = evaluation.explanation;
    return evaluation.outcome == Outcome::kMet;
  }
  std::string toString() const {
    return explanation_.empty() ? description_ : description_ + "\n" + explanation_;
  }

 private:
  std::string description_;
  Evaluator evaluate_;
  std::string invalid_;
  mutable std::string explanation_;
};

namespace expect_detail {

inline RunExpectation Combine(const RunExpectation& left, const RunExpectation& right, bool both) {
  return RunExpectation(
      "( " + left.Describe() + (both ? " and " : " or ") + right.Describe() + " )",
      [=](const Report& report) {
        const Evaluation a = left.Evaluate(report), b = right.Evaluate(report);
        const bool a_decides = both ? Rank(a.outcome, both) <= Rank(b.outcome, both)
                                    : Rank(a.outcome, both) >= Rank(b.outcome, both);
        if (a.outcome != b.outcome) return a_decides ? a : b;
        return Evaluation{a.outcome, a.explanation + "\n" + b.explanation};
      },
      BothReasons(left.WhyInvalid(), right.WhyInvalid()));
}

inline Outcome MetIf(bool met) { return met ? Outcome::kMet : Outcome::kNotMet; }

inline std::string RangeNames(const Report& report) {
  std::string names;
  for (const RangeRow& row : report.rows) {
    if (row.kind == RangeRow::Kind::kRange) names += "\n  " + row.label;
  }
  return names.empty() ? "\n  the report has no range with GPU work" : names;
}

inline Evaluation IdleWithin(const Report& report, double idle_ns, double limit,
                             const std::string& what) {
  double all_ns = 0;
  for (const DeviceReport& device : report.devices) all_ns += device.busy_ns + device.idle_ns;
  if (!(all_ns > 0)) return {Outcome::kNotMeasured, "not measured: no GPU work was recorded"};
  std::string text = what + " for " + PercentText(idle_ns / all_ns) + " of " +
                     MicrosecondText(all_ns) + ", expected at most " + PercentText(limit);
  for (const GapSummary& gap : report.gaps) {
    text += "\n  " + std::string(ToString(gap.cause)) + ": " + MicrosecondText(gap.total_ns) +
            Format(" in %lld gaps", static_cast<long long>(gap.count));
    if (!gap.where.empty()) text += ", most of it in " + gap.where;
  }
  return {MetIf(idle_ns <= limit * all_ns), text};
}

// Why a name is none that a report can have, with all that are. Empty: it is one.
[[nodiscard]] std::string WhyNoFinding(const std::string& id);
[[nodiscard]] std::string WhyNoDirection(const std::string& direction);

// A negative number that became a huge one.
inline std::string WhyNoBytes(uint64_t bytes) {
  const auto number = static_cast<int64_t>(bytes);
  if (number >= 0) return "";
  return Format("%lld is no number of bytes: write one from 0 on", static_cast<long long>(number));
}

// The worst outcome of all kernels; those that are not met are explained.
inline Evaluation EachOf(const std::vector<const KernelReport*>& kernels,
                         const Expectation& expectation) {
  Evaluation all{Outcome::kMet, Format("met by %zu kernels", kernels.size())};
  std::string failures;
  for (const KernelReport* kernel : kernels) {
    const Evaluation one = expectation.Evaluate(*kernel);
    if (Rank(one.outcome, true) < Rank(all.outcome, true)) all.outcome = one.outcome;
    if (one.outcome == Outcome::kMet) continue;
    failures += (failures.empty() ? "" : "\n") + kernel->name +
                (kernel->range.empty() ? "" : " in " + kernel->range) + ": " + one.explanation;
  }
  if (!failures.empty()) all.explanation = failures;
  return all;
}

inline std::string SlowerLine(const Compared& compared, const std::string& name) {
  std::string text = "\n  " + name + ": " + MicrosecondText(compared.before.median) + " -> " +
                     MicrosecondText(compared.after.median) +
                     Format(" (%.3f times), threshold ", compared.ratio.value) +
                     PercentText(compared.threshold);
  if (compared.noise) text += ", noise " + PercentText(*compared.noise);
  return text;
}

// One run is one observation: each kernel is held against the threshold of its own noise.
inline Evaluation AgainstBaseline(const Baseline& baseline, const CompareOptions& options,
                                  const Report& report) {
  const RunSet after = Collect({report});
  if (!after.error.empty()) return {Outcome::kNotMeasured, "not measured: " + after.error};
  const RunSet* const before = baseline.Find(after.devices, after.driver);
  if (before == nullptr) {
    return {Outcome::kNotMeasured, "not measured: the baseline has no runs on " + after.devices +
                                       " with driver " + after.driver};
  }
  const Comparison comparison = Compare(*before, after, options);
  if (!comparison.error.empty()) {
    return {Outcome::kNotMeasured, "not measured: " + comparison.error};
  }
  std::string slower;
  int tested = 0;
  for (const KernelChange& kernel : comparison.kernels) {
    if (!kernel.time.tested) continue;
    ++tested;
    if (kernel.time.ratio.value <= 1 + kernel.time.threshold) continue;
    slower += SlowerLine(kernel.time, kernel.name);
    for (const std::string& line : kernel.explanation) slower += "\n    - " + line;
  }
  if (tested == 0) {
    return {Outcome::kNotMeasured, "not measured: no kernel of the baseline was launched"};
  }
  if (slower.empty()) return {Outcome::kMet, Format("none of %d kernels is slower", tested)};
  return {Outcome::kNotMet, "slower than the baseline:" + slower};
}

}  // namespace expect_detail

inline RunExpectation operator&&(const RunExpectation& left, const RunExpectation& right) {
  return expect_detail::Combine(left, right, true);
}
inline RunExpectation operator||(const RunExpectation& left, const RunExpectation& right) {
  return expect_detail::Combine(left, right, false);
}
/// A value that was not measured is not met this way either, nor is an invalid expectation.
inline RunExpectation operator!(const RunExpectation& expectation) {
  return RunExpectation(
      "not ( " + expectation.Describe() + " )",
      [=](const Report& report) {
        Evaluation evaluation = expectation.Evaluate(report);
        if (evaluation.outcome == Outcome::kMet || evaluation.outcome == Outcome::kNotMet) {
          evaluation.outcome = expect_detail::MetIf(evaluation.outcome == Outcome::kNotMet);
        }
        return evaluation;
      },
      expectation.WhyInvalid());
}

/// The GPU time of an NVTX range (without that of inner ranges), for each time that it was entered,
/// is at most `limit`. `range` is a path as in Report::row().
inline RunExpectation RangeTakesAtMost(const std::string& range, std::chrono::nanoseconds limit) {
  using namespace expect_detail;
  const auto limit_ns = static_cast<double>(limit.count());
  return RunExpectation(
      "takes at most " + MicrosecondText(limit_ns) + " in each " + range,
      [range, limit_ns](const Report& report) {
        const RangeRow* const row = report.row(range);
        if (row == nullptr || row->instances == 0) {
          return Evaluation{Outcome::kNotMeasured, "not measured: there was no GPU work in " +
                                                       range + ", but in" + RangeNames(report)};
        }
        const double each_ns = row->time_ns / static_cast<double>(row->instances);
        return Evaluation{MetIf(each_ns <= limit_ns),
                          range + " took " + MicrosecondText(each_ns) +
                              Format(" each, mean of %lld, expected at most ",
                                     static_cast<long long>(row->instances)) +
                              MicrosecondText(limit_ns) + "\n  most of it: " + row->dominant};
      },
      WhyNoDuration(limit));
}

/// The GPUs had nothing to do for at most this share (0..1) of the time that prof did not disturb.
inline RunExpectation IdleAtMost(Fraction limit) {
  using namespace expect_detail;
  return RunExpectation(
      "idles for at most " + PercentText(limit.value()),
      [limit](const Report& report) {
        double idle_ns = 0;
        for (const DeviceReport& device : report.devices) {
          idle_ns += device.idle_ns;
        }
        return IdleWithin(report, idle_ns, limit.value(), "the GPU was idle");
      },
      WhyNoFraction(limit));
}

/// The same for idle time of one cause: IdleAtMost(GapCause::kSync, 0.01).
inline RunExpectation IdleAtMost(GapCause cause, Fraction limit) {
  using namespace expect_detail;
  const std::string name = ToString(cause);
  return RunExpectation(
      "idles for at most " + PercentText(limit.value()) + " because of " + name,
      [cause, name, limit](const Report& report) {
        double idle_ns = 0;
        for (const GapSummary& gap : report.gaps) {
          if (gap.cause == cause) idle_ns += gap.total_ns;
        }
        return IdleWithin(report, idle_ns, limit.value(), "the GPU was idle because of " + name);
      },
      WhyNoFraction(limit));
}

/// Copies of one direction moved at most so many bytes in all: "host to device", "device to host",
/// "device to device", "host to host", "peer to peer"; "" is all copies. Another direction is
/// invalid.
inline RunExpectation CopiesAtMost(const std::string& direction, uint64_t bytes) {
  using namespace expect_detail;
  return RunExpectation(
      Format("copies at most %llu bytes ", static_cast<unsigned long long>(bytes)) + direction,
      [direction, bytes](const Report& report) {
        const Totals& totals = report.totals;
        if (totals.kernels + totals.copies + totals.memsets + totals.graphs == 0) {
          return Evaluation{Outcome::kNotMeasured, "not measured: no GPU work was recorded"};
        }
        uint64_t copied = 0;
        std::string lines;
        for (const CopySummary& copy : report.copies) {
          if (!direction.empty() && copy.direction != direction) continue;
          copied += copy.bytes;
          lines +=
              "\n  " + copy.memory +
              Format(": %llu bytes in %lld copies", static_cast<unsigned long long>(copy.bytes),
                     static_cast<long long>(copy.count));
        }
        return Evaluation{MetIf(copied <= bytes), Format("copied %llu bytes, expected at most %llu",
                                                         static_cast<unsigned long long>(copied),
                                                         static_cast<unsigned long long>(bytes)) +
                                                      lines};
      },
      BothReasons(WhyNoDirection(direction), WhyNoBytes(bytes)));
}

/// The report has no finding of this id: HasNoFinding("pageable-copy"); docs/guide/rules.md has the
/// ids, another one is invalid. Not measured where there can be no findings, and where this one was
/// withheld.
inline RunExpectation HasNoFinding(const std::string& id) {
  using namespace expect_detail;
  return RunExpectation(
      "has no finding " + id,
      [id](const Report& report) {
        if (!report.findings_missing.empty()) {
          return Evaluation{Outcome::kNotMeasured, "not measured: " + report.findings_missing};
        }
        for (const Finding& finding : report.findings) {
          if (finding.id != id) continue;
          std::string text = finding.title;
          for (const std::string& evidence : finding.evidence) text += "\n  - " + evidence;
          if (!finding.withheld) return Evaluation{Outcome::kNotMet, text};
          return Evaluation{Outcome::kNotMeasured, "not measured: " + finding.withheld_why};
        }
        return Evaluation{Outcome::kMet, "no such finding"};
      },
      WhyNoFinding(id));
}

/// Each kernel whose name contains `name` (all signatures; "" is all kernels) meets `expectation`.
/// Not measured where there is none.
inline RunExpectation EachKernel(const std::string& name, const Expectation& expectation) {
  using namespace expect_detail;
  return RunExpectation(
      "has only kernels \"" + name + "\" that each meet: " + expectation.Describe(),
      [name, expectation](const Report& report) {
        std::vector<const KernelReport*> kernels;
        if (name.empty()) {
          for (const KernelReport& kernel : report.kernels) kernels.push_back(&kernel);
        } else {
          kernels = report.kernels_named(name);
        }
        if (!kernels.empty()) return EachOf(kernels, expectation);
        return Evaluation{Outcome::kNotMeasured,
                          "not measured: " + report.kernel(name).verdict.missing};
      },
      expectation.WhyInvalid());
}

/// No kernel with a share of the time is slower than in the baseline of the same device and driver,
/// by more than its threshold: 5 %, or 3 times its noise where that is more. One run is one
/// observation: `prof check` with several runs is the sharper test.
inline RunExpectation NoSlowerThan(const Baseline& baseline, const CompareOptions& options = {}) {
  return RunExpectation(
      "is no slower than the baseline",
      [baseline, options](const Report& report) {
        return expect_detail::AgainstBaseline(baseline, options, report);
      },
      baseline.error);
}

}  // namespace prof

#endif  // PROF_EXPECT_RUN_H_
