// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/chrome.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/export/base/json_text.h"
#include "lib/export/base/kernel_index.h"
#include "lib/export/base/labels.h"
#include "lib/export/base/left_out.h"
#include "lib/export/base/memory_levels.h"
#include "lib/export/base/range_work.h"
#include "lib/export/base/signatures.h"
#include "lib/export/base/text_buffer.h"
#include "lib/export/base/time_span.h"
#include "lib/export/base/torch_calls.h"
#include "lib/text/strings.h"

namespace prof::exporting {
namespace {

constexpr uint32_t kNoStream = 0xffffffff;
constexpr int64_t kOverheadProcess = -1;
constexpr int64_t kSyncTracks = 1'000'000;  // Kineto: waits for streams have tracks of their own

// The default stream is 7, as CUDA numbers it: readers take the work of stream 0 for none.
int64_t ShownStream(uint32_t stream) { return stream == 0 ? 7 : int64_t{stream}; }

std::string Pair(std::string_view key, std::string_view value) {
  return "\"" + std::string(key) + "\": " + std::string(value);
}
std::string Pair(std::string_view key, int64_t value) { return Pair(key, std::to_string(value)); }

class ChromeWriter {
 public:
  ChromeWriter(const Events& events, const Report& report, const Selection& selection,
               std::ostream* out)
      : events_(events),
        selection_(selection),
        kernels_(events, report),
        torch_calls_(events, selection),
        begin_ns_(BeginOf(events)),
        out_(out) {
    for (const DeviceInfo& device : events.devices()) sms_[device.id] = device.sm_count;
    const EventTable<CounterEvent> counters = events.counters();
    for (size_t row = 0; row < counters.size(); ++row) {
      if (counters[row].operation >= 0) counters_.emplace(counters[row].operation, row);
    }
  }

  void Write() {
    WriteHead();
    WriteOperations();
    WriteCalls();
    WriteSyncs();
    const EventTable<RangeEvent> ranges = events_.ranges(), spans = events_.spans();
    for (size_t row = 0; row < ranges.size(); ++row) {
      if (selection_.Has(ranges[row], row)) WriteRange(ranges[row]);
    }
    for (size_t row = 0; row < spans.size(); ++row) {
      if (selection_.Has(spans[row], row)) WriteSpan(spans[row], row);
    }
    const EventTable<TorchOpEvent> ops = events_.torch_ops();
    for (size_t row = 0; row < ops.size(); ++row) {
      if (selection_.Has(ops[row], row)) WriteTorchOp(ops[row], row);
    }
    VisitRangeWork(events_, selection_, [this](const RangeWork& work) { WriteWork(work); });
    for (const MarkEvent& mark : events_.marks()) WriteMark(mark);
    for (const OverheadEvent& overhead : events_.overheads()) WriteOverhead(overhead);
    for (size_t series = 0; series < events_.pm_series().size(); ++series) WritePm(series);
    for (const MemoryLevel& level : MemoryLevels(events_)) WriteMemory(level);
    WriteNames();
    out_ << "\n],\n" << Pair("traceName", JsonString(events_.process().command)) << "\n}\n";
  }

 private:
  int64_t pid() const { return events_.process().pid; }

  void WriteHead() {
    out_ << "{\n" << Pair("schemaVersion", 1) << ",\n\"deviceProperties\": [";
    const char* comma = "\n  ";
    for (const DeviceInfo& device : events_.devices()) {
      out_ << comma << "{" << Pair("id", device.id) << ", " << Pair("name", JsonString(device.name))
           << ", " << Pair("totalGlobalMem", static_cast<int64_t>(device.memory_bytes)) << ", "
           << Pair("computeMajor", device.compute_major) << ", "
           << Pair("computeMinor", device.compute_minor) << ", "
           << Pair("maxThreadsPerMultiprocessor", device.max_threads_per_sm) << ", "
           << Pair("warpSize", device.warp_size) << ", " << Pair("numSms", device.sm_count) << ", "
           << Pair("regsPerMultiprocessor", device.registers_per_sm) << ", "
           << Pair("sharedMemPerMultiprocessor", device.shared_memory_per_sm) << "}";
      comma = ",\n  ";
    }
    out_ << "\n],\n";
    // Readers look for the text "rank": with a space and a number behind it.
    if (events_.process().rank >= 0) {
      out_ << "\"distributedInfo\": {" << Pair("rank", events_.process().rank) << "},\n";
    }
    out_ << Pair("displayTimeUnit", "\"ms\"") << ",\n"
         << Pair("baseTimeNanoseconds", begin_ns_) << ",\n\"traceEvents\": [";
  }

