// SPDX-License-Identifier: Apache-2.0
//
// Memory in the report: allocations, memory pools and unified memory.
#ifndef PROF_MEMORY_REPORT_H_
#define PROF_MEMORY_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prof {

/// Allocations of one kind while they were recorded. What was allocated before is in no figure.
struct AllocationSummary {
  uint32_t device = 0;  ///< For host memory: the current device.
  std::string memory;   ///< "device", "pinned", "managed", "array", "pageable", "unknown"
  bool pooled = false;  ///< From a memory pool (cudaMallocAsync).
  int64_t allocations = 0;
  uint64_t bytes = 0;  ///< Sum of all allocations.
  int64_t frees = 0;   ///< Frees of these allocations ...
  uint64_t bytes_freed = 0;
  int64_t frees_of_earlier = 0;       ///< ... and of memory without a record of its allocation.
  uint64_t peak_bytes = 0;            ///< The most that was allocated at one time.
  double peak_at_ns = 0;              ///< Time of the peak, after the recording began.
  uint64_t bytes_at_device_peak = 0;  ///< At DeviceMemory::peak_at_ns.
  int64_t at_end = 0;                 ///< Not freed when the recording ended.
  uint64_t bytes_at_end = 0;
};

/// What one NVTX range holds at a moment: blocks that were allocated in it and are not freed yet.
/// Ranges that differ in numbers only are one, as in RangeRow.
struct MemoryHolder {
  std::string range;  ///< As RangeRow::label has it; "(no range)".
  int64_t blocks = 0;
  uint64_t bytes = 0;
};

/// A line of the program from which it called CUDA: the innermost one of the stack that is its own,
/// as in LinesReport::own. All empty: the call has no stack. Stacks are recorded with
/// SessionOptions::python_stacks and native_stacks.
struct SourcePlace {
  std::string file;      ///< As LineReport::file.
  std::string function;  ///< As LineReport::function.
  std::string module;    ///< As LineReport::module.
  uint32_t line = 0;     ///< 0: not known.

  /// Whether there is a stack.
  bool known() const { return !file.empty() || !function.empty() || !module.empty(); }
};

/// "/app/train.py:42 step"; "(no stack)".
std::string ToString(const SourcePlace& place);

/// What one line of the program holds at a moment: blocks that were allocated from it and are not
/// freed yet. An allocator of the program, such as PyTorch's, gets memory in large blocks, which it
/// uses for many tensors: the line is the one at which it took a block from CUDA.
struct LineHolder {
  SourcePlace place;
  int64_t blocks = 0;
  uint64_t bytes = 0;
};

/// What one op of PyTorch holds, in the same way.
struct OpHolder {
  /// The outermost op around the call ("aten::linear") within the innermost module, and in the
  /// backward pass the node of the autograd graph ("MulBackward0"); a module that is called again
  /// within a node counts. record_function is no op. Empty: the call was in no op.
  std::string op;
  int64_t blocks = 0;
  uint64_t bytes = 0;
};

/// Blocks of one size that are allocated at a moment.
struct BlocksOfSize {
  uint64_t bytes_each = 0;
  int64_t blocks = 0;
};

/// What the program uses a tensor of PyTorch for. Weights, buffers, gradients and the optimizer's
/// state are what Python named (SessionOptions::torch_memory with Torch::kModules); the others are
/// conclusions from where a tensor was allocated and freed (docs/guide/pytorch.md).
enum class TensorRole {
  kWeight,          ///< A parameter of a module.
  kBuffer,          ///< A buffer of a module.
  kGradient,        ///< The gradient of a parameter: outlives the nodes of the backward pass.
  kOptimizerState,  ///< Kept by the optimizer.
  kActivation,      ///< Of the forward pass: freed by the backward pass, or when it is not needed.
  kBackward,        ///< Of the backward pass: freed in it.
  kTemporary,       ///< Freed by the op, or the optimizer's step, in which it was allocated.
  kCommunication,   ///< Buckets of DistributedDataParallel, buffers of torch.distributed.
  kCache,           ///< Keys and values of earlier tokens.
  kKept,            ///< Allocated in a module, and kept for further calls of it.
  kWorkspace,       ///< Of cuBLAS: PyTorch has one for each handle and stream.
  kOther
};

/// "weights", "gradients", "optimizer state", "activations", ...
const char* ToString(TensorRole role);

/// Tensors of one role that are allocated at a moment.
struct RoleHolder {
  TensorRole role = TensorRole::kOther;
  int64_t blocks = 0;
  uint64_t bytes = 0;
};

