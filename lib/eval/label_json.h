// SPDX-License-Identifier: Apache-2.0
//
// A label as a file of the zoo has it. bench/zoo/known_kernels.py and bench/lib/zoo_labels.py write
// it.
#ifndef PROF_LIB_EVAL_LABEL_JSON_H_
#define PROF_LIB_EVAL_LABEL_JSON_H_

#include <nlohmann/json.hpp>

#include "lib/eval/zoo.h"

namespace prof::eval {

// Throws nlohmann::json::exception when a field is missing or of another type.
[[nodiscard]] Label ToLabel(const nlohmann::json& value);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_LABEL_JSON_H_
