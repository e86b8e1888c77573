// SPDX-License-Identifier: Apache-2.0
//
// The model is a snapshot in memory, as plain data. The reader fills it and joins its records: each
// GPU operation knows the API call that launched it and the NVTX path that it belongs to.
#ifndef PROF_LIB_SNAPSHOT_MODEL_MODEL_H_
#define PROF_LIB_SNAPSHOT_MODEL_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/format/code_census.h"
#include "lib/format/enums.h"
#include "lib/snapshot/model/api_call.h"
#include "lib/snapshot/model/op.h"
#include "lib/snapshot/model/range.h"
#include "lib/snapshot/model/torch.h"
#include "prof/snapshot.h"

namespace prof::model {

using format::AllocationOperation;
using format::GpuStateKind;
using format::HostSampleKind;
using format::HostState;
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

constexpr uint32_t kNone = 0;  // the id that means "none"

struct Process {
  uint32_t format_version = 0;
  std::string prof_version, host, command, cupti_path, nvidia_driver;
  int64_t start_ns = 0;
  uint32_t pid = 0;
  int32_t rank = -1;
  uint32_t cuda_driver_version = 0, cupti_version = 0;
  bool injected = false;
  uint64_t cupti_device_bytes = 0;  // the most that CUPTI takes in each context; 0: not known
};

// What a device reached in a calibration, for what its data sheet does not say.
struct Ceiling {
  std::string kind;  // lib/format/ceilings.h
  double per_s = 0;  // bytes or operations; the median of `n` runs
  int64_t n = 0;
  double min = 0, max = 0;
  double sm_clock_hz = 0;  // meanwhile; 0: not known
};

struct Device {
  uint32_t id = 0;
  std::string name, chip, uuid;
  uint32_t compute_major = 0, compute_minor = 0;
  uint32_t sm_count = 0, warp_size = 0, max_threads_per_sm = 0, max_blocks_per_sm = 0;
  uint32_t registers_per_sm = 0, shared_memory_per_sm = 0, reserved_shared_memory_per_block = 0;
  uint32_t l2_bytes = 0, sm_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  uint64_t memory_bytes = 0;
  std::unordered_map<std::string, double> peaks;  // "<counter>.peak_sustained" -> per cycle
  std::vector<Ceiling> ceilings;                  // empty: the device was not calibrated
};

struct RangePath {
  uint32_t parent = 0;  // id
  std::string name, domain;
  std::string full;  // "outer/inner"; a domain other than the default is prefixed "domain:"
  uint32_t color = 0, category = 0;  // of the first use; the color is ARGB; 0: none
  // Not 0: the reader added this path. It stands for work that a CUDA graph launched in `parent`
  // and that was captured in the path with this id.
  uint32_t captured = 0;
  // Not empty: the path stands for all ranges of a family. The places of the stars in `name`, which
  // stand for numbers; Model::range_numbers has these.
  std::vector<uint32_t> stars;
  // Not kNone: the path is of ops of PyTorch, which have a tree of their own (Model::torch).
  TorchScope torch = TorchScope::kNone;
};

// PyTorch's engine runs each node of the autograd graph in a function of this name and the node's.
constexpr std::string_view kTorchEngine = "autograd::engine::evaluate_function: ";

[[nodiscard]] inline bool IsTorchEngine(const RangePath& path) {
  return path.torch == TorchScope::kFunction &&
         path.name.compare(0, kTorchEngine.size(), kTorchEngine) == 0;
}

// Stands between the path of the launch and the path of the capture in RangePath::full.
constexpr char kCapturedIn[] = " > ";

// The range, the host stack and the op of PyTorch in which a node of a CUDA graph was captured.
struct GraphNode {
  uint64_t node = 0;
  uint32_t path = 0, stack = 0, torch_op = 0;
};

// A line of a function of the program, as its interpreter has it; or a native call. A reader that
// looked for the source of native calls has given them their functions, files and lines.
struct HostFrame {
  uint32_t function = 0, file = 0;  // indices into Model::strings
  uint32_t first_line = 0;          // of the function; 0: not known
  uint32_t line = 0;                // 0: not known
  // Native: indices into Model::strings; `module` 0: it is a frame of an interpreter.
  uint32_t module = 0, build_id = 0;
  uint64_t offset = 0;
};

// A stack: its innermost frame, and the stack of that frame's caller.
struct HostStack {
  uint32_t parent = 0;  // id; 0: the frame is the outermost
  uint32_t frame = 0;   // id
  uint32_t depth = 0;   // frames
};

// A look at a thread of the program.
struct HostSample {
  int64_t time_ns = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;  // id; 0: none
  HostSampleKind kind = HostSampleKind::kUnknown;
  HostState state = HostState::kUnknown;
};

struct Shape {
  std::string name;  // as recorded (mangled)
  std::array<uint32_t, 3> grid{}, block{}, cluster{};
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, shared_executed_bytes = 0;
  uint32_t registers_per_thread = 0, local_bytes_per_thread = 0, launch_type = 0;
  bool local_known = false;                // false: 0 bytes of local memory may be any number
  std::optional<format::CodeCensus> code;  // none: its code was not seen
};

// Memory that was allocated or freed.
struct Allocation {
  AllocationOperation operation = AllocationOperation::kUnknown;
  MemoryKind memory = MemoryKind::kUnknown;
  bool pooled = false;                           // a memory pool served it
  uint32_t device = 0, context = 0, stream = 0;  // stream 0xffffffff: none
  uint32_t correlation = 0;
  uint32_t path = 0;       // NVTX path id of the calling thread at the call
  int32_t api = kNoIndex;  // index into Model::api_calls
  uint32_t torch_op = 0;   // path id of the innermost op around the call; 0: none, or not known
  uint64_t address = 0, bytes = 0;
  int64_t time_ns = 0;
  uint32_t thread = 0;  // that made the call; 0: not known
  uint32_t stack = 0;   // host stack id; of a tensor of the backward pass, of its forward op
};

// The program has a tensor at this address, which it uses in this way.
struct TensorUse {
  TensorChange use = TensorChange::kUnknown;
  uint64_t address = 0;
  int64_t time_ns = 0;
};

// The memory that PyTorch's allocator gave to tensors. It has it from CUDA, in larger blocks.
struct Tensors {
  std::vector<Allocation> changes;  // allocations and frees; sorted by time
  std::vector<Allocation> refused;  // for lack of memory; without an address; sorted by time
  std::vector<TensorUse> uses;      // sorted by time

