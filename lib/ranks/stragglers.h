// SPDX-License-Identifier: Apache-2.0
//
// Which rank the others wait for, and why: the verdict on a job.
#ifndef PROF_LIB_RANKS_STRAGGLERS_H_
#define PROF_LIB_RANKS_STRAGGLERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/ranks/rank.h"

namespace prof::ranks {

enum class Cause {
  kUnknown,
  kSlowerKernels,  // the same kernels take longer on it
  kMoreWork,       // it launches more, or other, kernels
  kHost            // its GPU has nothing to run
};

[[nodiscard]] const char* ToString(Cause cause);

// A kernel by which a rank differs from the median of the others.
struct Difference {
  Work work;
  double ns = 0;              // that it takes more in all
  double others_mean_ns = 0;  // of a launch, the median of the others; 0: they do not have it
  double others_launches = 0;
};

struct RankVerdict {
  size_t rank = 0;
  int64_t last = 0;  // meetings to which it came last
  // By how much longer than it the others waited, on average and in all: how late it is. Below zero
  // for a rank that is early.
  double late_ns = 0;
  bool straggles = false;  // by more than chance, and by kMatters of the span or more
  // What it did from the first collective to the last one that all have.
  double span_ns = 0, compute_ns = 0, idle_ns = 0;
  double wait_ns = 0, taken_ns = 0;  // what it lost by waits for others, as in Meeting
  // The rest is about those that straggle.
  Cause cause = Cause::kUnknown;
  // Than the median of the others.
  double compute_more_ns = 0, idle_more_ns = 0;
  // What waiting kernels took, at most, from the kernels of the others more than from its own: by
  // as much less would the others have computed.
  double taken_from_others_ns = 0;
  // kSlowerKernels: its own SM clock, and the median of the others; 0: not read on all ranks.
  double sm_clock_hz = 0, others_sm_clock_hz = 0;
  std::vector<Difference> differences;  // kMoreWork, kSlowerKernels: the largest first
};

enum class Finding {
  kTooFew,     // meetings
  kStraggler,  // at least one rank straggles
  kInTurn,     // ranks are late, now this one, now that one
  kTogether    // hardly anybody waits
};

struct Job {
  std::string problem;  // not empty: nothing else is known
  std::vector<std::string> notes;
  std::vector<Rank> ranks;  // by number
  int64_t meetings = 0;
  double span_ns = 0;      // the median of the ranks
  double transfer_ns = 0;  // collectives after the last rank came, with nothing else beside them
  double wait_ns = 0;      // of a rank for others, on average
  // What all ranks would gain, at most, if those that straggle never came after the others.
  double gain_ns = 0;
  Finding finding = Finding::kTooFew;
  std::vector<RankVerdict> verdicts;  // by late_ns, the most first
};

// Less than this part of the span is not worth a verdict. [own]
constexpr double kMatters = 0.01;
// Parts of the run that are compared; each has so many meetings at least. [own]
constexpr size_t kParts = 20, kFewestParts = 10, kFewestOfPart = 5;

[[nodiscard]] Job FindStragglers(std::vector<Rank> ranks);

}  // namespace prof::ranks

#endif  // PROF_LIB_RANKS_STRAGGLERS_H_
