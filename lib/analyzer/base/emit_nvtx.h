// SPDX-License-Identifier: Apache-2.0
//
// The names of ranges that PyTorch's emit_nvtx() opens: "aten::mul, seq = 12, op_id = 45, sizes =
// [[2, 3]]". Each of them is another one; what is before the first marker names the op.
#ifndef PROF_LIB_ANALYZER_BASE_EMIT_NVTX_H_
#define PROF_LIB_ANALYZER_BASE_EMIT_NVTX_H_

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace prof::analyzer {

// The bytes of `name` before the first marker (torch/csrc/profiler/util.cpp, getNvtxStr); all of
// them where there is none. Other texts with commas stay as they are.
[[nodiscard]] inline size_t OpNameSize(std::string_view name) {
  size_t size = name.size();
  for (const std::string_view marker :
       {", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "}) {
    size = std::min(size, name.find(marker));
  }
  return size;
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_EMIT_NVTX_H_
