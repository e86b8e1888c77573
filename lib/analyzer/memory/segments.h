// SPDX-License-Identifier: Apache-2.0
//
// The segments of PyTorch's allocator: blocks that it has from CUDA, and of which it gives parts to
// tensors. A block of CUDA's is one if a tensor was ever in it.
#ifndef PROF_LIB_ANALYZER_MEMORY_SEGMENTS_H_
#define PROF_LIB_ANALYZER_MEMORY_SEGMENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/analyzer/memory/ledger.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

class Segments {
 public:
  // `blocks`: of CUDA's allocations. Both outlive it. n log n in both.
  Segments(const Ledger* blocks, const Ledger* tensors);

  // Whether a segment with this tensor was recorded. By index of the tensors.
  [[nodiscard]] bool HasSegment(size_t tensor) const { return segment_of_[tensor] != kNoSegment; }

  // Of one device, after the last changes at `time_ns`.
  [[nodiscard]] TensorSegments At(uint32_t device, int64_t time_ns) const;

 private:
  static constexpr int64_t kNoSegment = -1;

  const Ledger& blocks_;
  const Ledger& tensors_;
  std::vector<bool> is_segment_;     // by index of the blocks
  std::vector<int64_t> segment_of_;  // by index of the tensors: a block
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_SEGMENTS_H_
