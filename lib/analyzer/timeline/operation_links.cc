// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/operation_links.h"

#include <map>
#include <utility>

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Op;

uint64_t StreamKeyOf(const Op& op) { return uint64_t{op.context} << 32 | op.stream; }

}  // namespace

OperationLinks LinkOperations(const model::Model& model) {
  OperationLinks links;
  links.in_stream.assign(model.ops.size(), kNoIndex);
  links.latest.assign(model.ops.size(), kNoIndex);
  std::map<std::pair<uint32_t, uint64_t>, int32_t> streams;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op op = model.ops[i];
    if (!op.timed) break;  // they are last
    const auto index = static_cast<int32_t>(i);
    int32_t& before = streams.try_emplace({op.device, StreamKeyOf(op)}, kNoIndex).first->second;
    links.in_stream[i] = std::exchange(before, index);
    int32_t& last = links.last.try_emplace(op.device, kNoIndex).first->second;
    links.latest[i] = last;
    const bool later = last == kNoIndex || op.end_ns >= model.ops[static_cast<size_t>(last)].end_ns;
    if (later) last = index;
  }
  return links;
}

bool IsChain(const model::Model& model, int32_t before, const Op& op) {
  if (before == kNoIndex) return false;
  const Op first = model.ops[static_cast<size_t>(before)];
  return first.end_ns >= op.start_ns - kChainedNs;
}

}  // namespace prof::analyzer
