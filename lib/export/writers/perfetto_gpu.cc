// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/perfetto_gpu.h"

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/export/base/json_text.h"
#include "lib/export/base/kernel_index.h"
#include "lib/export/base/labels.h"
#include "lib/export/base/proto_writer.h"
#include "lib/export/base/signatures.h"
#include "lib/export/writers/perfetto_fields.h"
#include "lib/text/strings.h"

namespace prof::exporting::perfetto {
namespace {

// What Perfetto interns as specifications has one space of ids: stages, then streams.
constexpr std::array<const char*, 4> kStages = {"Kernel", "Memcpy", "Memset", "CUDA graph"};

uint64_t StageOf(OperationKind kind) { return static_cast<uint64_t>(kind) + 1; }

class GpuWriter {
 public:
  GpuWriter(const Events& events, const Report& report, int64_t begin_ns, PacketStream* stream)
      : events_(events),
        kernels_(events, report),
        stream_(stream),
        sequence_(stream, kGpuSequence, begin_ns),
        call_seen_(events.calls().size()) {
    for (size_t i = 0; i < kStages.size(); ++i) {
      // Kernels alone: Perfetto's queries take each slice of the category COMPUTE for a kernel.
      AddSpecification(i + 1, kStages[i], i == 0 ? interned::kCompute : interned::kOther);
    }
  }

  void Add(const OperationEvent& op, size_t row) {
    // What all events of a signature have, encoded. What differs stands behind it, together with
    // the time: that compresses best.
    const std::string& common = signatures_.Of(
        op, [this](const OperationEvent& first, size_t number) { return Describe(first, number); });
    ProtoWriter& out = stream_->writer();
    const size_t packet = sequence_.Begin();
    const size_t event = out.Begin(packet::kRenderStage);
    out.Raw(common);
    if (op.bytes > 0) {
      const size_t launch = out.Begin(stage::kLaunch);
      Arg("bytes", static_cast<int64_t>(op.bytes), stage::kArgs, &out);
      out.End(launch);
    }
    out.Integer(stage::kEventId, EventOf(op, row));
    out.Integer(stage::kDuration, static_cast<uint64_t>(op.end_ns - op.start_ns));
    out.End(event);
    sequence_.EndAt(packet, op.start_ns);
  }

 private:
  // Of the operations of one call, such as the launch of a graph, the flow leads to the first.
  uint64_t EventOf(const OperationEvent& op, size_t row) {
    const auto call = static_cast<size_t>(op.call);
    if (op.call < 0 || call_seen_[call]) return events_.calls().size() + row + 1;
    call_seen_[call] = true;
    return EventOfCall(call);
  }

  void AddSpecification(uint64_t iid, std::string_view name, uint64_t category) {
    const size_t begin = sequence_.BeginInterned();
    ProtoWriter& out = stream_->writer();
    const size_t message = out.Begin(interned::kSpecifications);
    out.Integer(interned::kIid, iid);
    out.Text(interned::kName, ValidUtf8(name));
    out.Integer(interned::kSpecificationCategory, category);
    out.End(message);
    sequence_.EndInterned(begin);
  }

  uint64_t QueueOf(const OperationEvent& op) {
    const auto [entry, is_new] =
        queues_.emplace(std::pair(op.context, op.stream), kStages.size() + queues_.size() + 1);
    if (is_new) {
      AddSpecification(entry->second, StreamLabel(events_, op.context, op.stream),
                       interned::kCompute);
    }
    return entry->second;
  }

  void AddContext(uint32_t context) {
    if (!contexts_.insert(context).second) return;
    const size_t begin = sequence_.BeginInterned();
    ProtoWriter& out = stream_->writer();
    const size_t message = out.Begin(interned::kContexts);
    out.Integer(interned::kIid, context);
    out.Integer(interned::kContextPid, events_.process().pid);
    out.Integer(interned::kContextApi, interned::kCuda);
    out.End(message);
    sequence_.EndInterned(begin);
  }