  [[nodiscard]] bool recorded() const { return !changes.empty() || !refused.empty(); }
};

// What a memory pool held at an operation on it, or with an allocation or free (kAllocation).
struct PoolState {
  PoolOperation operation = PoolOperation::kUnknown;
  PoolType type = PoolType::kUnknown;
  bool managed = false;  // false with allocations, where it is not known
  uint32_t device = 0;
  uint64_t address = 0;                            // names the pool
  uint64_t reserved = 0, used = 0, threshold = 0;  // bytes; only known of local pools
  int64_t time_ns = 0;
};

// A reading of the driver; the values as in snapshot.proto.
struct GpuState {
  GpuStateKind kind = GpuStateKind::kUnknown;
  uint32_t device = 0, value = 0, second = 0, reasons = 0;
  int64_t time_ns = 0;
};

// What the driver did to managed memory; `value` and `cause` as in snapshot.proto.
struct UnifiedMemory {
  UnifiedMemoryKind kind = UnifiedMemoryKind::kUnknown;
  uint32_t source = 0, destination = 0, cause = 0;
  uint64_t value = 0;
  int64_t start_ns = 0, end_ns = 0;
};

struct Sync {
  SyncKind kind = SyncKind::kUnknown;
  uint32_t context = 0, stream = 0, correlation = 0;
  int64_t start_ns = 0, end_ns = 0;
};

struct Mark {
  uint32_t path = 0, thread = 0;
  int64_t time_ns = 0;
};

// A number that the program attached to a mark, or to a begin or end of `path`, at `time_ns`.
struct Payload {
  uint32_t path = 0, thread = 0;
  int64_t time_ns = 0;
  double value = 0;    // integers beyond 2^53 are rounded
  uint32_t field = 0;  // string id of its name; 0: it has none
};

// A name that the program gave to a category or stream (those of threads are in Thread).
struct CategoryName {
  uint32_t category = 0;
  std::string domain, name;
};
// A stream as the program created it.
struct Stream {
  uint32_t context = 0, stream = 0;  // as in Op
  int32_t priority = 0;              // a smaller number goes first
  StreamFlag flag = StreamFlag::kUnknown;
};
struct StreamName {
  uint64_t handle = 0;
  uint32_t context = 0, stream = 0;  // as in Op; context 0: the handle could not be mapped
  std::string name;
};

struct Overhead {
  std::string kind;
  uint32_t thread = 0;
  int64_t start_ns = 0, end_ns = 0;
};

// A metric that is the maximum of others, its parts.
struct Throughput {
  std::string metric;
  std::vector<std::string> parts;
  std::vector<std::string> missing;  // parts that no single launch can tell
};

struct PassGroup {
  std::string level;
  std::vector<std::string> metrics;
  std::vector<Throughput> throughputs;  // those with a part among the metrics
};

struct CounterSample {
  SampleUnit unit = SampleUnit::kKernel;
  uint32_t group = 0;  // id
  uint32_t context = 0, correlation = 0, path = 0;
  std::vector<double> values;
  int64_t begin_ns = 0, end_ns = 0;
  int32_t op = kNoIndex;  // kKernel: the kernel it was taken from
  // kKernel, in a recording of the last seconds: what is known of its launch, which may be older. A
  // shape of 0: nothing.
  uint32_t shape = 0, device = 0;
  uint64_t duration_ns = 0;  // 0: not known
  // kGraph: its operations are Model::graph_ops[first_graph_op] and those behind it.
  size_t first_graph_op = 0, graph_ops = 0;
};

// PM samples, which count a whole device at a fixed interval, as columns. Row i lasts from
// begin_ns[i] to end_ns[i], in the clock of the operations; values[i * metrics.size() + m] is the
// mean of metric m over the row, NaN where CUPTI gave none. Rows are sorted by begin, which is
// never negative.
struct PmSeries {
  uint32_t device = 0;
  int64_t interval_ns = 0;  // as requested; rows may differ
  std::vector<std::string> metrics;
  std::vector<double> scales;  // of each metric: what its values are multiples of
  std::vector<int64_t> begin_ns, end_ns;
  std::vector<uint32_t> samples;  // in each row: 1, or several with equal values
  std::vector<float> values;

