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

// "right: 35 of 36 (97 %; 95 %: 86 to 100 %)", with the end of the line.
[[nodiscard]] std::string RateLine(const std::string& what, const Rate& rate);

// For people: the rates, the confusion, each miss with its reason.
[[nodiscard]] std::string Describe(const Evaluation& evaluation);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_DESCRIBE_H_