  // Arguments name themselves: a signature is described once, so their names need no table.
  template <typename Value>
  static void Arg(std::string_view name, const Value& value, uint32_t field, ProtoWriter* out) {
    const size_t begin = out->Begin(field);
    out->Text(kArgOwnName, name);
    if constexpr (std::is_floating_point_v<Value>) {
      out->Double(stage::kArgDouble, value);
    } else if constexpr (std::is_integral_v<Value>) {
      out->Integer(stage::kArgInt, static_cast<uint64_t>(value));
    } else {
      out->Text(stage::kArgText, ValidUtf8(value));
    }
    out->End(begin);
  }

  template <typename Value>
  static void KernelArg(std::string_view name, const Value& value, ProtoWriter* out) {
    Arg(name, value, interned::kKernelArgs, out);
  }

  std::string Describe(const OperationEvent& op, size_t number) {
    AddContext(op.context);
    const uint64_t name = sequence_.Intern(interned::kEventNames, OperationName(events_, op));
    AddKernel(op, number);
    ProtoWriter common;
    common.Integer(stage::kContext, op.context);
    common.Integer(stage::kGpu, op.device);
    common.Integer(stage::kQueue, QueueOf(op));
    common.Integer(stage::kStage, StageOf(op.kind));
    common.Integer(stage::kKernel, number);
    common.Integer(stage::kName, name);
    if (op.kind == OperationKind::kKernel) {
      const KernelShape& shape = events_.shapes()[op.shape];
      const size_t launch = common.Begin(stage::kLaunch);
      AddSize(stage::kGrid, shape.grid, &common);
      AddSize(stage::kBlock, shape.block, &common);
      common.End(launch);
    }
    return common.Take();
  }

  static void AddSize(uint32_t field, const std::array<uint32_t, 3>& size, ProtoWriter* out) {
    const size_t begin = out->Begin(field);
    for (uint32_t i = 0; i < size.size(); ++i) out->Integer(i + 1, size[i]);
    out->End(begin);
  }

  // Interns the arguments that all operations of the signature have. Perfetto calls it a kernel.
  void AddKernel(const OperationEvent& op, size_t number) {
    const size_t begin = sequence_.BeginInterned();
    ProtoWriter& out = stream_->writer();
    const size_t message = out.Begin(interned::kKernels);
    out.Integer(interned::kIid, number);
    if (op.kind == OperationKind::kKernel) AddShape(op, &out);
    KernelArg("device", int64_t{op.device}, &out);
    KernelArg("stream", int64_t{op.stream}, &out);
    if (!events_.paths()[op.path].full.empty()) {
      KernelArg("nvtx", events_.paths()[op.path].full, &out);
    }
    const std::string& torch_op = events_.paths()[op.torch_op].full;
    if (!torch_op.empty()) KernelArg("torch_op", torch_op, &out);
    const std::string& forward = events_.paths()[op.torch_forward].full;
    if (!forward.empty()) KernelArg("torch_forward", forward, &out);
    const std::string& module = events_.paths()[op.torch_module].full;
    if (!module.empty()) KernelArg("torch_module", module, &out);
    if (op.graph != 0) KernelArg("cuda_graph", int64_t{op.graph}, &out);
    if (const KernelReport* const kernel = kernels_.Find(op)) AddVerdict(*kernel, &out);
    out.End(message);
    sequence_.EndInterned(begin);
  }

