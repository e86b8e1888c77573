// SPDX-License-Identifier: Apache-2.0
//
// Where in the program a block of memory was allocated: its line of source, and its op of PyTorch.
#ifndef PROF_LIB_ANALYZER_MEMORY_PLACES_H_
#define PROF_LIB_ANALYZER_MEMORY_PLACES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

class Places {
 public:
  explicit Places(const model::Model& model);

  // The own frame of the stack of the call (base/own_frames.h); kNone: it has no stack.
  [[nodiscard]] uint32_t FrameOf(const model::Allocation& allocation) const;
  // The path of the op that OpHolder has; kNone: the call was in none.
  [[nodiscard]] uint32_t OpOf(const model::Allocation& allocation) const;

 private:
  const model::Model& model_;
  std::vector<uint32_t> own_frames_;  // by stack
};

[[nodiscard]] SourcePlace DescribeFrame(const model::Model& model, uint32_t frame);
// The name of an op; "" for kNone.
[[nodiscard]] std::string OpName(const model::Model& model, uint32_t op);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_PLACES_H_
