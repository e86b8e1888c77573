// SPDX-License-Identifier: Apache-2.0
//
// The tables of a block, and taking a block back when a part of it is damaged.
#include <array>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "lib/format/losses.h"
#include "lib/snapshot/decode/decode_checks.h"
#include "lib/snapshot/decode/decoder.h"
#include "prof/snapshot.pb.h"

namespace prof::internal {
namespace {

template <typename... Vectors>
std::array<size_t, sizeof...(Vectors)> Sizes(const std::tuple<Vectors&...>& all) {
  return std::apply([](const auto&... one) { return std::array{one.size()...}; }, all);
}

template <typename Tuple, size_t... I>
void Shrink(const Tuple& all, const std::array<size_t, sizeof...(I)>& sizes,
            std::index_sequence<I...> /*indices*/) {
  (std::get<I>(all).resize(sizes[I]), ...);
}

auto Growing(model::Model* m) {
  return std::tie(m->strings, m->paths, m->shapes, m->threads, m->groups, m->ops, m->api_calls,
                  m->syncs, m->overheads, m->spans, m->samples, m->profiler_intervals, m->notices,
                  m->pm_series, m->marks, m->payloads, m->category_names, m->stream_names,
                  m->allocations, m->pool_states, m->unified_memory, m->streams, m->graph_nodes);
}

// Rows of each PM series, to take a block's back.
std::vector<size_t> PmRows(const model::Model& model) {
  std::vector<size_t> rows;
  for (const model::PmSeries& series : model.pm_series) rows.push_back(series.rows());
  return rows;
}

void ShrinkPm(const std::vector<size_t>& rows, model::Model* model) {
  for (size_t i = 0; i < rows.size(); ++i) {
    model::PmSeries& series = model->pm_series[i];
    series.begin_ns.resize(rows[i]);
    series.end_ns.resize(rows[i]);
    series.samples.resize(rows[i]);
    series.values.resize(rows[i] * series.metrics.size());
  }
}

// Rows are known by 32-bit indices, of which the tables use a few bits for themselves.
absl::Status CheckRows(const model::Model& model) {
  constexpr size_t kMostRows = size_t{1} << 30;
  if (model.ops.size() <= kMostRows && model.api_calls.size() <= kMostRows) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("it has more than ", kMostRows, " operations or API calls"));
}

}  // namespace

absl::Status Decoder::Add(const wire::Block& block, size_t bytes) {
  const auto growing = Growing(model_);
  const auto sizes = Sizes(growing);
  const std::vector<size_t> pm_rows = PmRows(*model_);
  const size_t lanes = lanes_.size(), depths = depths_.size(), spent = spent_;
  const size_t thread_names = thread_names_.size();
  std::vector<model::Device> devices = model_->devices;

  budget_ += 16 * bytes;
  steps_before_.clear();
  absl::Status status = AddTables(block);
  if (status.ok()) status = AddKernels(block);
  if (status.ok()) status = AddCopies(block);
  if (status.ok()) status = AddMemsets(block);
  if (status.ok()) status = AddAllocations(block);
  if (status.ok()) status = AddPoolOperations(block);
  if (status.ok()) status = AddUnifiedMemory(block);
  if (status.ok()) status = AddGraphRuns(block);
  if (status.ok()) status = AddSyncs(block);
  if (status.ok()) status = AddApiCalls(block);
  if (status.ok()) status = AddOverheads(block);
  if (status.ok()) status = AddRanges(block);
  if (status.ok()) status = AddMarks(block);
  if (status.ok()) status = AddSamples(block);
  for (int i = 0; status.ok() && i < block.pm_samples_size(); ++i) {
    status = AddPmSamples(block.pm_samples(i));
  }
  if (status.ok()) status = CheckRows(*model_);
  if (status.ok()) {
    AddClosing(block);
    return status;
  }
  Shrink(growing, sizes, std::make_index_sequence<std::tuple_size_v<decltype(growing)>>());
  ShrinkPm(pm_rows, model_);
  TakeStepsBack();
  lanes_.resize(lanes);
  thread_names_.resize(thread_names);
  depths_.resize(depths);
  spent_ = spent;
  model_->devices = std::move(devices);
  return status;
}

absl::Status Decoder::Spend(size_t bytes) {
  spent_ += bytes;
  if (spent_ <= budget_) return absl::OkStatus();
  return absl::DataLossError("its names are longer than a file of this size can hold");
}

absl::Status Decoder::CopyString(const char* what, uint32_t id, std::string* to) {
  if (id >= model_->strings.size()) {
    return absl::DataLossError(
        absl::StrCat(what, " is string ", id, " of ", model_->strings.size() - 1, " known so far"));
  }
  const std::string& text = model_->strings[id];
  if (absl::Status status = Spend(text.size()); !status.ok()) return status;
  *to = text;
  return absl::OkStatus();
}

