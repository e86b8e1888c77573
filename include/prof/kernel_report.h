// SPDX-License-Identifier: Apache-2.0
//
// Kernels and counted regions in the report: how long they ran, how busy they kept each unit of the
// GPU, what limits them, and the evidence.
#ifndef PROF_KERNEL_REPORT_H_
#define PROF_KERNEL_REPORT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prof/action.h"
#include "prof/clock_report.h"
#include "prof/continuous_report.h"
#include "prof/kernel_code.h"
#include "prof/roofline.h"
#include "prof/statistic.h"

namespace prof {

/// The limit of a kernel, or what it waits for. docs/guide/rules.md defines each one.
enum class Limiter {
  kUnknown,      ///< Counters exist, but no rule matches.
  kNotMeasured,  ///< No usable counter or PM sample; `Verdict::missing` has the reason.
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
  kMixed,         ///< Two units: within 10 points of each other above 60 %, or one after the other.
  kLatency,       ///< Warps wait; `Verdict::stall` names the reason, where it was measured.
  kOccupancy,     ///< Latency that more resident warps would hide.
  kSmallGrid,     ///< Less than one wave of blocks.
  kTail,          ///< A last, partial wave idles the SMs.
  kLaunchSized,   ///< So short that launch and ramp dominate it.
  kCommunication  ///< NCCL's: it waits for other ranks, and moves data between them.
};

/// Short lower-case name, stable in JSON: "dram", "small-grid".
const char* ToString(Limiter limiter);

enum class Confidence { kNone, kLow, kMedium, kHigh };
const char* ToString(Confidence confidence);

/// A hardware unit of the GPU. docs/guide/rules.md lists the metrics of each one.
enum class Unit {
  kDram,
  kL2,
  kL1,      ///< L1's data path, used mostly for global memory.
  kShared,  ///< The same data path, used mostly for shared memory.
  kTensor,
  kFma,
  kAlu,
  kFp64,
  kSfu,
  kLsu,      ///< Instruction rate of the load/store pipe.
  kTexture,  ///< L1's texture path: filtering, and what it returns.
  kIssue     ///< Issue slots.
};
inline constexpr int kUnitCount = static_cast<int>(Unit::kIssue) + 1;

/// Short lower-case name, stable in JSON: "dram", "l2".
const char* ToString(Unit unit);

/// Where numbers of a kernel come from.
enum class Source {
  kNone,
  kCounters,   ///< Counters around launches of this kernel alone.
  kPmSamples,  ///< Samples of the whole GPU while it ran (ContinuousValue).
  kBoth
};

/// Short lower-case name, stable in JSON: "counters", "pm-samples", "both", "none".
const char* ToString(Source source);

/// How busy one unit was: the highest of its metrics.
struct UnitUse {
  Unit unit = Unit::kDram;
  /// As a fraction of the unit's peak over elapsed time: the median of counters, the mean of PM
  /// samples.
  double of_peak = 0;
  std::string metric;                 ///< The metric that is highest.
  int64_t n = 0;                      ///< Samples of that metric.
  Source source = Source::kCounters;  ///< Or kPmSamples, for a unit without counters.
  double error = 0;                   ///< PM samples: half width of 95 %, as a fraction.
  int64_t launches = 0;               ///< PM samples: launches in which they were taken.
  /// Metrics of the unit that are needed for its use and have no value here. Not empty: `of_peak`
  /// is a lower bound.
  std::vector<std::string> missing;

  [[nodiscard]] double at_least() const { return of_peak - error; }
  [[nodiscard]] double at_most() const { return of_peak + error; }
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
  /// sm__warps_active.avg.pct_of_peak_sustained_active / 100; by PM samples: warps over elapsed
  /// time over active SMs over elapsed time.
  std::optional<double> achieved;
  double waves = 0;      ///< Blocks in the grid over blocks the whole device holds.
  double tail_lost = 0;  ///< (ceil(w) - w) / ceil(w), 0..1.
};

/// A metric that takes several passes. It is derived, not read: its parts take one pass each, and
/// come from different launches of the kernel.
struct Throughput {
  std::string metric;                ///< "sm__throughput.avg.pct_of_peak_sustained_elapsed"
  double of_peak = 0;                ///< The largest median among its parts, 0..1.
  std::string largest;               ///< The name of that part.
  std::vector<std::string> missing;  ///< Parts without a value. Not empty: `of_peak` is "at least".
};

/// What Nsight Compute calls the speed of light; absent where no part was measured.
struct SpeedOfLight {
  std::optional<double> sm_sol;         ///< sm__throughput, 0..1.
  std::optional<double> memory_sol;     ///< gpu__compute_memory_throughput, 0..1.
  std::vector<Throughput> throughputs;  ///< Both with their parts, and those on request.
};

/// The counters of a kernel or of a counted region.
struct Measured {
  Metrics metrics;
  /// Those that were measured, by use, descending. Of a kernel: by its counters, and by PM samples
  /// where these are missing.
  std::vector<UnitUse> units;
  SpeedOfLight speed_of_light;
  int64_t samples_used = 0;
  int64_t samples_rejected = 0;  ///< Overlapped by other GPU work, or at another clock.
  KernelClock clock;             ///< Of a region: the times of its samples, without `run_hz`.

