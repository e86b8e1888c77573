// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/pm_attribution.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/analyzer/continuous.h"
#include "lib/analyzer/units.h"

namespace prof::analyzer {
namespace {

using Eigen::Index;

constexpr size_t kMostColumns = 512;
constexpr size_t kFitWindows = 64;
constexpr double kFitBudget = 2e10;      // multiplications: some tens of seconds at the very most
constexpr double kMostError = 0.10;      // of the metric's full scale: worse is no answer
constexpr double kMostInflation = 1000;  // of a rate's variance by what runs beside it
constexpr double kBesideIt = 10;         // from here on it is named as the reason
// Of a sample's length that one operation takes. Below it, and with others beside it, a rate is
// what the others' leave over: where they vary it is wrong by more than its error says (a kernel of
// 35 us in samples of 350 us by 21 points, of 180 us by 3; H200).
constexpr double kShortOperation = 0.125;
constexpr double kOfPath = 0.90;  // of a range's time must be in columns of its own

std::string In(const RangeFamilies& families, uint32_t path) {
  return path == 0 ? "" : " in " + families.label[path];
}

}  // namespace

int32_t FitColumns::Add(std::string name, bool one_path) {
  names.push_back(std::move(name));
  of_one_path.push_back(one_path);
  return static_cast<int32_t>(names.size()) - 1;
}

FitColumns::FitColumns(const PmWork& work, const PmRows& rows, const RangeFamilies& families)
    : of_entity(work.entities.size(), model::kNoIndex), own(work.entities.size()) {
  const double least_ns = kLeastPmSamples * rows.sample_ns;
  std::vector<size_t> by_time(work.entities.size());
  for (size_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
  std::stable_sort(by_time.begin(), by_time.end(), [&](size_t a, size_t b) {
    return work.entities[a].time_ns > work.entities[b].time_ns;
  });
  std::map<uint32_t, double> rest_of_path;
  for (const size_t entity : by_time) {
    const PmEntity& e = work.entities[entity];
    if (e.time_ns >= least_ns && names.size() < kMostColumns) {
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
}

PmAttribution::PmAttribution(const model::Model& model, const model::PmSeries& series,
                             const RangeFamilies& families, const KernelGroups& groups)
    : series_(series),
      work_(GatherPmWork(model, series.device, families, groups)),
      rows_(ClassifyPmRows(series, &work_)),
      columns_(work_, rows_, families),
      problem_{series_, work_, rows_, columns_.of_entity, columns_.names.size()} {
  windows_ = SpreadWindows(rows_, 0, 1, kFitWindows, rows_.use.size());
  if (windows_.empty()) return;
  for (const size_t m : rows_.metrics) high_.push_back(FullScale(m));
  clock_ = FindPmClock(problem_);
  const auto offset_ns = static_cast<int64_t>(std::llround(clock_.offset_ns));
  sums_ = SumRows(problem_, windows_, offset_ns, kFitBudget);
  solver_.emplace(sums_);
  std::vector<double> bounds;
  for (size_t m = 0; m < high_.size(); ++m) {
    bounds.push_back(IsPercentMetric(series_.metrics[rows_.metrics[m]]) ? 100 : HUGE_VAL);
  }
  fit_ = FitRates(problem_, *solver_, windows_, offset_ns, kFitBudget, bounds);
  fit_.later = clock_.later;
  fit_.earlier = clock_.earlier;
}

ContinuousValues PmAttribution::OfEntity(size_t entity) const {
  const PmEntity& e = work_.entities[entity];
  ContinuousValues values;
  for (const std::string& metric : series_.metrics) {
    ContinuousValue& value = values[metric];
    value.seconds = e.time_ns * 1e-9;
    value.missing = "CUPTI gave no values of this metric";
  }
  for (size_t m = 0; m < rows_.metrics.size(); ++m) {
    ContinuousValue& value = values[Name(m)];
    if (!columns_.own[entity] || windows_.empty()) {
      value.missing = TooLittle(e.time_ns);
      continue;
    }
    const auto column = static_cast<size_t>(columns_.of_entity[entity]);
    value = OfColumn(column, m);
    if (value.value && TooShort(e, column)) {
      value.value.reset();
      value.error = 0;
      value.missing = "one takes " + FormatNs(e.mean_ns) + ", too short to be told from " +
                      Neighbour(column) + " in samples of " + FormatNs(rows_.sample_ns) +
                      ": sample more often (--continuous, --continuous-core)";
    }
  }
  return values;
}

// Beside idle time alone, whose rate does not vary, an operation may be as short as it likes.
bool PmAttribution::TooShort(const PmEntity& entity, size_t column) const {
  const auto at = static_cast<Index>(column);
  return entity.mean_ns < kShortOperation * rows_.sample_ns && solver_->Inflation(at) > kBesideIt &&
         solver_->Nearest(at) != static_cast<Index>(problem_.idle_column());
}

const std::string& PmAttribution::Neighbour(size_t column) const {
  return columns_.names[static_cast<size_t>(solver_->Nearest(static_cast<Index>(column)))];
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
  report->clock_offset_ns = clock_.offset_ns;
  report->clock_error_ns = clock_.error_ns;
  report->clock_stable = clock_.stable;
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
        "samples: " +
        FormatNs(clock_.error_ns) + " either way is assumed.");
  }
  if (!clock_.stable) {
    notes.push_back("The clocks moved against each other: the samples' is ahead by " +
                    FormatFixed(clock_.first_ns * 1e-3, 1) + " us in the first third and by " +
                    FormatFixed(clock_.last_ns * 1e-3, 1) +
                    " us in the last one. Error bounds include that.");
  }
  const std::string share = FormatFixed(100 * rows_.concurrent_share, 1) + " %";
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
  if (IsPercentMetric(series_.metrics[m])) return 100;
  double most = 0;
  for (size_t i = 0; i < series_.rows(); ++i) {
    if (rows_.use[i] != RowUse::kSkip) most = std::max(most, double{series_.row(i)[m]});
  }
  return most;
}

std::string PmAttribution::TooLittle(double time_ns) const {
  if (time_ns <= 0) return "no sample that can be used was taken while it ran";
  if (time_ns >= kLeastPmSamples * rows_.sample_ns) {
    return "too much else ran: values are of the " + FormatCount(kMostColumns) +
           " kernels with most time";
  }
  return "only " + FormatNs(time_ns) + " of it were sampled: that takes " +
         FormatNs(kLeastPmSamples * rows_.sample_ns) + ", " + FormatFixed(kLeastPmSamples, 0) +
         " samples' worth";
}

void PmAttribution::Estimate(const PmWeights& weights, size_t m, ContinuousValue* value) const {
  value->error = fit_.Error(weights, m) + series_.scales[rows_.metrics[m]] / 2;
  if (!(value->error <= kMostError * high_[m])) {
    value->missing = "the samples do not tell: its error bound would be +-" +
                     FormatFixed(value->error, 1) + (IsPercentMetric(Name(m)) ? " points" : "");
    value->error = 0;
    return;
  }
  value->value = fit_.Value(weights, m);
}

ContinuousValue PmAttribution::OfColumn(size_t column, size_t m) const {
  ContinuousValue value;
  value.seconds = fit_.seconds[column];
  value.samples = fit_.samples[column];
  const auto at = static_cast<Index>(column);
  const double inflation = solver_->Inflation(at);
  const std::string beside = "it cannot be told apart from " + Neighbour(column) +
                             ": in every sample they run in nearly the same proportion";
  if (!(inflation <= kMostInflation)) {
    value.missing = beside;
    return value;
  }
  Estimate({{at, 1.0}}, m, &value);
  if (!value.value && inflation > kBesideIt) value.missing += "; " + beside;
  return value;
}

}  // namespace prof::analyzer