  // The names of arguments that Perfetto's views and queries read: ncu's.
  void AddShape(const OperationEvent& op, ProtoWriter* out) const {
    const KernelShape& shape = events_.shapes()[op.shape];
    out->Text(interned::kName, ValidUtf8(shape.name));
    out->Text(interned::kKernelDemangled, ValidUtf8(shape.demangled));
    for (const DeviceInfo& device : events_.devices()) {
      if (device.id != op.device || device.compute_major == 0) continue;
      out->Text(interned::kKernelArch, "sm_" + std::to_string(device.compute_major) +
                                           std::to_string(device.compute_minor));
    }
    int64_t threads = 1;
    for (const uint32_t size : shape.grid) threads *= size;
    for (const uint32_t size : shape.block) threads *= size;
    KernelArg("grid_size", Dimensions(shape.grid), out);
    KernelArg("workgroup_size", Dimensions(shape.block), out);
    KernelArg("thread_count", threads, out);
    KernelArg("shared_mem_dynamic", int64_t{shape.dynamic_shared_bytes}, out);
    if (shape.registers_per_thread == 0) return;  // counters alone know this kernel
    KernelArg("registers_per_thread", int64_t{shape.registers_per_thread}, out);
    KernelArg("shared_mem_static", int64_t{shape.static_shared_bytes}, out);
    if (shape.shared_executed_bytes != 0) {
      KernelArg("shared_mem_config_size", int64_t{shape.shared_executed_bytes}, out);
    }
  }

  void AddVerdict(const KernelReport& kernel, ProtoWriter* out) const {
    const Occupancy& occupancy = kernel.occupancy;
    if (occupancy.known) {
      KernelArg("waves_per_multiprocessor", occupancy.waves, out);
      KernelArg("occupancy_limit_blocks", int64_t{occupancy.limit_blocks}, out);
      KernelArg("occupancy_limit_warps", int64_t{occupancy.limit_warps}, out);
      KernelArg("occupancy_limit_registers", int64_t{occupancy.limit_registers}, out);
      KernelArg("occupancy_limit_shared_mem", int64_t{occupancy.limit_shared}, out);
      KernelArg("sm__maximum_warps_per_active_cycle_pct", 100 * occupancy.theoretical, out);
      KernelArg("sm__maximum_warps_avg_per_active_cycle", ResidentWarps(kernel), out);
    }
    const Verdict& verdict = kernel.verdict;
    KernelArg("limiter", std::string_view(ToString(verdict.limiter)), out);
    KernelArg("confidence", std::string_view(ToString(verdict.confidence)), out);
    if (!verdict.summary.empty()) KernelArg("verdict", verdict.summary, out);
    if (!verdict.evidence.empty()) KernelArg("evidence", text::Join(verdict.evidence, "; "), out);
    if (!verdict.action.empty()) {
      KernelArg("action", verdict.action, out);
      KernelArg("saves_at_most_pct", 100 * verdict.gain_at_most, out);
    }
    if (!verdict.missing.empty()) KernelArg("missing", verdict.missing, out);
  }

  // Resident warps of an SM: blocks times the warps of a block.
  static double ResidentWarps(const KernelReport& kernel) {
    double threads = 1;
    for (const uint32_t size : kernel.block) threads *= size;
    constexpr double kWarp = 32;  // on every NVIDIA GPU so far
    return kernel.occupancy.blocks_per_sm * std::ceil(threads / kWarp);
  }

  static constexpr uint32_t kArgOwnName = 2;  // ExtraComputeArg.name

  const Events& events_;
  KernelIndex kernels_;
  PacketStream* stream_;
  Sequence sequence_;
  Signatures<std::string> signatures_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> queues_;  // by context and stream
  std::set<uint32_t> contexts_;
  std::vector<bool> call_seen_;
};

}  // namespace

void WriteOperations(const Events& events, const Report& report, const Selection& selection,
                     int64_t begin_ns, PacketStream* stream) {
  GpuWriter writer(events, report, begin_ns, stream);
  const EventTable<OperationEvent> operations = events.operations();
  for (size_t row = 0; row < operations.size(); ++row) {
    const OperationEvent op = operations[row];
    if (selection.Has(op, row)) writer.Add(op, row);
  }
}

}  // namespace prof::exporting::perfetto
