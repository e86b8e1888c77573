// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_table.h"

#include <algorithm>
#include <array>

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/findings/finding_clock.h"
#include "lib/analyzer/findings/finding_copies.h"
#include "lib/analyzer/findings/finding_fusion.h"
#include "lib/analyzer/findings/finding_graph.h"
#include "lib/analyzer/findings/finding_idle.h"
#include "lib/analyzer/findings/finding_memory.h"
#include "lib/analyzer/findings/finding_other_work.h"
#include "lib/analyzer/findings/finding_small_kernels.h"
#include "lib/analyzer/findings/finding_steps.h"
#include "lib/analyzer/findings/finding_streams.h"
#include "lib/analyzer/findings/finding_stretch.h"

namespace prof::analyzer {
namespace {

template <size_t n>
constexpr CauseList ListOf(const std::array<GapCause, n>& causes) {
  return {causes.data(), n};
}

constexpr std::array kLaunchCause = {GapCause::kLaunch};
constexpr std::array kLoadingCause = {GapCause::kLoading};
constexpr std::array kHostWorkCause = {GapCause::kHostWork};
constexpr std::array kTransferCause = {GapCause::kTransfer};
constexpr std::array kDependencyCause = {GapCause::kDependency};
constexpr std::array kUnknownCause = {GapCause::kUnknown};
// Without the waits the host runs ahead, which hides more than the gaps behind them.
constexpr std::array kCausesWithoutWaits = {GapCause::kSync, GapCause::kLaunch, GapCause::kHostWork,
                                            GapCause::kLoading};
constexpr std::array kCausesBesideShort = {GapCause::kLaunch, GapCause::kDependency};
constexpr std::array kCausesWithoutLoading = {GapCause::kLaunch,   GapCause::kDependency,
                                              GapCause::kSync,     GapCause::kHostWork,
                                              GapCause::kTransfer, GapCause::kUnknown};
constexpr std::array kAnyCause = {GapCause::kLaunch,   GapCause::kDependency, GapCause::kSync,
                                  GapCause::kHostWork, GapCause::kTransfer,   GapCause::kLoading,
                                  GapCause::kUnknown};

constexpr CauseList kNoIdle = {};
constexpr CauseList kLaunchIdle = ListOf(kLaunchCause), kLoadingIdle = ListOf(kLoadingCause),
                    kHostWorkIdle = ListOf(kHostWorkCause), kTransferIdle = ListOf(kTransferCause),
                    kDependencyIdle = ListOf(kDependencyCause),
                    kUnknownIdle = ListOf(kUnknownCause),
                    kIdleWithoutWaits = ListOf(kCausesWithoutWaits),
                    kIdleBesideShort = ListOf(kCausesBesideShort),
                    kIdleWithoutLoading = ListOf(kCausesWithoutLoading),
                    kAnyIdle = ListOf(kAnyCause);

const std::vector<FindingRule>& MakeRules() {
  static const auto* const rules = new std::vector<FindingRule>{
      {{"sync-bound", GainKind::kIdleTime,
        "idle by waits, and gaps of another cause that a thread without the waits would have "
        "closed, >= 5 % of the span together (own); the waits are no allocations",
        "gaps, longest, call, range, number of waits, the part while the queue fills again, host "
        "work behind the waits",
        "launch ahead, events, values read back later",
        "those gaps, and of each other gap that a launch closed as much as all waits before could "
        "have closed",
        "o", "waits at the end of a run; launches blamed for the gaps while the queue fills again"},
       SyncBound,
       {kIdleWithoutWaits, false}},
      {{"allocation", GainKind::kIdleTime,
        "as `sync-bound`, for calls that allocate or free memory; 3 or more, and one in the second "
        "half of the run (own)",
        "as `sync-bound`",
        "allocate before the loop; cudaMallocAsync with a pool that keeps memory", "that idle time",
        "o", "allocations of a warm-up"},
       AllocationInLoop,
       {kIdleWithoutWaits, false}},
      {{"launch-bound", GainKind::kIdleTime,
        "idle by launches >= 5 % (own), without up to three gaps of 1 ms or more that make half of "
        "it: these are the finding where they are 10 % of the span or 50 ms (own); where half of "
        "it or more "
        "is from the time of counter "
        "sampling: the confidence is low if the rest of the run (10 % of that time or more) has "
        "less than a quarter of its share, or if a launch call was slower then (5 %) and that "
        "explains a quarter of it, or if it cannot be known",
        "gaps; share of kernels shorter than their launch call that start within 10 us of it "
        "(hta); "
        "launches that found at most one operation in the queue; the time of a launch call with "
        "and "
        "without sampling",
        "graphs, batches, less host work", "that idle time", "o",
        "firing on short kernels that are queued ahead, on what sampling slowed down, behind "
        "waits, or on the first launch of a process"},
       LaunchBound,
       {kLaunchIdle, false}},
      {{"code-loading", GainKind::kIdleTime, "idle by loading >= 5 % (own)", "gaps, call, range",
        "launch once before, CUDA_MODULE_LOADING=EAGER, code for this GPU; for ten gaps or more, a "
        "quarter of their time in the second half of the loop (own): the same shapes in each step",
        "that idle time", "o", "a long first launch taken for slow host code"},
       CodeLoading,
       {kLoadingIdle, false}},
      {{"host-work", GainKind::kIdleTime, "idle by host work >= 5 % (own)",
        "gaps, range; where three gaps or fewer, and a tenth of them, are half of it (own), or "
        "three of 50 ms or more nine tenths (own): when "
        "they begin; where those "
        "shorter than 500 us are half of it, or of 5 % of the span or more that those few leave "
        "(own): how many; where code is loaded in gaps that make half of it, ten or more, a "
        "quarter of their time in the second half of the loop (own): how many. Without the start "
        "(`start`)",
        "another thread, ahead of time; for few gaps: a record without them; for short ones: fewer "
        "launches; where code is loaded: the same shapes in each step",
        "that idle time; for short ones: without the few gaps", "o",
        "\"do it on another thread\" for what a framework does between two launches"},
       HostWork,
       {kHostWorkIdle, false}},
      {{"start", GainKind::kIdleTime,
        "idle by host work in gaps of 1 ms or more, >= 5 % and 50 ms (own), at the start: nine "
        "tenths of all such gaps, within 85 % of the run, and half or more of the time until the "
        "last of them is idle by host work or loading (own)",
        "gaps, range, when the last of them ends",
        "caches of compiled code and of choices; a record without the start", "that idle time", "o",
        "a loop advised by what its start costs"},
       StartUp,
       {kHostWorkIdle, false}},
      {{"transfer-bound", GainKind::kIdleTime, "idle by transfers >= 5 % (own)", "gaps",
        "earlier, own stream, fewer pieces", "that idle time", "o",
        "copies that run alone called idle time"},
       TransferBound,
       {kTransferIdle, false}},
      {{"dependency-idle", GainKind::kIdleTime,
        "idle by dependencies >= 5 % (own); confidence medium at most, low where most of it is "
        "between operations of a stream",
        "gaps between the nodes of a graph; behind another stream; of 10 us or more on one stream "
        "(own), behind something that no record names; between other operations of a stream",
        "by the largest of them: fewer and longer nodes, programmatic dependent launch; fewer "
        "hand-overs between streams; find out what the stream waits for",
        "that idle time", "o", "a graph of tiny nodes called clean; launches blamed for it"},
       DependencyIdle,
       {kDependencyIdle, false}},
      {{"unexplained-idle", GainKind::kIdleTime,
        "idle of unknown cause, gaps >= 10 us, >= 5 % (own)", "gaps", "record API calls and ranges",
        "that idle time", "o", "inventing a cause"},
       UnexplainedIdle,
       {kUnknownIdle, false}},
      {{kStretchFinding, GainKind::kIdleTime,
        "a part of the run in which one cause has 30 % of the time or more, and which takes 50 ms "
        "and 1 % of the undisturbed time or more, with 20 gaps or more, none of them half of it "
        "(own). The causes are launches, waits but those in calls that allocate or free memory, "
        "host work, transfers, dependencies. Not beside the finding about the same cause in the "
        "whole run, and by launches not where half of it is while counters were sampled (own)",
        "from and to, gaps, longest, call, range, line; other stretches with the same cause",
        "as the finding about the cause in the whole run",
        "that idle time, in all stretches with the cause; by waits also what they could have "
        "closed "
        "of each other gap in them",
        "o",
        "a bad phase of half a second hidden in 20 good ones; one long stall, or the begin of the "
        "program, called a phase"},
       nullptr,
       {kNoIdle, false}},
      {{"cuda-graph", GainKind::kIdleTime,
        "launch idle >= 5 %; a launch sequence (>= 2 kernels) that repeats >= 3 times in a range, "
        "or a period in 90 % of the launches of a thread; gain >= 2 % (own)",
        "repeats, gaps, calls that a graph capture does not allow; sampling as above",
        "capture and replay", "the idle time before its launches, but for the loading of code",
        "o, r", "a gain where the kernels are in a graph already"},
       GraphOpportunity,
       {kIdleWithoutLoading, false},
       true},
      {{kSmallKernelsFinding, GainKind::kLessWork,
        ">= 10 kernels < 10 us (hta), idle by launches or dependencies before them >= 5 % (own)",
        "count, time, gaps", "fuse, batch",
        "the gaps beside them, and the time of those kernels that have another one beside them on "
        "their stream, less what the DRAM needs at its peak for what they read",
        "o", "short kernels without gaps"},
       SmallKernels,
       {kIdleBesideShort, false, FindingKernels::kShort},
       true},
      {{"pageable-copy", GainKind::kSameWork,
        "host copies from or to pageable memory (nsys), gain without the idle time behind them >= "
        "2 "
        "% (own)",
        "count, bytes, GB/s, overlap, idle behind them", "pinned memory",
        "time without a kernel beside it, and the idle time behind them that the host waited. The "
        "condition takes min(that time, time - bytes / rate); rate: what a calibration measured in "
        "that direction, else that of the link (hw: PCIe 5.0 x16, 63 GB/s; PCIe 6.0 x16, 126 GB/s, "
        "from compute capability 10 on; NVLink-C2C, 450 GB/s, with a Grace CPU), or more if the "
        "run's pinned copies reached more",
        "–", "by the name of the call: cudaMemcpyAsync is no proof"},
       PageableCopies,
       {kAnyIdle, true}},
      {{"copy-not-overlapped", GainKind::kCauseRemoved,
        "other host copies, less than 80 % under kernels, gain >= 5 % (own)",
        "count, bytes, overlap", "another stream, double buffering",
        "kernels and copies, less the longest of the kernels and the copies in one direction; idle "
        "time beside them",
        "o", "certainty: the data may not allow it"},
       CopiesNotOverlapped,
       {kAnyIdle, true}},
      {{"link-bound", GainKind::kLessWork,
        "pinned host copies in one direction, or copies between devices whose rate a calibration "
        "measured, take 90 % of the span or more (own), at half of the link's rate or more (own; "
        "the rate as for `pageable-copy`); gain >= 5 % (own)",
        "count, bytes, GB/s, overlap, the link's rate, the stream with most kernel time",
        "fewer bytes", "the span, less the kernels of the stream with most of them", "o",
        "kernels blamed that wait for copies; \"nothing to do\" where copies are all overlapped"},
       LinkBound,
       {kAnyIdle, true}},
      {{"small-copies", GainKind::kLessWork, ">= 32 host copies < 64 KB, gain >= 2 % (own)",
        "count, bytes, idle beside them", "gather and copy once",
        "exposed time and idle beside them, of host work 500 us a gap at most (own)", "–",
        "a few in a long run; a start during which some are copied"},
       SmallCopies,
       {kAnyIdle, true}},
      {{kClockFinding, GainKind::kSameWork,
        "two kernels of a device, or one that agrees with its own samples, [show its SM clock in "
        "the run](read-the-report.md#the-sm-clock). It is 3 % below that of the counted launches "
        "and costs 2 % of the span, or 10 % below the highest that the device reports and costs 5 "
        "% "
        "(own)",
        "both clocks, the kernels' time, what each difference costs; with `--gpu-state` what held "
        "the clock down in half of the driver's readings or more, power and temperature",
        "by the driver's reason: less work or a higher limit, cooling, or no lock; without one: "
        "read it",
        "time of these kernels x (1 - clock in the run / highest clock), and the same of all other "
        "work of the device with the lowest of these clocks; without the highest clock all work of "
        "the device",
        "–", "time that waits for DRAM counted; a cause that was not recorded"},
       nullptr,
       {kNoIdle, false, FindingKernels::kOfLowClock}},
      {{"sync-copy", GainKind::kIdleTime,
        "idle after synchronous host copies >= 2 % (own; nsys names each)", "count, idle",
        "cudaMemcpyAsync with pinned memory",
        "that idle time, and the time of the copies without a kernel beside it", "o", "–"},
       SynchronousCopies,
       {kAnyIdle, true},
       true},
      {{"device-copies", GainKind::kLessWork,
        "copies within the device, between devices, and memsets, without a kernel beside them >= 5 "
        "% (own)",
        "count, bytes and GB/s of each kind, with the fastest of the run",
        "write to the right place at once; overlap", "that time, and the idle time beside them",
        "o", "a copy under kernels"},
       DeviceCopies,
       {kAnyIdle, true}},
      {{"exposed-communication", GainKind::kCauseRemoved,
        "kernels whose name begins with nccl (nsys, hta), without another kernel beside them >= 5 "
        "% "
        "(own)",
        "time, overlap, median and longest; the shortest of each kind times their number",
        "overlap, buckets, even ranks; where the shortest would take less than half of the time "
        "(own): the late rank first",
        "that time, and the idle time beside them", "o",
        "its time called work: it contains the wait for other ranks"},
       ExposedCommunication,
       {kAnyIdle, false, FindingKernels::kOfRanks}},
      {{"default-stream", GainKind::kCauseRemoved,
        "work in the legacy default stream and in streams that wait for it, 10 turns or more "
        "(own), "
        "never side by side, the smaller of both >= 5 % (own)",
        "both times, turns", "cudaStreamNonBlocking, per-thread default stream",
        "all of that work and the gaps between its streams, less the stream with most of it", "o",
        "streams that are non-blocking"},
       DefaultStream,
       {kAnyIdle, true, FindingKernels::kAll}},
      {{"serialization", GainKind::kCauseRemoved,
        "kernels of 5 us or more, not of NCCL, whose blocks reach half of the SMs or fewer (own), "
        "alone on the "
        "device, less than 10 us behind one another on one stream; gain >= 5 % (own); confidence "
        "low",
        "count, time, kernel with most of it", "several streams, branches of a graph, one launch",
        "for each row of them: from begin to end, less the longest. The condition takes their time "
        "less max(the longest, the sum of time x share of SMs)",
        "o",
        "certainty: no record shows whether they depend on each other; kernels that fill the SMs"},
       Serialization,
       {kAnyIdle, true, FindingKernels::kAll}},
      {{"outlier-steps", GainKind::kCauseRemoved,
        "of 20 or more steps (own), at most 10 % that take twice the median or more (own), >= 2 % "
        "beyond the median (own)",
        "median, longest with its name, idle part, work and idle time that the other steps do not "
        "have",
        "what only these steps do", "their time beyond the shortest step", "o, r",
        "another kind of step called an outlier"},
       OutlierSteps,
       {kAnyIdle, true, FindingKernels::kAll}},
      {{"step-drift", GainKind::kCauseRemoved,
        "medians of ten equal parts of the run rise in 90 % of their pairs (Kendall; by chance p < "
        "0.001), by 5 % or more in all, and less than half of that between two parts (own)",
        "first and last median", "what grows with the steps", "the time beyond the shortest step's",
        "o, r", "a clock that fell once"},
       StepDrift,
       {kAnyIdle, true, FindingKernels::kAll}},
      {{kFusionFinding, GainKind::kLessWork,
        "kernels with the verdict dram, or that move half of what the DRAM can (own), one directly "
        "behind the other on a stream, with 0.1 ms between them at most (own), behind the start; "
        "launches of one "
        "kernel in a row are one, and no kernel is twice in a chain; each launch takes half to "
        "twice the median of its kernel (own); each reads half or more of the DRAM bytes that the "
        "one before it wrote (own; nine tenths behind a fill), which "
        "read and wrote more than L2 holds (hw: what L2 holds is "
        "not read from DRAM), and these are 10 % or more of the bytes of both (own), by counters "
        "or "
        "by PM samples; they take 2 % of the span at the DRAM's peak (own); confidence medium",
        "times, the chain with most of it, bytes moved and bytes that would stay in registers",
        "torch.compile, one kernel, an epilogue, a fused optimizer",
        "the chains from begin to end, less the time at the DRAM's peak of what the first reads "
        "and "
        "the last writes",
        "o",
        "certainty: no record shows whether one reads what the other wrote; matrix products of one "
        "vector, which read their weights"},
       nullptr,
       {kIdleBesideShort, false, FindingKernels::kOfDram}},
      {{kOtherWorkFinding, GainKind::kSameWork,
        "PM samples show SMs active for 5 % or more of the time in which no operation of the "
        "recording runs (own), known to be above that. Only samples count that lie between the "
        "first and the last operation, 2 us (own) and the error of the clock (10 us where it is "
        "not "
        "known, own) away from each operation and from what prof does, 1 ms of them or more (own). "
        "No record is lost, each operation has a time, and the recording was not paused",
        "that share, the time that was sampled", "find the other process, record without it",
        "none: what it takes from this program is not known. It comes first, and verdicts by "
        "counters and PM samples have low confidence",
        "–",
        "the end of a kernel, by a wrong clock, called work of others; work of this program "
        "without "
        "a record"},
       nullptr,
       {kNoIdle, false}},
      {{kBusiestDevice, GainKind::kCauseRemoved,
        "several devices; the kernels of one, without NCCL's, take 10 % more than the mean (own), "
        "gain >= 5 % of the sum of spans (own)",
        "time by device", "even out the work", "devices x (most - mean)", "o", "–"},
       nullptr,
       {kAnyIdle, true, FindingKernels::kAll}},
  };
  return *rules;
}

}  // namespace

const std::vector<FindingRule>& FindingRules() { return MakeRules(); }

const FindingTime* FindingTimeOf(const Finding& finding) {
  std::string_view id = finding.id;
  if (finding.stretch) {
    // It is a part of the time that the finding about the whole run would have.
    for (const StretchCause& known : kStretchCauses) {
      if (known.cause == finding.stretch->cause) id = known.whole_run;
    }
  }
  for (const FindingRule& rule : FindingRules()) {
    if (rule.text.id == id) return &rule.time;
  }
  return nullptr;
}

std::string FindingTable() {
  RuleTable table({"id", "kind", "condition (source)", "evidence", "action", "gain at most",
                   "rests on", "a wrong answer would be"});
  for (const FindingRule& rule : FindingRules()) {
    const FindingRow& row = rule.text;
    table.Add({AsCode(row.id), ToString(row.kind), row.condition, row.evidence, row.action,
               row.gain, row.rests, row.wrong});
  }
  return table.text();
}

std::string MemoryFindingTable() {
  RuleTable table(
      {"id", "condition (source)", "evidence", "action", "rests on", "a wrong answer would be"});
  for (const FindingRow& row : MemoryFindingRows()) {
    table.Add({AsCode(row.id), row.condition, row.evidence, row.action, row.rests, row.wrong});
  }
  return table.text();
}

}  // namespace prof::analyzer
