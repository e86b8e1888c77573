// SPDX-License-Identifier: Apache-2.0
//
// Room for vectors of which the final size is known or guessed.
#ifndef PROF_LIB_SNAPSHOT_MODEL_RESERVE_H_
#define PROF_LIB_SNAPSHOT_MODEL_RESERVE_H_

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::internal {

constexpr size_t kLargePage = 2 << 20;

// Whole large pages; `begin` may be null if there is none.
struct LargePages {
  char* begin = nullptr;
  size_t bytes = 0;
};

// Those that begin in `bytes` of `room` behind the first `skipped`, and end within it.
inline LargePages PagesOf(const LargePages& room, size_t skipped, size_t bytes) {
  skipped = std::min(skipped, room.bytes);
  bytes = std::min(bytes, room.bytes - skipped);
  const auto address = reinterpret_cast<uintptr_t>(room.begin);
  const auto round_up = [](uintptr_t x) { return (x + kLargePage - 1) / kLargePage * kLargePage; };
  const uintptr_t first = round_up(address + skipped);
  const uintptr_t last = std::min(round_up(address + skipped + bytes),
                                  (address + room.bytes) / kLargePage * kLargePage);
  if (first >= last) return {};
  return {room.begin + (first - address), last - first};
}

// The room behind the last row.
template <typename T>
LargePages FreeRoom(std::vector<T>* vector) {
  return {reinterpret_cast<char*>(vector->data() + vector->size()),
          (vector->capacity() - vector->size()) * sizeof(T)};
}

// Vectors that double as they grow copy everything again and again, and take twice the memory at
// their largest. Room of megabytes is asked for in large pages: most of the time that it takes to
// fill such a vector for the first time is the kernel's, page by page.
template <typename T>
void ReserveRows(size_t rows, std::vector<T>* vector) {
  if (rows <= vector->capacity()) return;
  vector->reserve(rows);
  const LargePages pages = PagesOf(FreeRoom(vector), 0, SIZE_MAX);
  if (pages.bytes != 0) madvise(pages.begin, pages.bytes, MADV_HUGEPAGE);
}

// Has the system provide pages now that it would provide when they are written to first. Changes
// nothing in them, whoever writes to them meanwhile; where that is not possible, nothing happens.
inline void Touch(const LargePages& pages) {
#ifdef MADV_POPULATE_WRITE
  if (pages.bytes != 0) madvise(pages.begin, pages.bytes, MADV_POPULATE_WRITE);
#endif
}

}  // namespace prof::internal

#endif  // PROF_LIB_SNAPSHOT_MODEL_RESERVE_H_
