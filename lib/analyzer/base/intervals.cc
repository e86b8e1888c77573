// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/intervals.h"

#include <algorithm>

namespace prof::analyzer {
namespace {

bool StartsEarlier(const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; }

}  // namespace

int64_t OverlapNs(const Interval& a, const Interval& b) {
  return std::max<int64_t>(0, std::min(a.end_ns, b.end_ns) - std::max(a.start_ns, b.start_ns));
}

IntervalUnion::IntervalUnion(Intervals intervals) {
  if (!std::is_sorted(intervals.begin(), intervals.end(), StartsEarlier)) {
    std::sort(intervals.begin(), intervals.end(), StartsEarlier);
  }
  for (const Interval& interval : intervals) {
    if (interval.end_ns <= interval.start_ns) continue;
    if (!intervals_.empty() && interval.start_ns <= intervals_.back().end_ns) {
      intervals_.back().end_ns = std::max(intervals_.back().end_ns, interval.end_ns);
      continue;
    }
    before_ns_.push_back(length_ns());
    intervals_.push_back(interval);
  }
}

int64_t IntervalUnion::length_ns() const {
  if (intervals_.empty()) return 0;
  return before_ns_.back() + (intervals_.back().end_ns - intervals_.back().start_ns);
}

const Interval* IntervalUnion::LastBefore(int64_t time_ns) const {
  const auto after = std::upper_bound(
      intervals_.begin(), intervals_.end(), time_ns,
      [](int64_t time, const Interval& interval) { return time < interval.start_ns; });
  return after == intervals_.begin() ? nullptr : &*(after - 1);
}

int64_t IntervalUnion::BeforeNs(int64_t time_ns) const {
  const Interval* const last = LastBefore(time_ns);
  if (last == nullptr) return 0;
  return before_ns_[static_cast<size_t>(last - intervals_.data())] +
         (std::min(time_ns, last->end_ns) - last->start_ns);
}

int64_t IntervalUnion::WithinNs(const Interval& interval) const {
  if (interval.end_ns <= interval.start_ns) return 0;
  return BeforeNs(interval.end_ns) - BeforeNs(interval.start_ns);
}

int64_t IntervalUnion::WithinNs(const IntervalUnion& other) const {
  int64_t within_ns = 0;
  for (auto a = intervals_.begin(), b = other.intervals_.begin();
       a != intervals_.end() && b != other.intervals_.end();) {
    within_ns += OverlapNs(*a, *b);
    a->end_ns < b->end_ns ? ++a : ++b;
  }
  return within_ns;
}

bool IntervalUnion::Contains(int64_t time_ns) const {
  const Interval* const last = LastBefore(time_ns);
  return last != nullptr && time_ns < last->end_ns;
}

}  // namespace prof::analyzer
