// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/continuous/pm_sweep.h"
#include "lib/analyzer/timeline/copies.h"
#include "lib/format/metric_names.h"
#include "lib/format/triage_metrics.h"

namespace prof::analyzer {
namespace {

using model::Op;
using model::OpKind;

// Share of a row's time. Less comes from the rounding of back-to-back operations.
constexpr double kConcurrent = 0.01;
// Share of the work's time that would get no value without the concurrent rows.
constexpr double kTooFewAlone = 0.10;

// The time of the rows that `takes` chooses.
template <typename Takes>
IntervalUnion TimeOf(const model::PmSeries& series, const std::vector<RowUse>& use, Takes takes) {
  Intervals rows;
  for (size_t i = 0; i < series.rows(); ++i) {
    if (takes(use[i])) rows.push_back({series.begin_ns[i], series.end_ns[i]});
  }
  return IntervalUnion(std::move(rows));
}

std::vector<size_t> GivenMetrics(const model::PmSeries& series) {
  std::vector<size_t> given;
  for (size_t m = 0; m < series.metrics.size() && given.size() < kMostPmMetrics; ++m) {
    if (series.metrics[m] == format::kSmClockMetric) continue;  // no work adds to it
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
    PmEntity& ran = work.entities[static_cast<size_t>(entity)];
    ++ran.launches;
    ran.mean_ns += (static_cast<double>(op.end_ns - op.start_ns) - ran.mean_ns) /
                   static_cast<double>(ran.launches);
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
  const std::vector<PmContrasts> no_contrasts;
  PmSweep sweep(*work, series, one_column, no_contrasts, 1, 0);
  const double longest_ns = static_cast<double>(format::kLongestPmRow * series.interval_ns);
  sweep.Run(0, series.rows(), [&](const PmRow& row) {
    if (longest_ns > 0 && row.length_ns > longest_ns * series.samples[row.row]) return;
    for (const size_t m : rows.metrics) {
      if (std::isnan(series.row(row.row)[m])) return;
    }
    length_ns += row.length_ns;
    samples += series.samples[row.row];
    RowUse& use = rows.use[row.row];
    use = row.concurrent_ns > kConcurrent * row.length_ns ? RowUse::kConcurrent
          : row.columns.empty()                           ? RowUse::kIdle
                                                          : RowUse::kAlone;
    busy += use == RowUse::kIdle ? 0 : 1;
    concurrent += use == RowUse::kConcurrent ? 1 : 0;
  });
  if (samples > 0) rows.sample_ns = length_ns / samples;
  if (busy > 0) rows.concurrent_share = concurrent / busy;

  const IntervalUnion all =
      TimeOf(series, rows.use, [](RowUse use) { return use != RowUse::kSkip; });
  const IntervalUnion alone = TimeOf(
      series, rows.use, [](RowUse use) { return use == RowUse::kIdle || use == RowUse::kAlone; });
  for (const PmInterval& interval : work->intervals) {
    PmEntity& entity = work->entities[static_cast<size_t>(interval.entity)];
    entity.time_ns += static_cast<double>(all.WithinNs({interval.start_ns, interval.end_ns}));
    entity.time_alone_ns +=
        static_cast<double>(alone.WithinNs({interval.start_ns, interval.end_ns}));
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
    if (use == RowUse::kConcurrent && rows.shared) use = RowUse::kAlone;
  }
  for (PmEntity& entity : work->entities) {
    entity.time_together_ns = entity.time_ns;
    if (!rows.shared) entity.time_ns = entity.time_alone_ns;
  }
  return rows;
}

}  // namespace prof::analyzer
