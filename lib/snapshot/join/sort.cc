// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/sort.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace prof::snapshot {
namespace {

using model::Model;

template <typename T, typename Less>
void SortUnlessSorted(std::vector<T>* values, Less less) {
  if (!std::is_sorted(values->begin(), values->end(), less)) {
    std::stable_sort(values->begin(), values->end(), less);
  }
}

// Sorts the rows of a PM series by begin.
void SortPm(model::PmSeries* series) {
  if (std::is_sorted(series->begin_ns.begin(), series->begin_ns.end())) return;
  std::vector<size_t> order(series->rows());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return series->begin_ns[a] < series->begin_ns[b]; });
  const model::PmSeries unsorted = *series;
  const size_t metrics = series->metrics.size();
  for (size_t i = 0; i < order.size(); ++i) {
    series->begin_ns[i] = unsorted.begin_ns[order[i]];
    series->end_ns[i] = unsorted.end_ns[order[i]];
    series->samples[i] = unsorted.samples[order[i]];
    std::copy_n(unsorted.row(order[i]), metrics, series->values.data() + i * metrics);
  }
}

// A pause is in the file as it began, and again with its end. Others that overlap are of a damaged
// file.
void SortPauses(std::vector<model::Pause>* pauses) {
  SortUnlessSorted(
      pauses, [](const model::Pause& a, const model::Pause& b) { return a.begin_ns < b.begin_ns; });
  std::vector<model::Pause> merged;
  for (const model::Pause& pause : *pauses) {
    if (!merged.empty() && pause.begin_ns <= merged.back().end_ns) {
      merged.back().end_ns = std::max(merged.back().end_ns, pause.end_ns);
    } else {
      merged.push_back(pause);
    }
  }
  *pauses = std::move(merged);
}

}  // namespace

void SortSteps(Model* model) {
  for (model::StepTable& steps : model->steps) {
    steps.Sort([](const model::RangeStep& a, const model::RangeStep& b) {
      return a.time_ns() < b.time_ns();
    });
  }
}

void SortOthers(Model* model) {
  SortUnlessSorted(&model->range_numbers,
                   [](const model::RangeNumber& a, const model::RangeNumber& b) {
                     return std::tie(a.thread, a.time_ns) < std::tie(b.thread, b.time_ns);
                   });
  model->ops.Sort();
  model->api_calls.Sort();
  const auto by_start = [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; };
  SortUnlessSorted(&model->syncs, by_start);
  SortUnlessSorted(&model->overheads, by_start);
  SortUnlessSorted(&model->unified_memory, by_start);
  const auto by_time = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  SortUnlessSorted(&model->allocations, by_time);
  SortUnlessSorted(&model->tensors.changes, by_time);
  SortUnlessSorted(&model->tensors.refused, by_time);
  SortUnlessSorted(&model->tensors.uses, by_time);
  SortUnlessSorted(&model->host_samples,
                   [](const model::HostSample& a, const model::HostSample& b) {
                     return std::tie(a.thread, a.time_ns) < std::tie(b.thread, b.time_ns);
                   });
  SortUnlessSorted(&model->pool_states, by_time);
  SortUnlessSorted(&model->gpu_states, by_time);
  SortUnlessSorted(&model->spans, by_start);
  SortUnlessSorted(&model->profiler_intervals,
                   [](const model::ProfilerInterval& a, const model::ProfilerInterval& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  SortPauses(&model->pauses);
  for (model::PmSeries& series : model->pm_series) SortPm(&series);
}

}  // namespace prof::snapshot
