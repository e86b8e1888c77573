// SPDX-License-Identifier: Apache-2.0
//
// The report is the analyzer's answer, as plain data: what was measured, what limits each kernel,
// where the GPU idles, and the evidence. Standard library only. All times are nanoseconds, all
// shares and percentages of peak are fractions (0.80 is 80 %) unless a name ends in `_pct`.
#ifndef PROF_REPORT_H_
#define PROF_REPORT_H_

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prof/action.h"
#include "prof/continuous_report.h"
#include "prof/kernel_report.h"
#include "prof/line_report.h"
#include "prof/memory_report.h"
#include "prof/statistic.h"
#include "prof/step_report.h"
#include "prof/timeline_report.h"
#include "prof/torch_report.h"
#include "prof/whole_run.h"

namespace prof {

/// A part of the run in which one cause keeps a GPU idle for much of the time.
struct IdleStretch {
  GapCause cause = GapCause::kUnknown;
  double begin_ns = 0;  ///< After the recording began.
  double end_ns = 0;
};

/// A change to the run that is worth making, other than to one kernel.
struct Finding {
  std::string id;  ///< "launch-bound", "pageable-copy", ...; docs/guide/rules.md.
  std::string title;
  std::vector<std::string> evidence;
  std::string action;
  /// The NVTX range that has half or more of its idle time, and its part of that, 0.5..1. Empty
  /// and 0: none has, or it is not about idle time.
  std::string place;
  double place_share = 0;
  GainKind kind = GainKind::kIdleTime;  ///< What `gain_at_most_ns` bounds.
  double gain_at_most_ns = 0;
  /// The part of it that is time of kernels: of "small-kernels" those shorter than 10 us, of
  /// "exposed-communication" those that communicate. The rest is idle time. 0: it is not divided.
  double kernels_at_most_ns = 0;
  /// Of "idle-stretch": the one that costs most. nullopt: the finding is about the whole run.
  std::optional<IdleStretch> stretch;
  std::string check;  ///< The measurement or command that would decide more; may be empty.
  Confidence confidence = Confidence::kNone;
  bool withheld = false;  ///< The data it depends on is incomplete; `title` is the claim.
  std::string withheld_why;
};

/// One of the few changes at the top of a report: an action, and what it is about.
struct RankedAction {
  Action action;       ///< Of merged kernels: that of the kernel with most time.
  std::string target;  ///< Names the kernel and its range, or the run: "saxpy in step/axpy".
  /// GPU or idle time that the action is about, on the critical path, before any action.
  double target_ns = 0;
  /// Upper bound of the time that it frees on the critical path when the actions before it in the
  /// list are done: no time is offered twice, and all of them sum to the undisturbed time at most.
  /// nullopt: nothing that was measured bounds it; `action.floor` has the reason.
  std::optional<double> saves_at_most_ns;
  Confidence confidence = Confidence::kNone;  ///< Of the verdict or finding.
  std::string evidence;                       ///< One line.
  std::string check;  ///< The measurement or command that would decide what is open; may be empty.
};

/// A device that was described or that ran something.
struct DeviceReport {
  uint32_t id = 0;
  std::string name;
  std::string chip;
  uint32_t sm_count = 0;
  double busy_ns = 0;  ///< Time with at least one operation, without what prof disturbed.
  double idle_ns = 0;  ///< Its other time, without what prof disturbed.
  /// From counter samples: over kernels, weighted by the time of their launches.
  Statistic sm_clock_hz;
  Statistic dram_clock_hz;
  RunClock run_clock;    ///< In the run, where kernels show it.
  GpuStateReport state;  ///< By the driver, where it was recorded.
  std::optional<double> dram_peak_bytes_per_s;
};

/// Counts of records, for comparison with another tool.
struct Totals {
  int64_t kernels = 0;
  int64_t copies = 0;
  int64_t memsets = 0;
  int64_t api_calls = 0;
  int64_t ranges = 0;
  int64_t samples = 0;
  int64_t graphs = 0;  ///< Launches of CUDA graphs that were recorded without their kernels.
};

/// A problem, or a remark, that prof had while it recorded.
struct NoticeReport {
  std::string severity;   ///< "info", "warning", "error"
  std::string subsystem;  ///< "counters"
  std::string what;
  std::string fix;
};

/// How much of the kernels' time has a verdict (Verdict::decided), by the source of its numbers.
struct VerdictCoverage {
  double share = 0;       ///< Of the kernels' time, 0..1; the sum of the next four.
  double counters = 0;    ///< From counters of single launches alone.
  double pm_samples = 0;  ///< From PM samples alone.
  double both = 0;        ///< From both.
  double duration = 0;    ///< From the duration alone: launch-sized kernels that nothing measured.
  /// Without a verdict, of kernels that come again (KernelLaunches::comes_again), in a recording
  /// with PM samples: a longer run may answer them.
  double later = 0;
  std::string missing;  ///< What the kernel with most time of the rest lacks; empty: no rest.
};

/// How a name is compared with that of a kernel.
enum class Match {
  kContains,  ///< The kernel's name contains it; where none does, the name with its arguments.
  kExact      ///< It is one of both, from the first to the last character.
};

/// The answers about kernels that are not in a report. A report owns them, and its copies share
/// them, so that each lives as long as one of these reports and never changes.
class MissingKernels {
 public:
  MissingKernels();
  ~MissingKernels() = default;
  MissingKernels(const MissingKernels&) = default;  // also where a report is moved: both answer
  MissingKernels& operator=(const MissingKernels&) = default;
  /// The answer with this name and this reason. Any thread.
  const KernelReport& Get(std::string_view name, const std::string& reason) const;

