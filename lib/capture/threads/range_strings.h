// SPDX-License-Identifier: Apache-2.0
//
// Names of ranges, domains and threads, stored once and for the life of the process. Programs may
// free a name right after the NVTX call, and may keep our handles for ever.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_STRINGS_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prof::capture {

// Longer names are cut, at the start of a UTF-8 character.
constexpr size_t kMaxNameBytes = 4096;

// Its characters follow it in memory. Two stored strings are equal when their addresses are.
struct StoredString {
  uint32_t size = 0;
  uint32_t hash = 0;

  std::string_view view() const { return {reinterpret_cast<const char*>(this + 1), size}; }

  // Whether InternString(text) would return this; quick when `text` is a view of a stored string.
  bool Is(std::string_view text) const {
    const std::string_view mine = view();
    return (mine.size() == text.size() && mine.data() == text.data()) || mine == text;
  }
};

// Any thread; lock-free, no allocation; hashes the content each time. nullptr when the table
// (131,072 strings, 8 MiB) is full.
const StoredString* InternString(std::string_view text);

// What a program gets as a handle when the table is full. Ranges in its name count as dropped.
const StoredString* OverflowString();

// The stored string that `handle` is the address of; nullptr when it cannot be one.
const StoredString* StoredStringFromHandle(const void* handle);

uint64_t MixHash(uint64_t a, uint64_t b);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_STRINGS_H_
