// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_attribution.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/continuous/continuous.h"
#include "lib/analyzer/continuous/pm_chance.h"
#include "lib/analyzer/continuous/pm_course.h"
#include "lib/analyzer/continuous/pm_pairs.h"
#include "lib/format/metric_names.h"
#include "lib/format/triage_metrics.h"
#include "lib/text/metric_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using Eigen::Index;

constexpr size_t kMostColumns = 512;
constexpr size_t kFitWindows = 64;
constexpr double kFitBudget = 2e10;  // multiplications: at most some tens of seconds
// Of the metric's full scale: above kSureBound only a unit that may limit the kernel has a value,
// and none above this. Of verdicts whose leading unit has a bound of 15 to 25 points 56 of 59 had
// the limiter of all samples, of 5 to 10 points 511 of 535, of 25 to 30 points 8 of 8, of more 12
// of 19 (recordings of seven programs, of whose bursts a part was left out).
constexpr double kMostErrorOfUnit = 0.25;
constexpr double kMostInflation = 1000;  // of a rate's variance by what runs beside it
// Of two dependences: what a sample at the edge of a launch makes of its neighbour is far below.
constexpr double kByFar = 100;
constexpr double kBesideIt = 10;  // from here on the neighbour is named as the reason
// An entity needs the time of so many samples for a column of its own. Kernels that share a column
// are wrong by the difference of their rates, and so are the kernels beside them: by 20 points when
// those with less than the time of 20 samples shared one (H200), although so little gets no value.
constexpr double kLeastForColumn = 1;
// The expected change of a rate while an operation runs: the standard deviation of its first half,
// or of its edges, from all of it, as a fraction of the rate and of full scale.
constexpr double kSkew = 0.25;
constexpr double kEdge = 0.40;
constexpr double kLeastContrast = 0.02;
// How long a kernel takes to fill the GPU and to drain it. Random programs with ramps and tails of
// up to 2.5 us gave bounds that hold, and the smallest errors, with 1.2 to 1.6 us.
constexpr double kEdgeNs = 1600;
// The same of a launch of kPartsSeen samples, where a sample is as long: what a long kernel does
// first may be work of its own. One that fills its local memory had 20 % of the ALU for 15 us, and
// a kernel before it that a sample never holds alone had it in its value (H200).
constexpr double kLongEdgeNs = 16'000;
// Of full scale: the expected change in such an edge, in place of kLeastContrast. A short kernel
// beside it has no value where the samples cannot tell the two apart.
constexpr double kLeastLongEdge = 0.10;
// Operations of at least so many samples have contrasts at their edges, and shorter ones than so
// many have a skew. In between they have both.
constexpr double kEdgesSeen = 0.4;
constexpr double kHalvesSeen = 2;
// Operations of at least so many samples have contrasts in eight parts: four samples a part. A
// burst sees some of such a launch, so that what is done in one part only would be a difference
// between launches.
constexpr double kPartsSeen = 32;
// With fewer launches there is no spread between them. A kernel that ran less often is what it was.
constexpr int64_t kLeastLaunches = 2;
// With so many launches, kLeastPmSamples samples that are longer than these are enough. Of random
// programs whose GPU waits for the host as many bounds hold as with 8 samples, and as with 10 of
// six launches.
constexpr int64_t kLaunchesOfLittle = 4;
// How far the clock's error moves the rates, from some of the rows.
constexpr size_t kClockWindows = 16, kClockRows = 1500;
constexpr double kClockBudget = 5e8;
constexpr double kOfPath = 0.90;  // of a range's time must be in columns of its own

std::string In(const RangeFamilies& families, uint32_t path) {
  return path == 0 ? "" : " in " + families.label[path];
}

// The unit of `metric` may be the one that limits a kernel. L1 is not among them: which part of its
// use is shared memory's decides as well.
bool MayLimit(const std::string& metric) {
  using format::TriageUnit;
  const format::TriageMetric* const known = format::FindTriageMetric(metric);
  if (known == nullptr) return false;
  switch (known->unit) {
    case TriageUnit::kDram:
    case TriageUnit::kL2:
    case TriageUnit::kTensor:
    case TriageUnit::kFma:
    case TriageUnit::kAlu:
    case TriageUnit::kFp64:
    case TriageUnit::kXu:
    case TriageUnit::kIssue:
      return true;
    default:
      return false;
  }
}

}  // namespace