  /// A metric by CUPTI name, or by the name that it has on this chip; nullptr when it was not
  /// measured.
  [[nodiscard]] const Statistic* Find(std::string_view metric) const&;
  const Statistic* Find(std::string_view metric) const&& = delete;  // it would point to nothing
  /// Its median; nullopt when it was not measured.
  [[nodiscard]] std::optional<double> Metric(std::string_view metric) const;
  /// The use of a unit; nullptr when it was not measured.
  [[nodiscard]] const UnitUse* Find(Unit unit) const&;
  const UnitUse* Find(Unit unit) const&& = delete;  // it would point to nothing
};

/// A reason why a verdict may be wrong.
struct Doubt {
  std::string id;    ///< "few-samples"; docs/guide/rules.md has the list.
  std::string text;  ///< "it has 2 samples".
};

/// What limits a kernel or region, the evidence, and what to do.
struct Verdict {
  Limiter limiter = Limiter::kNotMeasured;
  Confidence confidence = Confidence::kNone;
  Source source = Source::kNone;  ///< Of the uses of units, and of the stalls.
  /// False: not-measured, or unknown because the data is not enough; `missing` has what would be.
  bool decided = false;
  std::string rule;                   ///< Id of the rule in docs/guide/rules.md: "dram-throughput".
  std::string summary;                ///< One sentence.
  std::vector<std::string> evidence;  ///< Each with its number, unit and metric.
  /// By gain, descending; those that nothing bounds come last. Empty: nothing worth it.
  std::vector<Action> actions;
  std::string action;  ///< The first of `actions`; empty: nothing worth it.
  /// The largest known gain of `actions`: fraction of its time, 0..1; 0 where none is known.
  double gain_at_most = 0;
  std::string gain_formula;  ///< How `gain_at_most` was computed.
  std::string runner_up;     ///< The next unit and its value, or warps that wait.
  std::string missing;       ///< The measurement that would decide.
  /// Why `confidence` is not higher, the gravest first. Empty where it is high.
  std::vector<Doubt> doubts;
  std::string stall;               ///< For kLatency/kOccupancy: the top stall reason.
  std::vector<std::string> notes;  ///< Modifiers: uncoalesced, bank conflicts, spills, ...

  /// `gain_at_most`; nullopt where nothing that was measured bounds any of the actions.
  [[nodiscard]] std::optional<double> known_gain() const;
};

/// Steps of 5 %, with both ends.
inline constexpr int kDurationQuantiles = 21;

/// The launches of one signature: kernel, grid, block, shared memory, NVTX path.
struct KernelLaunches {
  std::string name;       ///< Short, demangled: "saxpy".
  std::string full_name;  ///< Demangled, with template arguments and parameters.
  /// NVTX path, "layer/qkv_proj"; empty: outside all ranges. A kernel of a CUDA graph that was
  /// captured in another range than the graph was launched in has both: "replay > layer/qkv_proj".
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
  /// Launches with a valid time and, where there are any, no counter range.
  Statistic duration_ns;
  /// The same launches from shortest to longest: quantiles in even steps, kDurationQuantiles of
  /// them. Empty: no launch has a time on the timeline.
  std::vector<double> duration_quantiles_ns;
  double total_ns = 0;  ///< Sum over all launches with a valid time.
  /// It was launched twice or more, and near the end of the recording, within a tenth of it or as
  /// far from the end as two of its launches are apart on average: a longer one would have more.
  bool comes_again = false;
  int order = 0;  ///< Place of its first launch among those of all signatures, from 0.
  /// True: no launch has a time on the timeline (each was replayed, or kept out of the trace).
  /// `duration_ns` is then gpu__time_duration.sum of the samples, which includes the start and stop
  /// of the counters, and `total_ns` its median times the launches.
  bool duration_from_counters = false;
  /// False: only grid, block and dynamic shared memory are known; registers, static shared memory,
  /// local memory and cluster are not, and read 0.
  bool resources_known = true;
  /// False: `local_bytes_per_thread` is not known, and reads 0. CUPTI's records have 0 for all
  /// kernels; prof asks the driver at the first launch of a signature, where it reads counters.
  bool local_known = true;
  std::optional<KernelCode> code;  ///< What its machine code does; none: it was not seen.
  bool in_graph = false;
  /// True: not a kernel, but a CUDA graph whose launches were recorded without their kernels.
  bool whole_graph = false;
  Occupancy occupancy;
};

/// The launches of a kernel in one op of PyTorch.
struct KernelOp {
  std::string name;       ///< The innermost op around the launch: "aten::addmm".
  std::string forward;    ///< In the backward pass: the op that it belongs to; empty: not known.
  bool backward = false;  ///< Launched for a node of the autograd graph.
  double time_ns = 0;     ///< GPU time, as in KernelReport::busy_ns.
  int64_t launches = 0;
};

/// The launches of a kernel that belong to one torch.nn.Module.
struct KernelModule {
  std::string name;       ///< TorchModule::name of the innermost one.
  bool backward = false;  ///< In the backward pass.
  double time_ns = 0;     ///< GPU time, as in KernelReport::busy_ns.
  int64_t launches = 0;
};

/// The launches of a kernel that one line of source made.
struct KernelSource {
  std::string file;       ///< As LineReport::file: of the innermost frame of the program's own.
  std::string function;   ///< "Model.forward"
  uint32_t line = 0;      ///< 0: not known.
  bool backward = false;  ///< In the backward pass of an op that the line called.
  double time_ns = 0;     ///< GPU time, as in KernelReport::busy_ns.
  int64_t launches = 0;
};

/// One signature: its launches, its counters, and what limits it.
struct KernelReport : KernelLaunches, Measured {
  // As Report's: in the library, because they take long to compile.
  KernelReport();
  KernelReport(const KernelLaunches& of_launches, const Measured& of_counters);
  ~KernelReport();
  KernelReport(const KernelReport& other);
  KernelReport(KernelReport&& other) noexcept;
  KernelReport& operator=(const KernelReport& other);
  KernelReport& operator=(KernelReport&& other) noexcept;

