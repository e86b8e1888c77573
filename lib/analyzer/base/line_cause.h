// SPDX-License-Identifier: Apache-2.0
//
// The line cause is the host stack that an operation of the GPU comes from.
#ifndef PROF_LIB_ANALYZER_BASE_LINE_CAUSE_H_
#define PROF_LIB_ANALYZER_BASE_LINE_CAUSE_H_

#include <cstddef>
#include <cstdint>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

struct LineCause {
  uint32_t stack = model::kNone;
  bool backward = false;
};

// The stack of an operation: of the forward pass, where a backward pass belongs to one.
[[nodiscard]] inline LineCause CauseOf(const model::Model& model, size_t op) {
  const uint32_t forward = model.torch.PlaceOf(op).forward_stack;
  if (forward != model::kNone) return {forward, true};
  return {model.StackOf(model.ops[op]), false};
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_LINE_CAUSE_H_
