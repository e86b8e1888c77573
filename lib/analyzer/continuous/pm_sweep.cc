// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_sweep.h"

#include <algorithm>
#include <limits>

namespace prof::analyzer {

void PmSweep::Start(int64_t time_ns) {
  ends_ = middles_ = {};
  for (const int32_t column : touched_) columns_[static_cast<size_t>(column)] = {};
  touched_.clear();
  now_ns_ = time_ns;
  // A running operation started at most the longest operation's time ago. No sum overflows 64 bits.
  const int64_t earliest_ns =
      std::max(time_ns, std::numeric_limits<int64_t>::min() + work_.longest_ns) - work_.longest_ns;
  const auto first = std::lower_bound(
      work_.intervals.begin(), work_.intervals.end(), earliest_ns,
      [](const PmInterval& interval, int64_t time) { return interval.start_ns < time; });
  next_ = static_cast<size_t>(first - work_.intervals.begin());
  for (; next_ < work_.intervals.size() && work_.intervals[next_].start_ns < time_ns; ++next_) {
    if (work_.intervals[next_].end_ns > time_ns) Enter(work_.intervals[next_]);
  }
}

void PmSweep::Settle(int32_t column) {
  Column& c = columns_[static_cast<size_t>(column)];
  c.ns += static_cast<double>(c.running) * static_cast<double>(now_ns_ - c.since_ns);
  c.since_ns = now_ns_;
  if (!c.touched) touched_.push_back(column);
  c.touched = true;
}

void PmSweep::Change(int32_t column, int64_t by) {
  Settle(column);
  columns_[static_cast<size_t>(column)].running += by;
}

void PmSweep::Enter(const PmInterval& interval) {
  const int32_t column = column_of_[static_cast<size_t>(interval.entity)];
  Change(column, 1);
  ends_.emplace(interval.end_ns, column);
  if (!HasSkew(column)) return;
  const int32_t skew = skew_of_[static_cast<size_t>(column)];
  const int64_t middle_ns = interval.start_ns + (interval.end_ns - interval.start_ns) / 2;
  const bool is_first_half = middle_ns > now_ns_;
  Change(skew, is_first_half ? 1 : -1);
  if (is_first_half) middles_.emplace(middle_ns, skew);
}

void PmSweep::PassMiddle() {
  Change(middles_.top().second, -2);
  middles_.pop();
}

void PmSweep::Leave() {
  const int32_t column = ends_.top().second;
  ends_.pop();
  Change(column, -1);
  if (HasSkew(column)) Change(skew_of_[static_cast<size_t>(column)], 1);
}

void PmSweep::Advance(int64_t to_ns) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  while (true) {
    const int64_t start_ns =
        next_ < work_.intervals.size() ? work_.intervals[next_].start_ns : kNever;
    const int64_t middle_ns = middles_.empty() ? kNever : middles_.top().first;
    const int64_t end_ns = ends_.empty() ? kNever : ends_.top().first;
    const int64_t time_ns = std::min({start_ns, middle_ns, end_ns, to_ns});
    const auto passed_ns = static_cast<double>(time_ns - now_ns_);
    if (ends_.empty()) row_.idle_ns += passed_ns;
    if (ends_.size() > 1) row_.concurrent_ns += passed_ns;
    now_ns_ = time_ns;
    if (std::min({start_ns, middle_ns, end_ns}) >= to_ns) return;
    if (middle_ns <= std::min(start_ns, end_ns)) {
      PassMiddle();
    } else if (end_ns <= start_ns) {  // ends first: back-to-back operations are not concurrent
      Leave();
    } else {
      Enter(work_.intervals[next_++]);
    }
  }
}

void PmSweep::Flush() {
  row_.columns.clear();
  row_.ns.clear();
  size_t kept = 0;
  for (const int32_t column : touched_) {
    Column& c = columns_[static_cast<size_t>(column)];
    Settle(column);
    if (c.ns != 0) {
      row_.columns.push_back(column);
      row_.ns.push_back(c.ns);
    }
    c.ns = 0;
    c.touched = c.running != 0;
    if (c.touched) touched_[kept++] = column;
  }
  touched_.resize(kept);
}

}  // namespace prof::analyzer
