// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/critical_path.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/timeline/operation_links.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Op;

bool AnyOverlap(const model::Model& model) {
  std::unordered_map<uint32_t, int64_t> covered_until_ns;
  std::pair<const uint32_t, int64_t>* last = nullptr;  // most operations are on one device
  for (const Op& op : model.ops) {
    if (!op.timed) break;  // they are last
    if (last == nullptr || last->first != op.device) {
      last = &*covered_until_ns.try_emplace(op.device).first;
    }
    if (op.start_ns < last->second) return true;
    last->second = std::max(last->second, op.end_ns);
  }
  return false;
}

void Walk(const model::Model& model, const OperationLinks& links, const DeviceTimeline& device,
          std::vector<int64_t>* critical_ns) {
  const auto last = links.last.find(device.device);
  int32_t at = last == links.last.end() ? kNoIndex : last->second;
  int64_t until_ns = device.end_ns;
  while (at != kNoIndex) {
    const auto i = static_cast<size_t>(at);
    const Op op = model.ops[i];
    // Both have a smaller index: the walk ends.
    const bool chain = IsChain(model, links.in_stream[i], op);
    const int32_t before = chain ? links.in_stream[i] : links.latest[i];
    const int64_t end_ns = std::min(until_ns, op.end_ns);
    int64_t begin_ns = op.start_ns;
    // Where two of a chain overlap, the first one has the time, as in Timeline::exclusive_ns.
    if (chain) begin_ns = std::max(begin_ns, model.ops[static_cast<size_t>(before)].end_ns);
    begin_ns = std::min(begin_ns, std::max(end_ns, op.start_ns));
    if (end_ns > begin_ns && device.IsEvidence(op)) (*critical_ns)[i] += end_ns - begin_ns;
    until_ns = std::min(until_ns, begin_ns);
    at = before;
  }
}

}  // namespace

std::vector<int64_t> CriticalTimes(const model::Model& model, const Timeline& timeline) {
  if (!AnyOverlap(model)) return {};
  std::vector<int64_t> critical_ns(model.ops.size());
  const OperationLinks links = LinkOperations(model);
  for (const DeviceTimeline& device : timeline.devices) Walk(model, links, device, &critical_ns);
  return critical_ns;
}

}  // namespace prof::analyzer