/// What PyTorch's allocator has from CUDA at a moment, as far as that was recorded.
struct TensorSegments {
  int64_t segments = 0;
  uint64_t bytes = 0;          ///< Of all of them.
  uint64_t unused_bytes = 0;   ///< Of these: in no tensor.
  int64_t gaps = 0;            ///< Between tensors, in which the unused bytes are.
  uint64_t largest_gap = 0;    ///< A larger tensor needs another segment.
  uint64_t outside_bytes = 0;  ///< Of tensors that are in no recorded segment.
};

/// A part of the memory of a device.
struct MemoryPart {
  /// ToString(TensorRole); "unused by PyTorch": in its segments and in no tensor; "not PyTorch's".
  std::string part;
  uint64_t bytes = 0;
};

/// Memory of one device that was allocated while it was recorded: the kinds "device" and
/// "array", from pools or not. Managed memory may be anywhere; it is not included.
struct DeviceMemory {
  uint32_t device = 0;
  uint64_t peak_bytes = 0;
  double peak_at_ns = 0;  ///< After the recording began.
  uint64_t bytes_at_end = 0;
  std::vector<MemoryHolder> holders;  ///< At the peak; sum to peak_bytes. By bytes, descending.
  std::vector<LineHolder> lines;      ///< The same bytes by line; empty: no call has a stack.
  std::vector<OpHolder> ops;          ///< The same bytes by op; empty: no call was in an op.
  /// The same bytes by what they are used for, by bytes, descending. Empty: no tensors of PyTorch
  /// were recorded.
  std::vector<MemoryPart> parts;
  /// At the peak, by bytes of all blocks of the size, descending; ten at most.
  std::vector<BlocksOfSize> sizes;
  int64_t blocks_at_peak = 0;
};

/// The memory that PyTorch's allocator gave to tensors of one device while it was recorded. A
/// tensor has a block: views share that of their base. Sizes are those of the allocator, which
/// rounds up; their sum is torch.cuda.memory_allocated().
struct TensorMemory {
  uint32_t device = 0;
  uint64_t peak_bytes = 0;
  double peak_at_ns = 0;  ///< After the recording began.
  uint64_t bytes_at_end = 0;
  int64_t allocations = 0;     ///< In the whole recording.
  int64_t blocks_at_peak = 0;  ///< As all below. By bytes, descending; each list sums to the peak.
  std::vector<RoleHolder> roles;
  std::vector<MemoryHolder> holders;
  std::vector<LineHolder> lines;  ///< Empty: no allocation has a stack.
  std::vector<OpHolder> ops;      ///< Empty: no allocation was in an op.
  TensorSegments segments;
  bool roles_named = false;  ///< Python has named weights, or other tensors.
};

/// Tensors of one size that got no memory, in one range, from one line and in one op.
struct TensorFailure {
  uint64_t bytes = 0;  ///< That were wanted.
  uint32_t device = 0;
  std::string range;  ///< As in MemoryHolder.
  SourcePlace place;
  std::string op;  ///< As in OpHolder.
  int64_t count = 0;
  double first_at_ns = 0;  ///< After the recording began; the rest is of that moment.
  uint64_t allocated = 0;  ///< In tensors of the device.
  std::vector<RoleHolder> roles;
  std::vector<LineHolder> lines;
  TensorSegments segments;
};

/// How much more one range holds at the end of a growth than at its begin.
struct GrowingHolder {
  std::string range;  ///< As in MemoryHolder.
  int64_t bytes = 0;  ///< Negative: it holds less.
};

/// As GrowingHolder, for a line.
struct GrowingLine {
  SourcePlace place;
  int64_t bytes = 0;
};

/// Whether memory grows from step to step. A step is an instance of the outermost NVTX range that
/// repeats; its level is the least that was allocated at one time from the end of the step before
/// to its own. The first quarter of the steps, a warm-up, is left out.
struct MemoryGrowth {
  /// "device" (with "array"), "pinned", "managed"; "tensors": what PyTorch's allocator gave to
  /// them.
  std::string memory;
  std::optional<uint32_t> device;  ///< Of device memory and tensors.
  /// The range, as in RangeRow. Of tensors, where no range repeats: the outermost module or
  /// record_function that does. By launches: "57 launches that repeat".
  std::string step;
  bool by_launches = false;                  ///< No range repeats; a step is a turn of launches.
  int64_t steps = 0;                         ///< That were used.
  uint64_t first_bytes = 0, last_bytes = 0;  ///< Levels of the first and the last of them.
  /// Median of the slopes between two steps (Theil and Sen), and its interval at 95 % (Sen 1968).
  double bytes_per_step = 0, at_least = 0, at_most = 0;
  bool grows = false;   ///< The growth is steady, and it goes on until the end.
  std::string why_not;  ///< Where the last level is higher but `grows` is false: the reason.
  /// Sum to last_bytes - first_bytes. By bytes, descending; ranges without a change are left out.
  std::vector<GrowingHolder> holders;
  std::vector<GrowingLine> lines;  ///< The same bytes by line; empty: no call has a stack.
};

