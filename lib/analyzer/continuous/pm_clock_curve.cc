// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_clock_curve.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "lib/format/triage_metrics.h"

namespace prof::analyzer {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr size_t kWindows = 24, kRowsEach = 1000;
constexpr size_t kLeastRowsEach = 30;  // busy rows of a window
constexpr size_t kColumns = 126;       // with most time
constexpr double kBudget = 5e8;        // multiplications for one offset
// From the best offset of all windows. In a loop of similar kernels a window may also fit where its
// kernels are taken for their neighbours.
constexpr int64_t kMostAwayNs = 4000;
constexpr int64_t kCurveStepNs = 1000;  // the curvature is that over so much, either way
// A window's residuals are never taken to be less than this part of all windows'.
constexpr double kLeastNoise = 1e-2;

// What is in use from a kernel's first block to its last. What a kernel uses in one part of it only
// gives another offset, by 0.5 to 1.5 us: tensor pipes come after the loads, and special functions
// and writes at the end (H200).
bool IsOfAllKernel(const std::string& metric) {
  const format::TriageMetric* const triage = format::FindTriageMetric(metric);
  if (triage == nullptr) return false;
  constexpr format::TriageUnit kUnits[] = {format::TriageUnit::kSmActive,
                                           format::TriageUnit::kWarps, format::TriageUnit::kIssue,
                                           format::TriageUnit::kDram, format::TriageUnit::kL2};
  return std::find(std::begin(kUnits), std::end(kUnits), triage->unit) != std::end(kUnits);
}

// All metrics where none is of all of a kernel.
std::vector<size_t> ClockMetrics(const PmProblem& problem) {
  std::vector<size_t> metrics;
  for (const size_t m : problem.rows.metrics) {
    if (IsOfAllKernel(problem.series.metrics[m])) metrics.push_back(m);
  }
  return metrics.empty() ? problem.rows.metrics : metrics;
}

// The rows in which only the first columns ran: those with most time.
PmRows RowsOfFirst(const PmProblem& problem) {
  PmRows rows = problem.rows;
  rows.metrics = ClockMetrics(problem);
  if (problem.rates <= kColumns + 2) return rows;
  PmSweep sweep(problem.work, problem.series, problem.column_of, problem.contrasts, problem.columns,
                0);
  sweep.Run(0, rows.use.size(), [&](const PmRow& row) {
    for (const int32_t column : row.columns) {
      if (static_cast<size_t>(column) >= kColumns) rows.use[row.row] = RowUse::kSkip;
    }
  });
  return rows;
}

// The same problem with few columns. What else there is goes to the last but one: by another offset
// it may reach into a row.
PmProblem WithFewColumns(const PmProblem& problem, const PmRows& rows) {
  const size_t columns = std::min(problem.rates, kColumns + 2);
  PmProblem few{problem.series, problem.work, rows, problem.column_of, columns, {}, columns};
  for (int32_t& column : few.column_of) {
    column = std::min(column, static_cast<int32_t>(columns) - 2);
  }
  return few;
}

}  // namespace

PmClockCurve::PmClockCurve(const PmProblem& problem)
    : rows_(RowsOfFirst(problem)), problem_(WithFewColumns(problem, rows_)) {
  const auto busy =
      static_cast<size_t>(std::count(rows_.use.begin(), rows_.use.end(), RowUse::kAlone));
  const size_t count = std::clamp<size_t>(busy / kLeastRowsEach, 1, kWindows);
  windows_ = SpreadWindows(rows_, 0, 1, count, kRowsEach);
  samples_ = VectorXd::Zero(static_cast<Index>(windows_.size()));
  for (size_t w = 0; w < windows_.size(); ++w) {
    for (size_t row = windows_[w].first; row < windows_[w].last; ++row) {
      const double samples = rows_.use[row] == RowUse::kAlone ? problem.series.samples[row] : 0;
      samples_(static_cast<Index>(w)) += samples;
    }
  }
}

