// SPDX-License-Identifier: Apache-2.0
//
// The events are what the sources (CUPTI, NVTX, the sampler) hand to the collector: plain structs,
// one per kind. Strings are views that live until the call that takes them returns.
#ifndef PROF_LIB_CAPTURE_EVENTS_EVENTS_H_
#define PROF_LIB_CAPTURE_EVENTS_EVENTS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/format/code_census.h"
#include "lib/format/enums.h"

namespace prof::capture {

using format::AllocationOperation;
using format::ChannelType;
using format::CopyKind;
using format::GpuStateKind;
using format::HostSampleKind;
using format::HostState;
using format::MemoryKind;
using format::NameKind;
using format::PayloadType;
using format::PoolOperation;
using format::PoolType;
using format::ProfilerWork;
using format::SampleUnit;
using format::Severity;
using format::StreamFlag;
using format::Subsystem;
using format::SyncKind;
using format::TensorChange;
using format::UnifiedMemoryKind;

// The hardware channel through which work came.
struct Channel {
  uint32_t id = 0;
  ChannelType type = ChannelType::kUnknown;
};

struct KernelEvent {
  std::string_view name;
  std::array<uint32_t, 3> grid{}, block{}, cluster{};
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, shared_executed_bytes = 0;
  uint32_t registers_per_thread = 0, local_bytes_per_thread = 0, launch_type = 0;
  bool local_known = false;  // the driver said how much local memory it has
  // What its code does, for the first launch of a shape; nullptr: the code was not seen.
  const format::CodeCensus* code = nullptr;
  uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  Channel channel;
  uint32_t graph = 0;
  uint64_t graph_node = 0;
  int64_t start_ns = 0, end_ns = 0;  // both 0: CUPTI gave no valid time
};

// The number that a sink gives to all that repeats from launch to launch: the kernel with its
// shape, and the stream. 0: the sink's table is full.
struct LaunchId {
  uint32_t shape = 0, lane = 0;
  bool lasting = false;  // everything found room, so the number may be used again
};

// A kernel whose LaunchId is known.
struct KnownKernelEvent {
  uint32_t shape = 0, lane = 0;  // of the LaunchId
  uint32_t correlation = 0, graph = 0;
  uint64_t graph_node = 0;
  int64_t start_ns = 0, end_ns = 0;  // as in KernelEvent
};

// A launch during which tracing was paused. Its other values are those of other launches of the
// kernel.
struct UntracedKernelEvent {
  std::string name;
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t dynamic_shared_bytes = 0;
  // Used when no launch of the kernel was traced; 0: not known.
  uint32_t static_shared_bytes = 0, registers_per_thread = 0, local_bytes_per_thread = 0;
  bool local_known = false;
  uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  int64_t launch_ns = 0;  // host time
};

// Launches of a kernel, or of a graph, that were counted.
struct LaunchCountEvent {
  uint32_t device = 0;
  uint32_t graph = 0;  // the id of the executable graph; 0: a kernel
  std::string name;    // of the kernel; empty, without a graph: those that found no room
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t dynamic_shared_bytes = 0;
  uint64_t launches = 0;
  uint64_t counted_ns = 0;  // without a kernel or graph: time in which launches were counted
};

struct CopyEvent {
  CopyKind kind = CopyKind::kUnknown;
  MemoryKind source = MemoryKind::kUnknown, destination = MemoryKind::kUnknown;
  bool async = false;
  uint64_t bytes = 0;
  uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  Channel channel;
  uint32_t graph = 0;
  uint64_t graph_node = 0;
  int64_t start_ns = 0, end_ns = 0;
};

struct MemsetEvent {
  uint64_t bytes = 0;
  MemoryKind memory = MemoryKind::kUnknown;
  uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  Channel channel;
  uint32_t graph = 0;
  uint64_t graph_node = 0;
  int64_t start_ns = 0, end_ns = 0;
};

// What a memory pool holds, in bytes. Only local pools have sizes.
struct PoolState {
  PoolType type = PoolType::kUnknown;
  uint64_t address = 0;  // names the pool
  uint64_t reserved = 0, used = 0, threshold = 0;
};

// Memory that was allocated or freed.
struct AllocationEvent {
  bool free = false;
  bool pooled = false;  // from `pool`
  MemoryKind memory = MemoryKind::kUnknown;
  uint64_t address = 0, bytes = 0;
  uint32_t device = 0, context = 0;
  uint32_t stream = kNoStream;
  uint32_t correlation = 0;
  int64_t time_ns = 0;
  PoolState pool;

