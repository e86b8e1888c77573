// SPDX-License-Identifier: Apache-2.0
//
// The records of a SnapshotBuilder before it encodes them. Only for the sources of the builder.
#ifndef PROF_TEST_SUPPORT_SNAPSHOT_RECORDS_H_
#define PROF_TEST_SUPPORT_SNAPSHOT_RECORDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/snapshot.pb.h"
#include "test/support/snapshot_builder.h"

namespace prof::test {

struct OpRow {
  model::Op op;
  uint32_t lane = 0;
};

struct MemoryRow {
  model::Allocation allocation;
  model::PoolState pool;  // when Allocation::pooled
  uint32_t lane = 0;
};

struct TensorRow {
  model::TensorChange change = model::TensorChange::kUnknown;
  uint64_t address = 0, bytes = 0;
  int64_t time_ns = 0;
  uint32_t device = 0, thread = 0, stack = 0;
};

struct RangeRow {
  uint32_t path = 0, thread = 0;
  int64_t start_ns = 0, end_ns = 0;
  uint32_t end_thread = 0;
};

struct StepRow {
  int64_t time_ns = 0;
  int rank = 0;  // orders steps at one time: ends, inner ones first; then starts, outer ones first
  uint32_t thread = 0, path = 0;
  uint32_t shapes = 0;  // string id
};

struct SequenceRow {
  int64_t time_ns = 0;
  uint64_t number = 0;
  uint32_t path = 0, thread = 0;
};

struct SnapshotBuilder::Records {
  wire::Block tables;
  std::unordered_map<std::string, uint32_t> strings;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> paths;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> lanes;
  std::map<uint32_t, uint32_t> threads;  // tid to id
  std::map<std::string, uint32_t> shapes, groups;
  std::vector<OpRow> kernels, copies, memsets, graph_runs;
  std::vector<MemoryRow> allocations;
  std::vector<TensorRow> tensors;
  std::vector<model::PoolState> pools;
  std::vector<model::UnifiedMemory> unified;
  std::vector<model::GpuState> gpu_states;
  std::vector<model::ApiCall> calls;
  std::vector<model::Sync> syncs;
  std::vector<RangeRow> ranges, spans;
  std::vector<StepRow> steps;
  std::vector<SequenceRow> sequences;
  std::vector<RangeRow> entered;  // launches: path, thread, time; path 0: where the ranges put it
  std::vector<model::Overhead> overheads;
  std::vector<wire::CounterSample> samples;
  std::vector<model::PmSeries> pm_series;
  uint32_t next_correlation = 1;

  uint32_t Depth(uint32_t path) const {
    uint32_t depth = 0;
    for (; path != 0; path = tables.range_paths(static_cast<int>(path) - 1).parent()) ++depth;
    return depth;
  }
  // The innermost range of Range() in which `thread` is at `time_ns`.
  uint32_t Covering(uint32_t thread, int64_t time_ns) const {
    uint32_t best = 0;
    for (const RangeRow& range : ranges) {
      if (range.thread == thread && range.start_ns <= time_ns && time_ns < range.end_ns &&
          Depth(range.path) > Depth(best)) {
        best = range.path;
      }
    }
    return best;
  }
  std::vector<StepRow> AllSteps() const;
  void FillOps(int index, int blocks, wire::Block* block) const;
  void FillMemory(int index, int blocks, wire::Block* block) const;
  void FillGraphRuns(int index, int blocks, wire::Block* block) const;
  void FillPm(int index, int blocks, wire::Block* block) const;
  void FillHost(int index, int blocks, wire::Block* block) const;
  void FillSequences(wire::Block* block) const;
  static void FillRanges(const std::vector<StepRow>& all, int index, int blocks,
                         wire::Block* block);
};

}  // namespace prof::test

#endif  // PROF_TEST_SUPPORT_SNAPSHOT_RECORDS_H_
