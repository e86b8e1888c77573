// SPDX-License-Identifier: Apache-2.0
//
// An expectation is a condition on a kernel, for tests. A value that was not measured is neither
// met nor missed, and stays so under !, && and ||; so does an expectation that can never be right.
// prof/expect.h has the ready-made ones.
#ifndef PROF_EXPECTATION_H_
#define PROF_EXPECTATION_H_

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "prof/report.h"

namespace prof {

enum class Outcome {
  kMet,
  kNotMet,
  kNotMeasured,  ///< No value that decides it was measured; the explanation has the reason.
  kInvalid       ///< The expectation itself is wrong: a fraction of 80. Wins over all others, and
                 ///< does not depend on what was measured.
};

/// A share from 0 to 1, so 0.8 is 80 %: Percent(80) is the same. An integer does not compile,
/// because 80 would be meant as a percentage. A number outside of 0..1, NaN too, makes the outcome
/// of an expectation kInvalid.
class Fraction {
 public:
  constexpr Fraction(double value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  /// Write 0.8 or Percent(80) for 80 %, and 1.0 for all.
  template <typename Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  Fraction(Integer) = delete;  // NOLINT(google-explicit-constructor)

  constexpr double value() const { return value_; }
  constexpr bool valid() const { return value_ >= 0 && value_ <= 1; }
  /// It was written as a percentage.
  constexpr bool is_percent() const { return is_percent_; }

 private:
  friend constexpr Fraction Percent(double percent);

  double value_;
  bool is_percent_ = false;
};

/// Percent(80) is Fraction(0.8).
constexpr Fraction Percent(double percent) {
  Fraction fraction(percent / 100);
  fraction.is_percent_ = true;
  return fraction;
}

struct Evaluation {
  Outcome outcome = Outcome::kNotMeasured;
  std::string explanation;  ///< The measured values, with n and spread, one a line.
};

/// A condition on one kernel. Cheap to copy.
class Expectation {
 public:
  using Evaluator = std::function<Evaluation(const KernelReport&)>;

  /// `description` continues the sentence "the kernel ...": "reaches 80 % of DRAM's peak".
  /// `invalid`: why it can never be right, with the way out. Empty: it can.
  Expectation(std::string description, Evaluator evaluate, std::string invalid = "")
      : description_(std::move(description)),
        evaluate_(std::move(evaluate)),
        invalid_(std::move(invalid)) {}

  [[nodiscard]] Evaluation Evaluate(const KernelReport& kernel) const;
  /// Evaluates the report's only kernel; not measured when the report holds none or several.
  [[nodiscard]] Evaluation Evaluate(const Report& report) const;

  /// `Subject` is a KernelReport or a Report with one kernel.
  template <typename Subject>
  [[nodiscard]] Outcome Check(const Subject& subject) const {
    return Evaluate(subject).outcome;
  }
  template <typename Subject>
  [[nodiscard]] std::string Explain(const Subject& subject) const {
    return Evaluate(subject).explanation;
  }
  const std::string& Describe() const& { return description_; }
  std::string Describe() && { return std::move(description_); }
  /// Why it can never be right; empty where it can.
  const std::string& WhyInvalid() const& { return invalid_; }
  std::string WhyInvalid() && { return std::move(invalid_); }

  /// Catch2's matcher protocol. Catch2 asks for the text after match(), without the subject, so the
  /// object keeps the explanation.
  template <typename Subject>
  bool match(const Subject& subject) const {
    const Evaluation evaluation = Evaluate(subject);
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

inline Evaluation Invalid(const std::string& why) {
  return {Outcome::kInvalid, "invalid expectation: " + why};
}

inline std::string BothReasons(const std::string& left, const std::string& right) {
  return left.empty() || right.empty() || left == right ? (left.empty() ? right : left)
                                                        : left + "; " + right;
}

}  // namespace expect_detail

inline Evaluation Expectation::Evaluate(const KernelReport& kernel) const {
  return invalid_.empty() ? evaluate_(kernel) : expect_detail::Invalid(invalid_);
}

inline Evaluation Expectation::Evaluate(const Report& report) const {
  if (!invalid_.empty()) return expect_detail::Invalid(invalid_);
  if (report.kernels.size() == 1) return Evaluate(report.kernels.front());
  std::string text = "not measured: the report holds ";
  text += report.kernels.empty() ? "no kernel"
                                 : "several kernels; name one of them with report.kernel(...):";
  for (const KernelReport& kernel : report.kernels) text += "\n  " + kernel.name;
  if (!report.error.empty()) text += "\n  " + report.error;
  for (const NoticeReport& notice : report.notices) text += "\n  " + notice.what;
  return {Outcome::kNotMeasured, text};
}

namespace expect_detail {

// Outcomes in the order of AND: the smaller one wins; OR takes the larger one. kInvalid wins both.
inline int Rank(Outcome outcome, bool both) {
  switch (outcome) {
    case Outcome::kInvalid:
      return both ? -1 : 3;
    case Outcome::kNotMet:
      return 0;
    case Outcome::kNotMeasured:
      return 1;
    case Outcome::kMet:
      return 2;
  }
  return 1;
}

// The verdict of the kernel stands below every explanation: once is enough.
inline std::string WithoutCommonEnd(const std::string& text, const std::string& other) {
  const size_t verdict = text.find("\n  verdict: ");
  if (verdict == std::string::npos) return text;
  const std::string end = text.substr(verdict);
  const bool same =
      other.size() >= end.size() && other.compare(other.size() - end.size(), end.size(), end) == 0;
  return same ? text.substr(0, verdict) : text;
}

inline Expectation Combine(const Expectation& left, const Expectation& right, bool both) {
  std::string description =
      "( " + left.Describe() + (both ? " and " : " or ") + right.Describe() + " )";
  const auto evaluate = [=](const KernelReport& kernel) {
    Evaluation a = left.Evaluate(kernel), b = right.Evaluate(kernel);
    const bool a_decides = both ? Rank(a.outcome, both) <= Rank(b.outcome, both)
                                : Rank(a.outcome, both) >= Rank(b.outcome, both);
    if (a.outcome != b.outcome) return a_decides ? a : b;
    return Evaluation{a.outcome,
                      WithoutCommonEnd(a.explanation, b.explanation) + "\n" + b.explanation};
  };
  return Expectation(std::move(description), evaluate,
                     BothReasons(left.WhyInvalid(), right.WhyInvalid()));
}

}  // namespace expect_detail

inline Expectation operator&&(const Expectation& left, const Expectation& right) {
  return expect_detail::Combine(left, right, true);
}
inline Expectation operator||(const Expectation& left, const Expectation& right) {
  return expect_detail::Combine(left, right, false);
}
/// A value that was not measured is not met this way either, nor is an invalid expectation.
inline Expectation operator!(const Expectation& expectation) {
  const auto evaluate = [=](const KernelReport& kernel) {
    Evaluation evaluation = expectation.Evaluate(kernel);
    if (evaluation.outcome == Outcome::kMet) {
      evaluation.outcome = Outcome::kNotMet;
    } else if (evaluation.outcome == Outcome::kNotMet) {
      evaluation.outcome = Outcome::kMet;
    }
    return evaluation;
  };
  return Expectation("not ( " + expectation.Describe() + " )", evaluate, expectation.WhyInvalid());
}

}  // namespace prof

#endif  // PROF_EXPECTATION_H_
