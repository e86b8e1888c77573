// SPDX-License-Identifier: Apache-2.0
//
// Events are what a snapshot recorded, row by row, as plain structs: operations of the GPU, API
// calls, ranges, counters, samples. For programs that make something else of a recording than a
// report. Link prof::analyzer.
//
//   const prof::Events events = prof::ReadEvents(prof::Snapshot::FromFile("app.prof"));
//   for (const prof::OperationEvent& op : events.operations()) {
//     if (op.kind != prof::OperationKind::kKernel) continue;
//     std::cout << events.shapes()[op.shape].short_name << ' ' << op.end_ns - op.start_ns << '\n';
//   }
//
// Times are nanoseconds since 1970 in the clock of CUPTI's records. An id counts from 1 in its
// table, whose element 0 stands for "none".
#ifndef PROF_EVENTS_H_
#define PROF_EVENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prof/kernel_code.h"
#include "prof/snapshot.h"

namespace prof {

/// A kGraph is a launch of a CUDA graph that was recorded as one operation.
enum class OperationKind { kKernel, kCopy, kMemset, kGraph };

enum class CopyDirection {
  kUnknown,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kHostToHost,
  kPeerToPeer
};

enum class MemoryType { kUnknown, kPageable, kPinned, kDevice, kArray, kManaged };

enum class SyncType { kUnknown, kEvent, kStreamWaitEvent, kStream, kContext };

/// kFunction: an op, or a function of PyTorch's engine. kNode: a node of the autograd graph. kUser:
/// a scope that is marked (record_function). kModule: a call of a torch.nn.Module.
enum class TorchOpKind { kFunction, kNode, kUser, kModule };

/// What the counters of a sample ran for.
enum class CountedUnit { kKernel, kRange, kGraph };

/// Lower-case names: "kernel", "host to device", "pageable", "stream wait event", "graph".
const char* ToString(OperationKind kind);
const char* ToString(CopyDirection direction);
const char* ToString(MemoryType memory);
const char* ToString(SyncType sync);
const char* ToString(CountedUnit unit);

/// What launches of one kernel have in common.
struct KernelShape {
  std::string name;        ///< As recorded: mangled, where the compiler mangled it.
  std::string demangled;   ///< With template arguments and parameters.
  std::string short_name;  ///< Without: KernelReport::name.
  std::array<uint32_t, 3> grid{}, block{}, cluster{};
  uint32_t registers_per_thread = 0;
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  uint32_t shared_executed_bytes = 0;  ///< The SM's partition for shared memory; 0: not known.
  uint32_t local_bytes_per_thread = 0;
  bool local_known = false;        ///< False: its local memory is not known.
  uint32_t launch_type = 0;        ///< CUpti_ActivityLaunchType
  std::optional<KernelCode> code;  ///< What its machine code does; none: it was not seen.
};

/// A path of nested NVTX ranges. It may stand for a family of names, "step *".
struct RangePathInfo {
  uint32_t parent = 0;    ///< id
  std::string name;       ///< Of the innermost range.
  std::string domain;     ///< Empty: NVTX's default domain.
  std::string full;       ///< "outer/inner"; a domain other than the default is prefixed "domain:".
  std::string row;        ///< As reports call it: KernelReport::range, "layer */mlp (8 ranges)".
  uint32_t color = 0;     ///< ARGB of the first use; 0: none.
  bool torch_op = false;  ///< It is no range, but ops of PyTorch, which have a tree of their own.
  bool family = false;    ///< NameOf() has the numbers that stand for the stars of `name`.
};

/// A line of a function of the program, in Python or in native code.
struct HostFrameInfo {
  std::string_view function, file;  ///< "Model.forward"; as Python or the compiler has them.
  uint32_t first_line = 0;          ///< Of the function; 0: not known.
  uint32_t line = 0;                ///< 0: not known.
  std::string_view module;          ///< Native code: its program or library. Empty: Python.
};

/// A stack of the host: its innermost frame, and the stack of that frame's caller.
struct HostStackInfo {
  uint32_t parent = 0;  ///< id; 0: the frame is the outermost.
  uint32_t frame = 0;   ///< id in host_frames()
};

struct ProcessInfo {
  std::string host, command, prof_version, nvidia_driver;
  uint32_t pid = 0;
  int32_t rank = -1;  ///< -1: none known.
  uint32_t cuda_driver_version = 0, cupti_version = 0;
  int64_t start_ns = 0;    ///< When the recording began.
  int64_t end_ns = 0;      ///< When it ended; 0: it was not stopped in order.
  std::string incomplete;  ///< Not empty: why a part of the file could not be read.
};

/// A device, as the driver describes it. 0: not known.
struct DeviceInfo {
  uint32_t id = 0;
  std::string name, chip, uuid;
  uint32_t compute_major = 0, compute_minor = 0, sm_count = 0, warp_size = 0;
  uint32_t max_threads_per_sm = 0, max_blocks_per_sm = 0, registers_per_sm = 0;
  uint32_t shared_memory_per_sm = 0, l2_bytes = 0;
  uint32_t sm_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0;
  uint64_t memory_bytes = 0;
};

struct ThreadInfo {
  uint32_t tid = 0;
  std::string name;
};

/// A stream that the program created or named.
struct StreamInfo {
  uint32_t context = 0, stream = 0;
  int32_t priority = 0;
  uint32_t flag = 0;  ///< 1 default, 2 non-blocking, 3 the null stream; 0: not known.
  std::string name;   ///< Empty: not named.
};

/// A kernel, copy, memset or graph that ran on a device.
struct OperationEvent {
  OperationKind kind = OperationKind::kKernel;
  bool timed = true;      ///< False: CUPTI gave no valid time, and the two below mean nothing.
  bool untraced = false;  ///< prof paused tracing around it: `start_ns` is the host's.
  bool sampled = false;   ///< Counters ran around it.
  int64_t start_ns = 0, end_ns = 0;
  uint32_t device = 0, context = 0, stream = 0, correlation = 0;
  uint32_t shape = 0;        ///< Kernels: id in shapes().
  uint32_t path = 0;         ///< id in paths(): the range of the launch, or of a node's capture.
  uint32_t launch_path = 0;  ///< The range of the launch.
  uint32_t stack = 0;     ///< id in host_stacks(): of the launch, or of a node's capture; 0: none.
  uint32_t torch_op = 0;  ///< The innermost op of PyTorch around it; id in paths(), 0: none.
  /// In the backward pass: the op that made the node of the autograd graph; 0: not known, or none.
  uint32_t torch_forward = 0;
  /// The torch.nn.Module that it belongs to; id in paths(), 0: not known.
  uint32_t torch_module = 0;
  int64_t call = -1;   ///< Index in calls() of the call that launched it; -1: not known.
  uint32_t graph = 0;  ///< CUDA graph id; 0: launched on its own.
  uint64_t graph_node = 0;
  uint64_t bytes = 0;                             ///< Copies and memsets.
  CopyDirection copy = CopyDirection::kUnknown;   ///< Copies.
  MemoryType source = MemoryType::kUnknown;       ///< Copies.
  MemoryType destination = MemoryType::kUnknown;  ///< Copies and memsets.
};

/// A call of the CUDA API.
struct CallEvent {
  std::string_view name;  ///< "cudaLaunchKernel", "cuMemcpyHtoDAsync_v2"
  int64_t start_ns = 0, end_ns = 0;
  uint32_t thread = 0;  ///< id in threads()
  uint32_t correlation = 0;
  uint32_t error = 0;  ///< Its result; 0: success.
  uint32_t path = 0;   ///< Innermost range of the thread.
  uint32_t stack = 0;  ///< id in host_stacks(); 0: none.
  bool loads_code = false;
};

/// One time that a range was open.
struct RangeEvent {
  uint32_t path = 0, thread = 0;  ///< ids
  int64_t start_ns = 0, end_ns = 0;
  bool closed = true;  ///< False: it was open at the end of the recording, or of its thread.
};

struct MarkEvent {
  uint32_t path = 0, thread = 0;  ///< ids; the path is below that of the range around it
  int64_t time_ns = 0;
};

/// One time that an op of PyTorch was open.
struct TorchOpEvent {
  TorchOpKind kind = TorchOpKind::kFunction;
  uint32_t path = 0, thread = 0;  ///< ids
  int64_t start_ns = 0, end_ns = 0;
  bool closed = true;       ///< As in RangeEvent.
  std::string_view shapes;  ///< Of its inputs: "[[8, 1024], []]"; empty: not known.
  /// PyTorch's number of a node of the autograd graph, counted by thread. Of a node: its own; of
  /// any other op: that of the first node it made which ran. -1: not known, or none.
  int64_t sequence = -1;
  int64_t forward = -1;  ///< Nodes: index in torch_ops() of the op that made it; -1: not known.
};

/// A wait for the GPU, as CUPTI recorded it.
struct SyncEvent {
  SyncType type = SyncType::kUnknown;
  uint32_t context = 0, stream = 0, correlation = 0;  ///< stream 0xffffffff: none
  int64_t start_ns = 0, end_ns = 0;
};

/// Extra work of the driver, of CUPTI or of prof. What prof held up is no evidence.
struct OverheadEvent {
  std::string_view kind;  ///< "driver compiler", "prof: sample"
  uint32_t thread = 0;    ///< id
  int64_t start_ns = 0, end_ns = 0;
};

/// Memory that was allocated or freed.
struct AllocationEvent {
  bool freed = false;
  bool pooled = false;  ///< A memory pool served it.
  MemoryType memory = MemoryType::kUnknown;
  uint32_t device = 0, context = 0, stream = 0;  ///< stream 0xffffffff: none
  uint32_t path = 0;
  int64_t call = -1;
  uint64_t address = 0, bytes = 0;
  int64_t time_ns = 0;
};

/// The counters of one launch, range or graph launch.
struct CounterEvent {
  CountedUnit unit = CountedUnit::kKernel;
  std::string_view level;  ///< The level of --counters that asked for them.
  uint32_t context = 0, correlation = 0, path = 0;
  int64_t operation = -1;  ///< Index in operations() of the kernel; -1: not a kernel, or unknown.
  int64_t start_ns = 0, end_ns = 0;                   ///< Host time of the counter range.
  const std::vector<std::string>* metrics = nullptr;  ///< Names, parallel to `values`.
  const std::vector<double>* values = nullptr;        ///< NaN: CUPTI gave none.
};

/// A series of PM samples of one device.
struct PmSeriesInfo {
  uint32_t device = 0;
  int64_t interval_ns = 0;
  std::vector<std::string> metrics;
};

struct PmSampleEvent {
  int64_t start_ns = 0, end_ns = 0;
  uint32_t samples = 1;           ///< One, or several with equal values.
  const float* values = nullptr;  ///< One for each metric of its series; NaN: none.
};

class Events;
namespace exporting {
class EventsReader;
}

/// Rows that are unpacked as they are read: `for (const CallEvent& call : events.calls())`. It
/// points into its Events. A row costs some nanoseconds in the order of the table, a microsecond in
/// another one, and no memory.
template <typename Event>
class EventTable {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Event;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Event;

