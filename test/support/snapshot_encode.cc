// SPDX-License-Identifier: Apache-2.0
//
// SnapshotBuilder::Bytes() turns records into columns, blocks and frames.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "lib/format/framing.h"
#include "lib/format/losses.h"
#include "test/support/snapshot_builder.h"
#include "test/support/snapshot_records.h"

namespace prof::test {
namespace {

// Rows [from, to) of `count` that go into block `index` of `blocks`.
std::pair<size_t, size_t> Part(size_t count, int index, int blocks) {
  return {count * index / blocks, count * (index + 1) / blocks};
}

// Writes the columns of starts and durations. base_ns is the start of row 0.
template <typename Columns>
class Times {
 public:
  explicit Times(Columns* columns) : columns_(columns) {}
  void Add(int64_t start_ns, int64_t end_ns) {
    Start(start_ns);
    columns_->add_duration_ns(static_cast<uint64_t>(end_ns - start_ns));
  }
  void Start(int64_t start_ns) {
    if (columns_->start_delta_ns_size() == 0) {
      columns_->set_base_ns(start_ns);
      last_ns_ = start_ns;
    }
    columns_->add_start_delta_ns(start_ns - last_ns_);
    last_ns_ = start_ns;
  }
  void Correlation(uint32_t correlation) {
    columns_->add_correlation_delta(static_cast<int64_t>(correlation) - last_correlation_);
    last_correlation_ = correlation;
  }

 private:
  Columns* columns_;
  int64_t last_ns_ = 0, last_correlation_ = 0;
};

template <typename Columns>
void AddGraph(const model::Op& op, int row, Columns* columns) {
  if (op.graph == 0) return;
  columns->add_graph_row(static_cast<uint32_t>(row));
  columns->add_graph_id(op.graph);
  columns->add_graph_node_id(op.graph_node);
}

void FillHeader(const model::Process& process, wire::Header* header) {
  header->set_format_version(process.format_version);
  header->set_prof_version(process.prof_version);
  header->set_start_ns(process.start_ns);
  header->set_pid(process.pid);
  header->set_host(process.host);
  header->set_command(process.command);
  header->set_rank(process.rank);
  header->set_cuda_driver_version(process.cuda_driver_version);
  header->set_cupti_version(process.cupti_version);
  header->set_cupti_path(process.cupti_path);
  header->set_nvidia_driver(process.nvidia_driver);
  header->set_cupti_device_bytes(process.cupti_device_bytes);
  header->set_injected(process.injected);
}

void FillIntegrity(const prof::Integrity& counts, wire::Integrity* wire) {
  const google::protobuf::Descriptor& fields = *wire->GetDescriptor();
  const google::protobuf::Reflection& values = *wire->GetReflection();
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    values.SetUInt64(wire, fields.FindFieldByName(row.name), counts.*row.count);
  }
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
    values.SetBool(wire, fields.FindFieldByName(row.name), counts.*row.flag);
  }
}

}  // namespace

std::vector<StepRow> SnapshotBuilder::Records::AllSteps() const {
  std::vector<StepRow> all = steps;
  for (const RangeRow& range : ranges) {
    const int depth = static_cast<int>(Depth(range.path));
    const uint32_t parent = tables.range_paths(static_cast<int>(range.path) - 1).parent();
    all.push_back({range.start_ns, depth, range.thread, range.path, 0});
    all.push_back({range.end_ns, -depth, range.thread, parent, 0});
  }
  const bool by_launch = std::any_of(entered.begin(), entered.end(),
                                     [](const RangeRow& launch) { return launch.path != 0; });
  for (const RangeRow& launch : entered) {
    if (!by_launch) break;
    const uint32_t path = launch.path != 0 ? launch.path : Covering(launch.thread, launch.start_ns);
    all.push_back({launch.start_ns, 1 << 20, launch.thread, path, 0});
  }
  std::stable_sort(all.begin(), all.end(), [](const StepRow& a, const StepRow& b) {
    return std::tie(a.time_ns, a.rank) < std::tie(b.time_ns, b.rank);
  });
  return all;
}

