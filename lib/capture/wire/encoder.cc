// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/encoder.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/capture/wire/block_entries.h"
#include "lib/capture/wire/block_writer.h"
#include "lib/capture/wire/columns.h"

namespace prof::capture {
namespace {

constexpr size_t kMaxNotices = 1 << 12;
constexpr size_t kMaxPmSeries = 1 << 10;
constexpr uint64_t kMaxGraphNodes = 1 << 22;  // where blocks are kept in memory: never dropped
constexpr size_t kLargeBlockBytes = 128 << 10;

}  // namespace

Encoder::Encoder(BlockSink* sink)
    : sink_(sink),
      repeats_open_ranges_(sink->drops_blocks()),
      kept_samples_(sink->drops_blocks() ? std::make_unique<KeptSamples>() : nullptr),
      columns_(std::make_unique<BlockColumns>()),
      tables_(columns_.get()) {}

Encoder::~Encoder() = default;

void Encoder::Add(const HeaderEvent& event) {
  has_header_ = true;
  AppendEntry(event, &columns_->entries);
}

void Encoder::Add(const DeviceEvent& event) { AppendEntry(event, &tables_, &columns_->entries); }

void Encoder::Add(const RangePathInfo& path) {
  ++range_paths_;
  if (repeats_open_ranges_ && path.torch != TorchScope::kNone) {
    torch_paths_.resize(range_paths_ + 1);
    torch_paths_[range_paths_] = true;
  }
  AppendEntry(path, &tables_, &columns_->entries);
}

void Encoder::Add(const HostFrameEvent& frame) { AppendEntry(frame, &tables_, &columns_->entries); }

void Encoder::Add(const HostStackEvent& stack) {
  ++host_stacks_;
  AppendEntry(stack, &columns_->entries);
}

void Encoder::Add(const HostSampleEvent& sample) {
  if (sample.time_ns <= 0) return;
  columns_->host_samples.Add(sample, tables_.Thread(sample.tid), KnownStack(sample.stack));
}

void Encoder::Add(const PassGroupEvent& group) { AppendEntry(group, &tables_, &columns_->entries); }

void Encoder::Add(const PmSeriesEvent& series) {
  if (pm_series_.size() >= kMaxPmSeries) return;  // its batches are counted as lost
  PmLayout& layout = pm_series_.emplace_back();
  layout.series = static_cast<uint32_t>(pm_series_.size());
  layout.interval_ns = std::max<int64_t>(series.interval_ns, 0);
  for (const PmMetric& metric : series.metrics) {
    layout.scales.push_back(metric.scale > 0 && std::isfinite(metric.scale) ? metric.scale : 1);
  }
  AppendEntry(series, layout, &tables_, &columns_->entries);
}

LaunchId Encoder::IdOf(const KernelEvent& launch) {
  const uint64_t dropped = tables_.dropped();
  LaunchId id;
  id.shape = tables_.Shape(launch);
  id.lane = tables_.Lane(launch);
  id.lasting = tables_.dropped() == dropped;
  return id;
}

void Encoder::Add(const KernelEvent& event) {
  Add(KnownKernelEvent{tables_.Shape(event), tables_.Lane(event), event.correlation, event.graph,
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
    if (kept_samples_ != nullptr) RememberLaunch(event);
  } else {
    ++untimed_;
    columns.interval.Repeat(event.shape);
    columns.untimed.push_back(row);
  }
  columns.correlation.Add(event.correlation);
  columns.graphs.Add(row, event);
}

// Apart from Add, where most recordings would pay for it.
[[gnu::noinline]] void Encoder::RememberLaunch(const KnownKernelEvent& event) {
  if (event.graph != 0) return;
  const uint64_t duration_ns = DurationOf(event.start_ns, event.end_ns);
  const auto ns = static_cast<uint32_t>(std::min<uint64_t>(duration_ns, UINT32_MAX));
  kept_samples_->AddLaunch(event.correlation, {event.shape, event.lane, ns});
}

void Encoder::Add(const UntracedKernelEvent& event) {
  const uint32_t shape = tables_.Shape(event);
  KernelColumns& columns = columns_->kernels;
  columns.untraced.push_back(static_cast<uint32_t>(columns.interval.rows()));
  columns.shape.Add(shape);
  columns.lane.Add(tables_.Lane(event));
  columns.interval.Add(shape, event.launch_ns, 0);
  columns.correlation.Add(event.correlation);
  if (kept_samples_ != nullptr) {
    kept_samples_->AddLaunch(event.correlation, {shape, tables_.Lane(event), 0});
  }
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

void Encoder::Add(const AllocationEvent& event) {
  if (event.time_ns <= 0) {
    ++untimed_;
    return;
  }
  columns_->allocations.Add(event, tables_.Lane(event));
}

void Encoder::Add(const TensorEvent& event) {
  columns_->tensors.Add(event, tables_.Thread(event.tid), KnownStack(event.stack));
}

void Encoder::Add(const PoolEvent& event) {
  if (event.time_ns <= 0) {
    ++untimed_;
    return;
  }
  columns_->pool_operations.Add(event);
}

void Encoder::Add(const UnifiedMemoryEvent& event) {
  if (event.start_ns <= 0) {
    ++untimed_;
    return;
  }
  columns_->unified_memory.Add(event);
}

void Encoder::Add(const GpuStateEvent& event) {
  if (event.time_ns <= 0) {
    ++untimed_;
    return;
  }
  columns_->gpu_states.Add(event);
}

void Encoder::Add(const StreamEvent& event) { tables_.Stream(event); }

void Encoder::Add(const GraphNodeEvent& event) {
  if (repeats_open_ranges_ && graph_nodes_ >= kMaxGraphNodes) {
    ++graph_nodes_dropped_;
    return;
  }
  ++graph_nodes_;
  columns_->graph_nodes.Add({event.node, event.path, KnownStack(event.stack), event.torch_op});
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
  columns.AddStack(row, KnownStack(event.stack));
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

void Encoder::Add(const TorchShapesInfo& shapes) {
  const uint32_t text = tables_.Intern(shapes.text);
  if (text != 0) torch_shapes_[shapes.id] = text;
}

void Encoder::AddShapes(uint32_t id) {
  const auto text = torch_shapes_.find(id);
  if (text == torch_shapes_.end()) return;
  columns_->ranges.shapes.Add(columns_->ranges.time.rows(), text->second);
}

void Encoder::Add(uint32_t tid, const RangeEvent& event) {
  RangeColumns& columns = columns_->ranges;
  const uint32_t thread = tables_.Thread(tid);
  if (event.shapes != 0) AddShapes(event.shapes);
  columns.thread.Add(thread);
  columns.path.Add(event.path);
  columns.time.Add(event.path, event.time_ns, 0);
  if (!repeats_open_ranges_ || thread == 0) return;
  const bool torch = event.path < torch_paths_.size() && torch_paths_[event.path];
  std::vector<RangeEvent>& last_steps = torch ? last_torch_steps_ : last_steps_;
  if (last_steps.size() < thread) last_steps.resize(thread);
  last_steps[thread - 1] = event;
}

// The block before may be dropped, so this one repeats which ranges are open, and since when.
void Encoder::RepeatOpenRanges() {
  RangeColumns& columns = columns_->ranges;
  for (const std::vector<RangeEvent>* last_steps : {&last_steps_, &last_torch_steps_}) {
    for (size_t i = 0; i < last_steps->size(); ++i) {
      const RangeEvent& step = (*last_steps)[i];
      if (step.path == 0) continue;
      if (step.shapes != 0) AddShapes(step.shapes);
      columns.thread.Add(static_cast<uint32_t>(i + 1));
      columns.path.Add(step.path);
      columns.time.Add(step.path, step.time_ns, 0);
    }
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
  if (event.field.empty()) return;
  columns.field.resize(columns.bits.size());
  columns.field.back() = tables_.Intern(event.field);
}

void Encoder::Add(const NumberEvent& event) {
  switch (event.owner) {
    case NumberOwner::kStep:
      return columns_->ranges.numbers.Add(columns_->ranges.time.rows(), event);
    case NumberOwner::kMark:
      return columns_->marks.numbers.Add(columns_->marks.path.size(), event);
    case NumberOwner::kSpan:
      return columns_->spans.numbers.Add(columns_->spans.path.size(), event);
  }
}

void Encoder::Add(const NameEvent& event) { AppendEntry(event, &tables_, &columns_->entries); }

void Encoder::Add(const CounterSampleEvent& event) {
  if (kept_samples_ != nullptr) return kept_samples_->Add(event, MonotonicNs());
  AppendEntry(event, nullptr, &columns_->timed_entries);
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
  if (event.work != ProfilerWork::kPause) {
    counter_cost_ns_ += DurationOf(event.begin_ns, event.end_ns);
  }
  AppendEntry(event, &tables_, &columns_->timed_entries);
}

void Encoder::Add(const LaunchCountEvent& event) {
  AppendEntry(event, &tables_, &columns_->timed_entries);
}

void Encoder::Add(const NoticeEvent& event) {
  // Kept blocks never drop notices. There is still room for a problem at the end.
  const size_t most = event.severity == Severity::kInfo ? kMaxNotices / 2 : kMaxNotices;
  if (notices_ >= most) {
    ++notices_dropped_;
    return;
  }
  ++notices_;
  AppendEntry(event, &columns_->entries);
}

void Encoder::Add(const ClockPair& clocks) { AppendEntry(clocks, &columns_->timed_entries); }

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
                       columns_->number_bytes() + (pending_rows() - repeated_rows_) * 5;
  if (has_header_ && bytes >= kLargeBlockBytes) WriteBlock(last_integrity_);
}

void Encoder::WriteBlock(const Integrity& integrity) {
  last_integrity_ = integrity;
  WriteKeptSamples(false);
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

void Encoder::WriteKeptSamples(bool all) {
  if (kept_samples_ == nullptr) return;
  kept_samples_->WriteTo(&columns_->entries, &columns_->timed_entries, MonotonicNs(), all);
}

void Encoder::SetSink(BlockSink* sink) {
  sink_ = sink;
  repeats_open_ranges_ = sink->drops_blocks();
}

void Encoder::WriteLastBlock(const Integrity& integrity, int64_t end_ns) {
  WriteKeptSamples(true);
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
