// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/operations.h"

#include <vector>

#include "lib/format/enums.h"
#include "lib/snapshot/decode/checks.h"
#include "lib/snapshot/decode/guessed_columns.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

void SetLane(const Lane& lane, model::Op* op) {
  op->device = lane.device;
  op->context = lane.context;
  op->stream = lane.stream;
  op->channel = lane.channel;
  op->channel_type = lane.channel_type;
}

model::MemoryKind Memory(int value) { return format::FromNumber<model::MemoryKind>(value); }

// Adds the columns that all kinds of GPU operations have: lane, time, correlation.
template <typename Columns>
absl::Status AddOps(const char* events, const Columns& columns, const std::vector<Lane>& lanes,
                    model::OpKind kind, model::OpTable* ops) {
  const int rows = columns.lane_size();
  absl::Status status =
      SameLength(events, {{"lane", rows},
                          {"start_delta_ns", columns.start_delta_ns_size()},
                          {"duration_ns", columns.duration_ns_size()},
                          {"correlation_delta", columns.correlation_delta_size()}});
  if (!status.ok()) return status;
  Sum start(columns.base_ns()), correlation;
  for (int row = 0; row < rows; ++row) {
    const uint32_t lane = columns.lane(row);
    if (lane >= lanes.size()) return BadId(events, row, "lane", lane, lanes.size());
    model::Op op;
    op.kind = kind;
    SetLane(lanes[lane], &op);
    op.correlation = static_cast<uint32_t>(correlation.Add(columns.correlation_delta(row)));
    if (!SetInterval(start.Add(columns.start_delta_ns(row)), columns.duration_ns(row), &op)) {
      return BadTime(events, row);
    }
    ops->push_back(op);
  }
  return absl::OkStatus();
}

// The rows of `columns` are those of `ops` from `first` on.
template <typename Columns>
absl::Status SetGraphs(const char* events, const Columns& columns, int rows, size_t first,
                       model::OpTable* ops) {
  absl::Status status = SameLength(events, {{"graph_row", columns.graph_row_size()},
                                            {"graph_id", columns.graph_id_size()},
                                            {"graph_node_id", columns.graph_node_id_size()}});
  if (!status.ok()) return status;
  for (int i = 0; i < columns.graph_row_size(); ++i) {
    const uint32_t row = columns.graph_row(i);
    if (row >= static_cast<uint32_t>(rows)) return BadRow(events, row, rows);
    ops->Edit(first + row, [&](model::Op* op) {
      op->graph = columns.graph_id(i);
      op->graph_node = columns.graph_node_id(i);
    });
  }
  return absl::OkStatus();
}

// Columns of version 1 of the format.
absl::Status AddListedKernels(const wire::KernelColumns& columns, DecodeState* state) {
  model::Model& model = *state->model;
  const size_t first = model.ops.size();
  absl::Status status =
      AddOps("kernels", columns, state->lanes, model::OpKind::kKernel, &model.ops);
  const int rows = columns.lane_size();
  if (status.ok()) {
    status = SameLength("kernels", {{"lane", rows}, {"shape", columns.shape_size()}});
  }
  if (!status.ok()) return status;
  for (int row = 0; row < rows; ++row) {
    const uint32_t shape = columns.shape(row);
    if (shape >= model.shapes.size()) {
      return BadId("kernels", row, "shape", shape, model.shapes.size());
    }
    model.ops.Edit(first + row, [&](model::Op* op) { op->shape = shape; });
  }
  return absl::OkStatus();
}

// Columns of version 2.
absl::Status AddGuessedKernels(const wire::KernelColumns& columns, DecodeState* state) {
  model::Model& model = *state->model;
  const int rows = columns.start_guess_ns_size();
  absl::Status status = SameLength(
      "kernels",
      {{"start_guess_ns", rows}, {"duration_guess_ns", columns.duration_guess_ns_size()}});
  if (!status.ok()) return status;
  const std::vector<Lane>& lanes = state->lanes;
  IdReader shapes(columns.shape_guess()), lane_ids(columns.lane_guess());
  CorrelationReader correlations(columns.correlation_guess());
  IntervalReader intervals(columns.base_ns());
  for (int row = 0; row < rows; ++row) {
    const uint32_t shape = shapes.Next(), lane = lane_ids.Next();
    if (shape >= model.shapes.size()) {
      return BadId("kernels", row, "shape", shape, model.shapes.size());
    }
    if (lane >= lanes.size()) return BadId("kernels", row, "lane", lane, lanes.size());
    model::Op op;
    op.kind = model::OpKind::kKernel;
    SetLane(lanes[lane], &op);
    op.shape = shape;
    op.correlation = correlations.Next();
    if (!intervals.Next(shape, columns.start_guess_ns(row), columns.duration_guess_ns(row), &op)) {
      return BadTime("kernels", row);
    }
    model.ops.push_back(op);
  }
  status = shapes.Finish("kernels", "shape");
  if (status.ok()) status = lane_ids.Finish("kernels", "lane");
  return status.ok() ? correlations.Finish("kernels") : status;
}

}  // namespace