  static constexpr uint32_t kNoStream = 0xffffffff;  // the call was not ordered by a stream
};

struct PoolEvent {
  PoolOperation operation = PoolOperation::kUnknown;
  bool managed = false;
  PoolState state;
  uint64_t keep_bytes = 0;  // of a trim
  uint32_t device = 0, correlation = 0;
  int64_t time_ns = 0;
};

// What the driver did to managed memory. snapshot.proto explains `value` and `cause`.
struct UnifiedMemoryEvent {
  UnifiedMemoryKind kind = UnifiedMemoryKind::kUnknown;
  uint64_t value = 0;
  uint32_t source = 0, destination = 0, cause = 0;
  int64_t start_ns = 0, end_ns = 0;
};

// A reading of the state of a GPU. snapshot.proto explains the values.
struct GpuStateEvent {
  GpuStateKind kind = GpuStateKind::kUnknown;
  uint32_t device = 0, value = 0, second = 0, reasons = 0;
  int64_t time_ns = 0;
};

// A launch of a CUDA graph that was recorded without its nodes: from its first to its last
// operation.
struct GraphRunEvent {
  uint32_t graph = 0;  // as KernelEvent::graph
  uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  Channel channel;  // not known
  int64_t start_ns = 0, end_ns = 0;
};

// The range, the host stack and the op of PyTorch in which a node of a CUDA graph was captured.
// Table ids; 0: none.
struct GraphNodeEvent {
  uint64_t node = 0;
  uint32_t path = 0;
  uint32_t stack = 0;
  uint32_t torch_op = 0;
};

// A line of a function of the program.
struct HostFrameEvent {
  std::string_view function, file;
  uint32_t first_line = 0;  // of the function; 0: not known
  uint32_t line = 0;        // 0: not known
  // A native frame: the program or library that its call is in, the mark of its build (hexadecimal;
  // empty: it has none), and the address of the call in it. Its function is the linker's name.
  std::string_view module, build_id;
  uint64_t offset = 0;
};

// A stack: its innermost frame, and the stack of that frame's caller. Table ids; parent 0: none.
struct HostStackEvent {
  uint32_t parent = 0, frame = 0;
};

// A look at a thread of the program that had made no CUDA call for a while.
struct HostSampleEvent {
  int64_t time_ns = 0;
  uint32_t tid = 0;
  uint32_t stack = 0;  // table id; 0: none
  HostSampleKind kind = HostSampleKind::kUnknown;
  HostState state = HostState::kUnknown;
};

// A stream as it was created. A smaller number is a higher priority.
struct StreamEvent {
  uint32_t context = 0, stream = 0;
  int32_t priority = 0;
  StreamFlag flag = StreamFlag::kUnknown;
};

struct SyncEvent {
  SyncKind kind = SyncKind::kUnknown;
  uint32_t context = 0, stream = 0, correlation = 0;
  int64_t start_ns = 0, end_ns = 0;
};

struct ApiEvent {
  std::string_view name;
  uint32_t tid = 0, correlation = 0, error = 0;
  int64_t start_ns = 0, end_ns = 0;
  uint32_t name_id = 0;  // EventSink::NameId(name); 0: the sink looks the name up
  uint32_t stack = 0;    // of the host; 0: none
};

// A CUDA API call as its thread recorded it. The source knows the meaning of `call` and `waited`.
struct CallEvent {
  uint32_t call = 0, tid = 0, correlation = 0, error = 0;
  int64_t start_ns = 0, end_ns = 0;
  uint32_t waited = 0;
  uint32_t stack = 0;  // of the host
};

// What happened to the memory of a tensor of PyTorch; snapshot.proto explains the values.
struct TensorEvent {
  TensorChange change = TensorChange::kUnknown;
  uint32_t device = 0, tid = 0;
  uint32_t stack = 0;  // of the host
  uint64_t address = 0, bytes = 0;
  int64_t time_ns = 0;
};

struct OverheadEvent {
  std::string_view kind;
  uint32_t tid = 0;
  int64_t start_ns = 0, end_ns = 0;
};

// A list of the shapes of an op's inputs: "[[8, 16], []]".
struct TorchShapesInfo {
  uint32_t id = 0;
  std::string_view text;
};

// A change of a thread's innermost range.
struct RangeEvent {
  int64_t time_ns = 0;
  uint32_t path = 0;    // path table id
  uint32_t shapes = 0;  // TorchShapesInfo::id of the op of PyTorch that begins here; 0: not known
};

// An nvtxRangeStart/nvtxRangeEnd pair.
struct SpanEvent {
  uint32_t path = 0, start_tid = 0, end_tid = 0;
  int64_t start_ns = 0, end_ns = 0;
};

struct MarkEvent {
  uint32_t path = 0, tid = 0;
  int64_t time_ns = 0;
};

// A number that a program attached to a range or mark.
struct Payload {
  PayloadType type = PayloadType::kNone;
  uint64_t bits = 0;   // of the value; upper bits of 32-bit values are 0
  uint32_t field = 0;  // its name, RangeStrings::PlaceOf; 0: it has none
};

// `path` and `time_ns` belong to the mark, to the push or pop of the range, or to the start or end
// of the span.
struct PayloadEvent {
  uint32_t path = 0, tid = 0;
  int64_t time_ns = 0;
  Payload payload;
  std::string_view field;  // the name of the value; empty: it has none
};

// A number of the name of a range or mark whose path is folded. It belongs to the next event of its
// owner's kind. A name with several numbers has several such events, in their order.
enum class NumberOwner : uint8_t { kStep, kMark, kSpan };
struct NumberEvent {
  NumberOwner owner = NumberOwner::kStep;
  uint32_t path = 0;
  uint64_t value = 0;
  uint32_t style = 0;  // format::StyleOf
};

// A name that the program gave to a thread, a category or a stream.
struct NameEvent {
  NameKind kind = NameKind::kUnknown;
  uint64_t id = 0;          // gettid(), category or stream handle
  std::string_view domain;  // categories; empty: the default domain
  std::string_view name;
  uint32_t context = 0, stream = 0;  // streams: CUPTI's ids; context 0: not known
};

// A rate that the device reached in a calibration; the kinds are in lib/format/ceilings.h.
struct CeilingEvent {
  std::string kind;
  double per_s = 0;
  uint32_t n = 0;
  double min = 0, max = 0, sm_clock_hz = 0;
};

struct DeviceEvent {
  uint32_t id = 0;
  std::string name, chip, uuid;
  uint32_t compute_major = 0, compute_minor = 0;
  uint32_t sm_count = 0, warp_size = 0, max_threads_per_sm = 0, max_blocks_per_sm = 0;
  uint32_t registers_per_sm = 0, shared_memory_per_sm = 0, reserved_shared_memory_per_block = 0;
  uint32_t l2_bytes = 0, sm_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  uint64_t memory_bytes = 0;
  std::vector<std::pair<std::string, double>> peaks;
  std::vector<CeilingEvent> ceilings;
};

// A metric that is the maximum of others, its parts, and needs more passes than they do.
struct ThroughputEvent {
  std::string metric;
  std::vector<std::string> parts, missing;  // missing: parts that no single launch has
};

struct PassGroupEvent {
  uint32_t id = 0;    // given by the sampler, counting from 1 without holes
  std::string level;  // of --counters: "sol"
  std::vector<std::string> metrics;
  std::vector<ThroughputEvent> throughputs;  // that have a part among the metrics
};

// `correlation` names the launch of a kernel or a graph. For an instance of a range `path` names
// the range, `correlation` is 0, and begin_ns and end_ns are its host time.
struct CounterSampleEvent {
  SampleUnit unit = SampleUnit::kKernel;
  uint32_t group = 0, context = 0, correlation = 0, path = 0;
  std::vector<double> values;
  int64_t begin_ns = 0, end_ns = 0;
};

// What every PM sample of one device holds.
struct PmMetric {
  std::string name;     // as CUPTI evaluates it
  double scale = 0.05;  // values are stored as multiples of it; this one is for percentages
};
struct PmSeriesEvent {
  uint32_t id = 0;      // given by the sampler, counting from 1 without holes
  uint32_t device = 0;  // CUDA ordinal
  int64_t interval_ns = 0;
  std::vector<PmMetric> metrics;
};

// Samples of one series in time order: sample i is [begin_ns[i], end_ns[i]) in the clock of the
// activity records, with values[i * metrics + m]. NaN: CUPTI gave no value. At most some ten
// thousand samples, so that a block can end behind each batch.
struct PmBatchEvent {
  uint32_t series = 0;
  std::vector<int64_t> begin_ns, end_ns;
  std::vector<double> values;
};

struct ProfilerIntervalEvent {
  ProfilerWork work = ProfilerWork::kUnknown;
  uint32_t tid = 0;
  int64_t begin_ns = 0, end_ns = 0;
};

struct NoticeEvent {
  Severity severity = Severity::kInfo;
  Subsystem subsystem = Subsystem::kUnknown;
  uint32_t code = 0;
  std::string what, fix;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_EVENTS_EVENTS_H_
