// SPDX-License-Identifier: Apache-2.0
//
// Stacks are the GPU's time summed by NVTX range and operation, for viewers of profiles: ranges
// from the outermost to the innermost, then the kernel or copy.
#ifndef PROF_LIB_EXPORT_BASE_STACKS_H_
#define PROF_LIB_EXPORT_BASE_STACKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/export/base/selection.h"
#include "prof/events.h"

namespace prof::exporting {

struct Stack {
  std::vector<uint32_t> frames;  // indices into StackTable::names, the outermost first
  int64_t operations = 0;
  int64_t time_ns = 0;  // sum of their durations: operations that overlap count twice
};

struct StackTable {
  std::vector<std::string> names;
  std::vector<Stack> stacks;  // by time, descending
};

// Frames of ranges are those of paths: "step *" stands for all its numbers.
[[nodiscard]] StackTable SumStacks(const Events& events, const Selection& selection);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_STACKS_H_
