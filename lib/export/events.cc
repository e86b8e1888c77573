// SPDX-License-Identifier: Apache-2.0
#include "lib/export/events.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/code_counts.h"
#include "lib/analyzer/base/families.h"
#include "lib/analyzer/base/kernel_names.h"
#include "lib/format/enums.h"
#include "lib/snapshot/join/torch_nodes.h"
#include "lib/snapshot/model/model.h"
#include "lib/snapshot/model/range_names.h"
#include "lib/snapshot/read/reader.h"
#include "lib/text/demangle.h"

namespace prof {

namespace {

// The ops of PyTorch, and what is known of the nodes among them.
struct TorchRows {
  const model::Model* model = nullptr;
  std::vector<snapshot::TorchNode> nodes;
  std::vector<std::pair<int32_t, uint64_t>> made;  // by maker: the number of its first node
};

}  // namespace

struct Events::Data {
  std::string error;
  model::Model model;
  ProcessInfo process;
  std::vector<DeviceInfo> devices;
  std::vector<ThreadInfo> threads{ThreadInfo{}};
  std::vector<StreamInfo> streams;
  std::vector<KernelShape> shapes{KernelShape{}};
  std::vector<RangePathInfo> paths{RangePathInfo{}};
  std::vector<HostFrameInfo> host_frames{HostFrameInfo{}};
  std::vector<HostStackInfo> host_stacks{HostStackInfo{}};
  std::vector<PmSeriesInfo> pm_series;
  TorchRows torch;
  std::vector<OverheadEvent> overheads;  // by start
};

namespace {

using model::Model;

ProcessInfo DescribeProcess(const Model& model) {
  const model::Process& from = model.process;
  ProcessInfo process;
  process.host = from.host;
  process.command = from.command;
  process.prof_version = from.prof_version;
  process.nvidia_driver = from.nvidia_driver;
  process.pid = from.pid;
  process.rank = from.rank;
  process.cuda_driver_version = from.cuda_driver_version;
  process.cupti_version = from.cupti_version;
  process.start_ns = from.start_ns;
  process.end_ns = model.end_ns;
  process.incomplete = model.truncation;
  return process;
}

std::vector<DeviceInfo> DescribeDevices(const Model& model) {
  std::vector<DeviceInfo> devices;
  for (const model::Device& from : model.devices) {
    DeviceInfo device;
    device.id = from.id;
    device.name = from.name;
    device.chip = from.chip;
    device.uuid = from.uuid;
    device.compute_major = from.compute_major;
    device.compute_minor = from.compute_minor;
    device.sm_count = from.sm_count;
    device.warp_size = from.warp_size;
    device.max_threads_per_sm = from.max_threads_per_sm;
    device.max_blocks_per_sm = from.max_blocks_per_sm;
    device.registers_per_sm = from.registers_per_sm;
    device.shared_memory_per_sm = from.shared_memory_per_sm;
    device.l2_bytes = from.l2_bytes;
    device.sm_clock_khz = from.sm_clock_khz;
    device.memory_clock_khz = from.memory_clock_khz;
    device.memory_bus_bits = from.memory_bus_bits;
    device.memory_bytes = from.memory_bytes;
    devices.push_back(std::move(device));
  }
  return devices;
}

std::vector<StreamInfo> DescribeStreams(const Model& model) {
  std::map<std::pair<uint32_t, uint32_t>, StreamInfo> streams;
  for (const model::Stream& from : model.streams) {
    StreamInfo& stream = streams[{from.context, from.stream}];
    stream.priority = from.priority;
    stream.flag = static_cast<uint32_t>(from.flag);
  }
  for (const model::StreamName& from : model.stream_names) {
    if (from.context != 0) streams[{from.context, from.stream}].name = from.name;
  }
  std::vector<StreamInfo> list;
  for (auto& [key, stream] : streams) {
    std::tie(stream.context, stream.stream) = key;
    list.push_back(std::move(stream));
  }
  return list;
}

KernelShape DescribeShape(const model::Shape& from) {
  KernelShape shape;
  shape.name = from.name;
  shape.demangled = text::Demangle(from.name);
  shape.short_name = analyzer::ShortName(shape.demangled);
  shape.grid = from.grid;
  shape.block = from.block;
  shape.cluster = from.cluster;
  shape.registers_per_thread = from.registers_per_thread;
  shape.static_shared_bytes = from.static_shared_bytes;
  shape.dynamic_shared_bytes = from.dynamic_shared_bytes;
  shape.shared_executed_bytes = from.shared_executed_bytes;
  shape.local_bytes_per_thread = from.local_bytes_per_thread;
  shape.local_known = from.local_known;
  if (from.code) shape.code = analyzer::CodeOf(*from.code);
  shape.launch_type = from.launch_type;
  return shape;
}

std::vector<RangePathInfo> DescribePaths(const Model& model) {
  const analyzer::RangeFamilies families = analyzer::FindRangeFamilies(model);
  std::vector<RangePathInfo> paths;
  for (size_t id = 0; id < model.paths.size(); ++id) {
    const model::RangePath& from = model.paths[id];
    RangePathInfo path;
    path.parent = from.parent;
    path.name = from.name;
    path.domain = from.domain;
    path.full = from.full;
    path.row = families.label[families.of_path[id]];
    path.color = from.color;
    path.torch_op = from.torch != model::TorchScope::kNone;
    path.family = !from.stars.empty();
    paths.push_back(std::move(path));
  }
  return paths;
}

const Model& ModelOf(const void* data) { return *static_cast<const Model*>(data); }

OperationEvent ReadOperation(const void* data, size_t row) {
  const Model& model = ModelOf(data);
  const model::Op op = model.ops[row];
  OperationEvent event;
  event.kind = static_cast<OperationKind>(op.kind);
  event.timed = op.timed;
  event.untraced = op.untraced;
  event.sampled = op.sampled;
  event.start_ns = op.start_ns;
  event.end_ns = op.end_ns;
  event.device = op.device;
  event.context = op.context;
  event.stream = op.stream;
  event.correlation = op.correlation;
  event.shape = op.shape;
  event.path = op.path;
  event.launch_path = model.LaunchPath(op);
  const model::TorchPlace place = model.torch.PlaceOf(row);
  event.torch_op = place.op;
  event.torch_forward = place.forward_op;
  event.torch_module = place.module;
  event.call = op.api;
  event.graph = op.graph;
  event.graph_node = op.graph_node;
  event.stack = model.StackOf(op);
  event.bytes = op.bytes;
  event.copy = static_cast<CopyDirection>(op.copy);
  event.source = static_cast<MemoryType>(op.source);
  event.destination = static_cast<MemoryType>(op.destination);
  return event;
}

CallEvent ReadCall(const void* data, size_t row) {
  const Model& model = ModelOf(data);
  const model::ApiCall call = model.api_calls[row];
  CallEvent event;
  event.name = model.strings[call.name];
  event.start_ns = call.start_ns;
  event.end_ns = call.end_ns;
  event.thread = call.thread;
  event.correlation = call.correlation;
  event.error = call.error;
  event.path = call.path;
  event.stack = call.stack;
  event.loads_code = call.loads_code;
  return event;
}

RangeEvent ToEvent(const model::RangeInstance& instance) {
  return {instance.path, instance.thread, instance.start_ns, instance.end_ns, instance.closed};
}

RangeEvent ReadRange(const void* data, size_t row) { return ToEvent(ModelOf(data).instances[row]); }
RangeEvent ReadSpan(const void* data, size_t row) { return ToEvent(ModelOf(data).spans[row]); }

MarkEvent ReadMark(const void* data, size_t row) {
  const model::Mark& mark = ModelOf(data).marks[row];
  return {mark.path, mark.thread, mark.time_ns};
}

TorchRows FindTorchRows(const Model& model) {
  TorchRows rows;
  rows.model = &model;
  rows.nodes = snapshot::FindTorchNodes(model);
  for (const snapshot::TorchNode& node : rows.nodes) {
    if (node.maker != model::kNoIndex) rows.made.emplace_back(node.maker, node.number);
  }
  std::sort(rows.made.begin(), rows.made.end());
  return rows;
}

TorchOpKind KindOf(model::TorchScope scope) {
  switch (scope) {
    case model::TorchScope::kBackward:
      return TorchOpKind::kNode;
    case model::TorchScope::kUser:
      return TorchOpKind::kUser;
    case model::TorchScope::kModule:
      return TorchOpKind::kModule;
    case model::TorchScope::kNone:
    case model::TorchScope::kOutside:
    case model::TorchScope::kFunction:
      break;
  }
  return TorchOpKind::kFunction;
}

TorchOpEvent ReadTorchOp(const void* data, size_t row) {
  const TorchRows& rows = *static_cast<const TorchRows*>(data);
  const model::TorchOps& torch = rows.model->torch;
  const model::RangeInstance instance = torch.instances[row];
  TorchOpEvent event;
  event.kind = KindOf(rows.model->paths[instance.path].torch);
  event.path = instance.path;
  event.thread = instance.thread;
  event.start_ns = instance.start_ns;
  event.end_ns = instance.end_ns;
  event.closed = instance.closed;
  if (row < torch.shapes_of_instance.size()) {
    event.shapes = rows.model->strings[torch.shapes_of_instance[row]];
  }
  const auto index = static_cast<int32_t>(row);
  if (event.kind == TorchOpKind::kNode) {
    const auto node = std::lower_bound(
        rows.nodes.begin(), rows.nodes.end(), index,
        [](const snapshot::TorchNode& a, int32_t wanted) { return a.node < wanted; });
    if (node == rows.nodes.end() || node->node != index) return event;
    event.sequence = static_cast<int64_t>(node->number);
    event.forward = node->maker;
  } else {
    const auto made =
        std::lower_bound(rows.made.begin(), rows.made.end(), std::pair(index, uint64_t{0}));
    if (made != rows.made.end() && made->first == index) {
      event.sequence = static_cast<int64_t>(made->second);
    }
  }
  return event;
}

SyncEvent ReadSync(const void* data, size_t row) {
  const model::Sync& sync = ModelOf(data).syncs[row];
  return {static_cast<SyncType>(sync.kind),
          sync.context,
          sync.stream,
          sync.correlation,
          sync.start_ns,
          sync.end_ns};
}

std::string_view NameOfWork(model::ProfilerWork work) {
  switch (work) {
    case model::ProfilerWork::kSetup:
      return "prof: setup";
    case model::ProfilerWork::kRotate:
      return "prof: rotate";
    case model::ProfilerWork::kSample:
      return "prof: sample";
    case model::ProfilerWork::kPause:
      return "prof: pause";
    case model::ProfilerWork::kUnknown:
      break;
  }
  return "prof";
}

// Their names stay with the model.
std::vector<OverheadEvent> GatherOverheads(const Model& model) {
  std::vector<OverheadEvent> events;
  for (const model::Overhead& one : model.overheads) {
    events.push_back({one.kind, one.thread, one.start_ns, one.end_ns});
  }
  for (const model::ProfilerInterval& one : model.profiler_intervals) {
    events.push_back({NameOfWork(one.work), one.thread, one.begin_ns, one.end_ns});
  }
  for (const model::Pause& pause : model.pauses) {
    events.push_back({NameOfWork(model::ProfilerWork::kPause), 0, pause.begin_ns, pause.end_ns});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return events;
}

OverheadEvent ReadOverhead(const void* data, size_t row) {
  return static_cast<const OverheadEvent*>(data)[row];
}

AllocationEvent ReadAllocation(const void* data, size_t row) {
  const model::Allocation& from = ModelOf(data).allocations[row];
  AllocationEvent event;
  event.freed = from.operation == model::AllocationOperation::kFree;
  event.pooled = from.pooled;
  event.memory = static_cast<MemoryType>(from.memory);
  event.device = from.device;
  event.context = from.context;
  event.stream = from.stream;
  event.path = from.path;
  event.call = from.api;
  event.address = from.address;
  event.bytes = from.bytes;
  event.time_ns = from.time_ns;
  return event;
}

CounterEvent ReadCounters(const void* data, size_t row) {
  const Model& model = ModelOf(data);
  const model::CounterSample& sample = model.samples[row];
  CounterEvent event;
  event.unit = static_cast<CountedUnit>(sample.unit);
  event.level = model.groups[sample.group].level;
  event.context = sample.context;
  event.correlation = sample.correlation;
  event.path = sample.path;
  event.operation = sample.op;
  event.start_ns = sample.begin_ns;
  event.end_ns = sample.end_ns;
  event.metrics = &model.groups[sample.group].metrics;
  event.values = &sample.values;
  return event;
}

PmSampleEvent ReadPmSample(const void* data, size_t row) {
  const auto& series = *static_cast<const model::PmSeries*>(data);
  return {series.begin_ns[row], series.end_ns[row], series.samples[row], series.row(row)};
}

}  // namespace

const char* ToString(OperationKind kind) {
  constexpr std::array kNames{"kernel", "copy", "memset", "graph"};
  return kNames[static_cast<size_t>(kind)];
}
const char* ToString(CopyDirection direction) {
  return format::Name(static_cast<format::CopyKind>(direction));
}
const char* ToString(MemoryType memory) {
  return format::Name(static_cast<format::MemoryKind>(memory));
}
const char* ToString(SyncType sync) { return format::Name(static_cast<format::SyncKind>(sync)); }
const char* ToString(CountedUnit unit) {
  return format::Name(static_cast<format::SampleUnit>(unit));
}

Events::Events() : data_(std::make_shared<const Data>()) {}

const std::string& Events::error() const { return data_->error; }
const ProcessInfo& Events::process() const { return data_->process; }
const std::vector<DeviceInfo>& Events::devices() const { return data_->devices; }
const std::vector<ThreadInfo>& Events::threads() const { return data_->threads; }
const std::vector<StreamInfo>& Events::streams() const { return data_->streams; }
const std::vector<KernelShape>& Events::shapes() const { return data_->shapes; }
const std::vector<RangePathInfo>& Events::paths() const { return data_->paths; }
const std::vector<HostFrameInfo>& Events::host_frames() const { return data_->host_frames; }
const std::vector<HostStackInfo>& Events::host_stacks() const { return data_->host_stacks; }
const std::vector<PmSeriesInfo>& Events::pm_series() const { return data_->pm_series; }

EventTable<OperationEvent> Events::operations() const {
  return {&data_->model, data_->model.ops.size(), ReadOperation};
}
EventTable<CallEvent> Events::calls() const {
  return {&data_->model, data_->model.api_calls.size(), ReadCall};
}
EventTable<RangeEvent> Events::ranges() const {
  return {&data_->model, data_->model.instances.size(), ReadRange};
}
EventTable<RangeEvent> Events::spans() const {
  return {&data_->model, data_->model.spans.size(), ReadSpan};
}
EventTable<MarkEvent> Events::marks() const {
  return {&data_->model, data_->model.marks.size(), ReadMark};
}
EventTable<TorchOpEvent> Events::torch_ops() const {
  return {&data_->torch, data_->model.torch.instances.size(), ReadTorchOp};
}
EventTable<SyncEvent> Events::syncs() const {
  return {&data_->model, data_->model.syncs.size(), ReadSync};
}
EventTable<OverheadEvent> Events::overheads() const {
  return {data_->overheads.data(), data_->overheads.size(), ReadOverhead};
}
EventTable<AllocationEvent> Events::allocations() const {
  return {&data_->model, data_->model.allocations.size(), ReadAllocation};
}
EventTable<CounterEvent> Events::counters() const {
  return {&data_->model, data_->model.samples.size(), ReadCounters};
}
EventTable<PmSampleEvent> Events::pm_samples(size_t series) const {
  const model::PmSeries& from = data_->model.pm_series[series];
  return {&from, from.rows(), ReadPmSample};
}

std::string Events::NameOf(uint32_t path, uint32_t thread, int64_t time_ns) const {
  return model::OwnName(data_->model, path, thread, time_ns);
}

Events exporting::EventsReader::Read(const Snapshot& snapshot, model::RowStorage storage) {
  auto data = std::make_shared<Events::Data>();
  try {
    absl::StatusOr<Model> model = ReadSnapshot(snapshot, storage);
    if (model.ok()) {
      data->model = *std::move(model);
      data->process = DescribeProcess(data->model);
      data->devices = DescribeDevices(data->model);
      data->streams = DescribeStreams(data->model);
      data->paths = DescribePaths(data->model);
      data->torch = FindTorchRows(data->model);
      data->overheads = GatherOverheads(data->model);
      for (size_t id = 1; id < data->model.shapes.size(); ++id) {
        data->shapes.push_back(DescribeShape(data->model.shapes[id]));
      }
      for (size_t id = 1; id < data->model.threads.size(); ++id) {
        data->threads.push_back({data->model.threads[id].tid, data->model.threads[id].name});
      }
      for (size_t id = 1; id < data->model.host_frames.size(); ++id) {
        const model::HostFrame& frame = data->model.host_frames[id];
        data->host_frames.push_back({data->model.strings[frame.function],
                                     data->model.strings[frame.file], frame.first_line, frame.line,
                                     data->model.strings[frame.module]});
      }
      for (size_t id = 1; id < data->model.host_stacks.size(); ++id) {
        const model::HostStack& stack = data->model.host_stacks[id];
        data->host_stacks.push_back({stack.parent, stack.frame});
      }
      for (const model::PmSeries& series : data->model.pm_series) {
        data->pm_series.push_back({series.device, series.interval_ns, series.metrics});
      }
    } else {
      data->error = std::string(model.status().message());
    }
  } catch (const std::exception& problem) {  // most likely out of memory
    data = std::make_shared<Events::Data>();
    data->error = std::string("reading failed: ") + problem.what();
  }
  Events events;
  events.data_ = std::move(data);
  return events;
}

Events ReadEvents(const Snapshot& snapshot) {
  return exporting::EventsReader::Read(snapshot, model::RowStorage::kPacked);
}

}  // namespace prof