  [[nodiscard]] size_t rows() const { return begin_ns.size(); }
  [[nodiscard]] const float* row(size_t i) const { return values.data() + i * metrics.size(); }
};

struct ProfilerInterval {
  ProfilerWork work = ProfilerWork::kUnknown;
  uint32_t thread = 0;
  int64_t begin_ns = 0, end_ns = 0;
};

// The program had paused the recording.
struct Pause {
  int64_t begin_ns = 0, end_ns = 0;  // equal: it went on at the end of the recording
};

struct Notice {
  Severity severity = Severity::kInfo;
  Subsystem subsystem = Subsystem::kUnknown;
  uint32_t code = 0;
  std::string what, fix;
};

struct Thread {
  uint32_t tid = 0;
  std::string name;
};

// Launches that were counted, whether they were traced or not. The entries of a kernel or graph
// add up.
struct LaunchCount {
  uint32_t device = 0;
  uint32_t shape = 0;  // as the launch call names it; 0: of a graph, or of kernels without a place
  uint32_t graph = 0;  // the executable graph; 0: none
  uint64_t launches = 0;
  uint64_t counted_ns = 0;  // time in which launches were counted; entries add up
};

// Tables are indexed by id: element 0 is the "none" entry.
struct Model {
  // The compiler's own, in model.cc: they take long to compile.
  Model();
  ~Model();
  Model(const Model& other);
  Model(Model&& other) noexcept;
  Model& operator=(const Model& other);
  Model& operator=(Model&& other) noexcept;