  double share = 0;  ///< Of the undisturbed time.
  /// GPU time of the span that belongs to it, as in RangeRow::time_ns: it sums with the other
  /// kernels, copies and gaps. `total_ns` is longer where kernels overlap.
  double busy_ns = 0;
  /// What of its time is on the critical path of its GPU, as far as the order of the streams shows
  /// it (lib/analyzer/timeline/critical_path.h). Only that time can shorten the span.
  double critical_ns = 0;
  ContinuousValues continuous;  ///< Empty where there was no PM sampling on its device.
  /// Not empty: it has no counters of its own, and `metrics` are those of "the same kernel under
  /// `warmup`, 5 samples". `samples_used` is 0, and the verdict's confidence one step lower.
  std::string counters_from;
  /// The same for `continuous`: it has no PM samples of its own, or too few to know each unit that
  /// the other one knows, and agrees with that one about the others.
  std::string continuous_from;
  LaunchCourse course;  ///< Empty where launches are too short or too few were sampled.
  Roofline roofline;
  std::vector<FlopCount> flops;  ///< Each kind that was counted, most operations first.
  Verdict verdict;
  std::vector<KernelOp> torch_ops;  ///< By time, descending; empty: launched in no op of PyTorch.
  std::vector<KernelModule> torch_modules;  ///< By time, descending; empty: of no known module.
  /// By time, descending; empty: no launch has a stack. A node of a CUDA graph has the line
  /// that captured it, where that is known.
  std::vector<KernelSource> lines;
};

/// One kind of operation among those of a counted region.
struct RegionPart {
  std::string name;         ///< Kernel's short name; "memset"; "copy, host to device".
  double per_instance = 0;  ///< How many of them, mean.
  double time_ns = 0;       ///< Per instance, mean of the sum of their durations.
  double share = 0;         ///< Of the durations of all parts.
};

/// The instances of a counted region: all launches of one CUDA graph in one NVTX range, or all
/// instances of an NVTX range.
struct RegionInstances {
  enum class Kind { kGraph, kRange };
  Kind kind = Kind::kGraph;
  std::string label;   ///< "CUDA graph 2 in decode"; for a range: its NVTX path.
  std::string range;   ///< NVTX path in which the graph was launched; for a range: its own.
  uint32_t graph = 0;  ///< CUDA graph id; 0: a range.
  uint32_t device = 0;
  int64_t instances = 0;  ///< Launches or instances with GPU work in them.
  /// Graph: first operation's start to last one's end. Range: time in which an operation launched
  /// in it ran. Instances without a counter range, where there are any.
  Statistic duration_ns;
  Statistic host_ns;     ///< Range: from its push to its pop, of the same instances. Graph: n is 0.
  Statistic counted_ns;  ///< How long the counters ran in the samples (gpu__time_duration.sum).
  double total_ns = 0;   ///< `duration_ns` of all instances, summed.
  std::vector<RegionPart> parts;  ///< By time, descending.
};

/// A counted region: work whose counters were read together, because CUPTI cannot count its kernels
/// one by one or because that was requested. The values of its metrics are as if the counters had
/// run exactly as long as the work took. Regions overlap each other, the kernels and the rows:
/// their shares do not add up.
struct RegionReport : RegionInstances, Measured {
  double share = 0;  ///< Of the undisturbed time.
  Roofline roofline;
  std::vector<FlopCount> flops;  ///< Each kind that was counted, most operations first.
  Verdict verdict;               ///< A unit of the GPU, or unknown with the reason in `missing`.
};

}  // namespace prof

#endif  // PROF_KERNEL_REPORT_H_