void SnapshotBuilder::Records::FillOps(int index, int blocks, wire::Block* block) const {
  if (const auto [from, to] = Part(kernels.size(), index, blocks); from < to) {
    wire::KernelColumns* columns = block->mutable_kernels();
    Times times(columns);
    for (size_t i = from; i < to; ++i) {
      const model::Op& op = kernels[i].op;
      AddGraph(op, columns->shape_size(), columns);
      const auto row = static_cast<uint32_t>(columns->shape_size());
      if (op.untraced) columns->add_untraced_row(row);
      if (!op.timed && !op.untraced) columns->add_untimed_row(row);
      columns->add_shape(op.shape);
      columns->add_lane(kernels[i].lane);
      times.Add(op.start_ns, op.end_ns);
      times.Correlation(op.correlation);
    }
  }
  if (const auto [from, to] = Part(copies.size(), index, blocks); from < to) {
    wire::CopyColumns* columns = block->mutable_copies();
    Times times(columns);
    for (size_t i = from; i < to; ++i) {
      const model::Op& op = copies[i].op;
      AddGraph(op, columns->lane_size(), columns);
      columns->add_kind(static_cast<wire::CopyKind>(op.copy));
      columns->add_source(static_cast<wire::MemoryKind>(op.source));
      columns->add_destination(static_cast<wire::MemoryKind>(op.destination));
      columns->add_bytes(op.bytes);
      columns->add_lane(copies[i].lane);
      columns->add_async(op.async);
      times.Add(op.start_ns, op.end_ns);
      times.Correlation(op.correlation);
    }
  }
  if (const auto [from, to] = Part(memsets.size(), index, blocks); from < to) {
    wire::MemsetColumns* columns = block->mutable_memsets();
    Times times(columns);
    for (size_t i = from; i < to; ++i) {
      const model::Op& op = memsets[i].op;
      AddGraph(op, columns->lane_size(), columns);
      columns->add_bytes(op.bytes);
      columns->add_memory(static_cast<wire::MemoryKind>(op.destination));
      columns->add_lane(memsets[i].lane);
      times.Add(op.start_ns, op.end_ns);
      times.Correlation(op.correlation);
    }
  }
}

void SnapshotBuilder::Records::FillGraphRuns(int index, int blocks, wire::Block* block) const {
  const auto [from, to] = Part(graph_runs.size(), index, blocks);
  if (from == to) return;
  wire::GraphRunColumns* columns = block->mutable_graph_runs();
  Times times(columns);
  for (size_t i = from; i < to; ++i) {
    const model::Op& op = graph_runs[i].op;
    columns->add_graph_id(op.graph);
    columns->add_lane(graph_runs[i].lane);
    times.Add(op.start_ns, op.end_ns);
    times.Correlation(op.correlation);
  }
}

void SnapshotBuilder::Records::FillHost(int index, int blocks, wire::Block* block) const {
  if (const auto [from, to] = Part(calls.size(), index, blocks); from < to) {
    wire::ApiColumns* columns = block->mutable_api_calls();
    Times times(columns);
    for (size_t i = from; i < to; ++i) {
      columns->add_name(calls[i].name);
      columns->add_thread(calls[i].thread);
      times.Add(calls[i].start_ns, calls[i].end_ns);
      times.Correlation(calls[i].correlation);
    }
  }
  if (const auto [from, to] = Part(syncs.size(), index, blocks); from < to) {
    wire::SyncColumns* columns = block->mutable_syncs();
    Times times(columns);
    for (size_t i = from; i < to; ++i) {
      columns->add_kind(static_cast<wire::SyncKind>(syncs[i].kind));
      columns->add_context(syncs[i].context);
      columns->add_stream(syncs[i].stream);
      times.Add(syncs[i].start_ns, syncs[i].end_ns);
      times.Correlation(syncs[i].correlation);
    }
  }
  if (const auto [from, to] = Part(spans.size(), index, blocks); from < to) {
    wire::SpanColumns* columns = block->mutable_spans();
    Times times(columns);
    for (size_t i = from; i < to; ++i) {
      columns->add_path(spans[i].path);
      columns->add_start_thread(spans[i].thread);
      columns->add_end_thread(spans[i].end_thread);
      times.Add(spans[i].start_ns, spans[i].end_ns);
    }
  }
  if (const auto [from, to] = Part(overheads.size(), index, blocks); from < to) {
    wire::OverheadColumns* columns = block->mutable_overheads();
    Times times(columns);
    for (size_t i = from; i < to; ++i) {
      columns->add_kind(strings.at(overheads[i].kind));
      columns->add_thread(overheads[i].thread);
      times.Add(overheads[i].start_ns, overheads[i].end_ns);
    }
  }
  const auto [from, to] = Part(samples.size(), index, blocks);
  for (size_t i = from; i < to; ++i) *block->add_samples() = samples[i];
}

