// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/holders.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/analyzer/memory/places.h"

namespace prof::analyzer {
namespace {

constexpr size_t kMostSizes = 10;

double BytesOf(const BlocksOfSize& size) {
  return static_cast<double>(size.bytes_each) * static_cast<double>(size.blocks);
}

std::vector<BlocksOfSize> LargestSizes(const std::map<uint64_t, int64_t>& blocks_by_size) {
  std::vector<BlocksOfSize> sizes;
  sizes.reserve(blocks_by_size.size());
  for (const auto& [bytes, blocks] : blocks_by_size) sizes.push_back({bytes, blocks});
  std::stable_sort(sizes.begin(), sizes.end(), [](const BlocksOfSize& a, const BlocksOfSize& b) {
    return BytesOf(a) > BytesOf(b);
  });
  if (sizes.size() > kMostSizes) sizes.resize(kMostSizes);
  return sizes;
}

// Blocks of one owner.
struct Held {
  int64_t blocks = 0;
  uint64_t bytes = 0;
};
template <typename Owner>
using HeldBy = std::map<Owner, Held>;  // the default value: no owner

void Add(uint64_t bytes, Held* held) {
  ++held->blocks;
  AddTo(bytes, &held->bytes);
}

// A list for the report, by bytes; `describe` gives what an owner is.
template <typename Holder, typename Owner, typename Describe>
std::vector<Holder> Listed(const HeldBy<Owner>& by_owner, const Describe& describe) {
  std::vector<Holder> holders;
  holders.reserve(by_owner.size());
  for (const auto& [owner, held] : by_owner) {
    holders.push_back({describe(owner), held.blocks, held.bytes});
  }
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.bytes > b.bytes; });
  return holders;
}

template <typename Owner>
bool NamesAny(const HeldBy<Owner>& by_owner) {
  return !by_owner.empty() && by_owner.rbegin()->first != Owner();
}

}  // namespace

Holdings HoldingsAfter(const model::Model& model, const RangeFamilies& families,
                       const Ledger& ledger, uint32_t device, int64_t change) {
  HeldBy<uint32_t> by_range, by_frame;
  HeldBy<std::string> by_op;
  std::map<uint64_t, int64_t> blocks_by_size;
  Holdings holdings;
  for (const Block& block : ledger.blocks) {
    if (block.begin > change) break;
    const model::Allocation& allocation = ledger.Of(block);
    if (allocation.device != device || SpaceOf(allocation.memory) != Space::kDevice) continue;
    if (!block.LiveAfter(change)) continue;
    Add(allocation.bytes, &by_range[block.owner]);
    Add(allocation.bytes, &by_frame[block.frame]);
    Add(allocation.bytes, &by_op[TorchOpName(model, block.op)]);
    ++blocks_by_size[allocation.bytes];
    ++holdings.blocks;
  }
  holdings.holders =
      Listed<MemoryHolder>(by_range, [&](uint32_t owner) { return OwnerName(families, owner); });
  if (NamesAny(by_frame)) {
    holdings.lines =
        Listed<LineHolder>(by_frame, [&](uint32_t frame) { return DescribeFrame(model, frame); });
  }
  if (NamesAny(by_op)) {
    holdings.ops = Listed<OpHolder>(by_op, [](const std::string& op) { return op; });
  }
  holdings.sizes = LargestSizes(blocks_by_size);
  return holdings;
}

}  // namespace prof::analyzer
