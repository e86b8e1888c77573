// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/holders.h"

#include <algorithm>
#include <map>
#include <utility>

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

}  // namespace

Holdings HoldingsAfter(const model::Model& model, const RangeFamilies& families,
                       const Ledger& ledger, uint32_t device, int64_t change) {
  std::map<uint32_t, MemoryHolder> by_owner;
  std::map<uint64_t, int64_t> blocks_by_size;
  Holdings holdings;
  for (const Block& block : ledger.blocks) {
    if (block.begin > change) break;
    const model::Allocation& allocation = model.allocations[block.allocation];
    if (allocation.device != device || SpaceOf(allocation.memory) != Space::kDevice) continue;
    if (!block.LiveAfter(change)) continue;
    MemoryHolder& holder = by_owner[block.owner];
    ++holder.blocks;
    AddTo(allocation.bytes, &holder.bytes);
    ++blocks_by_size[allocation.bytes];
    ++holdings.blocks;
  }
  for (auto& [owner, holder] : by_owner) {
    holder.range = OwnerName(families, owner);
    holdings.holders.push_back(std::move(holder));
  }
  std::stable_sort(holdings.holders.begin(), holdings.holders.end(),
                   [](const MemoryHolder& a, const MemoryHolder& b) { return a.bytes > b.bytes; });
  holdings.sizes = LargestSizes(blocks_by_size);
  return holdings;
}

}  // namespace prof::analyzer
