// SPDX-License-Identifier: Apache-2.0
//
// Columns hold the events of one block while it grows: plain vectors, one struct for each message
// of snapshot.proto, with the delta state that the format needs.
#ifndef PROF_LIB_CAPTURE_WIRE_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/capture/events/events.h"
#include "lib/capture/wire/delta_columns.h"
#include "lib/capture/wire/gpu_state_columns.h"
#include "lib/capture/wire/guessed_columns.h"
#include "lib/capture/wire/memory_columns.h"
#include "lib/capture/wire/number_columns.h"
#include "lib/capture/wire/pm_columns.h"
#include "lib/capture/wire/shapes_columns.h"

namespace prof::capture {

struct GraphRows {
  std::vector<uint32_t> row, graph;
  std::vector<uint64_t> node;

  // Adds `event`, which is row `at`, if a graph launched it.
  template <typename Event>
  void Add(size_t at, const Event& event) {
    if (event.graph == 0) return;
    row.push_back(static_cast<uint32_t>(at));
    graph.push_back(event.graph);
    node.push_back(event.graph_node);
  }
  void Clear() {
    row.clear();
    graph.clear();
    node.clear();
  }
};

struct KernelColumns {
  IdColumn shape, lane;
  IntervalColumn interval;  // by shape
  CorrelationIdColumn correlation;
  GraphRows graphs;
  std::vector<uint32_t> untimed, untraced;

  void Clear() {
    shape.Clear();
    lane.Clear();
    interval.Clear();
    correlation.Clear();
    graphs.Clear();
    untimed.clear();
    untraced.clear();
  }
};

struct CopyColumns {
  std::vector<int32_t> kind, source, destination;
  std::vector<uint64_t> bytes;
  std::vector<uint32_t> lane;
  DeltaColumn start;
  std::vector<uint64_t> duration;
  CorrelationColumn correlation;
  std::vector<uint32_t> async;
  GraphRows graphs;
};

struct MemsetColumns {
  std::vector<uint64_t> bytes;
  std::vector<int32_t> memory;
  std::vector<uint32_t> lane;
  DeltaColumn start;
  std::vector<uint64_t> duration;
  CorrelationColumn correlation;
  GraphRows graphs;
};

struct GraphRunColumns {
  std::vector<uint32_t> graph, lane;
  DeltaColumn start;
  std::vector<uint64_t> duration;
  CorrelationColumn correlation;
};

struct SyncColumns {
  std::vector<int32_t> kind;
  std::vector<uint32_t> context, stream;
  DeltaColumn start;
  std::vector<uint64_t> duration;
  CorrelationColumn correlation;
};

struct ApiColumns {
  IdColumn name, thread;
  IntervalColumn interval;  // by name
  CorrelationIdColumn correlation;
  IdColumn stack;  // empty until a row has one: most programs have none
  bool any_stack = false;
  std::vector<uint32_t> error_row, error_code;

  // Of the row with this number, the last one.
  void AddStack(uint32_t row, uint32_t id) {
    if (id == 0 && !any_stack) return;
    for (uint32_t before = any_stack ? row : 0; before < row; ++before) stack.Add(0);
    any_stack = true;
    stack.Add(id);
  }

  void Clear() {
    any_stack = false;
    name.Clear();
    thread.Clear();
    stack.Clear();
    interval.Clear();
    correlation.Clear();
    error_row.clear();
    error_code.clear();
  }
};

struct OverheadColumns {
  std::vector<uint32_t> kind, thread;
  DeltaColumn start;
  std::vector<uint64_t> duration;
};

struct RangeColumns {
  IdColumn thread, path;
  IntervalColumn time;  // by path; no durations
  NumberColumns numbers;
  ShapesColumns shapes;

