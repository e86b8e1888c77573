// SPDX-License-Identifier: Apache-2.0
//
// The attribution takes one PM series apart: it chooses the columns of the fit, fits, and gives
// each kernel and each range its value, or the reason why there is none.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_ATTRIBUTION_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_ATTRIBUTION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/continuous/pm_device_clock.h"
#include "lib/analyzer/continuous/pm_fit.h"
#include "lib/analyzer/continuous/pm_together.h"
#include "lib/analyzer/continuous/pm_work.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// The columns of the fit. Each entity has its own column, except those that hardly ran and, where
// there are too many, the small ones: these share one column for each path. Paths that are still
// too small share the last column but one. The last column is idle time.
struct FitColumns {
  std::vector<int32_t> of_entity;
  std::vector<bool> own;           // by entity: nothing else is in its column
  std::vector<bool> of_one_path;   // by column
  std::vector<std::string> names;  // by column
  // The largest entities, which have the first columns, have contrasts while there is room.
  std::vector<PmContrasts> contrasts;  // by column
  size_t count = 0;                    // of columns, contrasts included

  FitColumns(const PmWork& work, const PmRows& rows, const RangeFamilies& families);

 private:
  int32_t Add(std::string name, bool one_path);
};

class PmAttribution {
 public:
  // Keeps a reference to `series`.
  PmAttribution(const model::Model& model, const model::PmSeries& series,
                const RangeFamilies& families, const KernelGroups& groups);
  PmAttribution(const PmAttribution&) = delete;
  PmAttribution& operator=(const PmAttribution&) = delete;

  // The equations without contrasts: what the search for the clock's offset takes.
  const PmProblem& rates_only() const { return rates_only_; }
  // Call it once, before all below. `shows`: these samples are among those that give the offset.
  void Solve(const PmDeviceClock& clock, bool shows);

  const model::PmSeries& series() const { return series_; }
  const PmWork& work() const { return work_; }

  ContinuousValues OfEntity(size_t entity) const;
  // By entity.
  std::vector<LaunchCourse> Courses() const;
  // The value of each path is that of all its columns together: they may be hard to separate.
  std::map<uint32_t, ContinuousValues> OfPaths() const;
  ContinuousValues Idle() const;
  // Clock, concurrency and notes.
  void Describe(ContinuousReport* report) const;

 private:
  const std::string& Name(size_t m) const { return series_.metrics[rows_.metrics[m]]; }
  double FullScale(size_t m) const;
  PmFit Fit(const PmProblem& problem, const std::vector<PmWindow>& windows, double budget,
            std::optional<PmSolver>* solver) const;
  void MoveClock();  // fills in `later_` and `earlier_`
  // Contrasts x metrics: the standard deviations that are expected.
  Eigen::MatrixXd ExpectedContrasts(const Eigen::MatrixXd& rates) const;
  double Misfit(const PmWeights& weights, size_t m) const;
  std::string TooLittle(double time_ns) const;
  void Estimate(const PmWeights& weights, size_t m, ContinuousValue* value) const;
  ContinuousValue OfColumn(size_t column, size_t m) const;
  // Enough samples of the entity were taken for a value. Only for one with a column of its own.
  bool IsEnough(size_t entity) const;
  ContinuousValue OfEntityAlone(size_t entity, size_t m) const;
  // The value of all that ran beside it too, where there are enough samples; otherwise `alone`.
  ContinuousValue OrTogether(size_t entity, size_t m, ContinuousValue alone) const;
  size_t Neighbour(size_t column) const;  // it is hardest to separate from this one
  // It is long, and harder by far to separate from the contrasts of its parts than from any other
  // column.
  bool IsBesideItself(size_t column) const;

  const model::PmSeries& series_;
  PmWork work_;
  PmRows rows_;
  FitColumns columns_;
  PmProblem problem_, rates_only_;
  std::vector<PmWindow> windows_;
  std::vector<double> high_;         // full scale of each metric
  std::vector<double> most_errors_;  // of each metric: above it there is no value
  PmDeviceClock clock_;
  bool clock_shows_ = false;
  Eigen::MatrixXd later_, earlier_;  // columns x metrics: change of the rates at offset +- error
  std::optional<PmSolver> solver_;   // absent, as windows_ is empty, when nothing is to fit
  PmFit fit_;
  std::vector<PmTogether> together_;  // by column of operations
  std::optional<PmFit> pairs_;        // of samples twice as long; absent when there are too few
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_ATTRIBUTION_H_
