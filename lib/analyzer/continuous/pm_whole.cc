// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_whole.h"

#include <algorithm>
#include <cstddef>

#include "lib/analyzer/base/quantiles.h"

namespace prof::analyzer {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr double kHole = 0.01;  // of a sample: less comes from the rounding of times

// Rows without a hole between them, where one operation at most ran at a time.
struct PmBurst {
  size_t first = 0, last = 0;  // [first, last)
};

struct WholeLaunch {
  int32_t column = 0;
  ArrayXd mean, assumed;  // the latter as a standard deviation
  int64_t samples = 0, direct = 0;
  double ns = 0;
};

// The launches of one column in one burst, and of those before it.
struct WholeSums {
  PmWhole whole;
  size_t burst = 0;
  double launches = 0;     // in `burst`
  ArrayXd sum;             // over these launches
  ArrayXd means, squares;  // over bursts
};

bool IsUsed(RowUse use) { return use == RowUse::kAlone || use == RowUse::kIdle; }

std::vector<PmBurst> FindBursts(const PmProblem& problem) {
  const model::PmSeries& series = problem.series;
  std::vector<PmBurst> bursts;
  for (size_t row = 0; row < problem.rows.use.size(); ++row) {
    if (!IsUsed(problem.rows.use[row])) continue;
    const bool goes_on =
        !bursts.empty() && bursts.back().last == row &&
        static_cast<double>(std::abs(series.begin_ns[row] - series.end_ns[row - 1])) <=
            kHole * problem.rows.sample_ns;
    if (!goes_on) bursts.push_back({row, row});
    bursts.back().last = row + 1;
  }
  return bursts;
}

class WholeLaunches {
 public:
  WholeLaunches(const PmProblem& problem, int64_t offset_ns, const Eigen::MatrixXd& rates,
                const Eigen::MatrixXd& expected)
      : problem_(problem), offset_ns_(offset_ns), rates_(rates), expected_(expected) {}

  // Calls visit(const WholeLaunch&) for those within the burst.
  template <typename Visit>
  void ForEach(const PmBurst& burst, Visit&& visit) const {
    const std::vector<PmInterval>& all = problem_.work.intervals;
    const auto first = std::lower_bound(
        all.begin(), all.end(), Begin(burst.first),
        [](const PmInterval& interval, int64_t ns) { return interval.start_ns < ns; });
    const int64_t end_ns = End(burst.last - 1);
    size_t row = burst.first;
    for (auto one = first; one != all.end() && one->end_ns <= end_ns; ++one) {
      const auto ns = static_cast<double>(one->end_ns - one->start_ns);
      if (ns < kLeastWholeSamples * problem_.rows.sample_ns) continue;
      while (row + 1 < burst.last && End(row) <= one->start_ns) ++row;
      visit(Measure(static_cast<size_t>(one - all.begin()), row));
    }
  }

 private:
  int64_t Begin(size_t row) const { return problem_.series.begin_ns[row] - offset_ns_; }
  int64_t End(size_t row) const { return problem_.series.end_ns[row] - offset_ns_; }
  static double Overlap(const PmInterval& one, int64_t begin_ns, int64_t end_ns) {
    const int64_t ns = std::min(one.end_ns, end_ns) - std::max(one.start_ns, begin_ns);
    return static_cast<double>(std::max<int64_t>(0, ns));
  }

  // `row`: the one in which it begins.
  WholeLaunch Measure(size_t number, size_t row) const {
    const PmInterval& one = problem_.work.intervals[number];
    const auto metrics = static_cast<Index>(problem_.metrics());
    WholeLaunch launch;
    launch.column = problem_.column_of[static_cast<size_t>(one.entity)];
    launch.ns = static_cast<double>(one.end_ns - one.start_ns);
    launch.mean = launch.assumed = ArrayXd::Zero(metrics);
    for (; Begin(row) < one.end_ns; ++row) {
      const auto length_ns = static_cast<double>(End(row) - Begin(row));
      for (Index m = 0; m < metrics; ++m) {
        launch.mean(m) += length_ns * problem_.Value(row, static_cast<size_t>(m));
      }
      const auto samples = static_cast<int64_t>(problem_.series.samples[row]);
      launch.samples += samples;
      const bool within = one.start_ns <= Begin(row) && End(row) <= one.end_ns;
      if (within) {
        launch.direct += samples;
      } else {
        TakeAway(number, row, &launch);
      }
      if (End(row) >= one.end_ns) break;
    }
    launch.mean /= launch.ns;
    launch.assumed /= launch.ns;
    return launch;
  }

