// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "lib/analyzer/continuous/pm_sweep.h"
#include "lib/analyzer/timeline/copies.h"

namespace prof::analyzer {
namespace {

using model::Op;
using model::OpKind;

// Of a row's time; less is the rounding of back-to-back operations.
constexpr double kConcurrent = 0.01;
// Of the work's time that would get no value without the concurrent rows.
constexpr double kTooFewAlone = 0.10;

// How much time of chosen rows lies before any moment.
class Coverage {
 public:
  template <typename Takes>
  Coverage(const model::PmSeries& series, const std::vector<RowUse>& use, Takes takes)
      : series_(series), before_ns_(series.rows() + 1), takes_(series.rows()) {
    for (size_t i = 0; i < series.rows(); ++i) {
      takes_[i] = takes(use[i]);
      before_ns_[i + 1] =
          before_ns_[i] +
          (takes_[i] ? static_cast<double>(series.end_ns[i] - series.begin_ns[i]) : 0);
    }
  }
  double Before(int64_t time_ns) const {
    const auto after = std::upper_bound(series_.begin_ns.begin(), series_.begin_ns.end(), time_ns);
    if (after == series_.begin_ns.begin()) return 0;
    const auto row = static_cast<size_t>(after - series_.begin_ns.begin()) - 1;
    if (!takes_[row]) return before_ns_[row];
    return before_ns_[row] +
           static_cast<double>(std::min(time_ns, series_.end_ns[row]) - series_.begin_ns[row]);
  }

 private:
  const model::PmSeries& series_;
  std::vector<double> before_ns_;
  std::vector<bool> takes_;
};

std::vector<size_t> GivenMetrics(const model::PmSeries& series) {
  std::vector<size_t> given;
  for (size_t m = 0; m < series.metrics.size() && given.size() < kMostPmMetrics; ++m) {
    size_t missing = 0;
    for (size_t i = 0; i < series.rows(); ++i) missing += std::isnan(series.row(i)[m]) ? 1 : 0;
    if (2 * missing < series.rows()) given.push_back(m);
  }
  return given;
}

}  // namespace

PmWork GatherPmWork(const model::Model& model, uint32_t device, const RangeFamilies& families,
                    const KernelGroups& groups) {
  PmWork work;
  std::map<int32_t, int32_t> of_group;
  std::map<std::tuple<OpKind, model::CopyKind, uint32_t>, int32_t> of_others;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op& op = model.ops[i];
    if (!op.timed) break;  // they are last
    if (op.device != device || op.end_ns <= op.start_ns) continue;
    const int32_t group = groups.group_of_op[i];
    const uint32_t path = families.of_path[op.path];
    const auto fresh = static_cast<int32_t>(work.entities.size());
    const int32_t entity =
        group != model::kNoIndex
            ? of_group.try_emplace(group, fresh).first->second
            : of_others.try_emplace({op.kind, op.copy, path}, fresh).first->second;
    if (entity == fresh) {
      PmEntity& added = work.entities.emplace_back();
      added.path = path;
      added.group = group;
      added.name = group != model::kNoIndex     ? groups.groups[group].launches.name
                   : op.kind == OpKind::kMemset ? "memset"
                                                : "copy, " + DirectionName(op.copy);
    }
    work.intervals.push_back({op.start_ns, op.end_ns, entity});
    work.longest_ns = std::max(work.longest_ns, op.end_ns - op.start_ns);
  }
  return work;
}

PmRows ClassifyPmRows(const model::PmSeries& series, PmWork* work) {
  PmRows rows;
  rows.use.assign(series.rows(), RowUse::kSkip);
  rows.metrics = GivenMetrics(series);
  if (rows.metrics.empty()) return rows;

  double length_ns = 0, samples = 0, busy = 0, concurrent = 0;
  const std::vector<int32_t> one_column(work->entities.size(), 0);
  const std::vector<int32_t> no_skews;
  PmSweep sweep(*work, series, one_column, no_skews, 1, 0);
  sweep.Run(0, series.rows(), [&](const PmRow& row) {
    for (const size_t m : rows.metrics) {
      if (std::isnan(series.row(row.row)[m])) return;
    }
    length_ns += row.length_ns;
    samples += series.samples[row.row];
    RowUse& use = rows.use[row.row];
    use = row.concurrent_ns > kConcurrent * row.length_ns ? RowUse::kConcurrent
          : row.columns.empty()                           ? RowUse::kIdle
                                                          : RowUse::kBusy;
    busy += use == RowUse::kIdle ? 0 : 1;
    concurrent += use == RowUse::kConcurrent ? 1 : 0;
  });
  if (samples > 0) rows.sample_ns = length_ns / samples;
  if (busy > 0) rows.concurrent_share = concurrent / busy;

  const Coverage all(series, rows.use, [](RowUse use) { return use != RowUse::kSkip; });
  const Coverage alone(series, rows.use,
                       [](RowUse use) { return use == RowUse::kIdle || use == RowUse::kBusy; });
  for (const PmInterval& interval : work->intervals) {
    PmEntity& entity = work->entities[static_cast<size_t>(interval.entity)];
    entity.time_ns += all.Before(interval.end_ns) - all.Before(interval.start_ns);
    entity.time_alone_ns += alone.Before(interval.end_ns) - alone.Before(interval.start_ns);
  }
  const double least_ns = kLeastPmSamples * rows.sample_ns;
  double could_ns = 0, lost_ns = 0;
  for (const PmEntity& entity : work->entities) {
    if (entity.time_ns < least_ns) continue;
    could_ns += entity.time_ns;
    if (entity.time_alone_ns < least_ns) lost_ns += entity.time_ns;
  }
  rows.shared = concurrent > 0 && lost_ns > kTooFewAlone * could_ns;
  for (RowUse& use : rows.use) {
    if (use == RowUse::kConcurrent && rows.shared) use = RowUse::kBusy;
  }
  if (!rows.shared) {
    for (PmEntity& entity : work->entities) entity.time_ns = entity.time_alone_ns;
  }
  return rows;
}

}  // namespace prof::analyzer
