// SPDX-License-Identifier: Apache-2.0
//
// The sweep passes over PM sample rows and operations, both in time order. It finds how long the
// operations of each column of the fit ran within each row, and the same weighted by the contrasts:
// functions of the position in a launch whose mean over the launch is zero.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_SWEEP_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_SWEEP_H_

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "lib/analyzer/continuous/pm_work.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// The contrasts of a column: by how much more is done in one part of a launch than on average.
struct PmContrasts {
  double mean_ns = 0;              // how long a launch takes
  int32_t skew = model::kNoIndex;  // +1 in the first half, -1 in the second
  // The same of each half and of each quarter, 0 outside: with the skew they can follow eight parts
  // of a launch (Haar functions). kNoIndex: none of the six.
  int32_t parts = model::kNoIndex;  // the first of them; the others follow
  static constexpr int32_t kParts = 6;
  // +1 in the first or last `edge_ns` (at most a third of the launch), and the same below zero,
  // spread over the rest.
  int32_t head = model::kNoIndex, tail = model::kNoIndex;
  int64_t edge_ns = 0;
};

// A row with the columns that ran in it. Two operations of a column at one time count twice.
struct PmRow {
  size_t row = 0;
  std::vector<int32_t> columns;  // those that ran, and their contrasts, each once
  std::vector<double> ns;        // parallel to `columns`; of a contrast: its integral
  std::vector<int32_t> launch;   // parallel to `columns`: index of the last operation that ran
  std::vector<int32_t> began;    // parallel to `columns`: operations that began in the row
  double length_ns = 0;
  double idle_ns = 0;        // nothing ran
  double concurrent_ns = 0;  // more than one operation ran
};

class PmSweep {
 public:
  // `column_of` maps entities to columns; `contrasts` are those of the first columns. All of their
  // numbers are below `columns`. `offset_ns`: by how much the samples' clock is ahead of the
  // operations' clock.
  PmSweep(const PmWork& work, const model::PmSeries& series, const std::vector<int32_t>& column_of,
          const std::vector<PmContrasts>& contrasts, size_t columns, int64_t offset_ns)
      : work_(work),
        series_(series),
        column_of_(column_of),
        contrasts_(contrasts),
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
      // The operations in a long hole between two rows need no visit.
      if ((begin_ns - now_ns_) / 2 > work_.longest_ns) Start(begin_ns);
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
    int64_t running = 0;  // operations
    double level = 0;     // of a column of operations: `running`; of a contrast: its value now
    int64_t since_ns = 0;
    double ns = 0;
    int32_t launch = model::kNoIndex;
    int32_t began = 0;
    bool touched = false;
  };
  // A contrast of one operation: levels, with breaks between them.
  struct Contrast {
    int32_t column = 0;
    size_t breaks = 0;
    std::array<int64_t, 3> break_ns{};
    std::array<double, 4> level{};
  };
  static constexpr size_t kMostContrasts = 3 + PmContrasts::kParts;
  using Contrasts = std::array<Contrast, kMostContrasts>;
  using End = std::pair<int64_t, int32_t>;  // time, interval
  struct Break {
    int64_t time_ns;
    int32_t column;
    double by;
    bool operator>(const Break& other) const { return time_ns > other.time_ns; }
  };

  void Start(int64_t time_ns);
  void Advance(int64_t to_ns);
  // Returns their number.
  size_t ContrastsOf(const PmInterval& interval, Contrasts* contrasts) const;
  void Enter(int32_t interval);
  void PassBreak();
  void Leave();
  // From now on `operations` more run in a column, and its level is higher by `by`.
  void Change(int32_t column, int64_t operations, double by);
  void Settle(int32_t column);
  // Adds the times since the last call to `row_`; operations that still run stay.
  void Flush();

  const PmWork& work_;
  const model::PmSeries& series_;
  const std::vector<int32_t>& column_of_;
  const std::vector<PmContrasts>& contrasts_;
  const int64_t offset_ns_;
  std::vector<Column> columns_;
  std::vector<int32_t> touched_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;  // of the running operations
  std::priority_queue<Break, std::vector<Break>, std::greater<>> breaks_;
  size_t next_ = 0;  // interval
  int64_t now_ns_ = 0;
  PmRow row_;
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_SWEEP_H_
