// SPDX-License-Identifier: Apache-2.0
//
// An evaluation of verdicts as text.
#ifndef PROF_LIB_EVAL_DESCRIBE_H_
#define PROF_LIB_EVAL_DESCRIBE_H_

#include <string>

#include "lib/eval/score.h"

namespace prof::eval {

// The name of a kernel, and its family where the name is a number.
[[nodiscard]] std::string NameOf(const LabelledKernel& labelled);

// "right: 35 of 36 (97 %; 95 %: 86 to 100 %)", with the end of the line. With a goal also whether
// it is shown: ", 98 % is not shown".
[[nodiscard]] std::string RateLine(const std::string& what, const Rate& rate, double goal = 0);
// ", 98 % is shown" where the low end of the interval reaches the goal. Nothing for no goal.
[[nodiscard]] std::string Shown(const Rate& rate, double goal);

// For people: the rates, the confusion, each miss with its reason.
[[nodiscard]] std::string Describe(const Evaluation& evaluation);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_DESCRIBE_H_
