// SPDX-License-Identifier: Apache-2.0
#include "test/support/snapshot_builder.h"

#include <algorithm>
#include <memory>

#include "lib/format/framing.h"
#include "test/support/snapshot_records.h"

namespace prof::test {
namespace {

void AddCode(const format::CodeCensus& census, wire::KernelCode* wire) {
  wire->set_instructions(census.instructions);
  wire->set_looped(census.looped);
  wire->set_calls_others(census.calls_others);
  for (const format::CodeCensus::Count& count : census.counts) {
    wire->add_count(count.all);
    wire->add_looped_count(count.looped);
  }
}

}  // namespace

model::Device H200(uint32_t id) {
  model::Device device;
  device.id = id;
  device.name = "NVIDIA H200";
  device.chip = "GH100";
  device.uuid = "0123456789abcdef0123456789abcde" + std::to_string(id % 10);
  device.compute_major = 9;
  device.sm_count = 132;
  device.warp_size = 32;
  device.max_threads_per_sm = 2048;
  device.max_blocks_per_sm = 32;
  device.registers_per_sm = 65536;
  device.shared_memory_per_sm = 233472;
  device.reserved_shared_memory_per_block = 1024;
  device.l2_bytes = 62914560;
  device.sm_clock_khz = 1980000;
  device.memory_clock_khz = 3201000;
  device.memory_bus_bits = 6144;
  device.memory_bytes = 150'000'000'000;
  device.peaks["dram__bytes.sum.peak_sustained"] = 1536;
  return device;
}

SnapshotBuilder::SnapshotBuilder() : records_(std::make_unique<Records>()) {
  process.format_version = format::kFormatVersion;
  process.prof_version = "0.1.0";
  process.host = "testhost";
  process.command = "./app";
  process.nvidia_driver = "580.159.04";
  process.pid = 4242;
  process.cuda_driver_version = 13000;
}

SnapshotBuilder::~SnapshotBuilder() = default;

uint32_t SnapshotBuilder::String(std::string_view text) {
  if (text.empty()) return 0;
  const auto [it, added] = records_->strings.emplace(text, records_->strings.size() + 1);
  if (added) records_->tables.add_strings(std::string(text));
  return it->second;
}

uint32_t SnapshotBuilder::Path(uint32_t parent, std::string_view name, std::string_view domain) {
  const auto key = std::make_tuple(parent, String(name), String(domain));
  const auto [it, added] = records_->paths.emplace(key, records_->paths.size() + 1);
  if (added) {
    wire::RangePath* path = records_->tables.add_range_paths();
    path->set_parent(parent);
    path->set_name(std::get<1>(key));
    path->set_domain(std::get<2>(key));
  }
  return it->second;
}

uint32_t SnapshotBuilder::Path(std::string_view full) {
  uint32_t path = 0;
  while (!full.empty()) {
    const size_t slash = std::min(full.find('/'), full.size());
    const std::string_view part = full.substr(0, slash);
    const size_t colon = part.find(':');
    path = colon == part.npos ? Path(path, part)
                              : Path(path, part.substr(colon + 1), part.substr(0, colon));
    full.remove_prefix(std::min(slash + 1, full.size()));
  }
  return path;
}

uint32_t SnapshotBuilder::Shape(const model::Shape& shape) {
  wire::KernelShape wire;
  wire.set_name(String(shape.name));
  wire.set_grid_x(shape.grid[0]);
  wire.set_grid_y(shape.grid[1]);
  wire.set_grid_z(shape.grid[2]);
  wire.set_block_x(shape.block[0]);
  wire.set_block_y(shape.block[1]);
  wire.set_block_z(shape.block[2]);
  wire.set_cluster_x(shape.cluster[0]);
  wire.set_cluster_y(shape.cluster[1]);
  wire.set_cluster_z(shape.cluster[2]);
  wire.set_static_shared_bytes(shape.static_shared_bytes);
  wire.set_dynamic_shared_bytes(shape.dynamic_shared_bytes);
  wire.set_shared_executed_bytes(shape.shared_executed_bytes);
  wire.set_registers_per_thread(shape.registers_per_thread);
  wire.set_local_bytes_per_thread(shape.local_bytes_per_thread);
  wire.set_local_known(shape.local_known);
  wire.set_launch_type(shape.launch_type);
  if (shape.code) AddCode(*shape.code, wire.mutable_code());
  const auto [it, added] =
      records_->shapes.emplace(wire.SerializeAsString(), records_->shapes.size() + 1);
  if (added) *records_->tables.add_kernel_shapes() = wire;
  return it->second;
}

uint32_t SnapshotBuilder::Shape(std::string_view name, std::array<uint32_t, 3> grid,
                                std::array<uint32_t, 3> block, uint32_t registers_per_thread,
                                uint32_t static_shared_bytes, uint32_t dynamic_shared_bytes) {
  model::Shape shape;
  shape.name = std::string(name);
  for (uint32_t& side : grid) side = std::max(side, 1u);
  for (uint32_t& side : block) side = std::max(side, 1u);
  shape.grid = grid;
  shape.block = block;
  shape.registers_per_thread = registers_per_thread;
  shape.static_shared_bytes = static_shared_bytes;
  shape.dynamic_shared_bytes = dynamic_shared_bytes;
  return Shape(shape);
}

uint32_t SnapshotBuilder::ThreadId(uint32_t tid) {
  const auto [it, added] = records_->threads.emplace(tid, records_->threads.size() + 1);
  if (added) records_->tables.add_threads()->set_tid(tid);
  return it->second;
}

void SnapshotBuilder::Thread(uint32_t tid, std::string_view name) {
  const int index = static_cast<int>(ThreadId(tid)) - 1;
  records_->tables.mutable_threads(index)->set_name(String(name));
}

void SnapshotBuilder::Device(const model::Device& device) {
  wire::Device* wire = records_->tables.add_devices();
  wire->set_id(device.id);
  wire->set_name(device.name);
  wire->set_chip(device.chip);
  wire->set_uuid(device.uuid);
  wire->set_compute_major(device.compute_major);
  wire->set_compute_minor(device.compute_minor);
  wire->set_sm_count(device.sm_count);
  wire->set_warp_size(device.warp_size);
  wire->set_max_threads_per_sm(device.max_threads_per_sm);
  wire->set_max_blocks_per_sm(device.max_blocks_per_sm);
  wire->set_registers_per_sm(device.registers_per_sm);
  wire->set_shared_memory_per_sm(device.shared_memory_per_sm);
  wire->set_reserved_shared_memory_per_block(device.reserved_shared_memory_per_block);
  wire->set_l2_bytes(device.l2_bytes);
  wire->set_memory_bytes(device.memory_bytes);
  wire->set_sm_clock_khz(device.sm_clock_khz);
  wire->set_memory_clock_khz(device.memory_clock_khz);
  wire->set_memory_bus_bits(device.memory_bus_bits);
  for (const auto& [metric, value] : device.peaks) {
    wire::DevicePeak* peak = wire->add_peaks();
    peak->set_metric(String(metric));
    peak->set_value(value);
  }
  for (const model::Ceiling& ceiling : device.ceilings) {
    wire::DeviceCeiling* entry = wire->add_ceilings();
    entry->set_kind(String(ceiling.kind));
    entry->set_per_s(ceiling.per_s);
    entry->set_n(static_cast<uint32_t>(ceiling.n));
    entry->set_min(ceiling.min);
    entry->set_max(ceiling.max);
    entry->set_sm_clock_hz(ceiling.sm_clock_hz);
  }
}

void SnapshotBuilder::Stream(const model::Stream& stream) {
  wire::Stream* wire = records_->tables.add_streams();
  wire->set_context(stream.context);
  wire->set_stream(stream.stream);
  wire->set_priority(stream.priority);
  wire->set_flag(static_cast<wire::StreamFlag>(stream.flag));
}

uint32_t SnapshotBuilder::TorchOp(uint32_t parent, std::string_view name, model::TorchScope scope) {
  const bool is_root = scope == model::TorchScope::kOutside;
  if (parent == 0 && !is_root) parent = TorchOp(0, "", model::TorchScope::kOutside);
  // Paths of other scopes are others, whatever their names.
  const auto key = std::make_tuple(parent, String(name),
                                   String("torch") + (static_cast<uint32_t>(scope) << 24U));
  const auto [it, added] = records_->paths.emplace(key, records_->paths.size() + 1);
  if (added) {
    wire::RangePath* path = records_->tables.add_range_paths();
    path->set_parent(parent);
    path->set_name(String(name));
    path->set_domain(String("torch"));
    path->set_torch(static_cast<wire::TorchScope>(scope));
  }
  return it->second;
}

void SnapshotBuilder::TorchStep(int64_t time_ns, uint32_t op, uint32_t tid,
                                std::string_view shapes) {
  if (op == 0) op = TorchOp(0, "", model::TorchScope::kOutside);
  records_->steps.push_back({time_ns, 0, ThreadId(tid), op, String(shapes)});
}

void SnapshotBuilder::TorchSequence(int64_t time_ns, uint32_t op, uint64_t number, uint32_t tid) {
  records_->sequences.push_back({time_ns, number, op, ThreadId(tid)});
}

void SnapshotBuilder::GraphNode(uint64_t node, std::string_view captured_in, uint32_t torch_op) {
  wire::GraphNodes* wire = records_->tables.add_graph_nodes();
  wire->add_node_delta(static_cast<int64_t>(node));
  wire->add_path_delta(Path(captured_in));
  if (torch_op != 0) wire->add_torch_op_delta(torch_op);
}

uint32_t SnapshotBuilder::LaneId(const Launch& how) {
  const auto key = std::make_tuple(how.device, how.context, how.stream, how.channel);
  const auto [it, added] = records_->lanes.emplace(key, records_->lanes.size() + 1);
  if (added) {
    wire::Lane* lane = records_->tables.add_lanes();
    lane->set_device(how.device);
    lane->set_context(how.context);
    lane->set_stream(how.stream);
    lane->set_channel(how.channel);
    if (how.channel != 0) lane->set_channel_type(wire::CHANNEL_COMPUTE);
  }
  return it->second;
}

uint32_t SnapshotBuilder::AddLaunch(std::string_view api, std::string_view path,
                                    int64_t op_start_ns, const Launch& how) {
  const uint32_t correlation = how.correlation != 0 ? how.correlation : records_->next_correlation;
  records_->next_correlation = std::max(records_->next_correlation, correlation + 1);
  if (how.no_api) return correlation;
  model::ApiCall call;
  call.name = String(how.api.empty() ? api : how.api);
  call.thread = ThreadId(how.tid);
  call.correlation = correlation;
  call.start_ns = how.api_start_ns.value_or(op_start_ns - 10'000);
  call.end_ns = how.api_end_ns.value_or(call.start_ns + 4'000);
  records_->calls.push_back(call);
  records_->entered.push_back({Path(path), call.thread, call.start_ns, call.end_ns, 0});
  return correlation;
}

uint32_t SnapshotBuilder::Kernel(uint32_t shape, std::string_view path, int64_t start_ns,
                                 int64_t end_ns, const Launch& how) {
  OpRow row;
  row.op.kind = model::OpKind::kKernel;
  row.op.shape = shape;
  row.op.timed = !how.untimed && !how.untraced;
  row.op.untraced = how.untraced;
  row.op.graph = how.graph;
  row.op.graph_node = how.graph_node;
  row.op.start_ns = start_ns;
  row.op.end_ns = end_ns;
  row.lane = LaneId(how);
  row.op.correlation =
      AddLaunch(how.graph != 0 ? "cudaGraphLaunch" : "cudaLaunchKernel", path, start_ns, how);
  records_->kernels.push_back(row);
  return row.op.correlation;
}

uint32_t SnapshotBuilder::Copy(model::CopyKind kind, model::MemoryKind source,
                               model::MemoryKind destination, uint64_t bytes, std::string_view path,
                               int64_t start_ns, int64_t end_ns, const Launch& how) {
  OpRow row;
  row.op.kind = model::OpKind::kCopy;
  row.op.copy = kind;
  row.op.source = source;
  row.op.destination = destination;
  row.op.bytes = bytes;
  row.op.async = !how.synchronous;
  row.op.graph = how.graph;
  row.op.graph_node = how.graph_node;
  row.op.start_ns = start_ns;
  row.op.end_ns = end_ns;
  row.lane = LaneId(how);
  row.op.correlation =
      AddLaunch(how.synchronous ? "cudaMemcpy" : "cudaMemcpyAsync", path, start_ns, how);
  records_->copies.push_back(row);
  return row.op.correlation;
}

uint32_t SnapshotBuilder::Memset(uint64_t bytes, std::string_view path, int64_t start_ns,
                                 int64_t end_ns, const Launch& how) {
  OpRow row;
  row.op.kind = model::OpKind::kMemset;
  row.op.destination = model::MemoryKind::kDevice;
  row.op.bytes = bytes;
  row.op.graph = how.graph;
  row.op.graph_node = how.graph_node;
  row.op.start_ns = start_ns;
  row.op.end_ns = end_ns;
  row.lane = LaneId(how);
  row.op.correlation = AddLaunch("cudaMemsetAsync", path, start_ns, how);
  records_->memsets.push_back(row);
  return row.op.correlation;
}

uint32_t SnapshotBuilder::GraphRun(std::string_view path, int64_t start_ns, int64_t end_ns,
                                   const Launch& how) {
  OpRow row;
  row.op.kind = model::OpKind::kGraph;
  row.op.graph = how.graph;
  row.op.start_ns = start_ns;
  row.op.end_ns = end_ns;
  row.lane = LaneId(how);
  row.op.correlation = AddLaunch("cudaGraphLaunch", path, start_ns, how);
  records_->graph_runs.push_back(row);
  return row.op.correlation;
}

uint32_t SnapshotBuilder::Api(std::string_view name, int64_t start_ns, int64_t end_ns,
                              uint32_t tid) {
  model::ApiCall call;
  call.name = String(name);
  call.thread = ThreadId(tid);
  call.correlation = records_->next_correlation++;
  call.start_ns = start_ns;
  call.end_ns = end_ns;
  records_->calls.push_back(call);
  return call.correlation;
}

void SnapshotBuilder::Sync(model::SyncKind kind, int64_t start_ns, int64_t end_ns,
                           uint32_t correlation) {
  records_->syncs.push_back({kind, 1, 7, correlation, start_ns, end_ns});
}

void SnapshotBuilder::Range(std::string_view path, int64_t start_ns, int64_t end_ns, uint32_t tid) {
  records_->ranges.push_back({Path(path), ThreadId(tid), start_ns, end_ns, 0});
}

void SnapshotBuilder::Step(uint32_t tid, int64_t time_ns, std::string_view path) {
  records_->steps.push_back({time_ns, 0, ThreadId(tid), Path(path), 0});
}

void SnapshotBuilder::Span(std::string_view path, int64_t start_ns, int64_t end_ns,
                           uint32_t start_tid, uint32_t end_tid) {
  records_->spans.push_back({Path(path), ThreadId(start_tid), start_ns, end_ns, ThreadId(end_tid)});
}

void SnapshotBuilder::Overhead(std::string_view kind, int64_t start_ns, int64_t end_ns,
                               uint32_t tid) {
  String(kind);
  records_->overheads.push_back({std::string(kind), ThreadId(tid), start_ns, end_ns});
}

void SnapshotBuilder::Sample(uint32_t correlation, const std::map<std::string, double>& metrics,
                             std::string_view level, uint32_t context) {
  AddSample(correlation, metrics, level, context);
}

void SnapshotBuilder::GraphSample(uint32_t correlation,
                                  const std::map<std::string, double>& metrics) {
  AddSample(correlation, metrics, "sol", 1).set_unit(wire::SAMPLE_GRAPH);
}

void SnapshotBuilder::OlderSample(uint32_t shape, std::string_view path, uint64_t duration_ns,
                                  const std::map<std::string, double>& metrics) {
  wire::CounterSample& sample = AddSample(0, metrics, "sol", 1);
  sample.set_correlation(0xfffffff0);
  sample.set_shape(shape);
  sample.set_lane(LaneId({}));
  sample.set_range_path(Path(path));
  sample.set_duration_ns(duration_ns);
}

void SnapshotBuilder::RangeSample(std::string_view path, int64_t begin_ns, int64_t end_ns,
                                  const std::map<std::string, double>& metrics) {
  wire::CounterSample& sample = AddSample(0, metrics, "sol", 1);
  sample.set_unit(wire::SAMPLE_RANGE);
  sample.set_range_path(Path(path));
  sample.set_begin_ns(begin_ns);
  sample.set_end_ns(end_ns);
}

wire::CounterSample& SnapshotBuilder::AddSample(uint32_t correlation,
                                                const std::map<std::string, double>& metrics,
                                                std::string_view level, uint32_t context) {
  std::string key(level);
  for (const auto& [metric, value] : metrics) key += '\n' + metric;
  const auto [it, added] = records_->groups.emplace(key, records_->groups.size() + 1);
  if (added) {
    wire::PassGroup* group = records_->tables.add_pass_groups();
    group->set_level(String(level));
    for (const auto& [metric, value] : metrics) group->add_metric(String(metric));
  }
  wire::CounterSample sample;
  sample.set_group(it->second);
  sample.set_context(context);
  sample.set_correlation(correlation);
  for (const auto& [metric, value] : metrics) sample.add_value(value);
  for (const model::ApiCall& call : records_->calls) {
    if (call.correlation != correlation) continue;
    sample.set_begin_ns(call.start_ns);
    sample.set_end_ns(call.end_ns);
  }
  return records_->samples.emplace_back(sample);
}

void SnapshotBuilder::Pm(const model::PmSeries& series) {
  wire::PmSeries* wire = records_->tables.add_pm_series();
  wire->set_device(series.device);
  wire->set_interval_ns(static_cast<uint64_t>(series.interval_ns));
  for (const std::string& metric : series.metrics) wire->add_metric(String(metric));
  for (const double scale : series.scales) wire->add_scale(scale);
  records_->pm_series.push_back(series);
}

void SnapshotBuilder::Launches(const model::LaunchCount& count) {
  wire::LaunchCount* wire = records_->tables.add_launch_counts();
  wire->set_device(count.device);
  wire->set_shape(count.shape);
  wire->set_graph_id(count.graph);
  wire->set_launches(count.launches);
  wire->set_counted_ns(count.counted_ns);
}

void SnapshotBuilder::Profiler(model::ProfilerWork work, int64_t begin_ns, int64_t end_ns,
                               uint32_t tid) {
  wire::ProfilerInterval* interval = records_->tables.add_profiler_intervals();
  interval->set_work(static_cast<wire::ProfilerWork>(work));
  interval->set_begin_ns(begin_ns);
  interval->set_end_ns(end_ns);
  interval->set_thread(ThreadId(tid));
}

void SnapshotBuilder::Notice(model::Severity severity, model::Subsystem subsystem,
                             std::string_view what, std::string_view fix) {
  wire::Notice* notice = records_->tables.add_notices();
  notice->set_severity(static_cast<wire::NoticeSeverity>(severity));
  notice->set_subsystem(static_cast<wire::Subsystem>(subsystem));
  notice->set_what(std::string(what));
  notice->set_fix(std::string(fix));
}

}  // namespace prof::test
