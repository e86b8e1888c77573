// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/segments.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace prof::analyzer {
namespace {

// Blocks by their address, while they are allocated.
class LiveBlocks {
 public:
  explicit LiveBlocks(const Ledger& blocks) : blocks_(blocks) {}

  // As of `time_ns`, which does not go back.
  void Advance(int64_t time_ns) {
    for (; next_ < blocks_.changes.size(); ++next_) {
      const Change& change = blocks_.changes[next_];
      if (change.time_ns > time_ns) return;
      const uint64_t address = blocks_.Of(blocks_.blocks[change.block]).address;
      if (!change.ends) {
        live_[address] = change.block;
      } else if (const auto at = live_.find(address); at != live_.end()) {
        if (at->second == change.block) live_.erase(at);
      }
    }
  }

  // nullopt: none has the address.
  [[nodiscard]] std::optional<size_t> Around(uint64_t address) const {
    auto at = live_.upper_bound(address);
    if (at == live_.begin()) return std::nullopt;
    --at;
    const bool inside = address - at->first < blocks_.Of(blocks_.blocks[at->second]).bytes;
    return inside ? std::optional(at->second) : std::nullopt;
  }

 private:
  const Ledger& blocks_;
  size_t next_ = 0;
  std::map<uint64_t, size_t> live_;  // not hashed: as in ledger.cc
};

struct Extent {
  uint64_t begin = 0, end = 0;
};

void AddGap(uint64_t begin, uint64_t end, TensorSegments* segments) {
  if (begin >= end) return;
  ++segments->gaps;
  AddTo(end - begin, &segments->unused_bytes);
  segments->largest_gap = std::max(segments->largest_gap, end - begin);
}

}  // namespace

Segments::Segments(const Ledger* blocks, const Ledger* tensors)
    : blocks_(*blocks),
      tensors_(*tensors),
      is_segment_(blocks->blocks.size()),
      segment_of_(tensors->blocks.size(), kNoSegment) {
  LiveBlocks live(blocks_);
  for (size_t i = 0; i < tensors_.blocks.size(); ++i) {
    const model::Allocation& tensor = tensors_.Of(tensors_.blocks[i]);
    live.Advance(tensor.time_ns);
    const std::optional<size_t> segment = live.Around(tensor.address);
    if (!segment) continue;
    segment_of_[i] = static_cast<int64_t>(*segment);
    is_segment_[*segment] = true;
  }
}

TensorSegments Segments::At(uint32_t device, int64_t time_ns) const {
  const int64_t last_block = blocks_.LastChange(time_ns);
  const int64_t last_tensor = tensors_.LastChange(time_ns);
  std::map<size_t, std::vector<Extent>> used;  // by segment
  TensorSegments segments;
  for (size_t i = 0; i < is_segment_.size(); ++i) {
    const Block& block = blocks_.blocks[i];
    if (!is_segment_[i] || !block.LiveAfter(last_block)) continue;
    const model::Allocation& segment = blocks_.Of(block);
    if (segment.device != device) continue;
    ++segments.segments;
    AddTo(segment.bytes, &segments.bytes);
    used[i];
  }
  for (size_t i = 0; i < segment_of_.size(); ++i) {
    const Block& block = tensors_.blocks[i];
    const model::Allocation& tensor = tensors_.Of(block);
    if (tensor.device != device || !block.LiveAfter(last_tensor)) continue;
    const auto in = HasSegment(i) ? used.find(static_cast<size_t>(segment_of_[i])) : used.end();
    if (in == used.end()) {
      AddTo(tensor.bytes, &segments.outside_bytes);
    } else {
      in->second.push_back({tensor.address, tensor.address + tensor.bytes});
    }
  }
  for (auto& [index, tensors] : used) {
    const model::Allocation& segment = blocks_.Of(blocks_.blocks[index]);
    std::sort(tensors.begin(), tensors.end(),
              [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    uint64_t at = segment.address;
    for (const Extent& tensor : tensors) {
      AddGap(at, tensor.begin, &segments);
      at = std::max(at, tensor.end);
    }
    AddGap(at, segment.address + segment.bytes, &segments);
  }
  return segments;
}

}  // namespace prof::analyzer
