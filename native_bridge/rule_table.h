// SPDX-License-Identifier: Apache-2.0
//
// The rule table keeps the unwind rules of the instructions that walks have met, for all threads.
#ifndef PROF_NATIVE_BRIDGE_RULE_TABLE_H_
#define PROF_NATIVE_BRIDGE_RULE_TABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lib/capture/process/mutex.h"
#include "native_bridge/unwind_rule.h"

namespace prof::native {

// Constant-initialized, 128 KiB that take no room in the library's file.
class RuleTable {
 public:
  // The rule of the instruction at `pc`. `generation` changes when a library is unloaded: other
  // code may be at its addresses then. A rule that the table has takes some nanoseconds and no
  // lock; another one microseconds, and the locks of ReadUnwindRule().
  UnwindRule Find(uintptr_t pc, uint32_t generation) {
    const uint64_t key = KeyOf(pc, generation);
    const size_t at = SlotOf(key);
    for (const size_t slot : {at, at ^ 1}) {
      const Slot& entry = slots_[slot];
      if (entry.key.load(std::memory_order_acquire) != key) continue;
      const uint64_t bits = entry.rule.load(std::memory_order_acquire);
      // A thread that replaces the entry takes the key away before it writes another rule.
      if (entry.key.load(std::memory_order_relaxed) == key) return UnpackRule(bits);
    }
    return Read(pc, key);
  }

 private:
  struct Slot {
    std::atomic<uint64_t> key{0}, rule{0};
  };
  static constexpr size_t kSlots = 8192;
  static constexpr int kAddressBits = 47;  // of a program's addresses

  static uint64_t KeyOf(uintptr_t pc, uint32_t generation) {
    return pc ^ uint64_t { generation } << kAddressBits;
  }
  static size_t SlotOf(uint64_t key) { return (key * 0x9e3779b97f4a7c15) >> 51; }
  static_assert(size_t{1} << (64 - 51) == kSlots);

  UnwindRule Read(uintptr_t pc, uint64_t key);

  capture::Mutex mutex_;  // of those who write
  std::array<Slot, kSlots> slots_{};
};

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_RULE_TABLE_H_
