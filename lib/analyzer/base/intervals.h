// SPDX-License-Identifier: Apache-2.0
//
// Intervals of time: their union, their length, and how much of them lies within others.
#ifndef PROF_LIB_ANALYZER_BASE_INTERVALS_H_
#define PROF_LIB_ANALYZER_BASE_INTERVALS_H_

#include <cstdint>
#include <vector>

namespace prof::analyzer {

// [start_ns, end_ns). Empty when it ends before it starts.
struct Interval {
  int64_t start_ns = 0, end_ns = 0;
};

using Intervals = std::vector<Interval>;

// The time that two intervals have in common; 0 when they do not meet.
[[nodiscard]] int64_t OverlapNs(const Interval& a, const Interval& b);

// The union of any number of intervals, in any order: sorted and disjoint.
class IntervalUnion {
 public:
  IntervalUnion() = default;
  // Linear where `intervals` are sorted, else n log n.
  explicit IntervalUnion(Intervals intervals);

  // Sorted and disjoint, none of them empty.
  [[nodiscard]] const Intervals& intervals() const { return intervals_; }
  // The sum of their lengths.
  [[nodiscard]] int64_t length_ns() const;
  // How much of it lies before a moment. Takes log n.
  [[nodiscard]] int64_t BeforeNs(int64_t time_ns) const;
  // How much of it lies within an interval. Takes log n.
  [[nodiscard]] int64_t WithinNs(const Interval& interval) const;
  // How much of it lies within another union. Takes n.
  [[nodiscard]] int64_t WithinNs(const IntervalUnion& other) const;
  // True when a moment lies in one of the intervals. Takes log n.
  [[nodiscard]] bool Contains(int64_t time_ns) const;

 private:
  // The last one that starts at or before `time_ns`; nullptr: none.
  const Interval* LastBefore(int64_t time_ns) const;

  Intervals intervals_;
  std::vector<int64_t> before_ns_;  // sum of the intervals before each one
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_INTERVALS_H_