void SnapshotBuilder::Records::FillPm(int index, int blocks, wire::Block* block) const {
  for (size_t s = 0; s < pm_series.size(); ++s) {
    const model::PmSeries& series = pm_series[s];
    const auto [from, to] = Part(series.rows(), index, blocks);
    if (from == to) continue;
    wire::PmColumns* columns = block->add_pm_samples();
    columns->set_series(static_cast<uint32_t>(s + 1));
    columns->set_base_ns(series.begin_ns[from]);
    const size_t metrics = series.metrics.size();
    std::vector<int64_t> last(metrics);
    for (size_t m = 0; m < metrics; ++m) columns->add_values();
    for (size_t i = from; i < to; ++i) {
      const auto row = static_cast<uint32_t>(i - from);
      const uint32_t count = series.samples.empty() ? 1 : series.samples[i];
      columns->add_duration_delta_ns(series.end_ns[i] - series.begin_ns[i] -
                                     series.interval_ns * count);
      if (count != 1) {
        columns->add_merged_row(row);
        columns->add_merged_count(count);
      }
      if (row > 0 && series.begin_ns[i] != series.end_ns[i - 1]) {
        columns->add_gap_row(row);
        columns->add_gap_ns(series.begin_ns[i] - series.end_ns[i - 1]);
      }
      for (size_t m = 0; m < metrics; ++m) {
        wire::PmValues* values = columns->mutable_values(static_cast<int>(m));
        const double value = series.row(i)[m];
        if (std::isnan(value)) {
          values->add_delta(0);
          values->add_missing_row(row);
        } else {
          const auto units = std::llround(value / series.scales[m]);
          values->add_delta(units - last[m]);
          last[m] = units;
        }
      }
    }
  }
}

void SnapshotBuilder::Records::FillRanges(const std::vector<StepRow>& all, int index, int blocks,
                                          wire::Block* block) {
  if (const auto [from, to] = Part(all.size(), index, blocks); from < to) {
    wire::RangeColumns* columns = block->mutable_ranges();
    int64_t last_ns = all[from].time_ns;
    size_t last_row = 0;
    columns->set_base_ns(last_ns);
    for (size_t i = from; i < to; ++i) {
      columns->add_thread(all[i].thread);
      columns->add_path(all[i].path);
      columns->add_time_delta_ns(all[i].time_ns - last_ns);
      last_ns = all[i].time_ns;
      if (all[i].shapes == 0) continue;
      columns->add_shapes_row_delta(static_cast<uint32_t>(i - from - last_row));
      columns->add_shapes(all[i].shapes);
      last_row = i - from;
    }
  }
}

void SnapshotBuilder::Records::FillSequences(wire::Block* block) const {
  if (sequences.empty()) return;
  wire::PayloadColumns* columns = block->mutable_payloads();
  int64_t last_ns = sequences.front().time_ns;
  columns->set_base_ns(last_ns);
  for (const SequenceRow& row : sequences) {
    columns->add_thread(row.thread);
    columns->add_time_delta_ns(row.time_ns - last_ns);
    columns->add_path(row.path);
    columns->add_type(wire::PAYLOAD_UINT64);
    columns->add_bits(row.number);
    last_ns = row.time_ns;
  }
}

std::string SnapshotBuilder::Bytes(int blocks) {
  if (records_->tables.devices_size() == 0) Device(H200());
  std::string bytes = FileHeader();
  const std::vector<StepRow> steps = records_->AllSteps();
  for (int index = 0; index < blocks; ++index) {
    wire::Block block;
    if (index == 0) {
      block = records_->tables;
      FillHeader(process, block.mutable_header());
      records_->FillSequences(&block);
    }
    records_->FillOps(index, blocks, &block);
    records_->FillGraphRuns(index, blocks, &block);
    records_->FillHost(index, blocks, &block);
    records_->FillMemory(index, blocks, &block);
    records_->FillPm(index, blocks, &block);
    records_->FillRanges(steps, index, blocks, &block);
    if (index + 1 == blocks) {
      prof::Integrity counts;
      counts.kernels = counts.launches = records_->kernels.size();
      FillIntegrity(integrity.value_or(counts), block.mutable_integrity());
      if (trailer) block.mutable_trailer()->set_blocks(static_cast<uint64_t>(blocks));
    }
    if (edit) edit(block);
    bytes += Frame(block.SerializeAsString());
  }
  return bytes;
}

std::string FileHeader(uint32_t version) {
  std::string header(format::kFileMagic);
  header.resize(format::kFileHeaderSize);
  format::PutU32(&header[8], version);
  return header;
}

std::string Frame(std::string_view payload) {
  std::string frame(format::kFrameHeaderSize, '\0');
  format::PutU32(&frame[0], format::kFrameMagic);
  format::PutU32(&frame[4], static_cast<uint32_t>(payload.size()));
  format::PutU32(&frame[8], format::Crc32c(payload));
  frame += payload;
  return frame;
}

}  // namespace prof::test
