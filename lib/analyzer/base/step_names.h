// SPDX-License-Identifier: Apache-2.0
//
// Names of ranges and of PyTorch's scopes tell the part of a step that they are.
#ifndef PROF_LIB_ANALYZER_BASE_STEP_NAMES_H_
#define PROF_LIB_ANALYZER_BASE_STEP_NAMES_H_

#include <optional>
#include <string_view>

#include "prof/step_report.h"

namespace prof::analyzer {

// By what PyTorch writes itself ("Optimizer.step#Adam.step", "enumerate(DataLoader)#...",
// "autograd::engine::evaluate_function: ..."), as a scope and through emit_nvtx.
[[nodiscard]] std::optional<StepPart> PartOfScope(std::string_view name);

// The same, and by the words of a range of the program: "forward", "optimizer_step", "load data".
// docs/guide/steps.md lists the words. `domain`: NCCL's own ranges have one.
[[nodiscard]] std::optional<StepPart> PartOfRange(std::string_view name, std::string_view domain);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_STEP_NAMES_H_
