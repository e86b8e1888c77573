// SPDX-License-Identifier: Apache-2.0
//
// The sweep passes over PM sample rows and operations, both in time order. It finds how long the
// operations of each column of the fit ran within each row, and how much longer their first halves
// ran than their second halves.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_SWEEP_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_SWEEP_H_

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "lib/analyzer/continuous/pm_work.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// A row with the columns that ran in it. Two operations of a column at one time count twice.
struct PmRow {
  size_t row = 0;
  std::vector<int32_t> columns;  // those that ran, and their skews, each once
  std::vector<double> ns;  // parallel to `columns`; for a skew: first halves minus second ones
  double length_ns = 0;
  double idle_ns = 0;        // nothing ran
  double concurrent_ns = 0;  // more than one operation ran
};

class PmSweep {
 public:
  // `column_of` maps entities to columns, `skew_of` the first columns to those of their skews; all
  // are below `columns`. `offset_ns`: by how much the samples' clock is ahead of the operations'
  // clock.
  PmSweep(const PmWork& work, const model::PmSeries& series, const std::vector<int32_t>& column_of,
          const std::vector<int32_t>& skew_of, size_t columns, int64_t offset_ns)
      : work_(work),
        series_(series),
        column_of_(column_of),
        skew_of_(skew_of),
        offset_ns_(offset_ns),
        columns_(columns) {}

  // Calls visit(const PmRow&) for the rows [first, last) that begin at or behind the end of the row
  // before. Costs (operations + rows) * log(operations at a time) + what the rows hold.
  template <typename Visit>
  void Run(size_t first, size_t last, Visit&& visit) {
    if (first >= last) return;
    Start(series_.begin_ns[first] - offset_ns_);
    for (size_t row = first; row < last; ++row) {
      const int64_t begin_ns = series_.begin_ns[row] - offset_ns_;
      if (begin_ns < now_ns_) continue;
      Advance(begin_ns);
      Flush();
      row_.idle_ns = row_.concurrent_ns = 0;
      Advance(series_.end_ns[row] - offset_ns_);
      Flush();
      row_.row = row;
      row_.length_ns = static_cast<double>(series_.end_ns[row] - series_.begin_ns[row]);
      visit(static_cast<const PmRow&>(row_));
    }
  }

 private:
  struct Column {
    int64_t running =
        0;  // operations; for a skew: those in their first half minus those in their second
    int64_t since_ns = 0;
    double ns = 0;
    bool touched = false;
  };
  using Moment = std::pair<int64_t, int32_t>;  // time, column
  using Moments = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;

  void Start(int64_t time_ns);
  void Advance(int64_t to_ns);
  void Enter(const PmInterval& interval);
  void PassMiddle();
  void Leave();
  // From now on `change` more operations of a column run.
  void Change(int32_t column, int64_t by);
  void Settle(int32_t column);
  bool HasSkew(int32_t column) const { return static_cast<size_t>(column) < skew_of_.size(); }
  // Adds the times since the last call to `row_`; operations that still run stay.
  void Flush();

  const PmWork& work_;
  const model::PmSeries& series_;
  const std::vector<int32_t>& column_of_;
  const std::vector<int32_t>& skew_of_;
  const int64_t offset_ns_;
  std::vector<Column> columns_;
  std::vector<int32_t> touched_;
  Moments ends_;     // of the running operations, with their columns
  Moments middles_;  // of operations in their first half, with their skews
  size_t next_ = 0;  // interval
  int64_t now_ns_ = 0;
  PmRow row_;
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_SWEEP_H_