absl::Status Decoder::AddTables(const wire::Block& block) {
  for (const std::string& text : block.strings()) model_->strings.push_back(text);
  if (absl::Status status = AddDevices(block); !status.ok()) return status;
  if (absl::Status status = AddPaths(block); !status.ok()) return status;
  if (absl::Status status = AddShapes(block); !status.ok()) return status;
  for (const wire::Lane& lane : block.lanes()) {
    lanes_.push_back({lane.device(), lane.context(), lane.stream(), lane.channel(),
                      format::FromNumber<model::ChannelType>(lane.channel_type())});
  }
  for (const wire::Stream& wire : block.streams()) {
    model_->streams.push_back({wire.context(), wire.stream(), wire.priority(),
                               format::FromNumber<model::StreamFlag>(wire.flag())});
  }
  for (const wire::HostThread& wire : block.threads()) {
    model::Thread& thread = model_->threads.emplace_back();
    thread.tid = wire.tid();
    absl::Status status = CopyString("a thread's name", wire.name(), &thread.name);
    if (!status.ok()) return status;
  }
  model_->steps.resize(model_->threads.size());
  for (const wire::PassGroup& wire : block.pass_groups()) {
    model::PassGroup& group = model_->groups.emplace_back();
    absl::Status status = CopyString("a pass group's tier", wire.tier(), &group.tier);
    const auto copy = [&](const auto& ids, std::vector<std::string>* names) {
      for (int i = 0; status.ok() && i < ids.size(); ++i) {
        status = CopyString("a metric's name", ids[i], &names->emplace_back());
      }
    };
    copy(wire.metric(), &group.metrics);
    for (const wire::Throughput& entry : wire.throughputs()) {
      if (status.ok()) status = Spend(sizeof(model::Throughput));
      if (!status.ok()) break;
      model::Throughput& throughput = group.throughputs.emplace_back();
      status = CopyString("a metric's name", entry.metric(), &throughput.metric);
      copy(entry.part(), &throughput.parts);
      copy(entry.missing(), &throughput.missing);
    }
    if (!status.ok()) return status;
  }
  if (absl::Status status = AddNames(block); !status.ok()) return status;
  if (absl::Status status = AddGraphNodes(block); !status.ok()) return status;
  return AddPmSeries(block);
}