absl::Status AddKernels(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::KernelColumns& columns = block.kernels();
  const size_t first = model.ops.size();
  absl::Status status = columns.start_guess_ns().empty() ? AddListedKernels(columns, state)
                                                         : AddGuessedKernels(columns, state);
  if (!status.ok()) return status;
  const auto rows = static_cast<int>(model.ops.size() - first);
  for (const uint32_t row : columns.untimed_row()) {
    if (row >= static_cast<uint32_t>(rows)) return BadRow("kernels", row, rows);
    model.ops.Edit(first + row, [](model::Op* op) { op->timed = false; });
  }
  for (const uint32_t row : columns.untraced_row()) {
    if (row >= static_cast<uint32_t>(rows)) return BadRow("kernels", row, rows);
    model.ops.Edit(first + row, [](model::Op* op) {
      op->timed = false;
      op->untraced = true;
    });
  }
  return SetGraphs("kernels", columns, rows, first, &model.ops);
}

absl::Status AddCopies(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::CopyColumns& columns = block.copies();
  const size_t first = model.ops.size();
  absl::Status status = AddOps("copies", columns, state->lanes, model::OpKind::kCopy, &model.ops);
  const int rows = columns.lane_size();
  if (status.ok()) {
    status = SameLength("copies", {{"lane", rows},
                                   {"kind", columns.kind_size()},
                                   {"source", columns.source_size()},
                                   {"destination", columns.destination_size()},
                                   {"bytes", columns.bytes_size()},
                                   {"async", columns.async_size()}});
  }
  if (!status.ok()) return status;
  for (int row = 0; row < rows; ++row) {
    model.ops.Edit(first + row, [&](model::Op* op) {
      op->copy = format::FromNumber<model::CopyKind>(columns.kind(row));
      op->source = Memory(columns.source(row));
      op->destination = Memory(columns.destination(row));
      op->bytes = columns.bytes(row);
      op->async = columns.async(row);
    });
  }
  return SetGraphs("copies", columns, rows, first, &model.ops);
}

absl::Status AddMemsets(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::MemsetColumns& columns = block.memsets();
  const size_t first = model.ops.size();
  absl::Status status =
      AddOps("memsets", columns, state->lanes, model::OpKind::kMemset, &model.ops);
  const int rows = columns.lane_size();
  if (status.ok()) {
    status = SameLength(
        "memsets",
        {{"lane", rows}, {"bytes", columns.bytes_size()}, {"memory", columns.memory_size()}});
  }
  if (!status.ok()) return status;
  for (int row = 0; row < rows; ++row) {
    model.ops.Edit(first + row, [&](model::Op* op) {
      op->destination = Memory(columns.memory(row));
      op->bytes = columns.bytes(row);
    });
  }
  return SetGraphs("memsets", columns, rows, first, &model.ops);
}

absl::Status AddGraphRuns(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::GraphRunColumns& columns = block.graph_runs();
  const size_t first = model.ops.size();
  absl::Status status =
      AddOps("graph runs", columns, state->lanes, model::OpKind::kGraph, &model.ops);
  const int rows = columns.lane_size();
  if (status.ok()) {
    status = SameLength("graph runs", {{"lane", rows}, {"graph_id", columns.graph_id_size()}});
  }
  for (int row = 0; status.ok() && row < rows; ++row) {
    model.ops.Edit(first + row, [&](model::Op* op) { op->graph = columns.graph_id(row); });
  }
  return status;
}

absl::Status AddLaunchCounts(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (int row = 0; row < block.launch_counts_size(); ++row) {
    const wire::LaunchCount& wire = block.launch_counts(row);
    if (wire.shape() >= model.shapes.size()) {
      return BadId("launch counts", row, "shape", wire.shape(), model.shapes.size());
    }
    absl::Status status = Spend(sizeof(model::LaunchCount), state);
    if (!status.ok()) return status;
    model.launch_counts.push_back(
        {wire.device(), wire.shape(), wire.graph_id(), wire.launches(), wire.counted_ns()});
  }
  return absl::OkStatus();
}

}  // namespace prof::snapshot
