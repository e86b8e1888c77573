// SPDX-License-Identifier: Apache-2.0
//
// How good the verdicts on labelled kernels are: right at once, right among the first two, actions
// that help or harm, and bounds that a known gain exceeds. How often each level of confidence is
// right.
#ifndef PROF_LIB_EVAL_SCORE_H_
#define PROF_LIB_EVAL_SCORE_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/eval/forms.h"
#include "lib/eval/zoo.h"
#include "prof/kernel_report.h"

namespace prof::eval {

// Part of `all`, with the ends of Wilson's interval of 95 %.
struct Rate {
  int part = 0, all = 0;
  double low = 0, high = 1;
};
// `all` 0: 0..1.
[[nodiscard]] Rate MakeRate(int part, int all);

// An action that the verdict offers, and what it gained when it was tried.
struct TriedAction {
  const MeasuredPair* pair = nullptr;
  std::optional<double> at_most;
  // The low end of the gain is above the bound.
  [[nodiscard]] bool exceeded() const { return at_most && *at_most < pair->low; }
};

struct Answer {
  const LabelledKernel* labelled = nullptr;
  Verdict verdict;
  bool first = false;                // the verdict is right
  bool limiter_right = false;        // its limiter is, also where it does not name the waste
  bool among_two = false;            // or the next unit or the next action is
  bool abstained = false;            // it is undecided: not measured, or unknown
  std::vector<std::string> harmful;  // ids of its actions that harm here
  bool first_harms = false;          // its first action is one of them
  bool helps = false;                // an action helps
  // Of the label's known gain: offered at all, and bounded below it.
  bool offered = false, exceeded = false;
  std::vector<TriedAction> tried;  // of the label's pairs
  std::string first_untried;       // its first action, where no pair has tried that; else empty
};

struct Evaluation {
  Form form = Form::kAll;
  std::vector<Answer> answers;
  Rate top1, top2;
  Rate helpful;            // of the kernels for which an action is known to help
  Rate confident;          // right among the answers of high confidence
  Rate limiter;            // with the right limiter
  Rate confident_limiter;  // the same among the answers of high confidence
  // By confidence: right among the decided answers.
  std::map<Confidence, Rate> reliability;
  int abstained = 0;      // undecided verdicts
  int not_recorded = 0;   // labelled kernels that the recordings of this form lack
  int without_label = 0;  // interventions found no limit; only their pairs count
  int harmful = 0;        // verdicts with an action that costs work and gains nothing
  int first_harms = 0;    // of these, the first action is such a one
  // Actions that were offered and had been tried: these gained kHelps or more, less than kUseless,
  // and made it slower by kUseless or more. With 95 %.
  int tried = 0, helped = 0, useless = 0, slowed = 0;
  int tried_exceeded = 0;                    // they gained more than "at most"
  std::map<std::string, int> first_untried;  // first actions that no pair has tried: kernels
  int pairs = 0, offered = 0, exceeded = 0;  // known gains
  // |log(at most / gained)| of the fixes that were offered with a bound and gained kHelps or more.
  // 0: the bound is the gain. `n` 0: there are none.
  Statistic log_ratio;
  // By the label's first limiter (the verdict's, where that is right) and the verdict's: how many.
  std::map<std::pair<std::string, std::string>, int> confusion;
};

inline constexpr double kHighIsRight = 0.98;  // the goal of verdicts of high confidence [own]
inline constexpr double kHelps = 0.05, kUseless = 0.02;  // parts of the time [own]

// The answer to one verdict. The pointers of `tried` point into `labelled`.
[[nodiscard]] Answer Judge(const LabelledKernel& labelled, const Verdict& verdict);

// The answers point into `zoo`.
[[nodiscard]] Evaluation Evaluate(const Zoo& zoo, Form form);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_SCORE_H_
