// SPDX-License-Identifier: Apache-2.0
//
// What findings about idle time share, of the whole run and of a stretch of it: where gaps fall,
// and what helps against their cause.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_IDLE_PARTS_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_IDLE_PARTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/timeline/host_samples.h"

namespace prof::analyzer {

// Gaps with one owner, and where they fall.
struct IdleGaps {
  double total_ns = 0, longest_ns = 0, known_ns = 0, host_ns = 0;
  int64_t count = 0;
  double short_ns = 0;  // in gaps shorter than kDispatchNs
  int64_t short_count = 0;
  double late_ns = 0;  // in gaps that begin in the second half of the time behind the start
  // Of those in which code was loaded.
  double code_ns = 0, late_code_ns = 0;
  int64_t code_count = 0;
  struct LongGap {
    double length_ns = 0;
    int64_t start_ns = 0;
  };
  std::array<LongGap, 3> longest{};   // by length, descending; 0: there are fewer
  std::vector<double> calls, ranges;  // by name, by path; empty: there is no such gap
  bool in_a_range = false;
  HostTime host;

  // `time_ns`: of the gap, for this owner.
  void Add(const RunInputs& inputs, const Gap& gap, int64_t time_ns);
  // The call of most of the time is known.
  [[nodiscard]] bool IsKnown() const;
  // They are not only those of a start; and those in which code was loaded.
  [[nodiscard]] bool GoesOn() const;
  [[nodiscard]] bool CodeGoesOn() const;
  // How many of the longest gaps make half of the time; 0: more than are kept, or than a tenth that
  // does not make nearly all of it.
  [[nodiscard]] size_t FewThatMakeHalf() const;
  // How many of the longest make half of the time, however many gaps there are: single stalls, and
  // no pace. 0: more than are kept.
  [[nodiscard]] size_t Stalls() const;
  // The time of so many of the longest.
  [[nodiscard]] double LongestNs(size_t gaps) const;
};

// The call and the range with most of the time.
void AddPlaces(const RunInputs& inputs, const IdleGaps& idle, Finding* finding);
// Where the host was meanwhile.
void AddHostEvidence(const RunInputs& inputs, const IdleGaps& idle, Finding* finding);

// A call that allocates or frees memory; an index into Model::api_calls, or kNoIndex.
[[nodiscard]] bool Allocates(const RunInputs& inputs, int32_t call);

// What operations that were in the queue in time waited for.
struct Dependencies {
  double graph_ns = 0, streams_ns = 0, long_ns = 0, stream_ns = 0;
  int64_t graph = 0, streams = 0, lengthy = 0, stream = 0;

  // Gaps with another cause, or without an operation before them, do not count.
  void Add(const RunInputs& inputs, const Gap& gap);
};

// The end of the title: " because launches come too slowly." For the causes of ActionAgainst().
[[nodiscard]] const char* BecauseOf(GapCause cause);
// Of waits, launches, host work and transfers.
[[nodiscard]] const char* ActionAgainst(GapCause cause);
[[nodiscard]] const char* ActionAgainst(const Dependencies& found);
// The most that a finding about them has.
[[nodiscard]] Confidence DependencyConfidence(const Dependencies& found);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_IDLE_PARTS_H_