  void BeginEvent(std::string_view phase) {
    out_ << (first_ ? "\n{\"ph\": \"" : ",\n{\"ph\": \"") << phase << "\", ";
    first_ = false;
  }
  void EndEvent() {
    out_ << "}";
    out_.EndRow();
  }
  void Time(int64_t time_ns) {
    out_ << "\"ts\": ";
    AppendMicroseconds(time_ns - begin_ns_, out_.text());
  }
  void Times(int64_t start_ns, int64_t end_ns) {
    Time(start_ns);
    out_ << ", \"dur\": ";
    AppendMicroseconds(end_ns - start_ns, out_.text());
  }
  void Track(int64_t process, int64_t track) {
    out_ << ", \"pid\": " << process << ", \"tid\": " << track;
  }

  // One end of an arrow. "ac2g": from a call to its operation. "fwdbwd": from an op of PyTorch to a
  // node of the autograd graph that it made.
  void Flow(std::string_view kind, bool start, int64_t id, int64_t time_ns, int64_t process,
            int64_t track) {
    BeginEvent(start ? "s" : "f");
    out_ << "\"id\": " << id << ", ";
    Time(time_ns);
    Track(process, track);
    out_ << ", \"cat\": \"" << kind << "\", \"name\": \"" << kind << "\""
         << (start ? "" : ", \"bp\": \"e\"");
    EndEvent();
  }

  // The id of an op, which calls and operations have as well.
  void ExternalId(int64_t op) {
    if (op >= 0) out_ << ", \"External id\": " << op + 1;
  }

  void WriteOperations() {
    const EventTable<OperationEvent> operations = events_.operations();
    for (size_t row = 0; row < operations.size(); ++row) {
      const OperationEvent op = operations[row];
      if (!selection_.Has(op, row)) continue;
      const std::string& common = signatures_.Of(
          op, [this](const OperationEvent& first, size_t) { return Describe(first); });
      streams_.emplace(op.device, ShownStream(op.stream));
      devices_.emplace(op.context, op.device);
      BeginEvent("X");
      Times(op.start_ns, op.end_ns);
      out_ << common << ", \"correlation\": " << int64_t{op.correlation};
      ExternalId(torch_calls_.OpOf(op.call));
      if (op.kind == OperationKind::kCopy || op.kind == OperationKind::kMemset) WriteBytes(op);
      if (op.graph_node != 0) {
        out_ << ", \"graph node id\": " << std::to_string(op.graph_node);
      }
      WriteCounters(row);
      out_ << "}";
      EndEvent();
      if (op.call >= 0) {
        Flow("ac2g", false, op.correlation, op.start_ns, op.device, ShownStream(op.stream));
      }
    }
  }

  void WriteBytes(const OperationEvent& op) {
    out_ << ", \"bytes\": " << static_cast<int64_t>(op.bytes);
    const auto time_ns = static_cast<double>(op.end_ns - op.start_ns);
    if (time_ns > 0) {
      out_ << ", \"memory bandwidth (GB/s)\": "
           << JsonNumber(static_cast<double>(op.bytes) / time_ns);
    }
  }