    Iterator(const EventTable* table, size_t row) : table_(table), row_(row) {}
    Event operator*() const { return (*table_)[row_]; }
    Iterator& operator++() {
      ++row_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return row_ == other.row_; }
    bool operator!=(const Iterator& other) const { return row_ != other.row_; }

   private:
    const EventTable* table_;
    size_t row_;
  };

  using Read = Event (*)(const void* data, size_t row);

  EventTable() = default;
  EventTable(const void* data, size_t size, Read read) : data_(data), size_(size), read_(read) {}

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  Event operator[](size_t row) const { return read_(data_, row); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }

 private:
  const void* data_ = nullptr;
  size_t size_ = 0;
  Read read_ = nullptr;
};

/// A snapshot in memory. Cheap to copy: copies share it, and it never changes. Any thread.
class Events {
 public:
  Events();

  /// Not empty: the snapshot could not be read, and all else is empty.
  [[nodiscard]] const std::string& error() const;

  [[nodiscard]] const ProcessInfo& process() const;
  [[nodiscard]] const std::vector<DeviceInfo>& devices() const;
  [[nodiscard]] const std::vector<ThreadInfo>& threads() const;  ///< By id.
  [[nodiscard]] const std::vector<StreamInfo>& streams() const;
  [[nodiscard]] const std::vector<KernelShape>& shapes() const;   ///< By id.
  [[nodiscard]] const std::vector<RangePathInfo>& paths() const;  ///< By id.

