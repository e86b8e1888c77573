// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/tables.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/format/code_census.h"
#include "lib/format/enums.h"
#include "lib/snapshot/decode/checks.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

// Deeper nesting is damage. The limit also bounds the work for each range step.
constexpr uint32_t kMaxDepth = 1024;
constexpr size_t kMaxDevices = 1024;
constexpr size_t kPeakBytes = 64;  // of an entry of a hash table, beside its name

// Ceilings without a positive rate are left out.
absl::Status AddCeilings(const wire::Device& wire, DecodeState* state, model::Device* device) {
  for (const wire::DeviceCeiling& ceiling : wire.ceilings()) {
    model::Ceiling entry;
    absl::Status status = CopyString("a ceiling's kind", ceiling.kind(), state, &entry.kind);
    if (status.ok()) status = Spend(sizeof(model::Ceiling), state);
    if (!status.ok()) return status;
    if (!std::isfinite(ceiling.per_s()) || !(ceiling.per_s() > 0)) continue;
    entry.per_s = ceiling.per_s();
    entry.n = ceiling.n();
    entry.min = ceiling.min();
    entry.max = ceiling.max();
    entry.sm_clock_hz = std::isfinite(ceiling.sm_clock_hz()) ? ceiling.sm_clock_hz() : 0;
    device->ceilings.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

// What a path's full name begins with. The name of a module is complete, and no part of an op's.
const std::string& FullAbove(const model::Model& model, const model::RangePath& path) {
  if (path.torch == format::TorchScope::kModule) return model.paths[model::kNone].full;
  uint32_t above = path.parent;
  while (model.paths[above].torch == format::TorchScope::kModule) above = model.paths[above].parent;
  return model.paths[above].full;
}

}  // namespace

absl::Status AddStrings(const wire::Block& block, DecodeState* state) {
  for (const std::string& text : block.strings()) {
    absl::Status status = Spend(sizeof(std::string), state);
    if (!status.ok()) return status;
    state->model->strings.push_back(text);
  }
  return absl::OkStatus();
}

absl::Status AddDevices(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (const wire::Device& wire : block.devices()) {
    absl::Status status = Spend(sizeof(model::Device), state);
    if (!status.ok()) return status;
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
      status = CopyString("a device peak's metric", peak.metric(), state, &metric);
      if (status.ok()) status = Spend(kPeakBytes, state);
      if (!status.ok()) return status;
      device.peaks[std::move(metric)] = peak.value();
    }
    status = AddCeilings(wire, state, &device);
    if (!status.ok()) return status;
    // A device may come again, because its peaks become known late. The last one counts.
    const auto known = state->devices.find(device.id);
    if (known != state->devices.end()) {
      model::Device& before = model.devices[known->second];
      state->devices_before.push_back({known->second, std::move(before)});
      before = std::move(device);
    } else if (model.devices.size() < kMaxDevices) {
      state->devices[device.id] = model.devices.size();
      model.devices.push_back(std::move(device));
    } else {
      return absl::DataLossError(absl::StrCat("it has more than ", kMaxDevices, " devices"));
    }
  }
  return absl::OkStatus();
}

absl::Status AddPaths(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (const wire::RangePath& wire : block.range_paths()) {
    if (wire.parent() >= model.paths.size()) {
      return absl::DataLossError(absl::StrCat("range path ", model.paths.size(), " has parent ",
                                              wire.parent(), ", which is not known yet"));
    }
    const uint32_t depth = state->path_depths[wire.parent()] + 1;
    if (depth > kMaxDepth) {
      return absl::DataLossError(absl::StrCat("ranges nest deeper than ", kMaxDepth));
    }
    model::RangePath path;
    path.parent = wire.parent();
    path.color = wire.color();
    path.category = wire.category();
    path.torch = format::FromNumber<format::TorchScope>(wire.torch());
    absl::Status status = CopyString("a range's name", wire.name(), state, &path.name);
    if (status.ok()) status = CopyString("a range's domain", wire.domain(), state, &path.domain);
    if (!status.ok()) return status;
    for (const uint32_t star : wire.star()) {
      if (star >= path.name.size() || (!path.stars.empty() && star <= path.stars.back())) {
        return absl::DataLossError(absl::StrCat("range path ", model.paths.size(),
                                                " has a star at byte ", star, " of its name"));
      }
      path.stars.push_back(star);
    }
    const model::RangePath& parent = model.paths[path.parent];
    const bool torch = path.torch != format::TorchScope::kNone;
    if (torch != (parent.torch != format::TorchScope::kNone) &&
        (path.parent != model::kNone || path.torch != format::TorchScope::kOutside)) {
      return absl::DataLossError(
          absl::StrCat("range path ", model.paths.size(), " is below one of another tree"));
    }
    const bool new_domain = !torch && !path.domain.empty() && path.domain != parent.domain;
    const std::string& above = FullAbove(model, path);
    status = Spend(sizeof(path) + path.stars.size() * sizeof(uint32_t) + above.size() +
                       path.domain.size() + path.name.size() + 2,
                   state);
    if (!status.ok()) return status;
    path.full = absl::StrCat(above,
                             above.empty() && torch ? ""
                             : path.parent != 0     ? "/"
                                                    : "",
                             new_domain ? path.domain : "", new_domain ? ":" : "", path.name);
    model.paths.push_back(std::move(path));
    state->path_depths.push_back(depth);
  }
  return absl::OkStatus();
}

