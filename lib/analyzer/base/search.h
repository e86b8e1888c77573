// SPDX-License-Identifier: Apache-2.0
//
// A binary search that begins where its caller was last: who asks in the order of time finds each
// answer near the one before.
#ifndef PROF_LIB_ANALYZER_BASE_SEARCH_H_
#define PROF_LIB_ANALYZER_BASE_SEARCH_H_

#include <algorithm>
#include <cstddef>

namespace prof::analyzer {

// The first number below `size` for which `before` is false; `size`: there is none. `before` is
// true for all numbers in front of that one. Takes the logarithm of the distance from `near`.
template <typename Before>
[[nodiscard]] size_t FirstNotBefore(size_t size, size_t near, Before before) {
  size_t begin = 0, end = size;  // the answer is in [begin, end]
  near = std::min(near, size);
  if (near < size && before(near)) {
    begin = near + 1;
    for (size_t step = 1; begin < size; step *= 2) {
      const size_t at = std::min(begin + step, size) - 1;
      if (!before(at)) {
        end = at;
        break;
      }
      begin = at + 1;
    }
  } else {
    end = near;
    for (size_t step = 1; end > 0; step *= 2) {
      const size_t at = end - std::min(step, end);
      if (before(at)) {
        begin = at + 1;
        break;
      }
      end = at;
    }
  }
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    before(middle) ? begin = middle + 1 : end = middle;
  }
  return begin;
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_SEARCH_H_