  [[nodiscard]] const std::vector<HostFrameInfo>& host_frames() const;  ///< By id.
  [[nodiscard]] const std::vector<HostStackInfo>& host_stacks() const;  ///< By id.

  [[nodiscard]] EventTable<OperationEvent> operations() const;  ///< By start; untimed ones last.
  [[nodiscard]] EventTable<CallEvent> calls() const;            ///< By start.
  [[nodiscard]] EventTable<RangeEvent> ranges() const;          ///< Pushed ones; by start.
  [[nodiscard]] EventTable<RangeEvent> spans() const;  ///< nvtxRangeStart and End; by start.
  [[nodiscard]] EventTable<MarkEvent> marks() const;
  [[nodiscard]] EventTable<TorchOpEvent> torch_ops() const;       ///< By start; outer ones first.
  [[nodiscard]] EventTable<SyncEvent> syncs() const;              ///< By start.
  [[nodiscard]] EventTable<OverheadEvent> overheads() const;      ///< By start.
  [[nodiscard]] EventTable<AllocationEvent> allocations() const;  ///< By time.
  [[nodiscard]] EventTable<CounterEvent> counters() const;
  [[nodiscard]] const std::vector<PmSeriesInfo>& pm_series() const;
  /// `series`: an index in pm_series(). By start.
  [[nodiscard]] EventTable<PmSampleEvent> pm_samples(size_t series) const;

  /// The name of what began in `path` on `thread` at `time_ns`, without the ranges around it:
  /// "step 123" where the path's own name is "step *". A star stays where its number is not known.
  [[nodiscard]] std::string NameOf(uint32_t path, uint32_t thread, int64_t time_ns) const;

 private:
  friend class exporting::EventsReader;
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// Reads a snapshot and joins its records: an operation knows its call and its range. Never throws:
/// Events::error() has the problem. All of the snapshot is in memory, about 20 bytes for a launch
/// with its call and a range around it. Time is proportional to the records: some seconds for ten
/// million launches. Any thread.
[[nodiscard]] Events ReadEvents(const Snapshot& snapshot);

}  // namespace prof

#endif  // PROF_EVENTS_H_
