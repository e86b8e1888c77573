// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/range_paths.h"

#include <algorithm>

namespace prof::capture {
namespace {

// Two siblings may well be two different things (norm_1, norm_2); from the third on, numbers are
// taken to count. A new path is compared with this many paths before it.
constexpr uint32_t kDifferentSiblings = 2;
constexpr uint32_t kSiblingsWithin = 1024;

}  // namespace

uint32_t RangePaths::Drop() {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  return kNoPath;
}

// "layer 7" and "layer 12" hash alike.
uint64_t RangePaths::PatternOf(uint32_t parent, const StoredString* name) const {
  uint64_t hash = MixHash(parent == kNoPath ? 0 : nodes_[parent].pattern, 1);
  bool in_number = false;
  for (const char c : name->view()) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || !in_number) hash = MixHash(hash, digit ? '0' : static_cast<unsigned char>(c));
    in_number = digit;
  }
  return hash;
}

uint64_t RangePaths::FamilyOf(uint32_t id, uint64_t pattern) const {
  const uint32_t first = id > kSiblingsWithin ? id - kSiblingsWithin : 1;
  uint32_t siblings = 0;
  for (uint32_t other = first; other < id; ++other) {
    const PathNode& node = nodes_[other];
    const bool ready = node.state.load(std::memory_order_acquire) == NodeState::kReady;
    if (ready && node.pattern == pattern) ++siblings;
  }
  return siblings < kDifferentSiblings ? MixHash(pattern, id) : pattern;
}

uint32_t RangePaths::NewNode(uint32_t parent, const StoredString* domain, const StoredString* name,
                             uint32_t color, uint32_t category) {
  if (last_.load(std::memory_order_relaxed) >= kMaxPaths) return kNoPath;
  const uint32_t id = last_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (id > kMaxPaths) return kNoPath;
  PathNode& node = nodes_[id];
  node.name = name;
  node.domain = domain;
  node.parent = parent;
  node.color = color;
  node.category = category;
  node.pattern = PatternOf(parent, name);
  node.family = FamilyOf(id, node.pattern);
  NodeState unfilled = NodeState::kNew;
  const bool in_time =
      node.state.compare_exchange_strong(unfilled, NodeState::kReady, std::memory_order_release);
  return in_time ? id : kNoPath;
}

void RangePaths::GiveUp(uint32_t id) {
  NodeState unfilled = NodeState::kNew;
  nodes_[id].state.compare_exchange_strong(unfilled, NodeState::kGivenUp,
                                           std::memory_order_acquire);
}

uint32_t RangePaths::Child(uint32_t parent, const StoredString* domain, const StoredString* name,
                           uint32_t color, uint32_t category) {
  const StoredString* const overflow = RangeStrings::Overflow();
  if (name == nullptr || name == overflow || domain == overflow) return Drop();
  const uint64_t hash =
      MixHash(reinterpret_cast<uintptr_t>(name),
              reinterpret_cast<uintptr_t>(domain) ^ (static_cast<uint64_t>(parent) << 40U));
  uint32_t mine = kNoPath;
  for (uint32_t i = hash & (kSlots - 1);; i = (i + 1) & (kSlots - 1)) {
    uint32_t id = slots_[i].load(std::memory_order_acquire);
    if (id == kNoPath) {
      if (mine == kNoPath) mine = NewNode(parent, domain, name, color, category);
      if (mine == kNoPath) return Drop();
      if (slots_[i].compare_exchange_strong(id, mine, std::memory_order_acq_rel)) return mine;
    }
    const PathNode& node = nodes_[id];
    if (node.name == name && node.parent == parent && node.domain == domain) return id;
  }
}

uint32_t RangePaths::last() const {
  return std::min(last_.load(std::memory_order_acquire), kMaxPaths);
}

}  // namespace prof::capture