absl::Status Decoder::AddNames(const wire::Block& block) {
  for (const wire::Name& wire : block.names()) {
    std::string name, domain;
    absl::Status status = CopyString("a name", wire.name(), &name);
    if (status.ok()) status = CopyString("a category's domain", wire.domain(), &domain);
    if (status.ok()) status = Spend(sizeof(model::StreamName));
    if (!status.ok()) return status;
    if (wire.kind() == wire::NAME_THREAD) {
      thread_names_.emplace_back(static_cast<uint32_t>(wire.id()), std::move(name));
    } else if (wire.kind() == wire::NAME_CATEGORY) {
      model_->category_names.push_back(
          {static_cast<uint32_t>(wire.id()), std::move(domain), std::move(name)});
    } else if (wire.kind() == wire::NAME_STREAM) {
      model_->stream_names.push_back({wire.id(), wire.context(), wire.stream(), std::move(name)});
    }
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddGraphNodes(const wire::Block& block) {
  for (const wire::GraphNodes& nodes : block.graph_nodes()) {
    const int rows = nodes.node_delta_size();
    absl::Status status =
        SameLength("graph nodes", {{"node_delta", rows}, {"path_delta", nodes.path_delta_size()}});
    if (!status.ok()) return status;
    Sum node, path;
    for (int row = 0; row < rows; ++row) {
      const auto id = static_cast<uint64_t>(node.Add(nodes.node_delta(row)));
      const auto in = static_cast<uint64_t>(path.Add(nodes.path_delta(row)));
      if (in >= model_->paths.size()) {
        return BadId("graph nodes", row, "path", in, model_->paths.size());
      }
      model_->graph_nodes.push_back({id, static_cast<uint32_t>(in)});
    }
  }
  return absl::OkStatus();
}

void Decoder::NameThreads() {
  std::unordered_map<uint32_t, const std::string*> latest;
  for (const auto& [tid, name] : thread_names_) latest[tid] = &name;
  for (model::Thread& thread : model_->threads) {
    const auto name = latest.find(thread.tid);
    if (name != latest.end()) thread.name = *name->second;
  }
}

absl::Status Decoder::AddDevices(const wire::Block& block) {
  for (const wire::Device& wire : block.devices()) {
    model::Device device;
    device.id = wire.id();
    device.name = wire.name();
    device.chip = wire.chip();
    device.uuid = wire.uuid();
    device.compute_major = wire.compute_major();
    device.compute_minor = wire.compute_minor();
    device.sm_count = wire.sm_count();
    device.warp_size = wire.warp_size();
    device.max_threads_per_sm = wire.max_threads_per_sm();
    device.max_blocks_per_sm = wire.max_blocks_per_sm();
    device.registers_per_sm = wire.registers_per_sm();
    device.shared_memory_per_sm = wire.shared_memory_per_sm();
    device.reserved_shared_memory_per_block = wire.reserved_shared_memory_per_block();
    device.l2_bytes = wire.l2_bytes();
    device.memory_bytes = wire.memory_bytes();
    device.sm_clock_khz = wire.sm_clock_khz();
    device.memory_clock_khz = wire.memory_clock_khz();
    device.memory_bus_bits = wire.memory_bus_bits();
    for (const wire::DevicePeak& peak : wire.peaks()) {
      std::string metric;
      absl::Status status = CopyString("a device peak's metric", peak.metric(), &metric);
      if (!status.ok()) return status;
      device.peaks[std::move(metric)] = peak.value();
    }
    // A device that is described again (peaks become known late) replaces what was said before.
    model::Device* known = nullptr;
    for (model::Device& candidate : model_->devices) {
      if (candidate.id == device.id) known = &candidate;
    }
    if (known != nullptr) {
      *known = std::move(device);
    } else if (model_->devices.size() < kMaxDevices) {
      model_->devices.push_back(std::move(device));
    } else {
      return absl::DataLossError(absl::StrCat("it has more than ", kMaxDevices, " devices"));
    }
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddPaths(const wire::Block& block) {
  for (const wire::RangePath& wire : block.range_paths()) {
    if (wire.parent() >= model_->paths.size()) {
      return absl::DataLossError(absl::StrCat("range path ", model_->paths.size(), " has parent ",
                                              wire.parent(), ", which is not known yet"));
    }
    const uint32_t depth = depths_[wire.parent()] + 1;
    if (depth > kMaxDepth) {
      return absl::DataLossError(absl::StrCat("ranges nest deeper than ", kMaxDepth));
    }
    model::RangePath path;
    path.parent = wire.parent();
    path.color = wire.color();
    path.category = wire.category();
    absl::Status status = CopyString("a range's name", wire.name(), &path.name);
    if (status.ok()) status = CopyString("a range's domain", wire.domain(), &path.domain);
    if (!status.ok()) return status;
    const model::RangePath& parent = model_->paths[path.parent];
    const bool new_domain = !path.domain.empty() && path.domain != parent.domain;
    status = Spend(parent.full.size() + path.domain.size() + path.name.size() + 2);
    if (!status.ok()) return status;
    path.full = absl::StrCat(parent.full, path.parent != 0 ? "/" : "",
                             new_domain ? path.domain : "", new_domain ? ":" : "", path.name);
    model_->paths.push_back(std::move(path));
    depths_.push_back(depth);
  }
  return absl::OkStatus();
}

absl::Status Decoder::AddShapes(const wire::Block& block) {
  for (const wire::KernelShape& wire : block.kernel_shapes()) {
    model::Shape& shape = model_->shapes.emplace_back();
    absl::Status status = CopyString("a kernel's name", wire.name(), &shape.name);
    if (!status.ok()) return status;
    shape.grid = {wire.grid_x(), wire.grid_y(), wire.grid_z()};
    shape.block = {wire.block_x(), wire.block_y(), wire.block_z()};
    shape.cluster = {wire.cluster_x(), wire.cluster_y(), wire.cluster_z()};
    shape.static_shared_bytes = wire.static_shared_bytes();
    shape.dynamic_shared_bytes = wire.dynamic_shared_bytes();
    shape.shared_executed_bytes = wire.shared_executed_bytes();
    shape.registers_per_thread = wire.registers_per_thread();
    shape.local_bytes_per_thread = wire.local_bytes_per_thread();
    shape.launch_type = wire.launch_type();
  }
  return absl::OkStatus();
}

void Decoder::AddClosing(const wire::Block& block) {
  if (block.has_header()) {
    const wire::Header& header = block.header();
    model::Process& process = model_->process;
    process.format_version = header.format_version();
    process.prof_version = header.prof_version();
    process.host = header.host();
    process.command = header.command();
    process.cupti_path = header.cupti_path();
    process.nvidia_driver = header.nvidia_driver();
    process.cupti_device_bytes = header.cupti_device_bytes();
    process.start_ns = header.start_ns();
    process.pid = header.pid();
    process.rank = header.rank();
    process.cuda_driver_version = header.cuda_driver_version();
    process.cupti_version = header.cupti_version();
    process.injected = header.injected();
  }
  if (block.has_integrity()) {
    const wire::Integrity& wire = block.integrity();
    const google::protobuf::Descriptor& fields = *wire.GetDescriptor();
    const google::protobuf::Reflection& values = *wire.GetReflection();
    for (const format::IntegrityCount& row : format::kIntegrityCounts) {
      model_->integrity.*row.count = values.GetUInt64(wire, fields.FindFieldByNumber(row.field));
    }
    for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
      model_->integrity.*row.flag = values.GetBool(wire, fields.FindFieldByNumber(row.field));
    }
  }
  if (block.has_trailer()) {
    model_->stopped_in_order = true;
    const int64_t end_ns = block.trailer().end_ns();
    model_->end_ns = -kMaxTime < end_ns && end_ns < kMaxTime ? end_ns : 0;
    trailer_blocks_ = block.trailer().blocks();
  }
}

}  // namespace prof::internal