int32_t FitColumns::Add(std::string name, bool one_path) {
  names.push_back(std::move(name));
  of_one_path.push_back(one_path);
  return static_cast<int32_t>(names.size()) - 1;
}

FitColumns::FitColumns(const PmWork& work, const PmRows& rows, const RangeFamilies& families)
    : of_entity(work.entities.size(), model::kNoIndex), own(work.entities.size()) {
  const double least_ns = kLeastForColumn * rows.sample_ns;
  std::vector<size_t> by_time(work.entities.size());
  for (size_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
  std::stable_sort(by_time.begin(), by_time.end(), [&](size_t a, size_t b) {
    return work.entities[a].time_ns > work.entities[b].time_ns;
  });
  std::map<uint32_t, double> rest_of_path;
  for (const size_t entity : by_time) {
    const PmEntity& e = work.entities[entity];
    if (std::max(e.time_ns, e.time_together_ns) >= least_ns && names.size() < kMostColumns) {
      own[entity] = true;
      of_entity[entity] = Add(e.name + In(families, e.path), true);
    } else {
      rest_of_path[e.path] += e.time_ns;
    }
  }
  std::map<uint32_t, int32_t> column_of_path;
  for (const auto& [path, time_ns] : rest_of_path) {
    if (time_ns < least_ns || names.size() >= kMostColumns) continue;
    column_of_path[path] = Add("other work" + In(families, path), true);
  }
  const int32_t other = Add("other work", false);
  for (size_t entity = 0; entity < of_entity.size(); ++entity) {
    if (own[entity]) continue;
    const auto found = column_of_path.find(work.entities[entity].path);
    of_entity[entity] = found == column_of_path.end() ? other : found->second;
  }
  Add("the idle time between operations", false);
  count = names.size();
  for (const size_t entity : by_time) {
    if (!own[entity] || count + 3 > kMostColumns) break;
    PmContrasts& added = contrasts.emplace_back();
    const double mean_ns = added.mean_ns = work.entities[entity].mean_ns;
    const bool has_parts =
        mean_ns >= kPartsSeen * rows.sample_ns && count + 3 + PmContrasts::kParts <= kMostColumns;
    if (has_parts || mean_ns < kHalvesSeen * rows.sample_ns) {
      added.skew = static_cast<int32_t>(count++);
    }
    if (has_parts) {
      added.parts = static_cast<int32_t>(count);
      count += PmContrasts::kParts;
    }
    if (mean_ns < kEdgesSeen * rows.sample_ns) continue;
    added.head = static_cast<int32_t>(count++);
    added.tail = static_cast<int32_t>(count++);
    const bool has_long_edges = has_parts && rows.sample_ns >= kLongEdgeNs;
    added.edge_ns = std::llround(
        std::min({rows.sample_ns, mean_ns / 4, has_long_edges ? kLongEdgeNs : kEdgeNs}));
  }
}

PmAttribution::PmAttribution(const model::Model& model, const model::PmSeries& series,
                             const RangeFamilies& families, const KernelGroups& groups)
    : series_(series),
      work_(GatherPmWork(model, series.device, families, groups)),
      rows_(ClassifyPmRows(series, &work_)),
      columns_(work_, rows_, families),
      problem_{series_,
               work_,
               rows_,
               columns_.of_entity,
               columns_.names.size(),
               columns_.contrasts,
               columns_.count},
      rates_only_{series_,
                  work_,
                  rows_,
                  columns_.of_entity,
                  columns_.names.size(),
                  {},
                  columns_.names.size()},
      windows_(SpreadWindows(rows_, 0, 1, kFitWindows, rows_.use.size())) {
  for (const size_t m : rows_.metrics) high_.push_back(FullScale(m));
  for (size_t m = 0; m < high_.size(); ++m) {
    most_errors_.push_back((MayLimit(Name(m)) ? kMostErrorOfUnit : kSureBound) * high_[m]);
  }
}

void PmAttribution::MoveClock() {
  const std::vector<PmWindow> some = SpreadWindows(rows_, 0, 1, kClockWindows, kClockRows);
  const auto rates_at = [&](double ns) {
    return SolveRates(
        SumRows(rates_only_, some, static_cast<int64_t>(std::llround(ns)), kClockBudget));
  };
  const Eigen::MatrixXd at = rates_at(clock_.offset_ns);
  later_ = rates_at(clock_.offset_ns + clock_.error_ns) - at;
  earlier_ = rates_at(clock_.offset_ns - clock_.error_ns) - at;
}

void PmAttribution::Solve(const PmDeviceClock& clock, bool shows) {
  clock_ = clock;
  clock_shows_ = shows;
  if (windows_.empty()) return;
  MoveClock();
  fit_ = Fit(problem_, windows_, kFitBudget, &solver_);
  if (rows_.concurrent_share > 0) {
    together_ = MeasureTogether(problem_, std::llround(clock_.offset_ns));
  }

  const PmPairs pairs = JoinPairs(series_, rows_);
  const std::vector<PmWindow> windows =
      SpreadWindows(pairs.rows, 0, 1, kFitWindows, pairs.rows.use.size());
  if (windows.empty()) return;
  const PmProblem twice_as_long{pairs.series,       work_,          pairs.rows,
                                problem_.column_of, problem_.rates, problem_.contrasts,
                                problem_.columns};
  std::optional<PmSolver> solver;
  pairs_ = Fit(twice_as_long, windows, kFitBudget / 2, &solver);
}

PmFit PmAttribution::Fit(const PmProblem& problem, const std::vector<PmWindow>& windows,
                         double budget, std::optional<PmSolver>* solver) const {
  const auto offset_ns = static_cast<int64_t>(std::llround(clock_.offset_ns));
  const NormalEquations sums = SumRows(problem, windows, offset_ns, budget);
  const NormalEquations rates_only = sums.First(problem_.rates);
  const Eigen::MatrixXd rates = SolveRates(rates_only);
  const Eigen::VectorXd variances =
      rates_only.Residuals(rates) / std::max(1.0, sums.busy - static_cast<double>(problem_.rates));
  std::vector<double> bounds;
  Eigen::VectorXd scale(variances.size());
  for (size_t m = 0; m < rows_.metrics.size(); ++m) {
    bounds.push_back(text::IsPercentMetric(Name(m)) ? 100 : HUGE_VAL);
    scale(static_cast<Index>(m)) = high_[m] > 0 ? 1 / high_[m] : 0;
  }
  // One penalty for all metrics, so that all are solved at once: noise over what is expected, both
  // added over the metrics. Where it is wrong for a metric, PmFit::pulls has the effect.
  const Eigen::MatrixXd expected = ExpectedContrasts(rates);
  const double noise = variances.dot(scale.cwiseAbs2());
  const Eigen::VectorXd all = (expected * scale.asDiagonal()).rowwise().squaredNorm();
  solver->emplace(sums, all.unaryExpr([&](double one) { return one > 0 ? noise / one : 1.0; }));
  PmFit fit =
      FitRates(problem, **solver, windows, offset_ns, budget, bounds, variances.cwiseSqrt());
  fit.expected = expected;
  fit.later = later_;
  fit.earlier = earlier_;
  return fit;
}

Eigen::MatrixXd PmAttribution::ExpectedContrasts(const Eigen::MatrixXd& rates) const {
  Eigen::MatrixXd expected(static_cast<Index>(columns_.count - columns_.names.size()),
                           rates.cols());
  for (size_t column = 0; column < columns_.contrasts.size(); ++column) {
    const PmContrasts& contrasts = columns_.contrasts[column];
    const double least_of_edge = contrasts.edge_ns > kEdgeNs ? kLeastLongEdge : kLeastContrast;
    const auto expect = [&](int32_t contrast, double change, double least = kLeastContrast) {
      if (contrast == model::kNoIndex) return;
      for (Index m = 0; m < rates.cols(); ++m) {
        const double high = high_[static_cast<size_t>(m)];
        const double rate = std::clamp(rates(static_cast<Index>(column), m), 0.0, high);
        expected(contrast - static_cast<Index>(columns_.names.size()), m) =
            change * rate + least * high;
      }
    };
    expect(contrasts.skew, kSkew);
    for (int32_t i = 0; contrasts.parts != model::kNoIndex && i < PmContrasts::kParts; ++i) {
      expect(contrasts.parts + i, kSkew);
    }
    expect(contrasts.head, kEdge, least_of_edge);
    expect(contrasts.tail, kEdge, least_of_edge);
  }
  return expected;
}

// By how much the value from samples twice as long differs, beyond chance.
double PmAttribution::Misfit(const PmWeights& weights, size_t m) const {
  if (!pairs_) return 0;
  const double moved = std::abs(pairs_->Value(weights, m) - fit_.Value(weights, m));
  return std::max(0.0, moved - pairs_->Error(weights, m));
}

ContinuousValues PmAttribution::OfEntity(size_t entity) const {
  ContinuousValues values;
  for (const std::string& metric : series_.metrics) {
    if (metric == format::kSmClockMetric) continue;  // it is no work
    ContinuousValue& value = values[metric];
    value.seconds = work_.entities[entity].time_ns * 1e-9;
    value.missing = "CUPTI gave no values of this metric";
  }
  for (size_t m = 0; m < rows_.metrics.size(); ++m) {
    ContinuousValue alone = OfEntityAlone(entity, m);
    const bool is_sure = alone.value && alone.error <= kSureBound * high_[m];
    values[Name(m)] = is_sure ? alone : OrTogether(entity, m, std::move(alone));
  }
  return values;
}

std::vector<LaunchCourse> PmAttribution::Courses() const {
  return FindCourses(series_, work_, rows_, std::llround(clock_.offset_ns));
}

// Samples that are longer than its launches see little of its time each, and yet many launches.
bool PmAttribution::IsEnough(size_t entity) const {
  const PmEntity& e = work_.entities[entity];
  if (e.time_ns >= kLeastPmSamples * rows_.sample_ns) return true;
  if (e.mean_ns >= rows_.sample_ns) return false;
  const auto column = static_cast<size_t>(columns_.of_entity[entity]);
  return static_cast<double>(fit_.samples[column]) >= kLeastPmSamples &&
         fit_.launches[column] >= kLaunchesOfLittle;
}

ContinuousValue PmAttribution::OfEntityAlone(size_t entity, size_t m) const {
  const PmEntity& e = work_.entities[entity];
  ContinuousValue value;
  value.seconds = e.time_ns * 1e-9;
  if (!columns_.own[entity] || windows_.empty() || !IsEnough(entity)) {
    value.missing = TooLittle(e.time_ns);
    return value;
  }
  const auto column = static_cast<size_t>(columns_.of_entity[entity]);
  if (fit_.launches[column] < std::min(kLeastLaunches, e.launches)) {
    value.missing = "only " + text::Count(fit_.launches[column]) + " of its " +
                    text::Count(e.launches) + " launches were sampled: that takes " +
                    text::Count(kLeastLaunches);
    return value;
  }
  return OfColumn(column, m);
}

ContinuousValue PmAttribution::OrTogether(size_t entity, size_t m, ContinuousValue alone) const {
  const auto column = static_cast<size_t>(columns_.of_entity[entity]);
  if (!columns_.own[entity] || column >= together_.size()) return alone;
  const PmTogether& together = together_[column];
  const PmEntity& e = work_.entities[entity];
  const bool is_enough = static_cast<double>(together.samples) >= kLeastPmSamples &&
                         together.launches >= std::min(kLeastLaunches, e.launches);
  if (!is_enough || together.beside == model::kNoIndex) return alone;
  const auto metric = static_cast<Index>(m);
  const double edges = std::min(1.0, 2 * kEdgeNs / std::max(1.0, e.mean_ns));
  ContinuousValue value;
  value.error = together.errors(metric) + kNormal * kEdge * edges * together.means(metric) +
                series_.scales[rows_.metrics[m]] / 2;
  if (!(value.error <= most_errors_[m]) || (alone.value && alone.error <= value.error)) {
    return alone;
  }
  value.value = together.means(metric);
  value.seconds = together.seconds;
  value.samples = together.samples;
  value.launches = together.launches;
  value.beside = columns_.names[static_cast<size_t>(together.beside)];
  return value;
}

size_t PmAttribution::Neighbour(size_t column) const {
  return static_cast<size_t>(solver_->Nearest(static_cast<Index>(column)));
}

bool PmAttribution::IsBesideItself(size_t column) const {
  if (column >= columns_.contrasts.size() || columns_.contrasts[column].parts == model::kNoIndex) {
    return false;
  }
  const auto at = static_cast<Index>(column);
  const size_t neighbour = Neighbour(column);
  const double of_other =
      neighbour == column ? 0 : solver_->Partial(at, static_cast<Index>(neighbour));
  const PmContrasts& own = columns_.contrasts[column];
  std::vector<int32_t> contrasts = {own.skew};
  for (int32_t i = 0; i < PmContrasts::kParts; ++i) contrasts.push_back(own.parts + i);
  return std::any_of(contrasts.begin(), contrasts.end(), [&](int32_t contrast) {
    return contrast != model::kNoIndex && solver_->Partial(at, contrast) > kByFar * of_other;
  });
}

std::map<uint32_t, ContinuousValues> PmAttribution::OfPaths() const {
  struct Path {
    double time_ns = 0, kept_ns = 0;
    std::map<int32_t, double> columns;  // with the time in them
    int64_t samples = 0;
  };
  std::map<uint32_t, Path> paths;
  for (size_t i = 0; i < work_.entities.size(); ++i) {
    const PmEntity& e = work_.entities[i];
    const int32_t column = columns_.of_entity[i];
    Path& path = paths[e.path];
    path.time_ns += e.time_ns;
    if (windows_.empty() || !columns_.of_one_path[static_cast<size_t>(column)]) continue;
    path.kept_ns += e.time_ns;
    path.columns[column] += e.time_ns;
    path.samples = std::max(path.samples, fit_.samples[static_cast<size_t>(column)]);
  }
  std::map<uint32_t, ContinuousValues> result;
  for (const auto& [id, path] : paths) {
    PmWeights weights;
    for (const auto& [column, ns] : path.columns) weights.emplace_back(column, ns / path.kept_ns);
    for (size_t m = 0; m < rows_.metrics.size(); ++m) {
      ContinuousValue& value = result[id][Name(m)];
      value.seconds = path.time_ns * 1e-9;
      value.samples = path.samples;
      if (path.kept_ns <= 0 || path.kept_ns < kOfPath * path.time_ns) {
        value.missing = TooLittle(path.time_ns);
      } else {
        Estimate(weights, m, &value);
      }
    }
  }
  return result;
}

ContinuousValues PmAttribution::Idle() const {
  ContinuousValues values;
  for (size_t m = 0; m < rows_.metrics.size() && !windows_.empty(); ++m) {
    values[Name(m)] = OfColumn(problem_.idle_column(), m);
  }
  return values;
}

void PmAttribution::Describe(ContinuousReport* report) const {
  report->clock_known = clock_.known;
  report->clock_from_other = clock_.known && !clock_shows_;
  report->clock_offset_ns = clock_.offset_ns;
  report->clock_error_ns = clock_.error_ns;
  report->clock_stable = clock_.stable;
  if (clock_.compared && clock_shows_) {
    report->clock_first_ns = clock_.first_ns;
    report->clock_last_ns = clock_.last_ns;
  }
  report->concurrent_share = rows_.concurrent_share;
  report->concurrent_used = rows_.shared;
  std::vector<std::string>& notes = report->notes;
  if (windows_.empty()) {
    notes.emplace_back("No operation ran while samples were taken: nothing to attribute.");
    return;
  }
  if (!clock_.known) {
    notes.push_back(
        "How the clocks of samples and operations differ does not show in these "
        "samples: the usual " +
        text::Fixed(clock_.offset_ns * 1e-3, 1) + " us is used, with " +
        text::Fixed(clock_.error_ns * 1e-3, 1) + " us either way.");
  }
  if (report->clock_from_other) {
    notes.emplace_back(
        "How the clocks of samples and operations differ does not show in these samples: the "
        "difference in other samples of this GPU is used.");
  }
  if (!clock_.stable && clock_shows_) {
    notes.push_back("The clocks moved against each other: the samples' is ahead by " +
                    text::Fixed(clock_.first_ns * 1e-3, 1) + " us in the first third and by " +
                    text::Fixed(clock_.last_ns * 1e-3, 1) +
                    " us in the last one. Error bounds include that.");
  }
  const std::string share = text::Fixed(100 * rows_.concurrent_share, 1) + " %";
  if (rows_.shared) {
    notes.push_back("In " + share +
                    " of the samples with work several operations ran at a time, "
                    "too many to leave out: there each is taken to add its own rate.");
  } else if (rows_.concurrent_share > 0) {
    notes.push_back(share +
                    " of the samples with work are left out of the values of kernels "
                    "and ranges, because several operations ran at a time.");
  }
}

double PmAttribution::FullScale(size_t m) const {
  if (text::IsPercentMetric(series_.metrics[m])) return 100;
  const format::TriageRateMetric* const rate = format::FindTriageRate(series_.metrics[m]);
  if (rate != nullptr) return rate->most;
  double most = 0;
  for (size_t i = 0; i < series_.rows(); ++i) {
    if (rows_.use[i] != RowUse::kSkip) most = std::max(most, double{series_.row(i)[m]});
  }
  return most;
}

std::string PmAttribution::TooLittle(double time_ns) const {
  if (time_ns <= 0) return "no sample that can be used was taken while it ran";
  if (time_ns >= kLeastPmSamples * rows_.sample_ns) {
    return "too much else ran: values are of the " + text::Count(kMostColumns) +
           " kernels with most time";
  }
  return "only " + text::Time(time_ns) + " of it were sampled: that takes " +
         text::Time(kLeastPmSamples * rows_.sample_ns) + ", " + text::Fixed(kLeastPmSamples, 0) +
         " samples' worth, or as many samples of " + text::Count(kLaunchesOfLittle) + " launches";
}

void PmAttribution::Estimate(const PmWeights& weights, size_t m, ContinuousValue* value) const {
  value->error = fit_.Error(weights, m) + Misfit(weights, m) + series_.scales[rows_.metrics[m]] / 2;
  if (!(value->error <= most_errors_[m])) {
    value->missing = "the samples do not determine it: its error bound would be +-" +
                     text::Fixed(value->error, 1) +
                     (text::IsPercentMetric(Name(m)) ? " points" : "");
    value->error = 0;
    return;
  }
  value->value = fit_.Value(weights, m);
}

ContinuousValue PmAttribution::OfColumn(size_t column, size_t m) const {
  ContinuousValue value;
  value.seconds = fit_.seconds[column];
  value.samples = fit_.samples[column];
  value.direct = fit_.direct[column];
  value.launches = fit_.launches[column];
  const auto at = static_cast<Index>(column);
  const double inflation = solver_->Inflation(at);
  const bool is_itself = Neighbour(column) == column || IsBesideItself(column);
  const std::string beside =
      is_itself ? "its parts were sampled in nearly the same proportion, and not all of them"
                : "it cannot be separated from " + columns_.names[Neighbour(column)] +
                      ": in every sample they run in nearly the same proportion";
  // How much a part that was not sampled may differ is in the bound. With samples of more launches,
  // and as long as some of them, bursts meet all parts, and what they do not tell apart is
  // something else.
  const bool is_rare =
      IsBesideItself(column) &&
      (fit_.launches[column] < kLaunchesOfLittle ||
       fit_.seconds[column] * 1e9 < kLaunchesOfLittle * columns_.contrasts[column].mean_ns);
  if (!(inflation <= kMostInflation) && !is_rare) {
    value.missing = beside;
    return value;
  }
  Estimate({{at, 1.0}}, m, &value);
  if (!value.value && inflation > kBesideIt) value.missing += "; " + beside;
  return value;
}

}  // namespace prof::analyzer
