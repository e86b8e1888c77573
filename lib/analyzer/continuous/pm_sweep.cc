// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_sweep.h"

#include <algorithm>
#include <limits>

namespace prof::analyzer {

void PmSweep::Start(int64_t time_ns) {
  ends_ = {};
  breaks_ = {};
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
    if (work_.intervals[next_].end_ns > time_ns) Enter(static_cast<int32_t>(next_));
  }
}

void PmSweep::Settle(int32_t column) {
  Column& c = columns_[static_cast<size_t>(column)];
  c.ns += c.level * static_cast<double>(now_ns_ - c.since_ns);
  c.since_ns = now_ns_;
  if (!c.touched) touched_.push_back(column);
  c.touched = true;
}

void PmSweep::Change(int32_t column, int64_t operations, double by) {
  Settle(column);
  Column& c = columns_[static_cast<size_t>(column)];
  c.running += operations;
  c.level = c.running == 0 ? 0 : c.level + by;
}

size_t PmSweep::ContrastsOf(const PmInterval& interval, Contrasts* contrasts) const {
  const auto column = static_cast<size_t>(column_of_[static_cast<size_t>(interval.entity)]);
  if (column >= contrasts_.size()) return 0;
  const PmContrasts& of = contrasts_[column];
  const int64_t start_ns = interval.start_ns, length_ns = interval.end_ns - start_ns;
  size_t count = 0;
  if (of.skew != model::kNoIndex) {
    (*contrasts)[count++] = {of.skew, 1, {start_ns + length_ns / 2}, {1, -1}};
  }
  if (of.parts != model::kNoIndex) {
    int32_t part = of.parts;
    for (const int64_t parts : {2, 4}) {
      for (int64_t i = 0; i < parts; ++i) {
        const auto at_ns = [&](int64_t half) {
          return start_ns + length_ns * (2 * i + half) / (2 * parts);
        };
        (*contrasts)[count++] = {part++, 3, {at_ns(0), at_ns(1), at_ns(2)}, {0, 1, -1, 0}};
      }
    }
  }
  if (of.head != model::kNoIndex) {
    const int64_t edge_ns = std::min(of.edge_ns, length_ns / 3);
    const double rest = -static_cast<double>(edge_ns) / static_cast<double>(length_ns - edge_ns);
    (*contrasts)[count++] = {of.head, 1, {start_ns + edge_ns}, {1, rest}};
    (*contrasts)[count++] = {of.tail, 1, {interval.end_ns - edge_ns}, {rest, 1}};
  }
  return count;
}

void PmSweep::Enter(int32_t number) {
  const PmInterval& interval = work_.intervals[static_cast<size_t>(number)];
  const int32_t column = column_of_[static_cast<size_t>(interval.entity)];
  Change(column, 1, 1);
  columns_[static_cast<size_t>(column)].launch = number;
  ++columns_[static_cast<size_t>(column)].began;
  ends_.emplace(interval.end_ns, number);
  Contrasts contrasts;
  const size_t count = ContrastsOf(interval, &contrasts);
  for (size_t i = 0; i < count; ++i) {
    const Contrast& contrast = contrasts[i];
    size_t passed = 0;
    while (passed < contrast.breaks && contrast.break_ns[passed] <= now_ns_) ++passed;
    Change(contrast.column, 1, contrast.level[passed]);
    for (size_t k = passed; k < contrast.breaks; ++k) {
      breaks_.push(
          {contrast.break_ns[k], contrast.column, contrast.level[k + 1] - contrast.level[k]});
    }
  }
}

void PmSweep::PassBreak() {
  Change(breaks_.top().column, 0, breaks_.top().by);
  breaks_.pop();
}

void PmSweep::Leave() {
  const PmInterval& interval = work_.intervals[static_cast<size_t>(ends_.top().second)];
  ends_.pop();
  Change(column_of_[static_cast<size_t>(interval.entity)], -1, -1);
  Contrasts contrasts;
  const size_t count = ContrastsOf(interval, &contrasts);
  for (size_t i = 0; i < count; ++i) {
    Change(contrasts[i].column, -1, -contrasts[i].level[contrasts[i].breaks]);
  }
}

void PmSweep::Advance(int64_t to_ns) {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  while (true) {
    const int64_t start_ns =
        next_ < work_.intervals.size() ? work_.intervals[next_].start_ns : kNever;
    const int64_t break_ns = breaks_.empty() ? kNever : breaks_.top().time_ns;
    const int64_t end_ns = ends_.empty() ? kNever : ends_.top().first;
    const int64_t time_ns = std::min({start_ns, break_ns, end_ns, to_ns});
    const auto passed_ns = static_cast<double>(time_ns - now_ns_);
    if (ends_.empty()) row_.idle_ns += passed_ns;
    if (ends_.size() > 1) row_.concurrent_ns += passed_ns;
    now_ns_ = time_ns;
    if (std::min({start_ns, break_ns, end_ns}) >= to_ns) return;
    if (break_ns <= std::min(start_ns, end_ns)) {
      PassBreak();
    } else if (end_ns <= start_ns) {  // ends first: back-to-back operations are not concurrent
      Leave();
    } else {
      Enter(static_cast<int32_t>(next_++));
    }
  }
}

void PmSweep::Flush() {
  row_.columns.clear();
  row_.ns.clear();
  row_.launch.clear();
  row_.began.clear();
  size_t kept = 0;
  for (const int32_t column : touched_) {
    Column& c = columns_[static_cast<size_t>(column)];
    Settle(column);
    if (c.ns != 0) {
      row_.columns.push_back(column);
      row_.ns.push_back(c.ns);
      row_.launch.push_back(c.launch);
      row_.began.push_back(c.began);
    }
    c.ns = 0;
    c.began = 0;
    c.touched = c.running != 0;
    if (c.touched) touched_[kept++] = column;
  }
  touched_.resize(kept);
}

}  // namespace prof::analyzer