  void Clear() {
    thread.Clear();
    path.Clear();
    shapes.Clear();
    time.Clear();
    numbers.Clear();
  }
};

struct SpanColumns {
  std::vector<uint32_t> path, start_thread, end_thread;
  DeltaColumn start;
  std::vector<uint64_t> duration;
  NumberColumns numbers;
};

struct MarkColumns {
  std::vector<uint32_t> path, thread;
  DeltaColumn time;
  NumberColumns numbers;
};

struct PayloadColumns {
  std::vector<uint32_t> thread, path;
  DeltaColumn time;
  std::vector<int32_t> type;
  std::vector<uint64_t> bits;
  std::vector<uint32_t> field;  // up to the last value with a name
};

struct HostSampleColumns {
  std::vector<uint32_t> thread;
  DeltaColumn time;
  CorrelationColumn stack;
  std::vector<int32_t> kind, state;

  void Add(const HostSampleEvent& event, uint32_t thread_id, uint32_t stack_id) {
    thread.push_back(thread_id);
    time.Add(event.time_ns);
    stack.Add(stack_id);
    kind.push_back(static_cast<int32_t>(event.kind));
    state.push_back(static_cast<int32_t>(event.state));
  }
};

// A table, not events: its rows have no time.
struct GraphNodeColumns {
  CorrelationColumn path, stack, torch_op;
  std::vector<int64_t> node_delta;
  uint64_t last_node = 0;
  bool any_stack = false, any_torch_op = false;

  void Add(const GraphNodeEvent& event) {
    node_delta.push_back(static_cast<int64_t>(event.node - last_node));
    last_node = event.node;
    path.Add(event.path);
    stack.Add(event.stack);
    any_stack |= event.stack != 0;
    torch_op.Add(event.torch_op);
    any_torch_op |= event.torch_op != 0;
  }
};

// New table entries (serialized), and columns of events that are rarer than launches, calls and
// ranges.
struct RareColumns {
  std::string entries;        // table entries and notices: serialized fields of Block
  std::string timed_entries;  // samples, intervals and clocks, which have a time: serialized
  std::vector<std::string> new_strings;
  size_t new_string_bytes = 0;
  GraphNodeColumns graph_nodes;
  CopyColumns copies;
  MemsetColumns memsets;
  GraphRunColumns graph_runs;
  SyncColumns syncs;
  OverheadColumns overheads;
  SpanColumns spans;
  MarkColumns marks;
  PayloadColumns payloads;
  HostSampleColumns host_samples;
  AllocationColumns allocations;
  TensorColumns tensors;
  PoolColumns pool_operations;
  UnifiedMemoryColumns unified_memory;
  GpuStateColumns gpu_states;
  std::vector<PmColumns> pm_samples;  // one for each series with samples
};

// The block under construction.
struct BlockColumns : RareColumns {
  KernelColumns kernels;
  ApiColumns api_calls;
  RangeColumns ranges;

  // Begins the next block. Columns to which every launch adds keep their memory: to take it from
  // the system for each block was a fifth of all decoding.
  void Clear() {
    static_cast<RareColumns&>(*this) = RareColumns();
    kernels.Clear();
    api_calls.Clear();
    ranges.Clear();
  }
  size_t number_bytes() const {
    return ranges.numbers.bytes() + ranges.shapes.bytes() + spans.numbers.bytes() +
           marks.numbers.bytes();
  }
  size_t rows() const {
    size_t pm_rows = 0;
    for (const PmColumns& pm : pm_samples) pm_rows += pm.rows() * (1 + pm.values.size() / 3);
    return kernels.interval.rows() + copies.kind.size() + memsets.bytes.size() +
           graph_runs.graph.size() + syncs.kind.size() + api_calls.interval.rows() +
           overheads.kind.size() + ranges.time.rows() + spans.path.size() + marks.path.size() +
           payloads.path.size() + host_samples.thread.size() + allocations.bytes.size() +
           tensors.change.size() * 2 +  // about 11 bytes
           pool_operations.operation.size() + unified_memory.kind.size() + gpu_states.kind.size() +
           pm_rows;  // a PM row of many metrics takes as much as several
  }
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_COLUMNS_H_
