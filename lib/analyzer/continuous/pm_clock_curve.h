// SPDX-License-Identifier: Apache-2.0
//
// How well the operations explain the PM samples of one series when the samples' clock is ahead by
// some offset: for each of many windows of the recording by itself.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_CLOCK_CURVE_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_CLOCK_CURVE_H_

#include <Eigen/Dense>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lib/analyzer/continuous/pm_fit.h"
#include "lib/analyzer/continuous/pm_window_offset.h"

namespace prof::analyzer {

class PmClockCurve {
 public:
  // `problem` has no contrasts, and outlives the curve. Only rows of the columns with most time are
  // used: each try costs the cube of the columns.
  explicit PmClockCurve(const PmProblem& problem);
  PmClockCurve(const PmClockCurve&) = delete;
  PmClockCurve& operator=(const PmClockCurve&) = delete;

  // Fits the rates of all windows at this offset, and keeps what they leave of each.
  void Try(int64_t offset_ns);
  // Twice the negative logarithm of the likelihood at an offset that was tried, each window by its
  // own noise: a window with much of it has no more say than others.
  double Score(int64_t offset_ns) const;
  // Of each window whose residuals have a minimum at a tried offset within 4 us of the best one,
  // with others 1 us beside it.
  std::vector<PmWindowOffset> Offsets(int64_t best_ns) const;
  size_t windows() const { return windows_.size(); }

 private:
  // Residuals of a window, or of all, at a tried offset, in units of its least variance.
  using Curve = std::map<int64_t, double>;
  Curve OfWindow(Eigen::Index window) const;
  static std::optional<PmWindowOffset> Minimum(const Curve& curve, int64_t best_ns);

  PmRows rows_;
  PmProblem problem_;
  std::vector<PmWindow> windows_;
  Eigen::VectorXd samples_;                       // by window
  std::map<int64_t, Eigen::MatrixXd> residuals_;  // by offset: windows x metrics
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_CLOCK_CURVE_H_