  // Counters of this launch alone.
  void WriteCounters(size_t row) {
    const auto [begin, end] = counters_.equal_range(static_cast<int64_t>(row));
    for (auto entry = begin; entry != end; ++entry) {
      const CounterEvent sample = events_.counters()[entry->second];
      for (size_t i = 0; i < sample.values->size(); ++i) {
        if (!std::isfinite((*sample.values)[i])) continue;
        out_ << ", " << JsonString((*sample.metrics)[i]) << ": " << JsonNumber((*sample.values)[i]);
      }
    }
  }

  // Category, name, track, and the arguments that all operations of a signature have.
  std::string Describe(const OperationEvent& op) const {
    constexpr const char* kCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "kernel"};
    std::string name = op.kind == OperationKind::kKernel ? events_.shapes()[op.shape].demangled
                                                         : OperationName(events_, op);
    if (name == "kernel") name = "Kernel";  // as Kineto does
    std::string text = ", " + Pair("pid", op.device) + ", " + Pair("tid", ShownStream(op.stream)) +
                       ", \"cat\": \"" + kCategories[static_cast<size_t>(op.kind)] + "\", " +
                       Pair("name", JsonString(name)) + ", \"args\": {" + Pair("queued", 0) + ", " +
                       Pair("device", op.device) + ", " + Pair("context", op.context) + ", " +
                       Pair("stream", ShownStream(op.stream));
    if (op.kind == OperationKind::kKernel) text += DescribeShape(op);
    if (op.graph != 0) text += ", " + Pair("graph id", op.graph);
    const std::string& range = events_.paths()[op.path].full;
    if (!range.empty()) text += ", " + Pair("nvtx", JsonString(range));
    const std::string& torch_op = events_.paths()[op.torch_op].full;
    if (!torch_op.empty()) text += ", " + Pair("torch_op", JsonString(torch_op));
    const std::string& forward = events_.paths()[op.torch_forward].full;
    if (!forward.empty()) text += ", " + Pair("torch_forward", JsonString(forward));
    const std::string& module = events_.paths()[op.torch_module].full;
    if (!module.empty()) text += ", " + Pair("torch_module", JsonString(module));
    if (const KernelReport* const kernel = kernels_.Find(op)) text += DescribeVerdict(*kernel);
    return text;
  }

  std::string DescribeShape(const OperationEvent& op) const {
    const KernelShape& shape = events_.shapes()[op.shape];
    const auto list = [](const std::array<uint32_t, 3>& size) {
      return "[" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
             std::to_string(size[2]) + "]";
    };
    double blocks = 1, threads = 1;
    for (const uint32_t size : shape.grid) blocks *= size;
    for (const uint32_t size : shape.block) threads *= size;
    std::string text =
        ", " + Pair("registers per thread", shape.registers_per_thread) + ", " +
        Pair("shared memory", int64_t{shape.static_shared_bytes} + shape.dynamic_shared_bytes) +
        ", " + Pair("grid", list(shape.grid)) + ", " + Pair("block", list(shape.block));
    const auto sms = sms_.find(op.device);
    if (sms != sms_.end() && sms->second > 0) {
      const double per_sm = blocks / sms->second;
      constexpr double kWarp = 32;  // on every NVIDIA GPU so far
      text += ", " + Pair("blocks per SM", JsonNumber(per_sm)) + ", " +
              Pair("warps per SM", JsonNumber(per_sm * std::ceil(threads / kWarp)));
    }
    return text;
  }

  static std::string DescribeVerdict(const KernelReport& kernel) {
    const Verdict& verdict = kernel.verdict;
    std::string text;
    if (kernel.occupancy.known) {
      text +=
          ", " + Pair("theoretical occupancy %", JsonNumber(100 * kernel.occupancy.theoretical));
    }
    text += ", " + Pair("limiter", JsonString(ToString(verdict.limiter))) + ", " +
            Pair("confidence", JsonString(ToString(verdict.confidence)));
    if (!verdict.summary.empty()) text += ", " + Pair("verdict", JsonString(verdict.summary));
    if (!verdict.action.empty()) {
      text += ", " + Pair("action", JsonString(verdict.action)) + ", " +
              Pair("saves at most %", JsonNumber(100 * verdict.gain_at_most));
    }
    return text;
  }

