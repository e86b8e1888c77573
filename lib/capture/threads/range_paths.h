// SPDX-License-Identifier: Apache-2.0
//
// Range paths are the tree of nested ranges: one node for each (parent, domain, name) that was ever
// open. Nodes live as long as the process; ids count from 1.
//
// Names without end ("step 123", "req-7f3a9c") must not use the table up. Siblings whose names
// differ in numbers only are a family (lib/format/name_pattern.h). When a family has many members,
// its new names share one node, which has the name of the pattern; events keep the numbers. The
// fuller the tables are, the fewer members have a node of their own. So nodes are bounded by the
// structure of the program, not by its duration. Names that differ in more than numbers (names of
// files) share a node "(other names)" when a parent has thousands of them; those are counted.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_PATHS_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_PATHS_H_

#include <atomic>
#include <cstdint>

#include "lib/capture/threads/name_families.h"
#include "lib/capture/threads/range_strings.h"
#include "lib/format/name_pattern.h"

namespace prof::capture {

constexpr uint32_t kMaxPaths = 65'536;
constexpr uint32_t kNoPath = 0;

// A node is kNew until its maker has filled it. The reader gives up one that stays so: its maker is
// gone (a thread that was cancelled, or one of the parent of a fork) or learns that it came too
// late.
enum class NodeState : uint8_t { kNew, kReady, kGivenUp };

struct PathNode {
  const StoredString* name = nullptr;     // of a folded node: with kNumberMark for each number
  const StoredString* domain = nullptr;   // nullptr: the default domain
  const StoredString* example = nullptr;  // of a folded node: a name that it stands for
  uint32_t parent = 0;
  uint32_t color = 0, category = 0;
  uint64_t pattern = 0;                  // of the path with its numbers left out
  uint64_t family = 0;                   // see PathFamily in thread_recorder.h
  std::atomic<uint32_t> names_below{0};  // children, a family counted once
  bool folded = false;                   // stands for all further members of a family
  std::atomic<NodeState> state{NodeState::kNew};

  // The name, or one that it stands for.
  std::string_view NameOrExample() const { return (folded ? example : name)->view(); }
};

// A range whose node is wanted.
struct RangeNode {
  uint32_t parent = kNoPath;
  const StoredString* domain = nullptr;  // nullptr: the default domain
  std::string_view name;
  uint32_t color = 0, category = 0;
  uint64_t pattern = 0;  // a hash of the name without its numbers; NodeOf sets it
};

class RangePaths {
 public:
  constexpr RangePaths() = default;

  // The node of `range`, made when it is new (with its color and category, which are those of the
  // first use). A folded node has the numbers of the name in `numbers`, which is empty otherwise.
  // Any thread; lock-free, no allocation; hashes the name, and its pattern when it is new. kNoPath
  // when it is new and the table is full, or when the domain had no room: counted in dropped().
  // Threads that make the same node at the same time may use up an id each; all of them get the
  // same one.
  [[nodiscard]] uint32_t NodeOf(const RangeNode& range, RangeStrings* strings,
                                format::NameNumbers* numbers);

  // `id`: one that Child returned, or one whose node is ready.
  [[nodiscard]] const PathNode& At(uint32_t id) const { return nodes_[id]; }

  // Ids up to this one have been given out; the last ones may not be ready yet.
  [[nodiscard]] uint32_t last() const;

  // Nobody ever gets this id, unless its node has become ready meanwhile.
  void GiveUp(uint32_t id);

  // Since the process began.
  [[nodiscard]] uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  // Ranges that got the node "(other names)".
  [[nodiscard]] uint64_t unnamed() const { return unnamed_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kSlots = kMaxPaths * 2;

  uint32_t Drop();
  uint32_t Child(const RangeNode& range, const StoredString* name, const StoredString* example,
                 bool* made);
  uint32_t NewName(const RangeNode& range, const StoredString* name, const StoredString* example,
                   std::atomic<uint32_t>* members);
  uint32_t Find(const RangeNode& range, const StoredString* name) const;
  uint32_t Folded(const RangeNode& range, const FoldedName& folded, RangeStrings* strings,
                  format::NameNumbers* numbers);
  uint32_t OtherName(const RangeNode& range);
  bool HasRoomBelow(uint32_t parent, uint32_t quarters_full) const;
  uint32_t QuartersFull(const RangeStrings& strings) const;
  uint64_t FamilyOf(uint32_t id, uint64_t pattern) const;
  uint32_t NewNode(const RangeNode& range, const StoredString* name, const StoredString* example);

  PathNode nodes_[kMaxPaths + 1] = {};
  std::atomic<uint32_t> slots_[kSlots] = {};  // ids
  NameFamilies families_;
  alignas(64) std::atomic<uint32_t> last_{0};
  alignas(64) std::atomic<uint64_t> dropped_{0};
  std::atomic<uint64_t> unnamed_{0};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_PATHS_H_
