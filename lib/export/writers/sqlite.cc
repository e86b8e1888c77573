// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/sqlite.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/export/base/database.h"
#include "lib/export/base/json_text.h"
#include "lib/export/base/labels.h"
#include "lib/export/base/time_span.h"
#include "lib/export/writers/sqlite_prof.h"
#include "lib/export/writers/sqlite_schema.h"

namespace prof::exporting {
namespace {

constexpr uint32_t kNoStreamId = 0xffffffff;

// nsys's numbers.
constexpr int64_t kMarkEvent = 34, kPushPopEvent = 59, kStartEndEvent = 60, kDomainEvent = 75;
constexpr std::array<int64_t, 6> kCopyKinds = {0, 1, 2, 8, 9, 10};  // by CopyDirection
constexpr int64_t kNoEventId = 4294967295;

Cell MemoryKindOf(MemoryType memory) {
  if (memory == MemoryType::kUnknown) return {};
  return static_cast<int64_t>(memory) - 1;
}
Cell IfKnown(uint64_t number) {
  if (number == 0) return {};
  return static_cast<int64_t>(number);
}

// Pids and tids have 24 bits in nsys's ids; Linux gives out less than 2^22.
int64_t GlobalId(uint32_t pid, uint32_t tid) {
  constexpr int64_t kVm = int64_t{1} << 48;
  constexpr uint32_t kMask = 0xffffff;
  return kVm | int64_t{pid & kMask} << 24 | (tid & kMask);
}

class NsysTables {
 public:
  NsysTables(const Events& events, const Selection& selection, Database* database)
      : events_(events),
        selection_(selection),
        begin_ns_(BeginOf(events)),
        pid_(GlobalId(events.process().pid, 0)),
        database_(database),
        strings_(database, "StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL") {}

  void Write() {
    WriteOperations();
    WriteCalls();
    WriteSyncs();
    WriteOverheads();
    WriteNvtx();
    WriteProcess();
    WriteDevices();
    WriteAbout();
    WriteEnums();
  }

 private:
  // Times are nanoseconds from the begin of the recording.
  int64_t Time(int64_t time_ns) const { return time_ns - begin_ns_; }
  int64_t ThreadId(uint32_t thread) const {
    return GlobalId(events_.process().pid, events_.threads()[thread].tid);
  }

  int64_t Text(std::string_view text) {
    const auto [entry, is_new] =
        string_ids_.emplace(ValidUtf8(text), static_cast<int64_t>(string_ids_.size()));
    if (is_new) strings_.Add(entry->second, entry->first);
    return entry->second;
  }

  struct Names {
    int64_t demangled = -1, short_name = -1, mangled = -1;
  };
  const Names& NamesOf(uint32_t shape) {
    if (names_.size() <= shape) names_.resize(events_.shapes().size());
    Names& names = names_[shape];
    if (names.demangled < 0) {
      const KernelShape& from = events_.shapes()[shape];
      names = {Text(from.demangled), Text(from.short_name), Text(from.name)};
    }
    return names;
  }

  void WriteOperations() {
    Table kernels(database_, "CUPTI_ACTIVITY_KIND_KERNEL", schema::kKernelColumns);
    Table copies(database_, "CUPTI_ACTIVITY_KIND_MEMCPY", schema::kCopyColumns);
    Table memsets(database_, "CUPTI_ACTIVITY_KIND_MEMSET", schema::kMemsetColumns);
    Table graphs(database_, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                 "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
                 "graphId INTEGER NOT NULL, graphExecId INTEGER, contextId INTEGER NOT NULL, "
                 "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER");
    const EventTable<OperationEvent> operations = events_.operations();
    for (size_t row = 0; row < operations.size(); ++row) {
      const OperationEvent op = operations[row];
      if (!selection_.Has(op, row)) continue;
      devices_.emplace(op.context, op.device);
      switch (op.kind) {
        case OperationKind::kKernel:
          AddKernel(op, &kernels);
          break;
        case OperationKind::kCopy:
          copies.Add(Time(op.start_ns), Time(op.end_ns), op.device, op.context, kNull, op.stream,
                     op.correlation, pid_, op.bytes, kCopyKinds[static_cast<size_t>(op.copy)],
                     kNull, MemoryKindOf(op.source), MemoryKindOf(op.destination), kNull, kNull,
                     kNull, kNull, kNull, IfKnown(op.graph_node), kNull, 1);
          break;
        case OperationKind::kMemset:
          // The value is not recorded.
          memsets.Add(Time(op.start_ns), Time(op.end_ns), op.device, op.context, kNull, op.stream,
                      op.correlation, pid_, 0, op.bytes, IfKnown(op.graph_node),
                      MemoryKindOf(op.destination));
          break;
        case OperationKind::kGraph:
          graphs.Add(Time(op.start_ns), Time(op.end_ns), op.device, op.graph, kNull, op.context,
                     op.stream, op.correlation, pid_);
          break;
      }
    }
  }