  void WriteCalls() {
    const EventTable<CallEvent> calls = events_.calls();
    for (size_t row = 0; row < calls.size(); ++row) {
      const CallEvent call = calls[row];
      if (!selection_.Has(call, row)) continue;
      const int64_t tid = events_.threads()[call.thread].tid;
      BeginEvent("X");
      Times(call.start_ns, call.end_ns);
      Track(pid(), tid);
      out_ << CallText(call.name) << int64_t{call.correlation};
      ExternalId(torch_calls_.OpOf(static_cast<int64_t>(row)));
      if (call.error != 0) out_ << ", \"error\": " << int64_t{call.error};
      out_ << "}";
      EndEvent();
      if (selection_.Launched(row)) Flow("ac2g", true, call.correlation, call.start_ns, pid(), tid);
    }
  }

  // All calls of a name share its text.
  const std::string& CallText(std::string_view name) {
    std::string& text = call_texts_[name.data()];
    if (text.empty()) {
      text = std::string(", \"cat\": \"") + (IsDriverCall(name) ? "cuda_driver" : "cuda_runtime") +
             "\", " + Pair("name", JsonString(WithoutVersion(name))) +
             ", \"args\": {\"correlation\": ";
    }
    return text;
  }

  void WriteSyncs() {
    for (const SyncEvent& sync : events_.syncs()) {
      const auto device = devices_.find(sync.context);
      if (device == devices_.end()) continue;  // nothing of this context is in the export
      if (!selection_.HasOn(device->second, sync.start_ns, sync.end_ns)) continue;
      const int64_t stream = sync.stream == kNoStream ? -1 : ShownStream(sync.stream);
      const bool of_stream = sync.type == SyncType::kStream && stream >= 0;
      const int64_t track = of_stream ? stream + kSyncTracks : stream;
      if (of_stream) sync_streams_.emplace(device->second, stream);
      BeginEvent("X");
      Times(sync.start_ns, sync.end_ns);
      Track(device->second, track);
      out_ << ", \"cat\": \"cuda_sync\", \"name\": " << JsonString(SyncName(sync.type))
           << ", \"args\": {\"cuda_sync_kind\": " << JsonString(SyncName(sync.type))
           << ", \"stream\": " << stream << ", \"correlation\": " << int64_t{sync.correlation}
           << ", \"device\": " << int64_t{device->second}
           << ", \"context\": " << int64_t{sync.context} << "}";
      EndEvent();
    }
  }

  static std::string_view SyncName(SyncType type) {
    switch (type) {
      case SyncType::kEvent:
        return "Event Sync";
      case SyncType::kStreamWaitEvent:
        return "Stream Wait Event";
      case SyncType::kStream:
        return "Stream Sync";
      case SyncType::kContext:
        return "Context Sync";
      case SyncType::kUnknown:
        break;
    }
    return "Unknown Sync";
  }

  void WriteRange(const RangeEvent& range) {
    BeginEvent("X");
    Times(range.start_ns, range.end_ns);
    Track(pid(), events_.threads()[range.thread].tid);
    out_ << ", \"cat\": \"user_annotation\", \"name\": " << RangeName(range)
         << ", \"args\": {\"path\": " << PathText(range.path) << "}";
    EndEvent();
  }

