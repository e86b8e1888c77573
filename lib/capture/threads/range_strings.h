// SPDX-License-Identifier: Apache-2.0
//
// Range strings are the names of ranges, domains and threads, stored once and for the life of the
// process. Programs may free a name right after the NVTX call, and may keep our handles.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_STRINGS_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_STRINGS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/capture/events/range_path.h"

namespace prof::capture {

// Longer names are cut, at the start of a UTF-8 character.
constexpr size_t kMaxNameBytes = 4096;

// Its characters follow it in memory. Two stored strings are equal when their addresses are.
struct StoredString {
  uint32_t size = 0;
  uint32_t hash = 0;

  std::string_view view() const { return {reinterpret_cast<const char*>(this + 1), size}; }

  // Whether Intern(text) would return this; quick when `text` is a view of a stored string.
  bool Is(std::string_view text) const {
    const std::string_view mine = view();
    return (mine.size() == text.size() && mine.data() == text.data()) || mine == text;
  }
};

class RangeStrings {
 public:
  // kReserved: domains and patterns of names may use the last eighth of the table. Names may not.
  enum class Room { kMost, kReserved };

  constexpr RangeStrings() = default;

  // Any thread; lock-free, no allocation; hashes the content each time. nullptr when the table
  // (131,072 strings, 8 MiB) has no room.
  [[nodiscard]] const StoredString* Intern(std::string_view text, Room room = Room::kMost);

  // As Intern, for a text that is stored already; nullptr when it is not.
  [[nodiscard]] const StoredString* Find(std::string_view text) const;

  // How full the table is, in quarters: 0 to 3.
  [[nodiscard]] uint32_t QuartersFull() const;

  // The stored string that `handle` is the address of; nullptr when it cannot be one. Any thread.
  [[nodiscard]] const StoredString* FromHandle(const void* handle) const;

  // A number for a stored string, below 2^20; and the way back. 0: none, whose text is empty.
  [[nodiscard]] uint32_t PlaceOf(const StoredString* stored) const;
  [[nodiscard]] std::string_view TextAt(uint32_t place) const;

  // What a program gets as a handle when the table is full. Ranges in its name count as dropped.
  [[nodiscard]] static const StoredString* Overflow();

  // The domain of the ops of one scope. Their texts are equal, and no domain of the program is one
  // of them, whatever its name. nullptr for ranges.
  [[nodiscard]] static const StoredString* TorchDomain(TorchScope scope);
  // The scope whose domain this is; kNone: ranges.
  [[nodiscard]] static TorchScope ScopeOf(const StoredString* domain);

  // The part of `text` that is stored.
  [[nodiscard]] static std::string_view Cut(std::string_view text);

  // The name of all ranges whose own names have no room.
  [[nodiscard]] static const StoredString* OtherNames();

 private:
  static constexpr size_t kArenaBytes = size_t{8} << 20;
  static constexpr size_t kSlots = size_t{1} << 18;
  static constexpr uint32_t kMaxStrings = kSlots / 2;
  static constexpr size_t kAlignment = alignof(uint64_t);

  const StoredString* At(uint32_t place) const;
  uint32_t Store(std::string_view text, uint32_t hash, Room room);

  // Zero pages of the library's own image until the first use, so nothing here can fail.
  alignas(64) char arena_[kArenaBytes] = {};
  std::atomic<uint32_t> slots_[kSlots] = {};       // place in the arena / kAlignment; 0: empty
  alignas(64) std::atomic<size_t> arena_used_{0};  // behind the first place, which is never used
  std::atomic<uint32_t> string_count_{0};
};

[[nodiscard]] uint64_t HashText(std::string_view text);

// A hash of two numbers.
[[nodiscard]] uint64_t MixHash(uint64_t a, uint64_t b);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_STRINGS_H_
