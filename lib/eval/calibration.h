// SPDX-License-Identifier: Apache-2.0
//
// Whether the levels of confidence keep what they promise. The families of the kernels are in two
// halves. The calibration half says which doubts are grave; the check half shows how often each
// level is right on families that did not take part in that.
#ifndef PROF_LIB_EVAL_CALIBRATION_H_
#define PROF_LIB_EVAL_CALIBRATION_H_

#include <map>
#include <string>
#include <vector>

#include "lib/eval/score.h"

namespace prof::eval {

enum class Half { kCalibration, kCheck };

// By a hash of the family's name, or of the kernel's where it has no family: all draws, chips and
// forms of a family are in the same half.
[[nodiscard]] Half HalfOf(const LabelledKernel& labelled);

struct Calibration {
  // Of the verdicts with a level: how many are right.
  std::map<Confidence, Rate> calibration, check;
  // Of the calibration half, by doubt: the verdicts that have it.
  std::map<std::string, Rate> doubts;
  // The doubts that the calibration half makes grave: those with which fewer than kGraveBelow of
  // the verdicts are right. The worst one comes first, and its verdicts do not count for the next.
  std::vector<std::string> grave;
};

inline constexpr double kGraveBelow = 0.9;  // [own]
inline constexpr int kFewestWrong = 2;      // [own] one wrong verdict makes no doubt grave

[[nodiscard]] Calibration Calibrate(const std::vector<Evaluation>& evaluations);

// The levels as a diagram of both halves, and the doubts of the calibration half.
[[nodiscard]] std::string Describe(const Calibration& calibration);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_CALIBRATION_H_