  void WriteTorchOp(const TorchOpEvent& op, size_t row) {
    const int64_t tid = events_.threads()[op.thread].tid;
    const auto id = static_cast<int64_t>(row + 1);
    BeginEvent("X");
    Times(op.start_ns, op.end_ns);
    Track(pid(), tid);
    out_ << ", \"cat\": \"" << TorchCategory(op.kind)
         << "\", \"name\": " << JsonString(TorchOpName(events_, op)) << ", \"args\": {"
         << (op.kind == TorchOpKind::kModule ? "\"Python id\": " : "\"External id\": ") << id;
    std::optional<TorchOpEvent> maker;
    if (op.kind == TorchOpKind::kNode && op.forward >= 0) {
      maker = events_.torch_ops()[static_cast<size_t>(op.forward)];
    }
    if (op.sequence >= 0) {
      out_ << ", \"Sequence number\": " << op.sequence;
      // Kineto numbers threads from 1, and has 0 outside of the backward pass.
      if (op.kind != TorchOpKind::kNode) out_ << ", \"Fwd thread id\": 0";
      if (maker) out_ << ", \"Fwd thread id\": " << int64_t{maker->thread};
    }
    if (!op.shapes.empty() && op.shapes.find("...") == op.shapes.npos) {
      out_ << ", \"Input Dims\": " << op.shapes;
    }
    out_ << "}";
    EndEvent();
    if (!maker || !selection_.Has(*maker, static_cast<size_t>(op.forward))) return;
    Flow("fwdbwd", true, id, maker->start_ns, pid(), events_.threads()[maker->thread].tid);
    Flow("fwdbwd", false, id, op.start_ns, pid(), tid);
  }

  // A range on a stream of the GPU, as Kineto writes it.
  void WriteWork(const RangeWork& work) {
    BeginEvent("X");
    Times(work.start_ns, work.end_ns);
    Track(work.device, ShownStream(work.stream));
    out_ << ", \"cat\": \"gpu_user_annotation\", \"name\": " << RangeName(work.range)
         << ", \"args\": {\"path\": " << PathText(work.range.path) << "}";
    EndEvent();
  }

  // A span may begin and end on two threads, and overlap others.
  void WriteSpan(const RangeEvent& span, size_t row) {
    for (const bool begin : {true, false}) {
      BeginEvent(begin ? "b" : "e");
      Time(begin ? span.start_ns : span.end_ns);
      Track(pid(), events_.threads()[span.thread].tid);
      out_ << ", \"id\": " << static_cast<int64_t>(row + 1)
           << ", \"cat\": \"user_annotation\", \"name\": " << RangeName(span);
      EndEvent();
    }
  }

  void WriteMark(const MarkEvent& mark) {
    if (!selection_.HasAt(mark.path, mark.time_ns)) return;
    BeginEvent("i");
    Time(mark.time_ns);
    Track(pid(), events_.threads()[mark.thread].tid);
    out_ << ", \"s\": \"t\", \"cat\": \"user_annotation\", \"name\": "
         << JsonString(events_.NameOf(mark.path, mark.thread, mark.time_ns));
    EndEvent();
  }

  // As Kineto has them: of a process of their own.
  void WriteOverhead(const OverheadEvent& overhead) {
    if (!selection_.HasTime(overhead.start_ns, overhead.end_ns)) return;
    has_overheads_ = true;
    BeginEvent("X");
    Times(overhead.start_ns, overhead.end_ns);
    Track(kOverheadProcess, events_.threads()[overhead.thread].tid);
    out_ << ", \"cat\": \"overhead\", \"name\": " << JsonString(overhead.kind);
    EndEvent();
  }

  std::string RangeName(const RangeEvent& range) const {
    return JsonString(events_.NameOf(range.path, range.thread, range.start_ns));
  }
  const std::string& PathText(uint32_t path) {
    std::string& text = path_texts_[path];
    if (text.empty()) text = JsonString(events_.paths()[path].full);
    return text;
  }

  void WritePm(size_t series) {
    const PmSeriesInfo& info = events_.pm_series()[series];
    for (const PmSampleEvent& sample : events_.pm_samples(series)) {
      if (!selection_.HasOn(info.device, sample.start_ns, sample.end_ns)) continue;
      for (size_t i = 0; i < info.metrics.size(); ++i) {
        if (!std::isfinite(sample.values[i])) continue;
        BeginEvent("C");
        Time(sample.start_ns);
        out_ << ", \"pid\": \"GPU " << int64_t{info.device}
             << " Counters\", \"cat\": \"hardware_counters\", \"name\": "
             << JsonString(info.metrics[i]) << ", \"args\": {\"\": " << JsonNumber(sample.values[i])
             << "}";
        EndEvent();
      }
    }
  }