  // What else ran in the row: the operations before and behind it, which do not overlap.
  void TakeAway(size_t number, size_t row, WholeLaunch* launch) const {
    const std::vector<PmInterval>& all = problem_.work.intervals;
    double rest_ns =
        static_cast<double>(End(row) - Begin(row)) - Overlap(all[number], Begin(row), End(row));
    const auto take = [&](const PmInterval& other) {
      const double ns = Overlap(other, Begin(row), End(row));
      const Index column = problem_.column_of[static_cast<size_t>(other.entity)];
      launch->mean -= ns * rates_.row(column).transpose().array();
      launch->assumed += ns * expected_.row(column).transpose().array();
      rest_ns -= ns;
    };
    for (size_t i = number; i-- > 0 && all[i].end_ns > Begin(row);) take(all[i]);
    for (size_t i = number + 1; i < all.size() && all[i].start_ns < End(row); ++i) take(all[i]);
    const auto idle = static_cast<Index>(problem_.idle_column());
    launch->mean -= std::max(0.0, rest_ns) * rates_.row(idle).transpose().array();
  }

  const PmProblem& problem_;
  const int64_t offset_ns_;
  const Eigen::MatrixXd& rates_;
  const Eigen::MatrixXd& expected_;
};

void CloseBurst(WholeSums* sums) {
  if (sums->launches <= 0) return;
  const ArrayXd mean = sums->sum / sums->launches;
  sums->means += mean;
  sums->squares += mean.square();
  sums->sum.setZero();
  sums->launches = 0;
  ++sums->whole.bursts;
}

void Add(const WholeLaunch& launch, size_t burst, WholeSums* sums) {
  if (sums->burst != burst) CloseBurst(sums);
  sums->burst = burst;
  sums->launches += 1;
  sums->sum += launch.mean;
  PmWhole& whole = sums->whole;
  ++whole.launches;
  whole.samples += launch.samples;
  whole.direct += launch.direct;
  whole.seconds += launch.ns * 1e-9;
  whole.assumed += launch.assumed;
}

PmWhole Finish(WholeSums* sums) {
  CloseBurst(sums);
  PmWhole& whole = sums->whole;
  const auto n = static_cast<double>(whole.bursts);
  if (whole.bursts < 2) return whole;
  whole.means = sums->means / n;
  const ArrayXd variance = (sums->squares / n - whole.means.square()).max(0.0) * n / (n - 1);
  whole.chance = StudentQuantile(n - 1) * (variance / n).sqrt();
  whole.assumed *= kNormal / static_cast<double>(whole.launches);
  return whole;
}

}  // namespace

std::vector<PmWhole> MeasureWhole(const PmProblem& problem, int64_t offset_ns,
                                  const Eigen::MatrixXd& rates, const Eigen::MatrixXd& expected) {
  std::vector<WholeSums> sums(problem.rates);
  const ArrayXd none = ArrayXd::Zero(static_cast<Index>(problem.metrics()));
  for (WholeSums& column : sums) {
    column.sum = column.means = column.squares = none;
    column.whole.means = column.whole.chance = column.whole.assumed = none;
  }
  const WholeLaunches launches(problem, offset_ns, rates, expected);
  const std::vector<PmBurst> bursts = FindBursts(problem);
  for (size_t i = 0; i < bursts.size(); ++i) {
    launches.ForEach(bursts[i], [&](const WholeLaunch& launch) {
      Add(launch, i, &sums[static_cast<size_t>(launch.column)]);
    });
  }
  std::vector<PmWhole> whole;
  for (WholeSums& column : sums) whole.push_back(Finish(&column));
  return whole;
}

}  // namespace prof::analyzer
