// SPDX-License-Identifier: Apache-2.0
//
// The handle map leads from another tool's handles and ids to ours. Lock-free, bounded, no
// allocation; any thread.
#ifndef PROF_NVTX_BRIDGE_HANDLE_MAP_H_
#define PROF_NVTX_BRIDGE_HANDLE_MAP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lib/capture/threads/range_strings.h"

namespace prof::nvtx {

// An entry is somewhere in a window behind its hash. A search always reads the full window, so
// entries can simply be removed. `kSlots`: a power of two.
template <size_t kSlots>
class HandleMap {
 public:
  // False: no room. The same key may be put in several times.
  bool Add(uint64_t key, uint64_t value) {
    key = Valid(key);
    for (size_t i = 0; i < kWindow; ++i) {
      Slot& slot = At(key, i);
      uint64_t empty = kEmpty;
      if (!slot.key.compare_exchange_strong(empty, kBusy, std::memory_order_acquire)) continue;
      slot.value.store(value, std::memory_order_relaxed);
      slot.key.store(key, std::memory_order_release);
      return true;
    }
    return false;
  }
  // Adds a key that stays, or replaces its value.
  bool Set(uint64_t key, uint64_t value) {
    Slot* slot = FindSlot(Valid(key));
    if (slot == nullptr) return Add(key, value);
    slot->value.store(value, std::memory_order_release);
    return true;
  }
  // 0: not there.
  uint64_t Find(uint64_t key) {
    const Slot* slot = FindSlot(Valid(key));
    return slot != nullptr ? slot->value.load(std::memory_order_acquire) : 0;
  }
  // Returns the value like Find, and removes the key.
  uint64_t Take(uint64_t key) {
    key = Valid(key);
    while (Slot* slot = FindSlot(key)) {
      const uint64_t value = slot->value.load(std::memory_order_relaxed);
      uint64_t expected = key;
      if (slot->key.compare_exchange_strong(expected, kEmpty, std::memory_order_acq_rel)) {
        return value;
      }
    }
    return 0;
  }

 private:
  static constexpr uint64_t kEmpty = 0, kBusy = ~uint64_t{0};
  static constexpr size_t kWindow = 64;

  struct Slot {
    std::atomic<uint64_t> key{kEmpty}, value{0};
  };

  static uint64_t Valid(uint64_t key) { return key == kEmpty || key == kBusy ? kBusy - 1 : key; }
  Slot& At(uint64_t key, size_t i) { return slots_[(capture::MixHash(key, 0) + i) & (kSlots - 1)]; }
  Slot* FindSlot(uint64_t key) {
    for (size_t i = 0; i < kWindow; ++i) {
      Slot& slot = At(key, i);
      if (slot.key.load(std::memory_order_acquire) == key) return &slot;
    }
    return nullptr;
  }

  Slot slots_[kSlots];
};

}  // namespace prof::nvtx

#endif  // PROF_NVTX_BRIDGE_HANDLE_MAP_H_
