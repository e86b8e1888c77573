// SPDX-License-Identifier: Apache-2.0
//
// Signatures numbers what operations have in common, so that a writer describes it once.
#ifndef PROF_LIB_EXPORT_BASE_SIGNATURES_H_
#define PROF_LIB_EXPORT_BASE_SIGNATURES_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "prof/events.h"

namespace prof::exporting {

// The value that Make() gave for the kind, shape, range, op and module of PyTorch, device and
// stream of an operation.
template <typename Value>
class Signatures {
 public:
  // `make` is called with the operation and the signature's number, from 1, at its first use.
  template <typename Make>
  const Value& Of(const OperationEvent& op, Make make) {
    const Key key(op.shape, op.path, op.stream, op.context, op.device, op.kind, op.copy, op.source,
                  op.destination, op.graph, op.torch_op, op.torch_forward, op.torch_module);
    if (last_ != nullptr && last_->first == key) return last_->second;
    const auto found = values_.find(key);
    last_ = found != values_.end() ? &*found
                                   : &*values_.emplace(key, make(op, values_.size() + 1)).first;
    return last_->second;
  }

 private:
  using Key =
      std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, OperationKind, CopyDirection,
                 MemoryType, MemoryType, uint32_t, uint32_t, uint32_t, uint32_t>;
  std::map<Key, Value> values_;
  const std::pair<const Key, Value>* last_ = nullptr;
};

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_SIGNATURES_H_
