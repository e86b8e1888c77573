// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/checkpoint.h"

#include <utility>

#include "lib/snapshot/decode/ranges.h"

namespace prof::snapshot {
namespace {

// Calls `visit` with each table to which a block only adds rows.
template <typename Visit>
void ForEachTable(DecodeState* state, Visit visit) {
  model::Model& model = *state->model;
  const auto visit_all = [&](auto&... tables) { (visit(tables), ...); };
  visit_all(model.strings, model.paths, model.shapes, model.threads, model.groups);
  visit_all(model.host_frames, model.host_stacks, model.host_samples);
  visit_all(model.ops, model.launch_counts, model.api_calls, model.syncs, model.overheads);
  visit_all(model.spans, model.marks, model.payloads, model.graph_nodes, model.range_numbers);
  visit_all(model.samples, model.profiler_intervals, model.pauses, model.notices, model.pm_series);
  visit_all(model.category_names, model.stream_names, model.streams);
  visit_all(model.allocations, model.pool_states, model.unified_memory, model.gpu_states);
  visit_all(model.torch.shapes);
  visit_all(model.tensors.changes, model.tensors.refused, model.tensors.uses);
  visit_all(state->lanes, state->path_depths, state->thread_names);
}

void ResizePm(size_t rows, model::PmSeries* series) {
  series->begin_ns.resize(rows);
  series->end_ns.resize(rows);
  series->samples.resize(rows);
  series->values.resize(rows * series->metrics.size());
}

}  // namespace

Checkpoint::Checkpoint(DecodeState* state, bool pm_samples)
    : state_(state), devices_(state->model->devices.size()), spent_(state->spent) {
  ForEachTable(state_, [&](const auto& table) { sizes_.push_back(table.size()); });
  if (pm_samples) {
    for (const model::PmSeries& series : state_->model->pm_series) {
      pm_rows_.push_back(series.rows());
    }
  }
  state_->steps_before.clear();
  state_->devices_before.clear();
}

void Checkpoint::Restore() {
  size_t table_number = 0;
  ForEachTable(state_, [&](auto& table) { table.resize(sizes_[table_number++]); });
  for (size_t i = 0; i < pm_rows_.size(); ++i) {
    ResizePm(pm_rows_[i], &state_->model->pm_series[i]);
  }
  TakeStepsBack(state_);
  state_->model->steps.resize(state_->model->threads.size());
  std::vector<model::Device>& devices = state_->model->devices;
  for (; !state_->devices_before.empty(); state_->devices_before.pop_back()) {
    DeviceBefore& before = state_->devices_before.back();
    devices[before.index] = std::move(before.device);
  }
  devices.resize(devices_);
  state_->spent = spent_;
}

}  // namespace prof::snapshot
