// SPDX-License-Identifier: Apache-2.0
#include "python/src/rows.h"

#include "lib/export/base/labels.h"

namespace prof::python {
namespace {

void SetCall(const Events& events, const OperationEvent& op, LaunchRow* row) {
  if (op.call < 0) return;
  const CallEvent call = events.calls()[static_cast<size_t>(op.call)];
  row->call_start_ns = call.start_ns;
  row->call_duration_ns = call.end_ns - call.start_ns;
  row->thread = events.threads()[call.thread].tid;
}

}  // namespace

RowsOf<LaunchRow> LaunchesOf(const std::shared_ptr<Recording>& recording) {
  return {recording, recording->events().operations().size()};
}

RowsOf<SampleRow> SamplesOf(const std::shared_ptr<Recording>& recording) {
  return {recording, recording->events().counters().size()};
}

LaunchRow RowAt(const RowsOf<LaunchRow>& rows, size_t index) {
  const Events& events = rows.recording->events();
  const OperationEvent op = events.operations()[index];
  LaunchRow row;
  row.kind = ToString(op.kind);
  row.name = exporting::OperationName(events, op);
  row.range = events.paths()[op.path].full;
  row.device = op.device;
  row.context = op.context;
  row.stream = op.stream;
  row.correlation = op.correlation;
  row.sampled = op.sampled;
  if (op.timed) {
    row.start_ns = op.start_ns;
    row.duration_ns = op.end_ns - op.start_ns;
  }
  SetCall(events, op, &row);
  if (op.graph != 0) row.graph = op.graph;
  if (op.kind == OperationKind::kKernel) {
    row.grid = events.shapes()[op.shape].grid;
    row.block = events.shapes()[op.shape].block;
  }
  if (op.kind == OperationKind::kCopy || op.kind == OperationKind::kMemset) {
    row.bytes = op.bytes;
    row.destination = ToString(op.destination);
  }
  if (op.kind == OperationKind::kCopy) {
    row.copy = ToString(op.copy);
    row.source = ToString(op.source);
  }
  return row;
}

SampleRow RowAt(const RowsOf<SampleRow>& rows, size_t index) {
  const Events& events = rows.recording->events();
  const CounterEvent sample = events.counters()[index];
  SampleRow row;
  row.unit = ToString(sample.unit);
  row.level = sample.level;
  row.range = events.paths()[sample.path].full;
  row.correlation = sample.correlation;
  row.start_ns = sample.start_ns;
  row.duration_ns = sample.end_ns - sample.start_ns;
  if (sample.operation >= 0) {
    const OperationEvent op = events.operations()[static_cast<size_t>(sample.operation)];
    row.kernel = exporting::OperationName(events, op);
    row.device = op.device;
  }
  for (size_t i = 0; i < sample.values->size(); ++i) {
    row.values.emplace_back((*sample.metrics)[i], (*sample.values)[i]);
  }
  return row;
}

}  // namespace prof::python