namespace {

// A newer writer may have more classes: what they count is not known to this reader.
format::CodeCensus CensusOf(const wire::KernelCode& wire) {
  format::CodeCensus census;
  census.instructions = wire.instructions();
  census.looped = wire.looped();
  census.calls_others = wire.calls_others();
  const auto classes = static_cast<int>(format::kCodeClasses);
  for (int i = 0; i < std::min(wire.count_size(), classes); ++i) {
    census.counts[static_cast<size_t>(i)].all = wire.count(i);
  }
  for (int i = 0; i < std::min(wire.looped_count_size(), classes); ++i) {
    census.counts[static_cast<size_t>(i)].looped = wire.looped_count(i);
  }
  return census;
}

}  // namespace

absl::Status AddShapes(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (const wire::KernelShape& wire : block.kernel_shapes()) {
    absl::Status status = Spend(sizeof(model::Shape), state);
    if (!status.ok()) return status;
    model::Shape& shape = model.shapes.emplace_back();
    status = CopyString("a kernel's name", wire.name(), state, &shape.name);
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
    shape.local_known = wire.local_known() || shape.local_bytes_per_thread > 0;
    if (wire.has_code()) shape.code = CensusOf(wire.code());
  }
  return absl::OkStatus();
}

absl::Status AddLanes(const wire::Block& block, DecodeState* state) {
  absl::Status status = Spend(static_cast<size_t>(block.lanes_size()) * sizeof(Lane), state);
  if (!status.ok()) return status;
  for (const wire::Lane& lane : block.lanes()) {
    state->lanes.push_back({lane.device(), lane.context(), lane.stream(), lane.channel(),
                            format::FromNumber<model::ChannelType>(lane.channel_type())});
  }
  return absl::OkStatus();
}

absl::Status AddStreams(const wire::Block& block, DecodeState* state) {
  absl::Status status =
      Spend(static_cast<size_t>(block.streams_size()) * sizeof(model::Stream), state);
  if (!status.ok()) return status;
  for (const wire::Stream& wire : block.streams()) {
    state->model->streams.push_back({wire.context(), wire.stream(), wire.priority(),
                                     format::FromNumber<model::StreamFlag>(wire.flag())});
  }
  return absl::OkStatus();
}

absl::Status AddThreads(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (const wire::HostThread& wire : block.threads()) {
    absl::Status status = Spend(sizeof(model::Thread) + sizeof(model::StepTable), state);
    if (!status.ok()) return status;
    model::Thread& thread = model.threads.emplace_back();
    thread.tid = wire.tid();
    status = CopyString("a thread's name", wire.name(), state, &thread.name);
    if (!status.ok()) return status;
  }
  model.steps.resize(model.threads.size());
  return absl::OkStatus();
}

