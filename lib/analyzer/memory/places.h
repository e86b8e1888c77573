// SPDX-License-Identifier: Apache-2.0
//
// Where in the program a block of memory was allocated: its line of source, and its op of PyTorch.
#ifndef PROF_LIB_ANALYZER_MEMORY_PLACES_H_
#define PROF_LIB_ANALYZER_MEMORY_PLACES_H_

#include <cstddef>
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
  // `call`: index of Model::api_calls.
  [[nodiscard]] uint32_t FrameOf(size_t call) const;
  // The path of the op that OpHolder has; kNone: the call was in none.
  [[nodiscard]] uint32_t OpOf(const model::Allocation& allocation) const;
  // Of a call that failed for lack of memory.
  [[nodiscard]] uint32_t OpOfFailed(size_t call) const;

 private:
  const model::Model& model_;
  std::vector<uint32_t> own_frames_;  // by stack
};

// The outermost op around the path of an op or a module, as OpHolder has it; kNone: there is none.
[[nodiscard]] uint32_t OutermostTorchOp(const model::Model& model, uint32_t path);
// kNone: a place that is not known.
[[nodiscard]] SourcePlace DescribeFrame(const model::Model& model, uint32_t frame);
// The name of an op; "" for kNone.
[[nodiscard]] std::string TorchOpName(const model::Model& model, uint32_t op);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_PLACES_H_