/// Calls of one CUDA function in one range, from one line and in one op, that failed for lack of
/// memory. Sizes of calls that failed are not recorded.
struct AllocationFailure {
  std::string call;   ///< "cudaMalloc"
  std::string range;  ///< As in MemoryHolder.
  SourcePlace place;
  std::string op;  ///< As in OpHolder.
  int64_t count = 0;
  double first_at_ns = 0;  ///< End of the first such call, after the recording began.
  /// At that moment, of the device that had most: no record has the device of the call.
  std::optional<uint32_t> device;  ///< nullopt: no allocation was recorded before.
  uint64_t bytes = 0;
  std::vector<MemoryHolder> holders;  ///< Sum to `bytes`. By bytes, descending.
  std::vector<LineHolder> lines;      ///< As in DeviceMemory.
  uint64_t unused_in_pools = 0;       ///< Of all devices: reserved by local pools, not allocated.
};

/// A memory pool, by its states at each operation. A pool holds more than is allocated from it.
struct PoolReport {
  uint32_t device = 0;
  uint64_t address = 0;    ///< Identifies the pool.
  bool imported = false;   ///< It belongs to another process: its sizes are not known.
  bool managed = false;    ///< It holds managed memory; false if its creation was not recorded.
  int64_t operations = 0;  ///< Allocations and frees.
  int64_t trims = 0;
  uint64_t reserved_peak = 0;  ///< The most that it took from the device ...
  uint64_t used_peak = 0;      ///< ... and the most that was allocated from it.
  uint64_t reserved_at_end = 0;
  uint64_t used_at_end = 0;
  uint64_t release_threshold = 0;  ///< Last known; it keeps so much when nothing is allocated.
  uint64_t unused_peak = 0;        ///< The most that it reserved at one time and nobody used.
  /// The most that lay unused when the pool took more from the device, where that would have been
  /// enough for all that it took: the blocks did not fit, or waited for their stream.
  uint64_t unused_when_grown = 0;
};

/// Allocations made in one NVTX range. Ranges that differ in numbers only are one, as in RangeRow.
struct RangeAllocations {
  std::string range;  ///< As RangeRow::label has it.
  int64_t allocations = 0;
  uint64_t bytes = 0;
  uint64_t device_bytes = 0;  ///< The part that DeviceMemory counts.
  uint64_t bytes_at_end = 0;  ///< Not freed when the recording ended.
  int64_t blocks_at_end = 0;
  /// Instances of the range in which memory was allocated, and those of them that left some of it
  /// until the end.
  int64_t instances = 0, instances_left = 0;
  /// Time of the first and the last allocation that was left, after the recording began.
  double first_left_ns = 0, last_left_ns = 0;
};

/// Actions of the driver on managed memory, of one kind for one cause.
struct UnifiedMemorySummary {
  /// "host to device", "device to host", "device to device", "CPU page faults", "GPU page faults",
  /// "thrashing", "throttling", "remote map", "unknown".
  std::string kind;
  std::string cause;  ///< "prefetch", "eviction", "read", ...; empty: CUPTI gives none.
  std::optional<uint32_t> device;  ///< It faulted, or memory moved to or from it.
  int64_t count = 0;
  uint64_t bytes = 0;         ///< For migrations, thrashing, remote maps.
  uint64_t fault_groups = 0;  ///< For GPU page faults.
  double time_ns = 0;         ///< Sum of durations, which may overlap.
};

struct MemoryReport {
  std::vector<DeviceMemory> devices;
  std::vector<AllocationSummary> kinds;  ///< By bytes, descending.
  std::vector<PoolReport> pools;         ///< By reserved_peak, descending.
  std::vector<RangeAllocations> ranges;  ///< By bytes, descending.
  std::vector<MemoryGrowth> growth;      ///< Empty: `growth_missing` has the reason.
  std::string growth_missing;
  std::vector<AllocationFailure> failures;     ///< By time.
  std::vector<TensorMemory> tensors;           ///< By device. Recorded on request only.
  std::vector<TensorFailure> tensor_failures;  ///< By time.
  /// Allocations at an address that was not free: the record of the free is missing (as after a
  /// pause), or was late. Of tensors, too.
  int64_t frees_missing = 0;
  /// Records were lost (Report::integrity lists them): allocations and frees may be among them, so
  /// every figure here may be too small or too large.
  bool records_lost = false;
  std::vector<UnifiedMemorySummary> unified;  ///< By time, descending. Recorded on request only.

  bool empty() const {
    return kinds.empty() && pools.empty() && unified.empty() && failures.empty() &&
           tensors.empty() && tensor_failures.empty();
  }
};

}  // namespace prof

#endif  // PROF_MEMORY_REPORT_H_
