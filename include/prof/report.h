// SPDX-License-Identifier: Apache-2.0
//
// The analyzer's answer, as plain data: what was measured, what limits each kernel, where the GPU
// idles, on what evidence. Standard library only. All times are nanoseconds, all shares and
// percentages of peak are fractions (0.80 is 80 %) unless a name ends in `_pct`.
#ifndef PROF_REPORT_H_
#define PROF_REPORT_H_

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof {

/// What a kernel cannot go faster than, or waits for. docs/rules.md defines each one.
enum class Limiter {
  kUnknown,      ///< Counters exist but no rule matches: the honest answer.
  kNotMeasured,  ///< No usable counter sample; `Verdict::missing` says why.
  kDram,
  kL2,
  kL1,
  kShared,
  kTensor,
  kFma,
  kAlu,
  kFp64,
  kSfu,
  kIssue,
  kMixed,       ///< Two units within 10 points of each other, both above 60 %.
  kLatency,     ///< Warps wait; `Verdict::stall` names the reason.
  kOccupancy,   ///< Latency that more resident warps would hide.
  kSmallGrid,   ///< Less than one wave of blocks.
  kTail,        ///< A last, partial wave idles the SMs.
  kLaunchSized  ///< So short that launch and ramp dominate it.
};

/// Short lower-case name, stable in JSON: "dram", "small-grid".
const char* ToString(Limiter limiter);

enum class Confidence { kNone, kLow, kMedium, kHigh };
const char* ToString(Confidence confidence);

/// Robust summary of n observations. With n == 0 the values are NaN.
struct Statistic {
  int64_t n = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  double sum = 0;
};

/// Theoretical occupancy and its limits, from the launch record and the device (no counters).
struct Occupancy {
  bool known = false;                   ///< False when the device's limits were not recorded.
  int blocks_per_sm = 0;                ///< Resident blocks that all limits allow.
  int limit_blocks = 0;                 ///< Blocks per SM allowed by the SM's block slots ...
  int limit_warps = 0;                  ///< ... by its warp slots ...
  int limit_registers = 0;              ///< ... by its register file ...
  int limit_shared = 0;                 ///< ... by its shared memory.
  std::vector<std::string> limited_by;  ///< All limits that are equal to the smallest, by name.
  double theoretical = 0;               ///< Resident warps over the SM's warp slots, 0..1.
  std::optional<double> achieved;  ///< sm__warps_active.avg.pct_of_peak_sustained_active / 100.
  double waves = 0;                ///< Blocks in the grid over blocks the whole device holds.
  double tail_lost = 0;            ///< (ceil(w) - w) / ceil(w), 0..1.
};

/// Position under the roofline, from counters; absent where they are.
struct Roofline {
  std::optional<double> dram_bytes_per_s;
  std::optional<double> dram_peak_bytes_per_s;
  std::optional<double> flops_per_s;     ///< Of the kind named in `flop_kind`.
  std::optional<double> flops_per_byte;  ///< Arithmetic intensity against DRAM.
  std::optional<double> flop_peak_per_s;
  std::string flop_kind;  ///< "fp16 tensor"; empty when nothing was measured.
};

/// Operations of one kind that a launch executes, from counters of instructions.
struct FlopCount {
  std::string kind;             ///< "fp32", "fp64", "fp16", "bf16 tensor", ...; docs/report.md.
  double per_launch = 0;        ///< Additions and multiplications: a fused multiply-add is two.
  std::optional<double> per_s;  ///< `per_launch` over the median duration of a launch.
  std::optional<double> peak_per_s;  ///< At the SM clock of the samples; dense.
  std::optional<double> of_peak;     ///< per_s / peak_per_s.
};

/// A metric that takes several passes, put together from parts that take one each: derived, not
/// read. Its parts come from different launches of the kernel.
struct Throughput {
  std::string metric;                ///< "sm__throughput.avg.pct_of_peak_sustained_elapsed"
  double of_peak = 0;                ///< The largest median among its parts, 0..1.
  std::string largest;               ///< The part that it is.
  std::vector<std::string> missing;  ///< Parts without a value. Not empty: `of_peak` is "at least".
};

/// What Nsight Compute calls the speed of light; absent where no part was measured.
struct SpeedOfLight {
  std::optional<double> sm_sol;         ///< sm__throughput, 0..1.
  std::optional<double> memory_sol;     ///< gpu__compute_memory_throughput, 0..1.
  std::vector<Throughput> throughputs;  ///< Both with their parts, and those that were asked for.
};
/// A metric of the whole GPU while something ran, taken apart from samples at a fixed interval that
/// are longer than most kernels. docs/continuous.md has the method and the formula of `error`.
struct ContinuousValue {
  std::optional<double> value;  ///< In CUPTI's unit; absent: `missing` says why.
  double error = 0;             ///< Half width: 95 % of the sampling error, and the clocks' error.
  double seconds = 0;           ///< GPU time of it within the samples that were used.
  int64_t samples = 0;          ///< In which it ran; of a range: its operation with most.
  std::string missing;          ///< "only 1.2 ms of it were sampled ..."
};
using ContinuousValues = std::map<std::string, ContinuousValue, std::less<>>;  ///< By CUPTI name.

/// What limits a kernel, why we say so, and what to do.
struct Verdict {
  Limiter limiter = Limiter::kNotMeasured;
  Confidence confidence = Confidence::kNone;
  std::string rule;                   ///< Id of the rule in docs/rules.md: "dram-throughput".
  std::string summary;                ///< One sentence.
  std::vector<std::string> evidence;  ///< Each with its number, unit and metric.
  std::string action;                 ///< What to change; empty: nothing worth it.
  double gain_at_most = 0;            ///< Upper bound: fraction of this kernel's time, 0..1.
  std::string gain_formula;           ///< How `gain_at_most` was computed.
  std::string runner_up;              ///< The next unit and its value.
  std::string missing;                ///< The measurement that would decide.
  std::string stall;                  ///< For kLatency/kOccupancy: the top stall reason.
  std::vector<std::string> notes;     ///< Modifiers: uncoalesced, bank conflicts, spills, ...
};

/// All launches of one signature: kernel, grid, block, shared memory, NVTX path.
struct KernelReport {
  std::string name;       ///< Short, demangled: "saxpy".
  std::string full_name;  ///< Demangled, with template arguments and parameters.
  /// NVTX path, "layer/qkv_proj"; empty: outside all ranges. Of a CUDA graph's kernel that was
  /// captured in another range than the graph was launched in: both, "replay > layer/qkv_proj".
  std::string range;
  std::string captured_in;  ///< That range of the capture; empty: the launch's, or none.
  uint32_t device = 0;
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> block{};
  std::array<uint32_t, 3> cluster{};
  uint32_t registers_per_thread = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t dynamic_shared_bytes = 0;
  uint32_t local_bytes_per_thread = 0;
  int64_t launches = 0;
  int64_t loading_launches = 0;  ///< Of those: the driver loaded or compiled code in the call.
  Statistic
      duration_ns;      ///< Launches with a valid time and, where there are any, no counter range.
  double total_ns = 0;  ///< Sum over all launches with a valid time.
  double share = 0;     ///< Of the span.
  /// True: no launch has a time on the timeline (each was replayed, or kept out of the trace).
  /// `duration_ns` is then gpu__time_duration.sum of the samples, which includes the start and stop
  /// of the counters, and `total_ns` its median times the launches.
  bool duration_from_counters = false;
  /// False: only grid, block and dynamic shared memory are known; registers, static shared memory,
  /// local memory and cluster are not, and read 0.
  bool resources_known = true;
  bool in_graph = false;
  bool whole_graph =
      false;  ///< No kernel, but a CUDA graph whose launches were recorded as a whole.
  std::map<std::string, Statistic, std::less<>> metrics;  ///< By CUPTI name, in CUPTI's unit.
  ContinuousValues continuous;  ///< Empty where there was no PM sampling on its device.
  int64_t samples_used = 0;
  int64_t samples_rejected = 0;  ///< Overlapped by other GPU work, or at another clock.
  Occupancy occupancy;
  Roofline roofline;
  std::vector<FlopCount> flops;  ///< Of each kind that was counted, most operations first.
  SpeedOfLight speed_of_light;
  Verdict verdict;

  /// A metric by CUPTI name, or by the name that it has on this chip; nullptr when it was not
  /// measured.
  const Statistic* Find(std::string_view metric) const;
  /// Its median; nullopt when it was not measured.
  std::optional<double> Metric(std::string_view metric) const;
};

/// One kind of operation among those of a whole.
struct WholePart {
  std::string name;         ///< Kernel's short name; "memset"; "copy, host to device".
  double per_instance = 0;  ///< How many of them, mean.
  double time_ns = 0;       ///< Per instance, mean of the sum of their durations.
  double share = 0;         ///< Of the durations of all parts.
};

/// Work whose counters were read together, because CUPTI cannot tell its kernels apart or because
/// it was asked for: all launches of one CUDA graph in one NVTX range, or all instances of an NVTX
/// range. Wholes overlap each other, the kernels and the rows: their shares do not add up.
struct WholeReport {
  enum class Kind { kGraph, kRange };
  Kind kind = Kind::kGraph;
  std::string label;   ///< "CUDA graph 2 in decode"; of a range: its NVTX path.
  std::string range;   ///< NVTX path in which the graph was launched; of a range: its own.
  uint32_t graph = 0;  ///< CUDA graph id; 0: a range.
  uint32_t device = 0;
  int64_t instances = 0;  ///< Launches or instances with GPU work in them.
  int64_t samples_used = 0;
  int64_t samples_rejected = 0;  ///< Overlapped by other GPU work, or at another clock.
  /// Graph: first operation's start to last one's end. Range: time in which an operation launched
  /// in it ran. Instances without a counter range, where there are any.
  Statistic duration_ns;
  Statistic host_ns;     ///< Range: from its push to its pop, of the same instances. Graph: n is 0.
  Statistic counted_ns;  ///< How long the counters ran in the samples (gpu__time_duration.sum).
  double total_ns = 0;   ///< `duration_ns` of all instances, summed.
  double share = 0;      ///< Of the span.
  /// By CUPTI name, in CUPTI's unit, as if the counters had run exactly as long as the work took.
  std::map<std::string, Statistic, std::less<>> metrics;
  SpeedOfLight speed_of_light;
  std::vector<WholePart> parts;  ///< By time, descending.
  Verdict verdict;               ///< Of a unit of the GPU, or unknown with the reason in `missing`.
};

/// A row of the first table. Rows sum to Report::span_ns: each moment of the span belongs to the
/// operation that had started first, or to the gap.
struct RangeRow {
  enum class Kind { kRange, kOutside, kGap };
  Kind kind = Kind::kRange;
  std::string label;       ///< NVTX path; "(no range)"; "gaps".
  double time_ns = 0;      ///< Exclusive GPU time.
  double share = 0;        ///< Of the span.
  int64_t instances = 0;   ///< Times the range was entered (ranges), gaps counted (gaps).
  int64_t operations = 0;  ///< Kernels, copies and memsets.
  /// Of the kernel with most time in the range; without counters of its own, of the whole.
  Limiter limiter = Limiter::kNotMeasured;
  std::string dominant;  ///< That kernel's or copy's name.
  std::string evidence;  ///< One line.
  std::string verdict;   ///< One line: what to do.
  double gain_at_most_ns = 0;
  ContinuousValues continuous;  ///< While its operations ran; of the gaps: while nothing ran.
};

enum class GapCause {
  kSync,
  kLaunch,
  kLoading,  ///< The driver loaded or compiled code on the launching thread.
  kHostWork,
  kTransfer,
  kDependency,
  kProfiler,
  kUnknown
};
const char* ToString(GapCause cause);

/// Idle time of one device with one cause, summed.
struct GapSummary {
  uint32_t device = 0;
  GapCause cause = GapCause::kUnknown;
  int64_t count = 0;
  double total_ns = 0;
  double longest_ns = 0;
  std::string where;    ///< NVTX range or API call in which most of it falls.
  std::string example;  ///< The longest one, in words.
};

/// Something worth changing that is not one kernel's verdict.
struct Finding {
  std::string id;  ///< "launch-bound", "pageable-copy", ...; docs/rules.md.
  std::string title;
  std::vector<std::string> evidence;
  std::string action;
  double gain_at_most_ns = 0;
  Confidence confidence = Confidence::kNone;
  bool withheld = false;  ///< The data it depends on is incomplete; `title` says what it would be.
  std::string withheld_why;
};

struct CopySummary {
  uint32_t device = 0;
  std::string direction;  ///< "host to device"
  std::string memory;     ///< "pageable to device"
  int64_t count = 0;
  uint64_t bytes = 0;
  double time_ns = 0;
  double overlapped_ns = 0;  ///< Time in which a kernel ran on the same device.
};

/// Allocations of one kind while they were recorded. What was allocated before is in no figure.
struct AllocationSummary {
  uint32_t device = 0;  ///< Of host memory: the one that was current.
  std::string memory;   ///< "device", "pinned", "managed", "array", "pageable", "unknown"
  bool pooled = false;  ///< From a memory pool (cudaMallocAsync).
  int64_t allocations = 0;
  uint64_t bytes = 0;  ///< That were allocated, in all.
  int64_t frees = 0;   ///< Of these allocations ...
  uint64_t bytes_freed = 0;
  int64_t frees_of_earlier = 0;       ///< ... and of memory without a record of its allocation.
  uint64_t peak_bytes = 0;            ///< Most that was allocated at one time.
  double peak_at_ns = 0;              ///< When, after the recording began.
  uint64_t bytes_at_device_peak = 0;  ///< At DeviceMemory::peak_at_ns.
  int64_t at_end = 0;                 ///< Not freed when the recording ended.
  uint64_t bytes_at_end = 0;
};

/// Memory of one device that was allocated while it was recorded: of the kinds "device" and
/// "array", from pools or not. Managed memory may be anywhere, and is no part of it.
struct DeviceMemory {
  uint32_t device = 0;
  uint64_t peak_bytes = 0;
  double peak_at_ns = 0;  ///< After the recording began.
  uint64_t bytes_at_end = 0;
};

/// A memory pool, by what the driver said of it at each operation. It holds more than is allocated.
struct PoolReport {
  uint32_t device = 0;
  uint64_t address = 0;    ///< Names it.
  bool imported = false;   ///< Another process's: its sizes are not known.
  bool managed = false;    ///< Of managed memory, as far as its creation was recorded.
  int64_t operations = 0;  ///< Allocations and frees.
  int64_t trims = 0;
  uint64_t reserved_peak = 0;  ///< Most that it took from the device ...
  uint64_t used_peak = 0;      ///< ... and most of it that was allocated.
  uint64_t reserved_at_end = 0;
  uint64_t used_at_end = 0;
  uint64_t release_threshold = 0;  ///< Last known; it keeps so much when it is free.
};

/// Allocations made in one NVTX range; ranges that differ in numbers only are one, as in the rows.
struct RangeAllocations {
  std::string range;  ///< As RangeRow::label.
  int64_t allocations = 0;
  uint64_t bytes = 0;
  uint64_t device_bytes = 0;  ///< Of those: as DeviceMemory counts.
  uint64_t bytes_at_end = 0;  ///< Not freed when the recording ended.
};

/// What the driver did to managed memory, of one kind for one cause.
struct UnifiedMemorySummary {
  /// "host to device", "device to host", "device to device", "CPU page faults", "GPU page faults",
  /// "thrashing", "throttling", "remote map", "unknown".
  std::string kind;
  std::string cause;  ///< "prefetch", "eviction", "read", ...; empty: CUPTI gives none.
  std::optional<uint32_t> device;  ///< Whose memory was migrated to or from, or that faulted.
  int64_t count = 0;
  uint64_t bytes = 0;         ///< Of migrations, thrashing, remote maps.
  uint64_t fault_groups = 0;  ///< Of GPU page faults.
  double time_ns = 0;         ///< Sum of durations, which may overlap.
};

struct MemoryReport {
  std::vector<DeviceMemory> devices;
  std::vector<AllocationSummary> kinds;  ///< By bytes, descending.
  std::vector<PoolReport> pools;         ///< By reserved_peak, descending.
  std::vector<RangeAllocations> ranges;  ///< By bytes, descending.
  /// Allocations at an address that was not free: the record of the free is missing, or came late.
  int64_t frees_missing = 0;
  /// Records were lost (Report::integrity says which): allocations and frees may be among them, so
  /// every figure here may be too small or too large.
  bool records_lost = false;
  std::vector<UnifiedMemorySummary> unified;  ///< By time, descending. Recorded on request only.

  bool empty() const { return kinds.empty() && pools.empty() && unified.empty(); }
};

/// A stream that ran something.
struct StreamReport {
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  std::string name;                 ///< The program's, by NVTX; empty: none.
  std::string kind;                 ///< "default", "non-blocking", "null"; empty: not recorded.
  std::optional<int32_t> priority;  ///< As CUDA has it: a smaller number goes first.
  int64_t operations = 0;
  double time_ns = 0;    ///< Sum of their durations.
  int64_t channels = 0;  ///< Hardware channels that they came through; 0: not recorded.
};

struct DeviceReport {
  uint32_t id = 0;
  std::string name;
  std::string chip;
  uint32_t sm_count = 0;
  double busy_ns = 0;     ///< Union of all its operations within the span.
  double idle_ns = 0;     ///< span - busy - profiler.
  Statistic sm_clock_hz;  ///< From counter samples.
  Statistic dram_clock_hz;
  std::optional<double> dram_peak_bytes_per_s;
};

/// One metric over a device's span: over time, not over kernels.
struct ContinuousMetric {
  std::string metric;  ///< CUPTI's name; values are in its unit, NaN where there was no sample.
  double mean = 0;     ///< Weighted by time, as the percentiles are.
  double p5 = 0;
  double median = 0;
  double p95 = 0;
  double max = 0;               ///< Of single samples.
  std::vector<double> buckets;  ///< Means of equal parts of the span, at most 120.
};

/// The speed of light over time: PM sampling of one device.
struct ContinuousReport {
  uint32_t device = 0;
  double interval_ns = 0;  ///< That was asked for.
  int64_t samples = 0;
  double span_ns = 0;    ///< First operation's start to last one's end.
  double covered = 0;    ///< Share of the span in which samples were taken.
  double bucket_ns = 0;  ///< Length of each of ContinuousMetric::buckets.
  /// The samples' clock is ahead of the operations' clock by this, as far as they or other samples
  /// of the device tell.
  bool clock_known = false;
  bool clock_from_other = false;  ///< Known, but not from these samples.
  double clock_offset_ns = 0;
  double clock_error_ns = 0;  ///< Half width; where the offset is not known, what is assumed.
  bool clock_stable = true;   ///< The first and the last third of the recording agree.
  /// The offset in the first and in the last third. Empty: one of the two does not tell, and
  /// nothing was compared.
  std::optional<double> clock_first_ns;
  std::optional<double> clock_last_ns;
  double concurrent_share = 0;     ///< Of the samples with work: several operations at a time.
  bool concurrent_used = false;    ///< False: those samples were left out of the values of kernels.
  std::vector<std::string> notes;  ///< What to know of the values; sentences.
  std::vector<ContinuousMetric> metrics;
};

/// A table of what was recorded, so that counts can be checked against another tool's.
struct Totals {
  int64_t kernels = 0;
  int64_t copies = 0;
  int64_t memsets = 0;
  int64_t api_calls = 0;
  int64_t ranges = 0;
  int64_t samples = 0;
  int64_t graphs = 0;  ///< Launches of CUDA graphs that were recorded as a whole.
};

/// An NVTX path with something beside its time: marks, values (payloads), a category, a colour.
struct AnnotationReport {
  std::string range;     ///< The path; of a mark, with the mark's name as its innermost part.
  std::string category;  ///< The program's name for it, or its number; empty: none.
  uint32_t color = 0;    ///< ARGB; 0: none.
  int64_t marks = 0;
  Statistic value;  ///< Numbers that the program attached; integers beyond 2^53 are rounded.
};

struct NamedThread {
  uint32_t tid = 0;
  std::string name;
};

struct NamedStream {
  std::string name;
  bool mapped = false;  ///< False: `handle` alone is known, not which operations ran there.
  uint32_t context = 0;
  uint32_t stream = 0;
  uint64_t handle = 0;  ///< As the program has it.
  int64_t operations = 0;
};

/// What the program said through NVTX beside its ranges.
struct NvtxReport {
  std::vector<AnnotationReport> annotations;  ///< By marks and values, descending.
  std::vector<NamedThread> threads;
  std::vector<NamedStream> streams;
  int64_t open_at_end = 0;  ///< Ranges that were open when the recording ended.
};

struct NoticeReport {
  std::string severity;   ///< "info", "warning", "error"
  std::string subsystem;  ///< "counters"
  std::string what;
  std::string fix;
};

struct Report {
  std::string error;  ///< Not empty: the snapshot could not be read; all else is empty.
  std::string command;
  std::string host;
  std::string prof_version;
  std::string nvidia_driver;
  uint32_t pid = 0;
  int32_t rank = -1;
  /// First operation's start to last one's end, less `profiler_ns`, plus the time of kernels that
  /// only counters have timed (KernelReport::duration_from_counters).
  double span_ns = 0;
  double profiler_ns = 0;      ///< Idle time that counter sampling caused; not part of the span.
  double counter_cost_ns = 0;  ///< Host time that counter sampling took, in all.
  Totals totals;
  std::vector<DeviceReport> devices;
  std::vector<RangeRow> rows;
  std::vector<KernelReport> kernels;  ///< By total time, descending.
  std::vector<WholeReport> wholes;    ///< By total time, descending.
  std::vector<GapSummary> gaps;       ///< Sum to the devices' idle time.
  std::vector<CopySummary> copies;
  std::vector<StreamReport> streams;         ///< By time, descending.
  std::vector<Finding> findings;             ///< By possible gain, descending.
  std::vector<ContinuousReport> continuous;  ///< Of each device that was PM sampled.
  NvtxReport nvtx;
  MemoryReport memory;
  int64_t pm_samples_lost = 0;  ///< On all devices, as far as it is known.
  int64_t pm_restarts = 0;
  std::vector<NoticeReport> notices;
  std::vector<std::string> integrity;  ///< One sentence for each loss; empty: nothing was lost.

  /// The kernel with most time whose name contains `name`. When there is none, an entry with no
  /// launches whose verdict's `missing` says so and lists the names that exist.
  const KernelReport& kernel(std::string_view name) const;
};

/// The text report, 120 columns wide.
std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace prof

#endif  // PROF_REPORT_H_