 private:
  struct Answers;
  std::shared_ptr<Answers> answers_;
};

/// The whole answer. Regions, kernels and rows overlap; rows alone sum to the span.
struct Report {
  // All of these do what the compiler's own would. They are in the library because each file that
  // has a report would compile them again, which takes seconds.
  Report();
  ~Report();
  Report(const Report& other);
  Report(Report&& other) noexcept;
  Report& operator=(const Report& other);
  Report& operator=(Report&& other) noexcept;

  std::string error;  ///< Not empty: the snapshot could not be read; all else is empty.
  /// Not empty: a part of the recording is not in this report. Its file is damaged or cut off, the
  /// recording was not stopped in order, or something follows its end.
  std::string incomplete;
  std::string command;
  std::string host;
  std::string prof_version;
  std::string nvidia_driver;
  uint32_t pid = 0;
  int32_t rank = -1;
  int64_t start_ns = 0;  ///< When the recording began, since 1970; 0: not known.
  /// First operation's start to last one's end. Kernels that only counters have timed
  /// (KernelReport::duration_from_counters) count even where they took longer than prof's gaps.
  double span_ns = 0;
  /// Time of the span that prof disturbed: it kept the GPU idle, or nobody can tell what the
  /// program would have done. It is no evidence.
  double profiler_ns = 0;
  double paused_ns = 0;        ///< Of profiler_ns: gaps in which the recording was paused.
  double undisturbed_ns = 0;   ///< span_ns - profiler_ns: shares and findings come from it.
  double counter_cost_ns = 0;  ///< Host time of counter sampling.
  Totals totals;
  std::vector<DeviceReport> devices;
  std::vector<RankedAction> actions;  ///< At most five, by what they save, descending.
  std::vector<RangeRow> rows;
  std::vector<RangeNode> ranges;      ///< As a tree: each one before the ranges in it.
  std::vector<KernelReport> kernels;  ///< By total time, descending.
  VerdictCoverage verdicts;           ///< Of the kernels.
  std::vector<RegionReport> regions;  ///< By total time, descending.
  LinesReport lines;                  ///< By the lines of source.
  std::vector<GapSummary> gaps;       ///< Sum to the devices' idle time.
  std::vector<CopySummary> copies;
  std::vector<ApiSummary> api_calls;         ///< By time, descending.
  std::vector<StreamReport> streams;         ///< By time, descending.
  std::vector<Finding> findings;             ///< By possible gain, descending.
  std::string findings_missing;              ///< Not empty: why there can be no findings.
  std::vector<ContinuousReport> continuous;  ///< One for each series of PM samples.
  NvtxReport nvtx;
  TorchReport torch;
  /// Of a recording that traced kernels a part of the time; all else is about that part.
  std::optional<WholeRun> whole_run;
  StepsReport steps;  ///< Where AnalyzeOptions::steps asked for them.
  MemoryReport memory;
  int64_t pm_samples_lost = 0;  ///< On all devices, as far as known.
  int64_t pm_restarts = 0;
  std::vector<NoticeReport> notices;
  std::vector<std::string> integrity;  ///< One sentence for each loss; empty: nothing was lost.

  /// The kernel with most time among those that `name` matches (several signatures of one kernel,
  /// or kernels whose names contain it: kernels_named() has all). When there is none, and for an
  /// empty name, an entry with no launches whose verdict's `missing` gives the reason and lists the
  /// names that exist. It lives as long as the report, and no later call changes it. Any thread;
  /// linear in the kernels.
  [[nodiscard]] const KernelReport& kernel(std::string_view name,
                                           Match match = Match::kContains) const&;
  /// A copy, so that `Analyze(...).kernel(...)` outlives the report.
  [[nodiscard]] KernelReport kernel(std::string_view name, Match match = Match::kContains) &&;

  /// All kernels that `name` matches, by total time, descending. They point into the report.
  [[nodiscard]] std::vector<const KernelReport*> kernels_named(
      std::string_view name, Match match = Match::kContains) const&;
  std::vector<const KernelReport*> kernels_named(std::string_view name,
                                                 Match match = Match::kContains) && = delete;

  /// All kernels whose NVTX path is `range`, "layer/qkv_proj", by total time, descending. A number
  /// finds the family that it belongs to, as in row(). They point into the report.
  [[nodiscard]] std::vector<const KernelReport*> kernels_in(std::string_view range) const&;
  std::vector<const KernelReport*> kernels_in(std::string_view range) && = delete;

  /// The row of an NVTX path, "layer/qkv_proj", also where the path is one of a family:
  /// row("layer 3/mlp") is the row "layer */mlp (8 ranges)". nullptr: nothing ran in that range
  /// itself. It points into the report.
  [[nodiscard]] const RangeRow* row(std::string_view range) const&;
  const RangeRow* row(std::string_view range) && = delete;

  MissingKernels missing_kernels;  ///< Used by kernel().
};

/// The text report, 120 columns wide.
std::ostream& operator<<(std::ostream& out, const Report& report);

}  // namespace prof

#endif  // PROF_REPORT_H_