  // gridId and localMemoryTotal are not recorded; the schema wants a number.
  void AddKernel(const OperationEvent& op, Table* kernels) {
    const KernelShape& shape = events_.shapes()[op.shape];
    const Names& names = NamesOf(op.shape);
    kernels->Add(Time(op.start_ns), Time(op.end_ns), op.device, op.context, kNull, op.stream,
                 op.correlation, pid_, names.demangled, names.short_name, names.mangled,
                 int64_t{shape.launch_type} + 1, kNull, shape.registers_per_thread, shape.grid[0],
                 shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
                 shape.static_shared_bytes, shape.dynamic_shared_bytes,
                 shape.local_bytes_per_thread, 0, 0, IfKnown(shape.shared_executed_bytes),
                 IfKnown(op.graph_node), kNull, kNull, kNull, kNull, IfKnown(op.graph),
                 shape.cluster[0], shape.cluster[1], shape.cluster[2], kNull, kNull, kNull, kNull,
                 std::string_view("[]"));
  }

  void WriteCalls() {
    Table table(database_, "CUPTI_ACTIVITY_KIND_RUNTIME", schema::kCallColumns);
    std::unordered_map<const char*, int64_t> ids;  // all calls of a name share its text
    const EventTable<CallEvent> calls = events_.calls();
    for (size_t row = 0; row < calls.size(); ++row) {
      const CallEvent call = calls[row];
      if (!selection_.Has(call, row)) continue;
      const auto [entry, is_new] = ids.emplace(call.name.data(), 0);
      if (is_new) entry->second = Text(call.name);
      table.Add(Time(call.start_ns), Time(call.end_ns), IsDriverCall(call.name) ? 1 : 0,
                ThreadId(call.thread), call.correlation, entry->second, call.error, kNull);
    }
  }