void PmClockCurve::Try(int64_t offset_ns) {
  if (windows_.empty() || residuals_.count(offset_ns) > 0) return;
  const MatrixXd rates = SolveRates(SumRows(problem_, windows_, offset_ns, kBudget));
  residuals_[offset_ns] = WindowResiduals(problem_, windows_, offset_ns, rates);
}

double PmClockCurve::Score(int64_t offset_ns) const {
  const auto at = residuals_.find(offset_ns);
  if (at == residuals_.end()) return 0;
  const MatrixXd& residuals = at->second;
  const VectorXd floor =
      kLeastNoise / samples_.sum() * residuals.colwise().sum().transpose().array() + 1e-12;
  double score = 0;
  for (Index w = 0; w < residuals.rows(); ++w) {
    for (Index m = 0; m < residuals.cols() && samples_(w) > 0; ++m) {
      score += samples_(w) * std::log(residuals(w, m) / samples_(w) + floor(m));
    }
  }
  // All metrics see the same operations, so together they have the information of one.
  return score / static_cast<double>(residuals.cols());
}

PmClockCurve::Curve PmClockCurve::OfWindow(Index window) const {
  const auto metrics = static_cast<Index>(problem_.metrics());
  VectorXd least = VectorXd::Constant(metrics, HUGE_VAL);  // of the window
  VectorXd all = least;
  for (const auto& [offset_ns, residuals] : residuals_) {
    least = least.cwiseMin(residuals.row(window).transpose());
    all = all.cwiseMin(residuals.colwise().sum().transpose());
  }
  const VectorXd variance =
      (least / samples_(window)).cwiseMax(kLeastNoise / samples_.sum() * all).cwiseMax(1e-12);
  Curve curve;
  for (const auto& [offset_ns, residuals] : residuals_) {
    curve[offset_ns] = residuals.row(window).transpose().cwiseQuotient(variance).sum() /
                       static_cast<double>(metrics);
  }
  return curve;
}

// A parabola around the least one that was tried, where its neighbours were tried too.
std::optional<PmWindowOffset> PmClockCurve::Minimum(const Curve& curve, int64_t best_ns) {
  const auto begin = curve.lower_bound(best_ns - kMostAwayNs);
  const auto end = curve.upper_bound(best_ns + kMostAwayNs);
  if (begin == end) return std::nullopt;
  const auto least = std::min_element(
      curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto at = [&](int64_t by_ns) {
    const auto found = curve.find(least->first + by_ns);
    return found == curve.end() ? std::optional<double>() : found->second;
  };
  const std::optional<double> before = at(-kCurveStepNs), after = at(kCurveStepNs);
  if (!before || !after) return std::nullopt;
  const double curvature = *before + *after - 2 * least->second;  // per step and step
  if (!(curvature > 0)) return std::nullopt;
  PmWindowOffset offset;
  offset.deviation = std::sqrt(2 / curvature) * kCurveStepNs;
  double vertex = (*before - *after) / (2 * curvature) * kCurveStepNs;
  const std::optional<double> near_before = at(-kCurveStepNs / 2),
                              near_after = at(kCurveStepNs / 2);
  if (near_before && near_after) {
    const double near = *near_before + *near_after - 2 * least->second;
    if (near > 0) vertex = (*near_before - *near_after) / (2 * near) * kCurveStepNs / 2;
  }
  offset.ns = static_cast<double>(least->first) + vertex;
  return offset;
}

std::vector<PmWindowOffset> PmClockCurve::Offsets(int64_t best_ns) const {
  std::vector<PmWindowOffset> offsets;
  for (size_t w = 0; w < windows_.size(); ++w) {
    const auto window = static_cast<Index>(w);
    if (!(samples_(window) > 0)) continue;
    std::optional<PmWindowOffset> offset = Minimum(OfWindow(window), best_ns);
    if (!offset) continue;
    offset->time_ns = problem_.series.begin_ns[windows_[w].first];
    offsets.push_back(*offset);
  }
  return offsets;
}

}  // namespace prof::analyzer
