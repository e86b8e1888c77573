// SPDX-License-Identifier: Apache-2.0
//
// The counters that both sides of a kernel have: what each one counts, how far equal runs differ in
// it, and which of them moved.
#ifndef PROF_LIB_COMPARE_COUNTERS_H_
#define PROF_LIB_COMPARE_COUNTERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// Equal launches differ by less in an exact counter. Measured on an H200: 0.012 % at most, in the
// instructions of 26 kernels; 0 in sectors, requests and operations (accuracy_values.json.gz).
inline constexpr double kExactTolerance = 0.001;
inline constexpr double kWorthSaying = 0.01;  // [own] of a ratio
inline constexpr double kLeastPart = 0.1;     // [own] of a change: less does not explain it

// What an exact counter counts. Those of one kind have a sum that one of them can be compared with.
enum class WorkKind {
  kNone,          // no exact counter
  kInstructions,  // of warps, all of them
  kWarps,         // a part of the instructions: requests, loads and stores of shared memory
  kThreads,       // operations of threads: 32 of them are one instruction
  kSectors,
  kTensor  // operations of the tensor cores
};
[[nodiscard]] WorkKind WorkKindOf(std::string_view metric);

// The properties and counters that both sides have: what moved first. Of that the properties, then
// the counts by weight, the uses of units, and what takes next to nothing.
[[nodiscard]] std::vector<CounterChange> CompareCounters(const KernelRuns& before,
                                                         const KernelRuns& after);

// nullptr: not among them.
[[nodiscard]] const CounterChange* FindCounter(const std::vector<CounterChange>& counters,
                                               std::string_view metric);

// Of the launch: blocks, threads, registers, memory. All others are counters.
[[nodiscard]] bool IsProperty(const CounterChange& c);
// Percent of a peak: of a unit's, or of the warps that an SM has room for.
[[nodiscard]] bool IsUse(const CounterChange& c);
[[nodiscard]] bool IsOccupancy(const CounterChange& c);

// Whether a counter of its work was read.
[[nodiscard]] bool CountsWork(const KernelRuns& kernel);

[[nodiscard]] bool RangesOverlap(const Statistic& a, const Statistic& b);
[[nodiscard]] bool HasRatio(const CounterChange* c);  // false for nullptr, too

// Work that is `work` times as much is a part of a quantity that is `moved` times as much: it moved
// the same way, by kWorthSaying or more, and by kLeastPart of that or more.
[[nodiscard]] bool IsPartOf(double work, double moved);

// "0.79 times"; "0.998 times", where two digits would be 1.00.
[[nodiscard]] std::string FactorText(const CounterChange& c);
// "instructions: 1,000 -> 1,200 (1.20 times)".
[[nodiscard]] std::string CounterText(const CounterChange& c);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_COUNTERS_H_
