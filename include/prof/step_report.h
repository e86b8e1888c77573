// SPDX-License-Identifier: Apache-2.0
//
// The steps of a run in the report: how long each took, what it consists of, and the chain of work
// on the host and the GPU that made it last as long as it did.
#ifndef PROF_STEP_REPORT_H_
#define PROF_STEP_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "prof/kernel_report.h"
#include "prof/statistic.h"
#include "prof/timeline_report.h"
#include "prof/torch_report.h"

namespace prof {

/// A part of a step, by ops of PyTorch or by names of ranges.
enum class StepPart {
  kForward,
  kBackward,
  kOptimizer,
  kData,
  kCommunication,
  kOther,    ///< In an op of PyTorch that is none of these.
  kNotKnown  ///< Nothing in the recording is a sign of it.
};

/// "forward", "backward", "optimizer", "data", "communication", "other", "not known": stable in
/// JSON.
const char* ToString(StepPart part);

/// What the time on a critical path is.
enum class StepPathKind {
  kHost,           ///< Code of the program outside of CUDA calls.
  kCall,           ///< CUDA calls other than launches.
  kLaunch,         ///< Calls that launch, and the way of an operation to the GPU.
  kKernel,         ///< Kernels other than those of communication.
  kCommunication,  ///< Kernels of NCCL.
  kCopy,           ///< Copies and memsets on the GPU.
  kWait            ///< From the end of some work to what waited for it.
};

/// "host", "call", "launch", "kernel", "communication", "copy", "wait": stable in JSON.
const char* ToString(StepPathKind kind);

/// The time of one part. Of a step, or the sum over all steps that count.
struct StepPartTime {
  StepPart part = StepPart::kNotKnown;
  double host_ns = 0;   ///< On the thread of the steps' range: sums to the host time of the step.
  double gpu_ns = 0;    ///< While its operations ran. Of two parts it may be the same time.
  double alone_ns = 0;  ///< Of gpu_ns: no operation of another part ran on that GPU.
  double idle_ns = 0;   ///< The GPU idled while the host was in it, or before its operation.
  double path_ns = 0;   ///< On the critical path.
};

/// Idle time with one cause.
struct StepIdle {
  GapCause cause = GapCause::kUnknown;
  double time_ns = 0;
};

/// Time on a critical path of one kind.
struct StepPathTime {
  StepPathKind kind = StepPathKind::kHost;
  double time_ns = 0;
};

/// What a step has more of than the median step.
struct StepSurplus {
  std::string what;    ///< "idle: host-work", "kernels: dram", "copies"; empty: nothing.
  double time_ns = 0;  ///< Above the median of the steps that count.
};

/// One step. It lasts from the end of the GPU work of the steps before to the end of its own; its
/// host time from the end of the range before to the end of its own. Busy and idle time are sums
/// over the GPUs.
struct StepReport {
  int64_t index = 0;    ///< In the order of time, from 0.
  std::string name;     ///< "step 12"; empty: launches tell the steps.
  double begin_ns = 0;  ///< After the recording began.
  double duration_ns = 0;
  double busy_ns = 0;
  double idle_ns = 0;          ///< Without what prof disturbed.
  std::vector<StepIdle> idle;  ///< By cause, most first; sums to idle_ns.
  double host_ns = 0;
  double blocked_ns = 0;  ///< Of host_ns: in calls that wait for the GPU.
  int64_t operations = 0;
  int64_t copies = 0;  ///< Of operations.
  uint64_t copied_bytes = 0;
  uint64_t allocated_bytes = 0;     ///< In the host time of the step, on all threads.
  std::string left_out;             ///< Why it is not in the statistics; empty: it counts.
  bool outlier = false;             ///< It takes more than twice the median.
  StepSurplus surplus;              ///< The largest difference to the median step.
  std::vector<StepPartTime> parts;  ///< Those with a time, in the order of the enum.
  std::vector<StepPathTime> path;   ///< By kind, in the order of the enum; sums to duration_ns.
};

/// The same thing on the critical paths of all steps that count.
struct StepPathItem {
  StepPathKind kind = StepPathKind::kHost;
  std::string what;   ///< "host code", "cudaMalloc", a kernel, "copy host to device".
  std::string where;  ///< The op, range or line of Python; empty: not known.
  StepPart part = StepPart::kNotKnown;      ///< With most of its time.
  Limiter limiter = Limiter::kNotMeasured;  ///< Of kernels: with most of its time.
  /// Of kernels: `time_ns` by the limiter of each signature, descending. Several: they differ.
  std::vector<LimiterTime> limiters;
  /// Times that the paths went through it; with `host_samples`: these.
  int64_t count = 0;
  double time_ns = 0;
  /// Of host code: the host samples that found the host in the line of `where`. 0: the line is that
  /// of the next CUDA call.
  int64_t host_samples = 0;
};

/// Work of the GPU that is hardly on the critical paths: with less of it the steps take as long.
struct StepOffPath {
  StepPathKind kind = StepPathKind::kKernel;
  std::string what;
  double gpu_ns = 0;   ///< While it ran, in the steps that count.
  double path_ns = 0;  ///< Of that: on the path. No more than this can be gained.
};

/// How the walk got from one thing on the paths to the one before.
struct StepEdges {
  int64_t recorded = 0;  ///< By a record: launch, order of a stream, wait for a stream.
  int64_t by_time = 0;   ///< By time alone: what ended last before.
  int64_t unknown = 0;   ///< Nothing ended just before.
};

/// A part of the run in which other launches repeat than those of the steps.
struct StepPhase {
  std::string range;    ///< "4 launches that repeat".
  int64_t steps = 0;    ///< How many times.
  double begin_ns = 0;  ///< After the recording began.
  double end_ns = 0;
};

/// All steps. Times are sums over the steps that count, unless they are of a statistic.
struct StepsReport {
  bool wanted = false;  ///< False: the analysis was not asked for steps; all else is empty.
  std::string missing;  ///< Not empty: why there are no steps.
  /// The range whose instances are the steps: "step *"; by launches: "57 launches that repeat".
  std::string range;
  bool by_launches = false;  ///< No range repeats; a step is one turn of launches that do.
  std::vector<StepPhase> other_phases;  ///< By launches: where others repeat; most time first.
  int64_t counted = 0;                  ///< Steps in the statistics.
  /// Of the time of these steps and of those that prof disturbed: what these have, 0..1. nullopt:
  /// there are neither.
  std::optional<double> counted_share;
  /// Not empty: the steps that count are a small part of the run; with the reason and the way out.
  std::string warning;
  Statistic duration_ns;
  std::optional<double> p90_ns, p99_ns;     ///< nullopt: too few steps.
  std::optional<double> first_ns, last_ns;  ///< Medians of the first and last tenth of them.
  std::optional<double> rising;             ///< Share of the pairs of tenths that rise, 0..1.
  std::vector<StepReport> steps;            ///< In the order of time.
  std::vector<StepPartTime> parts;          ///< Those with a time, in the order of the enum.
  std::vector<StepPathTime> path;           ///< By kind; sums to duration_ns.sum.
  std::vector<StepPathItem> items;          ///< By time, descending.
  std::vector<StepOffPath> off_path;        ///< By GPU time, descending.
  StepEdges edges;
  std::vector<std::string> not_recorded;  ///< What the path had to be told by time, in words.
};

}  // namespace prof

#endif  // PROF_STEP_REPORT_H_
