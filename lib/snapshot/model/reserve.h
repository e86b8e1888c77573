// SPDX-License-Identifier: Apache-2.0
//
// These functions reserve memory for vectors whose final size is known or guessed.
#ifndef PROF_LIB_SNAPSHOT_MODEL_RESERVE_H_
#define PROF_LIB_SNAPSHOT_MODEL_RESERVE_H_

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::model {

constexpr size_t kLargePage = 2 << 20;

// Memory that consists of complete large pages. `begin` may be null when `bytes` is 0.
struct LargePages {
  char* begin = nullptr;
  size_t bytes = 0;
};

// The large pages that begin in [skipped, skipped + bytes) of `room` and end within `room`.
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

// The reserved memory after the last row.
template <typename T>
LargePages FreeRoom(std::vector<T>* vector) {
  return {reinterpret_cast<char*>(vector->data() + vector->size()),
          (vector->capacity() - vector->size()) * sizeof(T)};
}

// Reserves memory for `rows`. A vector that doubles as it grows copies its rows again and again,
// and takes twice the memory at its largest. Memory of megabytes is requested in large pages,
// because most of the time to fill a new vector is the system's, and it works page by page.
template <typename T>
void ReserveRows(size_t rows, std::vector<T>* vector) {
  if (rows <= vector->capacity()) return;
  vector->reserve(rows);
  const LargePages pages = PagesOf(FreeRoom(vector), 0, SIZE_MAX);
  if (pages.bytes != 0) madvise(pages.begin, pages.bytes, MADV_HUGEPAGE);
}

// Makes the system provide pages now instead of at the first write. It changes no content, even
// when another thread writes to the pages at the same time. Does nothing where the system cannot do
// that.
inline void Touch(const LargePages& pages) {
#ifdef MADV_POPULATE_WRITE
  if (pages.bytes != 0) madvise(pages.begin, pages.bytes, MADV_POPULATE_WRITE);
#endif
}

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_RESERVE_H_