  void WriteSyncs() {
    Table table(database_, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", schema::kSyncColumns);
    for (const SyncEvent& sync : events_.syncs()) {
      const auto device = devices_.find(sync.context);
      if (device == devices_.end()) continue;  // nothing of this context is in the export
      if (!selection_.HasOn(device->second, sync.start_ns, sync.end_ns)) continue;
      const int64_t stream = sync.stream == kNoStreamId ? 0 : int64_t{sync.stream};
      table.Add(Time(sync.start_ns), Time(sync.end_ns), device->second, sync.context, kNull, stream,
                sync.correlation, pid_, kNull, static_cast<int64_t>(sync.type), kNoEventId, kNull);
    }
  }

  void WriteOverheads() {
    Table table(database_, "PROFILER_OVERHEAD",
                "start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, nameId INTEGER "
                "NOT NULL, overheadType INTEGER NOT NULL");
    for (const OverheadEvent& overhead : events_.overheads()) {
      table.Add(Time(overhead.start_ns), Time(overhead.end_ns), ThreadId(overhead.thread),
                Text(overhead.kind), 0);
    }
  }

  // Domain 0 is NVTX's default one.
  int64_t DomainOf(uint32_t path, Table* nvtx) {
    const std::string& name = events_.paths()[path].domain;
    if (name.empty()) return 0;
    const auto [entry, is_new] = domains_.emplace(name, static_cast<int64_t>(domains_.size()) + 1);
    if (is_new) {
      AddNvtx(0, kNull, kDomainEvent, kNull, name, kNull, kNull, entry->second, nvtx);
    }
    return entry->second;
  }

  template <typename End, typename Color, typename Thread, typename EndThread>
  void AddNvtx(int64_t start, const End& end, int64_t type, const Color& color,
               const std::string& text, const Thread& thread, const EndThread& end_thread,
               int64_t domain, Table* nvtx) {
    nvtx->Add(start, end, type, kNull, kNull, color, ValidUtf8(text), thread, end_thread,
              Text(text), domain, kNull, kNull, kNull, kNull, kNull, kNull, kNull, kNull, kNull);
  }

  void AddRange(const RangeEvent& range, int64_t type, Table* nvtx) {
    const int64_t domain = DomainOf(range.path, nvtx);
    AddNvtx(Time(range.start_ns), Time(range.end_ns), type,
            IfKnown(events_.paths()[range.path].color),
            events_.NameOf(range.path, range.thread, range.start_ns), ThreadId(range.thread), kNull,
            domain, nvtx);
  }

  void WriteNvtx() {
    Table nvtx(database_, "NVTX_EVENTS", schema::kNvtxColumns);
    const EventTable<RangeEvent> ranges = events_.ranges(), spans = events_.spans();
    for (size_t row = 0; row < ranges.size(); ++row) {
      if (selection_.Has(ranges[row], row)) AddRange(ranges[row], kPushPopEvent, &nvtx);
    }
    for (size_t row = 0; row < spans.size(); ++row) {
      if (selection_.Has(spans[row], row)) AddRange(spans[row], kStartEndEvent, &nvtx);
    }
    for (const MarkEvent& mark : events_.marks()) {
      if (!selection_.HasAt(mark.path, mark.time_ns)) continue;
      const int64_t domain = DomainOf(mark.path, &nvtx);
      AddNvtx(Time(mark.time_ns), kNull, kMarkEvent, kNull,
              events_.NameOf(mark.path, mark.thread, mark.time_ns), ThreadId(mark.thread), kNull,
              domain, &nvtx);
    }
  }

  void WriteProcess() {
    Table processes(database_, "PROCESSES", "globalPid INTEGER, pid INTEGER, name TEXT");
    processes.Add(pid_, events_.process().pid, ValidUtf8(events_.process().command));
    Table threads(database_, "ThreadNames",
                  "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER");
    // Threads without a name too: reports of Nsight Systems need the table.
    for (uint32_t id = 1; id < events_.threads().size(); ++id) {
      threads.Add(Text(events_.threads()[id].name), 0, ThreadId(id));
    }
    Table streams(database_, "TARGET_INFO_CUDA_STREAM",
                  "streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "
                  "processId INTEGER NOT NULL, contextId INTEGER NOT NULL, priority INTEGER NOT "
                  "NULL, flag INTEGER NOT NULL");
    for (const StreamInfo& stream : events_.streams()) {
      streams.Add(stream.stream, 0, 1, events_.process().pid, stream.context, stream.priority,
                  stream.flag);
    }
  }

  void WriteDevices() {
    Table gpus(database_, "TARGET_INFO_GPU",
               "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, chipName TEXT, smCount "
               "INTEGER, computeMajor INTEGER, computeMinor INTEGER, totalMemory INTEGER, "
               "l2CacheSize INTEGER, clockRate INTEGER, uuid TEXT");
    constexpr int64_t kHzPerKhz = 1000;
    for (const DeviceInfo& device : events_.devices()) {
      gpus.Add(1, device.id, ValidUtf8(device.name), ValidUtf8(device.chip),
               IfKnown(device.sm_count), device.compute_major, device.compute_minor,
               IfKnown(device.memory_bytes), IfKnown(device.l2_bytes),
               IfKnown(uint64_t{device.sm_clock_khz} * kHzPerKhz), ValidUtf8(device.uuid));
    }
  }

  void WriteAbout() {
    const ProcessInfo& process = events_.process();
    Table start(database_, "TARGET_INFO_SESSION_START_TIME",
                "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT, systemClockNs INTEGER");
    start.Add(begin_ns_, kNull, kNull, 0);
    Table details(database_, "ANALYSIS_DETAILS",
                  "globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, startTime INTEGER NOT "
                  "NULL, stopTime INTEGER NOT NULL");
    const int64_t stop = process.end_ns > begin_ns_ ? Time(process.end_ns) : LastOperation();
    details.Add(GlobalId(0, 0), stop, 0, stop);
    Table system(database_, "TARGET_INFO_SYSTEM_ENV",
                 "globalVid INTEGER, devStateName TEXT NOT NULL, name TEXT NOT NULL, nameEnum "
                 "INTEGER NOT NULL, value TEXT NOT NULL");
    constexpr int64_t kDriver = 205, kCuda = 611, kHost = 619;
    system.Add(GlobalId(0, 0), "SystemEnv", "NvDriverVersion", kDriver,
               ValidUtf8(process.nvidia_driver));
    system.Add(GlobalId(0, 0), "SystemEnv", "CudaDriverVersion", kCuda,
               std::to_string(process.cuda_driver_version));
    system.Add(GlobalId(0, 0), "SystemEnv", "Hostname", kHost, ValidUtf8(process.host));
    Table about(database_, "META_DATA_EXPORT", "name TEXT NOT NULL, value TEXT");
    about.Add("EXPORT_PRODUCT_NAME", "prof");
    about.Add("EXPORT_PRODUCT_VERSION", ValidUtf8(process.prof_version));
    about.Add("EXPORT_SCHEMA_VERSION", "3.25.0");
    about.Add("EXPORT_SCHEMA_VERSION_MAJOR", "3");
    about.Add("EXPORT_SCHEMA_VERSION_MINOR", "25");
    about.Add("EXPORT_SCHEMA_VERSION_MICRO", "0");
    Table capture(database_, "META_DATA_CAPTURE", "name TEXT NOT NULL, value TEXT");
    capture.Add("COMMAND", ValidUtf8(process.command));
    if (process.rank >= 0) capture.Add("RANK", std::to_string(process.rank));
  }

  int64_t LastOperation() const {
    int64_t last_ns = begin_ns_;
    for (const OperationEvent& op : events_.operations()) {
      if (op.timed && !op.untraced) last_ns = std::max(last_ns, op.end_ns);
    }
    return Time(last_ns);
  }

  void WriteEnum(
      const char* name,
      std::initializer_list<std::pair<int64_t, std::pair<const char*, const char*>>> entries) {
    Table table(database_, name, schema::kEnumColumns);
    for (const auto& [id, names] : entries) table.Add(id, names.first, names.second);
  }

  void WriteEnums() {
    WriteEnum("ENUM_CUDA_MEMCPY_OPER", {{0, {"CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"}},
                                        {1, {"CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"}},
                                        {2, {"CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"}},
                                        {8, {"CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"}},
                                        {9, {"CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"}},
                                        {10, {"CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"}}});
    WriteEnum("ENUM_CUDA_MEM_KIND", {{0, {"CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"}},
                                     {1, {"CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"}},
                                     {2, {"CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"}},
                                     {3, {"CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array"}},
                                     {4, {"CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"}}});
    WriteEnum("ENUM_NSYS_EVENT_TYPE", {{kMarkEvent, {"NvtxMark", "NVTX mark"}},
                                       {kPushPopEvent, {"NvtxPushPopRange", "NVTX push/pop"}},
                                       {kStartEndEvent, {"NvtxStartEndRange", "NVTX start/end"}},
                                       {kDomainEvent, {"NvtxDomainCreate", "NVTX domain"}}});
    WriteEnum("ENUM_NSYS_EVENT_CLASS",
              {{0, {"TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime API"}},
               {1, {"TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver API"}}});
    WriteEnum("ENUM_CUPTI_SYNC_TYPE",
              {{1, {"CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE", "Event sync"}},
               {2, {"CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT", "Stream wait event"}},
               {3, {"CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE", "Stream sync"}},
               {4, {"CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE", "Context sync"}}});
  }

  const Events& events_;
  const Selection& selection_;
  int64_t begin_ns_, pid_;
  Database* database_;
  Table strings_;
  std::unordered_map<std::string, int64_t> string_ids_;
  std::vector<Names> names_;  // by shape
  std::map<std::string, int64_t> domains_;
  std::map<uint32_t, uint32_t> devices_;  // by context, of the operations in the export
};

}  // namespace

std::string WriteSqlite(const Events& events, const Report& report, const Selection& selection,
                        const std::string& path) {
  Database database(path);
  NsysTables(events, selection, &database).Write();
  WriteProfTables(events, report, selection, BeginOf(events), &database);
  database.Close();
  return database.problem().empty() ? ""
                                    : "cannot write '" + path + "': " + database.problem() +
                                          ". Choose another file with -o";
}

}  // namespace prof::exporting