absl::Status AddPassGroups(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (const wire::PassGroup& wire : block.pass_groups()) {
    absl::Status status = Spend(sizeof(model::PassGroup), state);
    if (!status.ok()) return status;
    model::PassGroup& group = model.groups.emplace_back();
    status = CopyString("a pass group's level", wire.level(), state, &group.level);
    const auto copy = [&](const auto& ids, std::vector<std::string>* names) {
      for (int i = 0; status.ok() && i < ids.size(); ++i) {
        status = Spend(sizeof(std::string), state);
        if (!status.ok()) return;
        status = CopyString("a metric's name", ids[i], state, &names->emplace_back());
      }
    };
    copy(wire.metric(), &group.metrics);
    for (const wire::Throughput& entry : wire.throughputs()) {
      if (status.ok()) status = Spend(sizeof(model::Throughput), state);
      if (!status.ok()) break;
      model::Throughput& throughput = group.throughputs.emplace_back();
      status = CopyString("a metric's name", entry.metric(), state, &throughput.metric);
      copy(entry.part(), &throughput.parts);
      copy(entry.missing(), &throughput.missing);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status AddNames(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (const wire::Name& wire : block.names()) {
    std::string name, domain;
    absl::Status status = CopyString("a name", wire.name(), state, &name);
    if (status.ok()) status = CopyString("a category's domain", wire.domain(), state, &domain);
    if (status.ok()) status = Spend(sizeof(model::StreamName), state);
    if (!status.ok()) return status;
    if (wire.kind() == wire::NAME_THREAD) {
      state->thread_names.emplace_back(static_cast<uint32_t>(wire.id()), std::move(name));
    } else if (wire.kind() == wire::NAME_CATEGORY) {
      model.category_names.push_back(
          {static_cast<uint32_t>(wire.id()), std::move(domain), std::move(name)});
    } else if (wire.kind() == wire::NAME_STREAM) {
      model.stream_names.push_back({wire.id(), wire.context(), wire.stream(), std::move(name)});
    }
  }
  return absl::OkStatus();
}

absl::Status AddHostStacks(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  absl::Status status =
      Spend(static_cast<size_t>(block.host_frames_size()) * sizeof(model::HostFrame) +
                static_cast<size_t>(block.host_stacks_size()) * sizeof(model::HostStack),
            state);
  if (!status.ok()) return status;
  for (const wire::HostFrame& wire : block.host_frames()) {
    for (const uint32_t text : {wire.function(), wire.file(), wire.module(), wire.build_id()}) {
      if (text < model.strings.size()) continue;
      return BadId("host frames", static_cast<int>(model.host_frames.size()), "string", text,
                   model.strings.size());
    }
    // A report or an export may write the names of each frame.
    status = Spend(model.strings[wire.function()].size() + model.strings[wire.file()].size() +
                       model.strings[wire.module()].size(),
                   state);
    if (!status.ok()) return status;
    model.host_frames.push_back({wire.function(), wire.file(), wire.first_line(), wire.line(),
                                 wire.module(), wire.build_id(), wire.offset()});
  }
  for (const wire::HostStack& wire : block.host_stacks()) {
    const auto row = static_cast<int>(model.host_stacks.size());
    if (wire.parent() >= model.host_stacks.size()) {
      return BadId("host stacks", row, "parent", wire.parent(), model.host_stacks.size());
    }
    if (wire.frame() >= model.host_frames.size()) {
      return BadId("host stacks", row, "frame", wire.frame(), model.host_frames.size());
    }
    const uint32_t depth = model.host_stacks[wire.parent()].depth + 1;
    if (depth > kMaxDepth) {
      return absl::DataLossError(absl::StrCat("host stacks are deeper than ", kMaxDepth));
    }
    model.host_stacks.push_back({wire.parent(), wire.frame(), depth});
  }
  return absl::OkStatus();
}

absl::Status AddGraphNodes(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (const wire::GraphNodes& nodes : block.graph_nodes()) {
    const int rows = nodes.node_delta_size();
    absl::Status status =
        SameLength("graph nodes", {{"node_delta", rows}, {"path_delta", nodes.path_delta_size()}});
    const bool has_torch_op = nodes.torch_op_delta_size() > 0;
    if (status.ok() && has_torch_op) {
      status = SameLength("graph nodes",
                          {{"node_delta", rows}, {"torch_op_delta", nodes.torch_op_delta_size()}});
    }
    if (!status.ok()) return status;
    const bool has_stacks = !nodes.stack_delta().empty();
    if (has_stacks) {
      status = SameLength("graph nodes",
                          {{"node_delta", rows}, {"stack_delta", nodes.stack_delta_size()}});
      if (!status.ok()) return status;
    }
    Sum node, path, stack, torch_op;
    for (int row = 0; row < rows; ++row) {
      const auto id = static_cast<uint64_t>(node.Add(nodes.node_delta(row)));
      const auto in = static_cast<uint64_t>(path.Add(nodes.path_delta(row)));
      const auto from =
          has_stacks ? static_cast<uint64_t>(stack.Add(nodes.stack_delta(row))) : uint64_t{0};
      if (in >= model.paths.size()) {
        return BadId("graph nodes", row, "path", in, model.paths.size());
      }
      if (from >= model.host_stacks.size()) {
        return BadId("graph nodes", row, "host stack", from, model.host_stacks.size());
      }
      const auto op =
          has_torch_op ? static_cast<uint64_t>(torch_op.Add(nodes.torch_op_delta(row))) : 0;
      if (op >= model.paths.size()) {
        return BadId("graph nodes", row, "op", op, model.paths.size());
      }
      model.graph_nodes.push_back(
          {id, static_cast<uint32_t>(in), static_cast<uint32_t>(from), static_cast<uint32_t>(op)});
    }
  }
  return absl::OkStatus();
}

void NameThreads(DecodeState* state) {
  std::unordered_map<uint32_t, const std::string*> latest;
  for (const auto& [tid, name] : state->thread_names) latest[tid] = &name;
  for (model::Thread& thread : state->model->threads) {
    const auto name = latest.find(thread.tid);
    if (name != latest.end()) thread.name = *name->second;
  }
}

}  // namespace prof::snapshot
