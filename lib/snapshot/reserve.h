// SPDX-License-Identifier: Apache-2.0
//
// Room for vectors of which the final size is known or guessed.
#ifndef PROF_LIB_SNAPSHOT_RESERVE_H_
#define PROF_LIB_SNAPSHOT_RESERVE_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::internal {

// Vectors that double as they grow copy everything again and again, and take twice the memory at
// their largest. Room of megabytes is asked for in large pages: most of the time that it takes to
// fill such a vector for the first time is the kernel's, page by page.
template <typename T>
void ReserveRows(size_t rows, std::vector<T>* vector) {
  constexpr uintptr_t kLargePage = 2 << 20;
  if (rows <= vector->capacity()) return;
  vector->reserve(rows);
  char* const free_room = reinterpret_cast<char*>(vector->data() + vector->size());
  const auto begin = reinterpret_cast<uintptr_t>(free_room);
  const auto end = reinterpret_cast<uintptr_t>(vector->data() + vector->capacity());
  const uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t last = end / kLargePage * kLargePage;
  if (first < last) madvise(free_room + (first - begin), last - first, MADV_HUGEPAGE);
}

}  // namespace prof::internal

#endif  // PROF_LIB_SNAPSHOT_RESERVE_H_