  void WriteMemory(const MemoryLevel& level) {
    if (!selection_.HasOn(level.device, level.time_ns, level.time_ns)) return;
    BeginEvent("C");
    Time(level.time_ns);
    out_ << ", \"pid\": \"GPU " << int64_t{level.device}
         << " Memory\", \"cat\": \"memory\", \"name\": \"allocated\", \"args\": {\"bytes\": "
         << std::to_string(level.bytes) << "}";
    EndEvent();
  }

  void Name(std::string_view what, int64_t process, int64_t track, std::string_view key,
            std::string_view value) {
    BeginEvent("M");
    out_ << "\"ts\": 0.000";
    Track(process, track);
    out_ << ", \"name\": \"" << what << "\", \"args\": {\"" << key << "\": " << value << "}";
    EndEvent();
  }

  void WriteNames() {
    Name("process_name", pid(), 0, "name", JsonString(events_.process().command));
    Name("process_labels", pid(), 0, "labels", "\"CPU\"");
    Name("process_sort_index", pid(), 0, "sort_index", "0");
    for (size_t id = 1; id < events_.threads().size(); ++id) {
      const ThreadInfo& thread = events_.threads()[id];
      const std::string name =
          thread.name.empty() ? "thread " + std::to_string(thread.tid) : thread.name;
      Name("thread_name", pid(), thread.tid, "name", JsonString(name));
    }
    std::set<int64_t> gpus;
    for (const auto& [device, stream] : streams_) {
      gpus.insert(device);
      Name("thread_name", device, stream, "name", "\"stream " + std::to_string(stream) + "\"");
      Name("thread_sort_index", device, stream, "sort_index", std::to_string(stream));
    }
    for (const auto& [device, stream] : sync_streams_) {
      Name("thread_name", device, stream + kSyncTracks, "name",
           "\"stream " + std::to_string(stream) + " (sync)\"");
    }
    if (has_overheads_) {
      Name("process_name", kOverheadProcess, 0, "name", "\"prof, CUPTI and the driver\"");
    }
    constexpr int64_t kBehindProcesses = 5'000'000;
    for (const int64_t gpu : gpus) {
      Name("process_name", gpu, 0, "name", JsonString(events_.process().command));
      Name("process_labels", gpu, 0, "labels", "\"GPU " + std::to_string(gpu) + "\"");
      Name("process_sort_index", gpu, 0, "sort_index", std::to_string(kBehindProcesses + gpu));
    }
  }

  const Events& events_;
  const Selection& selection_;
  KernelIndex kernels_;
  TorchCalls torch_calls_;
  int64_t begin_ns_;
  TextBuffer out_;
  bool first_ = true;
  Signatures<std::string> signatures_;
  std::map<uint32_t, uint32_t> sms_;         // by device
  std::map<uint32_t, uint32_t> devices_;     // by context, of the operations in the export
  std::multimap<int64_t, size_t> counters_;  // rows by operation
  std::set<std::pair<int64_t, int64_t>> streams_, sync_streams_;  // device, stream
  bool has_overheads_ = false;
  std::unordered_map<const char*, std::string> call_texts_;
  std::unordered_map<uint32_t, std::string> path_texts_;
};

}  // namespace

std::vector<std::string> WriteChrome(const Events& events, const Report& report,
                                     const Selection& selection, std::ostream& out) {
  ChromeWriter(events, report, selection, &out).Write();
  std::vector<std::string> notes;
  NoteSamplesWithoutKernel(events, selection, &notes);
  NoteSyncsWithoutDevice(events, &notes);
  return notes;
}

}  // namespace prof::exporting
