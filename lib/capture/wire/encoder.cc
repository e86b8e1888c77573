// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/encoder.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/capture/wire/block_writer.h"
#include "lib/capture/wire/columns.h"
#include "lib/capture/wire/wire_tags.h"
#include "lib/capture/wire/wire_writer.h"
#include "lib/format/framing.h"

namespace prof::capture {
namespace {

constexpr size_t kMaxNotices = 1 << 12;
constexpr size_t kMaxPmSeries = 1 << 10;
constexpr uint64_t kMaxGraphNodes = 1 << 22;  // they stay with kept blocks for ever
constexpr size_t kLargeBlockBytes = 128 << 10;

}  // namespace

Encoder::Encoder(BlockSink* sink)
    : sink_(sink),
      repeats_open_ranges_(sink->drops_blocks()),
      columns_(std::make_unique<BlockColumns>()),
      tables_(columns_.get()) {}

Encoder::~Encoder() = default;

void Encoder::Add(const HeaderEvent& event) {
  has_header_ = true;
  Message block(columns_->entries);
  Message header(block, tag::block::kHeader);
  U32(header, 1, format::kFormatVersion);
  Text(header, 2, event.prof_version);
  I64(header, 3, event.start_ns);
  U32(header, 4, event.pid);
  Text(header, 5, event.host);
  Text(header, 6, event.command);
  header.add_int32(7, event.rank);
  U32(header, 8, event.versions.cuda_driver);
  U32(header, 9, event.versions.cupti);
  Text(header, 10, event.versions.cupti_path);
  Text(header, 11, event.versions.nvidia_driver);
  if (event.injected) header.add_bool(12, true);
  U32(header, 13, event.versions.cupti_device_bytes);
}

void Encoder::Add(const DeviceEvent& event) {
  std::vector<std::pair<uint32_t, double>> peaks;
  for (const auto& [metric, value] : event.peaks) peaks.emplace_back(tables_.Intern(metric), value);
  Message block(columns_->entries);
  Message device(block, tag::block::kDevices);
  U32(device, 1, event.id);
  Text(device, 2, event.name);
  Text(device, 3, event.chip);
  U32(device, 4, event.compute_major);
  U32(device, 5, event.compute_minor);
  U32(device, 6, event.sm_count);
  U32(device, 7, event.warp_size);
  U32(device, 8, event.max_threads_per_sm);
  U32(device, 9, event.max_blocks_per_sm);
  U32(device, 10, event.registers_per_sm);
  U32(device, 11, event.shared_memory_per_sm);
  U32(device, 12, event.reserved_shared_memory_per_block);
  U32(device, 13, event.l2_bytes);
  U32(device, 14, event.memory_bytes);
  U32(device, 15, event.sm_clock_khz);
  U32(device, 16, event.memory_clock_khz);
  U32(device, 17, event.memory_bus_bits);
  Text(device, 18, event.uuid);
  for (const auto& [metric, value] : peaks) {
    Message peak(device, 19);
    U32(peak, 1, metric);
    peak.add_double(2, value);
  }
}

void Encoder::Add(const RangePathInfo& path) {
  ++range_paths_;
  const uint32_t name = tables_.Intern(path.name);
  const uint32_t domain = tables_.Intern(path.domain);
  Message block(columns_->entries);
  Message range(block, tag::block::kRangePaths);
  First(range, 1, path.parent);
  U32(range, 2, name);
  U32(range, 3, domain);
  U32(range, 4, path.color);
  U32(range, 5, path.category);
}

void Encoder::Add(const PassGroupEvent& group) {
  const auto ids = [&](const std::vector<std::string>& names) {
    std::vector<uint32_t> interned;
    interned.reserve(names.size());
    for (const std::string& name : names) interned.push_back(tables_.Intern(name));
    return interned;
  };
  struct Throughput {
    uint32_t metric;
    std::vector<uint32_t> parts, missing;
  };
  const std::vector<uint32_t> metrics = ids(group.metrics);
  const uint32_t tier = tables_.Intern(group.tier);
  std::vector<Throughput> throughputs;
  for (const ThroughputEvent& event : group.throughputs) {
    throughputs.push_back({tables_.Intern(event.metric), ids(event.parts), ids(event.missing)});
  }
  Message block(columns_->entries);
  Message message(block, tag::block::kPassGroups);
  Packed32(message, 1, metrics);
  First(message, 2, tier);
  for (const Throughput& throughput : throughputs) {
    Message entry(message, 3);
    U32(entry, 1, throughput.metric);
    Packed32(entry, 2, throughput.parts);
    Packed32(entry, 3, throughput.missing);
  }
}

void Encoder::Add(const PmSeriesEvent& series) {
  if (pm_series_.size() >= kMaxPmSeries) return;  // its batches are counted as lost
  PmLayout& layout = pm_series_.emplace_back();
  layout.series = static_cast<uint32_t>(pm_series_.size());
  layout.interval_ns = std::max<int64_t>(series.interval_ns, 0);
  std::vector<uint32_t> names;
  for (const PmMetric& metric : series.metrics) {
    names.push_back(tables_.Intern(metric.name));
    layout.scales.push_back(metric.scale > 0 && std::isfinite(metric.scale) ? metric.scale : 1);
  }
  Message block(columns_->entries);
  Message message(block, tag::block::kPmSeries);
  First(message, 1, series.device);
  U32(message, 2, static_cast<uint64_t>(layout.interval_ns));
  Packed32(message, 3, names);
  if (!names.empty()) message.add_packed_double(4, layout.scales.begin(), layout.scales.end());
}

void Encoder::Add(const KernelEvent& event) {
  Add(KnownKernelEvent{ShapeId(event), LaneId(event), event.correlation, event.graph,
                       event.graph_node, event.start_ns, event.end_ns});
}

void Encoder::Add(const KnownKernelEvent& event) {
  ++kernels_;
  KernelColumns& columns = columns_->kernels;
  const auto row = static_cast<uint32_t>(columns.interval.rows());
  columns.shape.Add(event.shape);
  columns.lane.Add(event.lane);
  const bool timed = event.start_ns > 0 && event.end_ns >= event.start_ns;
  if (timed) {
    columns.interval.Add(event.shape, event.start_ns, DurationOf(event.start_ns, event.end_ns));
  } else {
    ++untimed_;
    columns.interval.Repeat(event.shape);
    columns.untimed.push_back(row);
  }
  columns.correlation.Add(event.correlation);
  columns.graphs.Add(row, event);
}

void Encoder::Add(const UntracedKernelEvent& event) {
  const uint32_t shape = tables_.Shape(event);
  KernelColumns& columns = columns_->kernels;
  columns.untraced.push_back(static_cast<uint32_t>(columns.interval.rows()));
  columns.shape.Add(shape);
  columns.lane.Add(tables_.Lane(event));
  columns.interval.Add(shape, event.launch_ns, 0);
  columns.correlation.Add(event.correlation);
}

void Encoder::Add(const CopyEvent& event) {
  if (event.start_ns <= 0) {
    ++untimed_;
    return;
  }
  CopyColumns& columns = columns_->copies;
  columns.graphs.Add(columns.kind.size(), event);
  columns.kind.push_back(static_cast<int32_t>(event.kind));
  columns.source.push_back(static_cast<int32_t>(event.source));
  columns.destination.push_back(static_cast<int32_t>(event.destination));
  columns.bytes.push_back(event.bytes);
  columns.lane.push_back(tables_.Lane(event));
  columns.start.Add(event.start_ns);
  columns.duration.push_back(DurationOf(event.start_ns, event.end_ns));
  columns.correlation.Add(event.correlation);
  columns.async.push_back(event.async ? 1 : 0);
}

void Encoder::Add(const MemsetEvent& event) {
  if (event.start_ns <= 0) {
    ++untimed_;
    return;
  }
  MemsetColumns& columns = columns_->memsets;
  columns.graphs.Add(columns.bytes.size(), event);
  columns.bytes.push_back(event.bytes);
  columns.memory.push_back(static_cast<int32_t>(event.memory));
  columns.lane.push_back(tables_.Lane(event));
  columns.start.Add(event.start_ns);
  columns.duration.push_back(DurationOf(event.start_ns, event.end_ns));
  columns.correlation.Add(event.correlation);
}

void Encoder::Add(const GraphRunEvent& event) {
  if (event.start_ns <= 0) {
    ++untimed_;
    return;
  }
  GraphRunColumns& columns = columns_->graph_runs;
  columns.graph.push_back(event.graph);
  columns.lane.push_back(tables_.Lane(event));
  columns.start.Add(event.start_ns);
  columns.duration.push_back(DurationOf(event.start_ns, event.end_ns));
  columns.correlation.Add(event.correlation);
}

void Encoder::Add(const StreamEvent& event) { tables_.Stream(event); }

void Encoder::Add(const GraphNodeEvent& event) {
  if (graph_nodes_ >= kMaxGraphNodes) {
    ++graph_nodes_dropped_;
    return;
  }
  ++graph_nodes_;
  columns_->graph_nodes.Add(event);
}

void Encoder::Add(const SyncEvent& event) {
  if (event.start_ns <= 0) {
    ++untimed_;
    return;
  }
  SyncColumns& columns = columns_->syncs;
  columns.kind.push_back(static_cast<int32_t>(event.kind));
  columns.context.push_back(event.context);
  columns.stream.push_back(event.stream);
  columns.start.Add(event.start_ns);
  columns.duration.push_back(DurationOf(event.start_ns, event.end_ns));
  columns.correlation.Add(event.correlation);
}

void Encoder::Add(const ApiEvent& event) {
  if (event.start_ns <= 0) {
    ++untimed_;
    return;
  }
  ApiColumns& columns = columns_->api_calls;
  const auto row = static_cast<uint32_t>(columns.interval.rows());
  const uint32_t name = event.name_id != 0 ? event.name_id : tables_.Intern(event.name);
  columns.name.Add(name);
  columns.thread.Add(tables_.Thread(event.tid));
  columns.interval.Add(name, event.start_ns, DurationOf(event.start_ns, event.end_ns));
  columns.correlation.Add(event.correlation);
  if (event.error != 0) {
    columns.error_row.push_back(row);
    columns.error_code.push_back(event.error);
  }
}

void Encoder::Add(const OverheadEvent& event) {
  if (event.start_ns <= 0) {
    ++untimed_;
    return;
  }
  OverheadColumns& columns = columns_->overheads;
  columns.kind.push_back(tables_.Intern(event.kind));
  columns.thread.push_back(tables_.Thread(event.tid));
  columns.start.Add(event.start_ns);
  columns.duration.push_back(DurationOf(event.start_ns, event.end_ns));
}

void Encoder::Add(uint32_t tid, const RangeEvent& event) {
  RangeColumns& columns = columns_->ranges;
  const uint32_t thread = tables_.Thread(tid);
  columns.thread.Add(thread);
  columns.path.Add(event.path);
  columns.time.Add(event.path, event.time_ns, 0);
  if (!repeats_open_ranges_ || thread == 0) return;
  if (last_steps_.size() < thread) last_steps_.resize(thread);
  last_steps_[thread - 1] = event;
}

// The block before may be dropped, so this one repeats which ranges are open, and since when.
void Encoder::RepeatOpenRanges() {
  RangeColumns& columns = columns_->ranges;
  for (size_t i = 0; i < last_steps_.size(); ++i) {
    const RangeEvent& step = last_steps_[i];
    if (step.path == 0) continue;
    columns.thread.Add(static_cast<uint32_t>(i + 1));
    columns.path.Add(step.path);
    columns.time.Add(step.path, step.time_ns, 0);
  }
  repeated_rows_ = columns.time.rows();
}

void Encoder::Add(const SpanEvent& event) {
  SpanColumns& columns = columns_->spans;
  columns.path.push_back(event.path);
  columns.start_thread.push_back(tables_.Thread(event.start_tid));
  columns.end_thread.push_back(tables_.Thread(event.end_tid));
  columns.start.Add(event.start_ns);
  columns.duration.push_back(DurationOf(event.start_ns, event.end_ns));
}

void Encoder::Add(const MarkEvent& event) {
  MarkColumns& columns = columns_->marks;
  columns.path.push_back(event.path);
  columns.thread.push_back(tables_.Thread(event.tid));
  columns.time.Add(event.time_ns);
}

void Encoder::Add(const PayloadEvent& event) {
  PayloadColumns& columns = columns_->payloads;
  columns.path.push_back(event.path);
  columns.thread.push_back(tables_.Thread(event.tid));
  columns.time.Add(event.time_ns);
  columns.type.push_back(static_cast<int32_t>(event.payload.type));
  columns.bits.push_back(event.payload.bits);
}

void Encoder::Add(const NameEvent& event) {
  const uint32_t name = tables_.Intern(event.name);
  const uint32_t domain = tables_.Intern(event.domain);
  if (event.kind == NameKind::kThread) tables_.NameThread(static_cast<uint32_t>(event.id), name);
  Message block(columns_->entries);
  Message message(block, tag::block::kNames);
  message.add_enum(1, static_cast<int32_t>(event.kind));
  U32(message, 2, event.id);
  U32(message, 3, domain);
  U32(message, 4, name);
  U32(message, 5, event.context);
  U32(message, 6, event.stream);
}

void Encoder::Add(const CounterSampleEvent& event) {
  Message block(columns_->timed_entries);
  Message sample(block, tag::block::kSamples);
  U32(sample, 1, event.group);
  U32(sample, 2, event.context);
  U32(sample, 3, event.correlation);
  sample.add_packed_double(4, event.values.begin(), event.values.end());
  I64(sample, 5, event.begin_ns);
  I64(sample, 6, event.end_ns);
  U32(sample, 7, event.path);
  if (event.unit != SampleUnit::kKernel) sample.add_enum(8, static_cast<int32_t>(event.unit));
}

void Encoder::Add(const PmBatchEvent& batch) {
  const size_t samples = std::min(batch.begin_ns.size(), batch.end_ns.size());
  if (batch.series == 0 || batch.series > pm_series_.size()) {
    pm_samples_lost_ += samples;
    return;
  }
  const PmLayout& layout = pm_series_[batch.series - 1];
  std::vector<PmColumns>& all = columns_->pm_samples;
  auto columns = std::find_if(all.begin(), all.end(), [&](const PmColumns& candidate) {
    return candidate.series() == batch.series;
  });
  if (columns == all.end()) columns = all.emplace(all.end(), layout);
  const size_t metrics = layout.scales.size();
  for (size_t i = 0; i < samples; ++i) {
    if (batch.begin_ns[i] > 0 && batch.end_ns[i] > batch.begin_ns[i] &&
        (i + 1) * metrics <= batch.values.size()) {
      columns->Add(batch.begin_ns[i], batch.end_ns[i], batch.values.data() + i * metrics);
    } else {
      ++pm_samples_lost_;
    }
  }
}

void Encoder::Add(const ProfilerIntervalEvent& event) {
  const uint32_t thread = tables_.Thread(event.tid);
  counter_cost_ns_ += DurationOf(event.begin_ns, event.end_ns);
  Message block(columns_->timed_entries);
  Message interval(block, tag::block::kProfilerIntervals);
  interval.add_enum(1, static_cast<int32_t>(event.work));
  I64(interval, 2, event.begin_ns);
  I64(interval, 3, event.end_ns);
  U32(interval, 4, thread);
}

void Encoder::Add(const NoticeEvent& event) {
  // They stay with kept blocks for ever. What is wrong at the end still finds a place.
  const size_t most = event.severity == Severity::kInfo ? kMaxNotices / 2 : kMaxNotices;
  if (notices_ >= most) {
    ++notices_dropped_;
    return;
  }
  ++notices_;
  Message block(columns_->entries);
  Message notice(block, tag::block::kNotices);
  if (event.severity != Severity::kInfo) notice.add_enum(1, static_cast<int32_t>(event.severity));
  notice.add_enum(2, static_cast<int32_t>(event.subsystem));
  U32(notice, 3, event.code);
  Text(notice, 4, event.what);
  Text(notice, 5, event.fix);
  I64(notice, 6, RealtimeNs());
}

void Encoder::Add(const ClockPair& clocks) {
  Message block(columns_->timed_entries);
  Message clock(block, tag::block::kClock);
  I64(clock, 1, clocks.realtime_ns);
  I64(clock, 2, clocks.monotonic_ns);
  U32(clock, 3, static_cast<uint64_t>(clocks.uncertainty_ns));
}

void Encoder::AddCounts(Integrity& integrity) const {
  integrity.kernels += kernels_;
  integrity.untimed += untimed_;
  integrity.dropped_by_cap += tables_.dropped() + notices_dropped_;
  integrity.counter_cost_ns += counter_cost_ns_;
  integrity.pm_samples_lost += pm_samples_lost_;
  integrity.graph_nodes_dropped += graph_nodes_dropped_;
}

bool Encoder::has_events() const {
  const BlockColumns& c = *columns_;
  return !c.entries.empty() || !c.timed_entries.empty() || !c.new_strings.empty() ||
         !c.graph_nodes.node_delta.empty() || pending_rows() > repeated_rows_;
}

size_t Encoder::pending_rows() const { return columns_->rows(); }

void Encoder::WriteIfLarge() {
  // About 5 bytes a row; exact sizes are known only after serialization.
  const size_t bytes = columns_->entries.size() + columns_->timed_entries.size() +
                       columns_->new_string_bytes + columns_->graph_nodes.node_delta.size() * 4 +
                       (pending_rows() - repeated_rows_) * 5;
  if (has_header_ && bytes >= kLargeBlockBytes) WriteBlock(last_integrity_);
}

void Encoder::WriteBlock(const Integrity& integrity) {
  last_integrity_ = integrity;
  payload_.clear();
  AppendTables(*columns_, &payload_);
  const size_t tables = payload_.size();
  AppendEvents(*columns_, integrity, nullptr, &payload_);
  const uint64_t rows = pending_rows() - repeated_rows_;
  repeated_rows_ = 0;
  columns_->Clear();
  const std::string_view payload = payload_;
  sink_->Append({payload.substr(0, tables), payload.substr(tables), rows});
  if (repeats_open_ranges_) RepeatOpenRanges();
}

void Encoder::SetSink(BlockSink* sink) {
  sink_ = sink;
  repeats_open_ranges_ = sink->drops_blocks();
}

void Encoder::WriteLastBlock(const Integrity& integrity, int64_t end_ns) {
  const BlockTrailer trailer = {end_ns, sink_->blocks() + 1};
  payload_.clear();
  AppendTables(*columns_, &payload_);
  const size_t tables = payload_.size();
  AppendEvents(*columns_, integrity, &trailer, &payload_);
  const std::string_view payload = payload_;
  sink_->Append({payload.substr(0, tables), payload.substr(tables), pending_rows()});
  columns_->Clear();
}

}  // namespace prof::capture
