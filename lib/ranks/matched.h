// SPDX-License-Identifier: Apache-2.0
//
// The collectives of several ranks, matched: the first of each, the second of each, and so on. The
// kernel of an all-reduce, an all-gather or a reduce-scatter ends when all ranks have come and the
// data has moved. So the rank that comes last has the shortest kernel, and what the others' kernels
// take longer is how long they waited for it. That needs no common clock.
#ifndef PROF_LIB_RANKS_MATCHED_H_
#define PROF_LIB_RANKS_MATCHED_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/ranks/rank.h"

namespace prof::ranks {

// One collective of all ranks.
struct Meeting {
  size_t number = 0;       // of Rank::collectives
  size_t last = 0;         // the rank that came last
  double transfer_ns = 0;  // of its kernel, while nothing else ran beside it
  // By rank: what it lost by waiting. That is all of the wait with nothing else to run, and
  // `taken_ns`: of the wait beside other kernels the part of the SMs that the waiting one held.
  std::vector<double> wait_ns, taken_ns;
};

struct Matched {
  std::string problem;  // not empty: why the ranks cannot be matched, and the way out
  std::vector<std::string> notes;
  size_t count = 0;  // collectives that all ranks have
  std::vector<Meeting> meetings;
};

// At least two ranks. Those of one communicator run the same collectives in the same order.
[[nodiscard]] Matched Match(const std::vector<Rank>& ranks);

}  // namespace prof::ranks

#endif  // PROF_LIB_RANKS_MATCHED_H_
