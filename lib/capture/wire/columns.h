// SPDX-License-Identifier: Apache-2.0
//
// The event columns of one block while it grows: plain vectors, one struct per message of
// snapshot.proto, with the delta state that the format asks for.
#ifndef PROF_LIB_CAPTURE_WIRE_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/capture/events/events.h"
#include "lib/capture/wire/guessed_columns.h"
#include "lib/capture/wire/pm_columns.h"

namespace prof::capture {

// 0 where the end is not after the start.
inline uint64_t DurationOf(int64_t start_ns, int64_t end_ns) {
  return end_ns > start_ns ? static_cast<uint64_t>(end_ns - start_ns) : 0;
}

// A column of differences to the row before. The first row's reference is `base`.
class DeltaColumn {
 public:
  void Add(int64_t value) {
    if (values_.empty() && !has_base_) {
      base_ = value;
      last_ = value;
      has_base_ = true;
    }
    values_.push_back(value - last_);
    last_ = value;
  }
  int64_t base() const { return base_; }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
  int64_t base_ = 0;
  int64_t last_ = 0;
  bool has_base_ = false;
};

// Ids: differences, the first one to 0.
class CorrelationColumn {
 public:
  void Add(uint32_t value) {
    values_.push_back(static_cast<int64_t>(value) - last_);
    last_ = value;
  }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
  int64_t last_ = 0;
};

// Addresses and sizes: differences modulo 2^64, the first one to 0.
class WrappingColumn {
 public:
  void Add(uint64_t value) {
    values_.push_back(static_cast<int64_t>(value - last_));
    last_ = value;
  }
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
  uint64_t last_ = 0;
};

struct GraphRows {
  std::vector<uint32_t> row, graph;
  std::vector<uint64_t> node;

  // Row `at` is `event`, which a graph may have launched.
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
  std::vector<uint32_t> error_row, error_code;

  void Clear() {
    name.Clear();
    thread.Clear();
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

  void Clear() {
    thread.Clear();
    path.Clear();
    time.Clear();
  }
};

struct SpanColumns {
  std::vector<uint32_t> path, start_thread, end_thread;
  DeltaColumn start;
  std::vector<uint64_t> duration;
};

struct MarkColumns {
  std::vector<uint32_t> path, thread;
  DeltaColumn time;
};

struct PayloadColumns {
  std::vector<uint32_t> thread, path;
  DeltaColumn time;
  std::vector<int32_t> type;
  std::vector<uint64_t> bits;
};

struct PoolStateColumns {
  std::vector<int32_t> type;
  WrappingColumn address, reserved, used, threshold;
};

struct AllocationColumns {
  std::vector<int32_t> operation, memory;
  std::vector<uint64_t> bytes;
  WrappingColumn address;
  std::vector<uint32_t> lane;
  DeltaColumn time;
  CorrelationColumn correlation;
  std::vector<uint32_t> pool_row;
  PoolStateColumns pool;
};

struct PoolColumns {
  std::vector<int32_t> operation;
  std::vector<uint32_t> device;
  PoolStateColumns state;
  std::vector<uint32_t> managed;
  std::vector<uint64_t> keep_bytes;
  DeltaColumn time;
  CorrelationColumn correlation;
};

struct UnifiedMemoryColumns {
  std::vector<int32_t> kind;
  std::vector<uint64_t> value;
  std::vector<uint32_t> source, destination, cause;
  DeltaColumn start;
  std::vector<uint64_t> duration;
};

// A table, not events: its rows are not of a time.
struct GraphNodeColumns {
  CorrelationColumn path;
  std::vector<int64_t> node_delta;
  uint64_t last_node = 0;

  void Add(const GraphNodeEvent& event) {
    node_delta.push_back(static_cast<int64_t>(event.node - last_node));
    last_node = event.node;
    path.Add(event.path);
  }
};

// New table entries (serialized), and the columns of what comes less often than launches, calls and
// ranges.
struct RareColumns {
  std::string entries;        // table entries and notices: serialized fields of Block
  std::string timed_entries;  // the same of what belongs to a time: samples, intervals, clocks
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
  AllocationColumns allocations;
  PoolColumns pool_operations;
  UnifiedMemoryColumns unified_memory;
  std::vector<PmColumns> pm_samples;  // one for each series with samples
};

// The block under construction.
struct BlockColumns : RareColumns {
  KernelColumns kernels;
  ApiColumns api_calls;
  RangeColumns ranges;

  // Begins the next block. What every launch adds to keeps its memory: to take that from the system
  // for each block was a fifth of all decoding.
  void Clear() {
    static_cast<RareColumns&>(*this) = RareColumns();
    kernels.Clear();
    api_calls.Clear();
    ranges.Clear();
  }
  size_t rows() const {
    size_t pm_rows = 0;
    for (const PmColumns& pm : pm_samples) pm_rows += pm.rows() * (1 + pm.values.size() / 3);
    return kernels.interval.rows() + copies.kind.size() + memsets.bytes.size() +
           graph_runs.graph.size() + syncs.kind.size() + api_calls.interval.rows() +
           overheads.kind.size() + ranges.time.rows() + spans.path.size() + marks.path.size() +
           payloads.path.size() + allocations.bytes.size() + pool_operations.operation.size() +
           unified_memory.kind.size() +
           pm_rows;  // a PM row of many metrics takes as much as several
  }
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_COLUMNS_H_
