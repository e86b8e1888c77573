// SPDX-License-Identifier: Apache-2.0
//
// Evaluations of verdicts as JSON, for scripts and for results that are kept.
#ifndef PROF_LIB_EVAL_EVALUATION_JSON_H_
#define PROF_LIB_EVAL_EVALUATION_JSON_H_

#include <string>
#include <vector>

#include "lib/eval/score.h"

namespace prof::eval {

// {"evaluations": [{"form", the counts, "kernels": [its verdict and whether it is right]}]}. A rate
// has its part, all, and the ends of its interval of 95 %. With a line break at its end.
[[nodiscard]] std::string ToJson(const std::vector<Evaluation>& evaluations);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_EVALUATION_JSON_H_
