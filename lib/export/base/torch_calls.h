// SPDX-License-Identifier: Apache-2.0
//
// TorchCalls knows in which op of PyTorch each call of CUDA was made.
#ifndef PROF_LIB_EXPORT_BASE_TORCH_CALLS_H_
#define PROF_LIB_EXPORT_BASE_TORCH_CALLS_H_

#include <cstdint>
#include <vector>

#include "lib/export/base/selection.h"
#include "prof/events.h"

namespace prof::exporting {

class TorchCalls {
 public:
  // One walk over the ranges, ops and calls of the selection. 4 bytes for each call, where ops were
  // recorded.
  TorchCalls(const Events& events, const Selection& selection);

  // The innermost op of the selection around the call in this row, as its row in
  // Events::torch_ops(); modules are none. -1: it was in none.
  [[nodiscard]] int64_t OpOf(int64_t call) const {
    return call < 0 || ops_.empty() ? -1 : ops_[static_cast<size_t>(call)];
  }

 private:
  std::vector<int32_t> ops_;  // by call
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_TORCH_CALLS_H_
