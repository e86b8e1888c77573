// SPDX-License-Identifier: Apache-2.0
//
// One PM series taken apart: which operations share a column of the fit, the fit, and what each
// kernel and each range gets from it, or why it gets nothing.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_ATTRIBUTION_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_ATTRIBUTION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/continuous/pm_clock.h"
#include "lib/analyzer/continuous/pm_fit.h"
#include "lib/analyzer/continuous/pm_work.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// Which entities share a column of the fit: all have their own but those that hardly ran and, where
// there are too many, the small ones, which share one for each path; what is too little even so
// shares the last but one. The last is idle time.
struct FitColumns {
  std::vector<int32_t> of_entity;
  std::vector<bool> own;           // by entity: nothing else is in its column
  std::vector<bool> of_one_path;   // by column
  std::vector<std::string> names;  // by column
  // The largest entities, which have the first columns, have a skew each while there is room.
  std::vector<int32_t> skew_of;  // by column
  size_t count = 0;              // of columns, skews included

  FitColumns(const PmWork& work, const PmRows& rows, const RangeFamilies& families);

 private:
  int32_t Add(std::string name, bool one_path);
};

class PmAttribution {
 public:
  // What is given by reference outlives it. `others`: what other series of the device told of its
  // clock.
  PmAttribution(const model::Model& model, const model::PmSeries& series,
                const RangeFamilies& families, const KernelGroups& groups,
                std::optional<PmOffset> others);
  PmAttribution(const PmAttribution&) = delete;
  PmAttribution& operator=(const PmAttribution&) = delete;

  const PmWork& work() const { return work_; }
  std::optional<PmOffset> own_offset() const;  // as far as these samples tell

  ContinuousValues OfEntity(size_t entity) const;
  // What ran in each path, as a whole: its columns may be hard to tell from each other.
  std::map<uint32_t, ContinuousValues> OfPaths() const;
  ContinuousValues Idle() const;
  // Clock, concurrency and notes.
  void Describe(ContinuousReport* report) const;

 private:
  const std::string& Name(size_t m) const { return series_.metrics[rows_.metrics[m]]; }
  double FullScale(size_t m) const;
  PmFit Fit(const PmProblem& problem, const std::vector<PmWindow>& windows, double budget,
            std::vector<PmSolver>* solvers) const;
  Eigen::VectorXd SkewPenalties(const Eigen::VectorXd& rates, double variance, size_t m) const;
  double Misfit(const PmWeights& weights, size_t m) const;
  std::string TooLittle(double time_ns) const;
  void Estimate(const PmWeights& weights, size_t m, ContinuousValue* value) const;
  ContinuousValue OfColumn(size_t column, size_t m) const;
  const std::string& Neighbour(size_t column, size_t m) const;  // that it is hardest to tell from

  const model::PmSeries& series_;
  PmWork work_;
  PmRows rows_;
  FitColumns columns_;
  PmProblem problem_;
  std::vector<PmWindow> windows_;
  std::vector<double> high_;  // full scale of each metric
  PmClock clock_;
  std::vector<PmSolver> solvers_;  // by metric; none, as windows_ is empty, when nothing is to fit
  PmFit fit_;
  std::optional<PmFit> pairs_;  // of samples twice as long; absent when there are too few
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_ATTRIBUTION_H_
