// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/range_paths.h"

#include <algorithm>

namespace prof::capture {
namespace {

// Two siblings may well be two different things (norm_1, norm_2); from the third on, numbers are
// taken to count. A new path is compared with this many paths before it.
constexpr uint32_t kDifferentSiblings = 2;
constexpr uint32_t kSiblingsWithin = 1024;

// By how full the fuller one of the tables of paths and strings is, in quarters. Large language
// models have up to 128 layers: as long as there is room, each has a node of its own. Under a step
// with a thousand ranges 16 steps fill a quarter, and all further steps are one node.
constexpr uint32_t kFamilyMembers[] = {128, kDifferentSiblings, 0, 0};
// Names below one parent, a family counted once. Beyond a quarter what is left is for the structure
// that comes late.
constexpr uint32_t kNamesBelow[] = {8192, 4096, 1024, 512};

}  // namespace

uint32_t RangePaths::Drop() {
  dropped_.fetch_add(1, std::memory_order_relaxed);
  return kNoPath;
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

uint32_t RangePaths::NewNode(const RangeNode& range, const StoredString* name,
                             const StoredString* example) {
  if (last_.load(std::memory_order_relaxed) >= kMaxPaths) return kNoPath;
  const uint32_t id = last_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (id > kMaxPaths) return kNoPath;
  PathNode& node = nodes_[id];
  node.name = name;
  node.domain = range.domain;
  node.parent = range.parent;
  node.color = range.color;
  node.category = range.category;
  // "layer 7", "layer 12" and the folded node of all layers have the same pattern.
  node.pattern = MixHash(range.parent == kNoPath ? 0 : nodes_[range.parent].pattern, range.pattern);
  node.folded = HasNumberMark(name->view());
  node.example = example != nullptr ? example : name;
  if (RangeStrings::ScopeOf(range.domain) == TorchScope::kNone) {  // launches are chosen by ranges
    node.family = node.folded ? node.pattern : FamilyOf(id, node.pattern);
  }
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

uint32_t RangePaths::Child(const RangeNode& range, const StoredString* name,
                           const StoredString* example, bool* made) {
  const uint64_t hash =
      MixHash(reinterpret_cast<uintptr_t>(name), reinterpret_cast<uintptr_t>(range.domain) ^
                                                     (static_cast<uint64_t>(range.parent) << 40U));
  uint32_t mine = kNoPath;
  for (uint32_t i = hash & (kSlots - 1);; i = (i + 1) & (kSlots - 1)) {
    uint32_t id = slots_[i].load(std::memory_order_acquire);
    if (id == kNoPath) {
      if (mine == kNoPath) mine = NewNode(range, name, example);
      if (mine == kNoPath) return Drop();
      if (slots_[i].compare_exchange_strong(id, mine, std::memory_order_acq_rel)) {
        if (made != nullptr) *made = true;
        return mine;
      }
    }
    const PathNode& node = nodes_[id];
    if (node.name == name && node.parent == range.parent && node.domain == range.domain) return id;
  }
}

uint32_t RangePaths::Find(const RangeNode& range, const StoredString* name) const {
  const uint64_t hash =
      MixHash(reinterpret_cast<uintptr_t>(name), reinterpret_cast<uintptr_t>(range.domain) ^
                                                     (static_cast<uint64_t>(range.parent) << 40U));
  for (uint32_t i = hash & (kSlots - 1);; i = (i + 1) & (kSlots - 1)) {
    const uint32_t id = slots_[i].load(std::memory_order_acquire);
    if (id == kNoPath) return kNoPath;
    const PathNode& node = nodes_[id];
    if (node.name == name && node.parent == range.parent && node.domain == range.domain) return id;
  }
}

uint32_t RangePaths::OtherName(const RangeNode& range) {
  const uint32_t id = Child(range, RangeStrings::OtherNames(), nullptr, nullptr);
  if (id != kNoPath) unnamed_.fetch_add(1, std::memory_order_relaxed);
  return id;
}

// The node of a family whose members are many.
uint32_t RangePaths::Folded(const RangeNode& range, const FoldedName& folded, RangeStrings* strings,
                            format::NameNumbers* numbers) {
  const StoredString* name = strings->Find(folded.view());
  uint32_t id = name != nullptr ? Find(range, name) : kNoPath;
  if (id == kNoPath) {
    if (name == nullptr) name = strings->Intern(folded.view(), RangeStrings::Room::kReserved);
    if (name == nullptr || !HasRoomBelow(range.parent, QuartersFull(*strings))) {
      return OtherName(range);
    }
    id = NewName(range, name, strings->Intern(range.name, RangeStrings::Room::kReserved), nullptr);
  }
  if (id != kNoPath) *numbers = folded.numbers();
  return id;
}

bool RangePaths::HasRoomBelow(uint32_t parent, uint32_t quarters_full) const {
  // Node 0 stands for the outermost ranges.
  return nodes_[parent].names_below.load(std::memory_order_relaxed) < kNamesBelow[quarters_full];
}

// Only the thread that made the node counts it.
uint32_t RangePaths::NewName(const RangeNode& range, const StoredString* name,
                             const StoredString* example, std::atomic<uint32_t>* members) {
  bool made = false;
  const uint32_t id = Child(range, name, example, &made);
  if (!made) return id;
  const bool first = members == nullptr || members->fetch_add(1, std::memory_order_relaxed) == 0;
  if (first) nodes_[range.parent].names_below.fetch_add(1, std::memory_order_relaxed);
  return id;
}

uint32_t RangePaths::QuartersFull(const RangeStrings& strings) const {
  const uint32_t of_paths = last_.load(std::memory_order_relaxed) / (kMaxPaths / 4);
  return std::max(std::min(of_paths, 3U), strings.QuartersFull());
}

uint32_t RangePaths::NodeOf(const RangeNode& range, RangeStrings* strings,
                            format::NameNumbers* numbers) {
  numbers->count = 0;
  if (range.domain == RangeStrings::Overflow()) return Drop();
  RangeNode cut = range;
  cut.name = RangeStrings::Cut(range.name);
  if (cut.name == RangeStrings::Overflow()->view()) return OtherName(cut);
  if (const StoredString* known = strings->Find(cut.name)) {
    const uint32_t id = Find(cut, known);
    if (id != kNoPath) return id;
  }
  const uint32_t quarters_full = QuartersFull(*strings);
  std::atomic<uint32_t>* members = nullptr;
  const TorchScope torch = RangeStrings::ScopeOf(cut.domain);
  // "aten::conv2d" and "AddmmBackward0": these names come from PyTorch's code, not from its data.
  const bool of_code = torch == TorchScope::kFunction || torch == TorchScope::kBackward;
  if (of_code || !HasDigit(cut.name)) {
    cut.pattern = HashText(cut.name);
  } else {
    const FoldedName folded(cut.name);
    cut.pattern = HashText(folded.view());
    const uint64_t family =
        MixHash(MixHash(cut.pattern, cut.parent), reinterpret_cast<uintptr_t>(cut.domain));
    members = families_.Members(family);
    if (members == nullptr ||
        members->load(std::memory_order_relaxed) >= kFamilyMembers[quarters_full]) {
      return Folded(cut, folded, strings, numbers);
    }
  }
  const bool known_family = members != nullptr && members->load(std::memory_order_relaxed) != 0;
  if (!known_family && !HasRoomBelow(cut.parent, quarters_full)) return OtherName(cut);
  const StoredString* name = strings->Intern(cut.name);
  return name != nullptr ? NewName(cut, name, nullptr, members) : OtherName(cut);
}

uint32_t RangePaths::last() const {
  return std::min(last_.load(std::memory_order_acquire), kMaxPaths);
}

}  // namespace prof::capture
