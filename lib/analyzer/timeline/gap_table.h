// SPDX-License-Identifier: Apache-2.0
//
// The gaps of a device, and the table that has them: a run of short kernels has as many gaps as
// launches.
#ifndef PROF_LIB_ANALYZER_TIMELINE_GAP_TABLE_H_
#define PROF_LIB_ANALYZER_TIMELINE_GAP_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/snapshot/model/op.h"
#include "lib/snapshot/model/packed.h"
#include "lib/snapshot/model/reserve.h"
#include "prof/report.h"

namespace prof::analyzer {

// A maximal interval in which no operation ran on a device, between its first and its last one.
struct Gap {
  uint32_t device = 0;
  GapCause cause = GapCause::kUnknown;
  int64_t start_ns = 0, end_ns = 0;
  int32_t previous_op = model::kNoIndex;  // the op whose end opens the gap
  int32_t next_op = model::kNoIndex;      // the op whose start closes it
  int32_t api = model::kNoIndex;          // the call that launched next_op, or the sync that waited
  uint32_t path = 0;                      // NVTX path in which the host was during most of the gap
  int64_t disturbed_ns = 0;               // the part of it that is prof's: disturbance.h
  int64_t host_ns = 0;                    // of the program's part: the launcher in no CUDA call
  // Of the program's part: what has another cause. The launcher loaded code in a gap of a launch or
  // of host work, or did host work in a gap in which it loaded code most of the time.
  int64_t beside_ns = 0;
  // Of the program's part: what a thread that had not waited before would have closed, at most. All
  // of it where the cause is a wait.
  int64_t after_wait_ns = 0;
  int32_t wait = model::kNoIndex;  // the call that waited, where after_wait_ns is not 0
  // Of the program's part: the most that a thread without any of its waits would have closed, and
  // one without those of its calls that allocate or free memory. It is no estimate: all waits
  // before add up.
  int64_t without_waits_ns = 0, without_allocations_ns = 0;

  // The program's part: what counts for causes, shares and findings.
  int64_t undisturbed_ns() const { return end_ns - start_ns - disturbed_ns; }
  // Of beside_ns, where that is not 0.
  GapCause beside_cause() const {
    return cause == GapCause::kLoading ? GapCause::kHostWork : GapCause::kLoading;
  }
  // What the gap adds to the idle time of a cause.
  int64_t of_cause_ns(GapCause which) const {
    if (which == cause) return undisturbed_ns() - beside_ns;
    return which == beside_cause() ? beside_ns : 0;
  }
};

// Gaps of one device, in 32 bytes each, and 64 more for those that the host was late for, that a
// wait came before, or that something disturbed.
class GapTable {
 public:
  using value_type = Gap;
  using const_iterator = model::RowIterator<GapTable>;

  [[nodiscard]] size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }
  Gap back() const { return (*this)[size() - 1]; }

  Gap operator[](size_t i) const {
    const Row& row = rows_[i];
    Gap gap;
    gap.device = device_;
    gap.cause = static_cast<GapCause>(row.cause);
    gap.start_ns = row.start_ns;
    gap.end_ns = row.start_ns + row.length_ns;
    gap.previous_op = row.previous_op;
    gap.next_op = row.next_op;
    gap.api = row.api;
    gap.path = row.path;
    if (row.more == kNothing) return gap;
    const More& more = more_[row.more - 1];
    gap.end_ns = more.end_ns;
    gap.disturbed_ns = more.disturbed_ns;
    gap.host_ns = more.host_ns;
    gap.beside_ns = more.beside_ns;
    gap.after_wait_ns = more.after_wait_ns;
    gap.wait = more.wait;
    gap.without_waits_ns = more.without_waits_ns;
    gap.without_allocations_ns = more.without_allocations_ns;
    return gap;
  }

  // Before the first gap. Pages that are reserved and not used take no memory.
  void Reserve(size_t gaps) { model::ReserveRows(gaps, &rows_); }
  void push_back(const Gap& gap) {
    device_ = gap.device;
    Pack(gap, &rows_.emplace_back());
  }
  void Set(size_t i, const Gap& gap) { Pack(gap, &rows_[i]); }

 private:
  static constexpr uint32_t kNothing = 0;
  static constexpr size_t kMostMore = (size_t{1} << 29) - 1;

  struct Row {
    int64_t start_ns = 0;
    uint32_t length_ns = 0;  // or model::kLongNs
    int32_t previous_op = model::kNoIndex, next_op = model::kNoIndex, api = model::kNoIndex;
    uint32_t path = 0;
    uint32_t more : 29;  // a number in more_, from 1
    uint32_t cause : 3;

    Row() : more(kNothing), cause(0) {}
  };
  static_assert(sizeof(Row) == 32);
  static_assert(static_cast<int>(GapCause::kUnknown) < 8);

  struct More {
    int64_t end_ns = 0, disturbed_ns = 0, host_ns = 0, beside_ns = 0, after_wait_ns = 0;
    int64_t without_waits_ns = 0, without_allocations_ns = 0;
    int32_t wait = model::kNoIndex;
  };

  void Pack(const Gap& gap, Row* row) {
    row->start_ns = gap.start_ns;
    row->length_ns = model::ShortNs(gap.start_ns, gap.end_ns);
    row->previous_op = gap.previous_op;
    row->next_op = gap.next_op;
    row->api = gap.api;
    row->path = gap.path;
    row->cause = static_cast<uint32_t>(gap.cause) & 7;
    const bool fits = row->length_ns != model::kLongNs && gap.disturbed_ns == 0 &&
                      gap.host_ns == 0 && gap.beside_ns == 0 && gap.after_wait_ns == 0 &&
                      gap.wait == model::kNoIndex && gap.without_waits_ns == 0 &&
                      gap.without_allocations_ns == 0;
    if (fits && row->more == kNothing) return;
    if (row->more == kNothing) {
      if (more_.size() == kMostMore) return;
      if (more_.empty()) model::ReserveRows(rows_.capacity(), &more_);
      more_.emplace_back();
      row->more = static_cast<uint32_t>(more_.size());
    }
    more_[row->more - 1] = {gap.end_ns,
                            gap.disturbed_ns,
                            gap.host_ns,
                            gap.beside_ns,
                            gap.after_wait_ns,
                            gap.without_waits_ns,
                            gap.without_allocations_ns,
                            gap.wait};
  }

  uint32_t device_ = 0;
  std::vector<Row> rows_;
  std::vector<More> more_;
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_GAP_TABLE_H_