  Process process;
  Integrity integrity;
  bool stopped_in_order = false;  // the trailer is there
  std::string truncation;         // why a part of the file could not be read; empty: all was read
  std::string after_end;          // what the file holds behind the recording; empty: nothing
  int64_t end_ns = 0;             // from the trailer; 0: there is none

  std::vector<std::string> strings{""};
  std::vector<RangePath> paths{RangePath{}};
  std::vector<Shape> shapes{Shape{}};
  std::vector<Thread> threads{Thread{}};
  std::vector<PassGroup> groups{PassGroup{}};
  std::vector<HostFrame> host_frames{HostFrame{}};
  std::vector<HostStack> host_stacks{HostStack{}};
  std::vector<HostSample> host_samples;  // sorted by thread, then by time
  std::vector<Device> devices;

  RowStorage storage = RowStorage::kPlain;  // of operations and calls; PackRows()
  OpTable ops;                              // sorted by start; untimed ones last
  std::vector<LaunchCount> launch_counts;   // empty: kernels were traced all the time
  CallTable api_calls;                      // sorted by start
  std::vector<Sync> syncs;                  // sorted by start
  std::vector<Overhead> overheads;          // sorted by start
  std::vector<Allocation> allocations;      // and frees; sorted by time
  Tensors tensors;
  std::vector<PoolState> pool_states;         // sorted by time
  std::vector<UnifiedMemory> unified_memory;  // sorted by start
  std::vector<GpuState> gpu_states;           // sorted by time
  std::vector<StepTable> steps;               // by thread id; sorted by time
  InstanceTable instances;                    // sorted by start
  std::vector<RangeInstance> spans;           // nvtxRangeStart/End, sorted by start
  std::vector<RangeNumber> range_numbers;     // sorted by thread and time
  std::vector<Mark> marks;                    // in the order of the file
  std::vector<Payload> payloads;              // in the order of the file
  std::vector<CategoryName> category_names;
  std::vector<StreamName> stream_names;
  std::vector<GraphNode> graph_nodes;  // in the order of the file: the last one of a node counts
  std::unordered_map<uint64_t, uint32_t> node_stacks;  // by node: the host stack of its capture
  std::vector<Stream> streams;  // in the order of the file: the last one of a stream counts
  std::vector<CounterSample> samples;
  std::vector<int32_t> graph_ops;                    // indices into `ops`, launch after launch
  std::vector<PmSeries> pm_series;                   // id k is element k - 1
  std::vector<ProfilerInterval> profiler_intervals;  // sorted by begin; without pauses
  std::vector<Pause> pauses;                         // sorted by begin; they do not overlap
  std::vector<Notice> notices;
  TorchOps torch;

  // Packs the rows of operations and calls. Before the first row.
  void PackRows() {
    storage = RowStorage::kPacked;
    ops = OpTable(storage);
    api_calls = CallTable(storage);
  }

  // The range in which `op` was launched. Op::path is that range, or a path below it that names the
  // range in which the node of the graph was captured.
  [[nodiscard]] uint32_t LaunchPath(const Op& op) const {
    return paths[op.path].captured != kNone ? paths[op.path].parent : op.path;
  }

  // The host stack of the call that launched `op`; of a graph's node, that of its capture where it
  // is known. kNone: none is known.
  [[nodiscard]] uint32_t StackOf(const Op& op) const {
    if (op.graph != 0 && op.kind != OpKind::kGraph) {
      const auto node = node_stacks.find(op.graph_node);
      if (node != node_stacks.end()) return node->second;
    }
    if (op.api == kNoIndex || host_stacks.size() <= 1) return kNone;
    return api_calls.stack(static_cast<size_t>(op.api));
  }

  [[nodiscard]] const Device* FindDevice(uint32_t id) const {
    for (const Device& device : devices) {
      if (device.id == id) return &device;
    }
    return nullptr;
  }
};

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_MODEL_H_
