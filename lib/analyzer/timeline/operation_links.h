// SPDX-License-Identifier: Apache-2.0
//
// The links of an operation are what may have held it back on its device: the operation before it
// in its stream, and what ran last before it.
#ifndef PROF_LIB_ANALYZER_TIMELINE_OPERATION_LINKS_H_
#define PROF_LIB_ANALYZER_TIMELINE_OPERATION_LINKS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Two operations of one stream with less between them are a chain: the second one waited for the
// first. [own] Twice what lies between dependent kernels of a stream on an H200.
inline constexpr int64_t kChainedNs = 5'000;

// Indices into Model::ops; kNoIndex: there is none. Vectors are parallel to it.
struct OperationLinks {
  std::vector<int32_t> in_stream;  // the operation before it in its stream
  std::vector<int32_t> latest;     // of those that started before it on its device: the last to end
  std::unordered_map<uint32_t, int32_t> last;  // by device: the operation that ends last
};

// Linear in the operations.
[[nodiscard]] OperationLinks LinkOperations(const model::Model& model);

// True when `before`, which may be kNoIndex, ended so late that `op` followed it without a pause.
[[nodiscard]] bool IsChain(const model::Model& model, int32_t before, const model::Op& op);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_OPERATION_LINKS_H_
