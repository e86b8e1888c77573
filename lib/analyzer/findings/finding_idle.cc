// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_idle.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_idle_parts.h"
#include "lib/analyzer/findings/finding_text.h"
#include "lib/analyzer/timeline/host_samples.h"
#include "lib/analyzer/timeline/queue_depth.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Op;

constexpr double kAnyLength = std::numeric_limits<double>::infinity();

// The parts of all gaps from a time to another one that have this cause. A part that is shorter
// does not count, nor does one of `below_ns` or more.
IdleGaps GatherIdle(const RunInputs& inputs, GapCause cause, double least_ns, int64_t from_ns,
                    int64_t until_ns = std::numeric_limits<int64_t>::max(),
                    double below_ns = kAnyLength) {
  IdleGaps idle;
  const HostSamples samples(inputs.model);
  for (const Gap& gap : inputs.device.gaps) {
    const int64_t time_ns = gap.of_cause_ns(cause);
    if (gap.start_ns < from_ns || gap.start_ns >= until_ns || time_ns <= 0 ||
        static_cast<double>(time_ns) < least_ns || static_cast<double>(time_ns) >= below_ns)
      continue;
    idle.Add(inputs, gap, time_ns);
    if (samples.any() && gap.cause == cause) samples.Add(gap, &idle.host);
  }
  return idle;
}

// Empty where it is too little for a finding.
IdleGaps GatherCause(const RunInputs& inputs, GapCause cause) {
  if (inputs.Share(inputs.Idle(cause)) < kIdleShare) return {};
  return GatherIdle(inputs, cause, 0, inputs.device.start_ns);
}

std::string TitleOf(const RunInputs& inputs, double idle_ns) {
  return "The GPU is idle for " + text::Percent(inputs.Share(idle_ns)) + " of the span";
}

// What all of these findings print. `idle` must not be empty.
Finding DescribeIdle(const RunInputs& inputs, const IdleGaps& idle) {
  Finding finding;
  finding.evidence.push_back(text::Count(idle.count) + " gaps, " + text::Time(idle.total_ns) +
                             " in all (" + text::Percent(inputs.Share(idle.total_ns)) +
                             " of the span), the longest " + text::Time(idle.longest_ns));
  AddPlaces(inputs, idle, &finding);
  finding.gain_at_most_ns = idle.total_ns;
  finding.check = kCheckTimeline;
  finding.confidence = idle.IsKnown() ? Confidence::kHigh : Confidence::kMedium;
  finding.withheld_why = inputs.lost_operations;
  return finding;
}

MaybeFinding FindCause(const RunInputs& inputs, const IdleGaps& idle, const std::string& because) {
  if (idle.total_ns <= 0 || inputs.Share(idle.total_ns) < kIdleShare) return std::nullopt;
  Finding finding = DescribeIdle(inputs, idle);
  finding.title = TitleOf(inputs, idle.total_ns) + because;
  return finding;
}

std::string QueueText(const RunInputs& inputs) {
  const QueueDepth depth = MeasureQueue(inputs.model, inputs.device.device);
  if (depth.launches == 0) return "";
  const auto launches = static_cast<double>(depth.launches);
  return text::Percent(static_cast<double>(depth.nearly_empty) / launches) + " of " +
         text::Plural(depth.launches, "launch", "launches") +
         " found at most one operation in the queue; the median found " +
         text::Fixed(depth.median, 0);
}

// --- Waits ---------------------------------------------------------------------------------------

// What the waits of one kind cost: the gaps that they own, and the part of all others that a thread
// that had not waited would have closed: by the last wait alone, and at most.
struct Waits {
  IdleGaps idle;
  double refill_ns = 0, hidden_ns = 0, bound_ns = 0;
  std::set<int32_t> calls;
  double cost_ns() const { return idle.total_ns + hidden_ns; }
  double gain_ns() const { return std::max(cost_ns(), bound_ns); }
};

Waits GatherWaits(const RunInputs& inputs, bool allocations) {
  Waits waits;
  if (inputs.idle_count[static_cast<size_t>(GapCause::kSync)] == 0) return waits;
  const HostSamples samples(inputs.model);
  for (const Gap& gap : inputs.device.gaps) {
    const int64_t bound_ns = allocations ? gap.without_allocations_ns : gap.without_waits_ns;
    waits.bound_ns += static_cast<double>(bound_ns);
    const bool owner = gap.cause == GapCause::kSync;
    const int32_t call = owner ? gap.api : gap.wait;
    if ((!owner && gap.wait == kNoIndex) || Allocates(inputs, call) != allocations) continue;
    if (!owner) {
      // Where host work makes a thread later and later, a wait makes it late in all gaps behind it.
      waits.hidden_ns += static_cast<double>(std::min(gap.after_wait_ns, bound_ns));
      continue;
    }
    waits.idle.Add(inputs, gap, gap.undisturbed_ns());
    if (samples.any()) samples.Add(gap, &waits.idle.host);
    if (call == kNoIndex) continue;
    waits.calls.insert(call);
    const bool later = inputs.model.api_calls[call].end_ns < gap.start_ns;
    if (later) waits.refill_ns += static_cast<double>(gap.undisturbed_ns());
  }
  return waits;
}

// Most of what the waits cost is idle elsewhere.
void ForgetPlace(Finding* finding) {
  finding->place.clear();
  finding->place_share = 0;
}

void AddWaitEvidence(const Waits& waits, Finding* finding) {
  finding->evidence.push_back(
      text::Plural(static_cast<int64_t>(waits.calls.size()), "call", "calls") +
      " drained the queue; " + text::Time(waits.refill_ns) +
      " of the idle time came later, before the queue was full again");
  if (waits.idle.host_ns > kMuchHostWork * waits.idle.total_ns) {
    finding->evidence.push_back("in " + text::Time(waits.idle.host_ns) +
                                " of it the host worked outside CUDA after the wait: a host that "
                                "has not waited does that while the GPU works");
  }
  const double others_ns = waits.gain_ns() - waits.idle.total_ns;
  if (others_ns > 0) {
    finding->evidence.push_back("without the waits up to " + text::Time(others_ns) +
                                " of gaps with another cause would be hidden, too");
  }
}

// True when the calls go on until the second half of the run: those of a warm-up are no loop.
bool InTheLoop(const RunInputs& inputs, const Waits& waits) {
  if (static_cast<double>(waits.calls.size()) < kRepeats) return false;
  const int64_t middle_ns = (inputs.device.start_ns + inputs.device.end_ns) / 2;
  return inputs.model.api_calls[*waits.calls.rbegin()].start_ns >= middle_ns;
}

// How many kernels take the host longer to launch than the GPU to run, with nothing queued.
std::string LaunchIndex(const RunInputs& inputs) {
  int64_t kernels = 0, bound = 0;
  for (const Op& op : inputs.model.ops) {
    if (op.kind != model::OpKind::kKernel || !op.timed || op.sampled || op.graph != 0 ||
        op.device != inputs.device.device || op.api == kNoIndex) {
      continue;
    }
    const model::ApiCall& call = inputs.model.api_calls[op.api];
    ++kernels;
    const bool shorter = op.end_ns - op.start_ns < call.end_ns - call.start_ns;
    if (shorter && static_cast<double>(op.start_ns - call.end_ns) < kQueueDelayNs) ++bound;
  }
  if (kernels == 0) return "";
  const double index = static_cast<double>(bound) / static_cast<double>(kernels);
  std::string text = text::Percent(index) + " of " + text::Count(kernels) +
                     " kernels run shorter than their launch call and start within 10 us of it";
  if (index >= kLaunchBoundKernels) text += ": the host cannot keep up";
  return text;
}

}  // namespace

MaybeFinding SyncBound(const RunInputs& inputs) {
  const Waits waits = GatherWaits(inputs, false);
  if (waits.idle.count == 0 || inputs.Share(waits.cost_ns()) < kIdleShare) return std::nullopt;
  Finding finding = DescribeIdle(inputs, waits.idle);
  const bool mostly = waits.idle.total_ns >= waits.hidden_ns;
  finding.title = mostly ? TitleOf(inputs, waits.idle.total_ns) + BecauseOf(GapCause::kSync)
                         : "Waits keep the host from running ahead of the GPU: up to " +
                               text::Percent(inputs.Share(waits.gain_ns())) +
                               " of the span is idle for that.";
  if (!mostly) ForgetPlace(&finding);
  AddWaitEvidence(waits, &finding);
  AddHostEvidence(inputs, waits.idle, &finding);
  finding.gain_at_most_ns = waits.gain_ns();
  finding.action = ActionAgainst(GapCause::kSync);
  return RatedFinding(std::move(finding), waits.cost_ns());
}

MaybeFinding AllocationInLoop(const RunInputs& inputs) {
  const Waits waits = GatherWaits(inputs, true);
  if (waits.idle.count == 0 || inputs.Share(waits.cost_ns()) < kIdleShare) return std::nullopt;
  if (!InTheLoop(inputs, waits)) return std::nullopt;
  Finding finding = DescribeIdle(inputs, waits.idle);
  finding.title =
      TitleOf(inputs, waits.idle.total_ns) + " because memory is allocated in the loop.";
  if (waits.idle.total_ns < waits.hidden_ns) ForgetPlace(&finding);
  AddWaitEvidence(waits, &finding);
  AddHostEvidence(inputs, waits.idle, &finding);
  finding.gain_at_most_ns = waits.gain_ns();
  finding.action =
      "Allocate before the loop and reuse the memory, or use cudaMallocAsync with a pool that "
      "keeps "
      "it (a release threshold).";
  return RatedFinding(std::move(finding), waits.cost_ns());
}

namespace {

// "1 gap takes 7.71 s (62 % of it): 7.71 s at 0.00 s"
std::string FewGapsText(const RunInputs& inputs, const IdleGaps& idle, size_t few) {
  std::string text = text::Plural(static_cast<int64_t>(few), "gap takes ", "gaps take ") +
                     text::Time(idle.LongestNs(few)) + " (" +
                     text::Percent(idle.LongestNs(few) / idle.total_ns) + " of it)";
  for (size_t i = 0; i < few; ++i) {
    text += (i == 0 ? ": " : ", ") + text::Time(idle.longest[i].length_ns) + " at " +
            MomentText(inputs, idle.longest[i].start_ns);
  }
  return text;
}

constexpr char kLookAtStart[] =
    "Find out what the host does there: a start, a checkpoint, a compilation. Record without that "
    "(--delay, --window) to see what the rest leaves idle.";

// One call takes as long as many launches do: a first launch, code that the driver makes.
MaybeFinding LaunchStalls(const RunInputs& inputs, const IdleGaps& idle, size_t stalls) {
  const double stalls_ns = idle.LongestNs(stalls);
  if (stalls_ns < kStartNs && inputs.Share(stalls_ns) < kStallsShare) return std::nullopt;
  MaybeFinding finding =
      FindCause(inputs, idle,
                " while calls that launch run, half of it or more in " +
                    text::Plural(static_cast<int64_t>(stalls), "gap", "gaps") + ".");
  if (!finding) return finding;
  finding->evidence.push_back(FewGapsText(inputs, idle, stalls));
  AddSamplingCost(inputs, &*finding);
  finding->action = kLookAtStart;
  return finding;
}

// Without the stalls: gaps that repeat.
IdleGaps PaceOf(const RunInputs& inputs, const IdleGaps& idle, size_t stalls) {
  if (stalls == 0) return idle;
  return GatherIdle(inputs, GapCause::kLaunch, 0, inputs.device.start_ns,
                    std::numeric_limits<int64_t>::max(), idle.longest[stalls - 1].length_ns);
}

}  // namespace

LaunchPace FindLaunchPace(const RunInputs& inputs) {
  const IdleGaps idle = GatherCause(inputs, GapCause::kLaunch);
  const size_t stalls = idle.Stalls();
  return {PaceOf(inputs, idle, stalls).total_ns,
          stalls == 0 ? kAnyLength : idle.longest[stalls - 1].length_ns};
}

MaybeFinding LaunchBound(const RunInputs& inputs) {
  const IdleGaps all = GatherCause(inputs, GapCause::kLaunch);
  const size_t stalls = all.Stalls();
  const IdleGaps idle = PaceOf(inputs, all, stalls);
  MaybeFinding finding = FindCause(inputs, idle, BecauseOf(GapCause::kLaunch));
  if (!finding && stalls > 0) return LaunchStalls(inputs, all, stalls);
  if (!finding) return finding;
  if (stalls > 0) {
    finding->cost_ns = idle.total_ns;
    finding->evidence.push_back(FewGapsText(inputs, all, stalls) +
                                ". That is a start, or code that is loaded, and does not count "
                                "here");
  }
  AddHostEvidence(inputs, idle, &*finding);
  for (const std::string& line : {LaunchIndex(inputs), QueueText(inputs)}) {
    if (!line.empty()) finding->evidence.push_back(line);
  }
  AddSamplingCost(inputs, &*finding);
  finding->action = ActionAgainst(GapCause::kLaunch);
  return finding;
}

namespace {

constexpr char kKeepShapes[] =
    "Libraries make code for shapes that they have not seen. Keep the shapes the same from step to "
    "step (pad them, or use a cache of a fixed length), or choose another implementation of the "
    "operation, so that code which is there is used again.";

}  // namespace

MaybeFinding CodeLoading(const RunInputs& inputs) {
  const IdleGaps idle = GatherCause(inputs, GapCause::kLoading);
  MaybeFinding finding = FindCause(inputs, idle, " while the driver loads or compiles code.");
  if (!finding) return finding;
  if (idle.GoesOn()) {
    finding->evidence.push_back(text::Time(idle.late_ns) +
                                " of it are in the second half of the loop: it is no start that "
                                "ends");
    finding->action = kKeepShapes;
    return finding;
  }
  finding->action =
      "Launch each kernel once before the part that counts, or load all code at the start "
      "(CUDA_MODULE_LOADING=EAGER); ship code for this GPU (-arch), so that nothing is compiled at "
      "run time.";
  return finding;
}

namespace {

// Few stretches that make half of it are a start, a checkpoint, a compilation.
void AnswerFewGaps(const RunInputs& inputs, const IdleGaps& idle, size_t few, Finding* finding) {
  finding->title = TitleOf(inputs, idle.total_ns) +
                   " while the host works outside CUDA, half of it or more in " +
                   text::Plural(static_cast<int64_t>(few), "gap", "gaps") + ".";
  finding->evidence.push_back(FewGapsText(inputs, idle, few));
  finding->action = kLookAtStart;
}

bool MostlyInGraphs(const RunInputs& inputs) {
  int64_t kernels = 0, nodes = 0;
  for (const Op& op : inputs.model.ops) {
    if (!IsKernelOf(inputs.device, op)) continue;
    ++kernels;
    if (op.graph != 0) ++nodes;
  }
  return 2 * nodes > kernels;
}

// Many short stretches are what the program and its framework do for each launch. Beside `few` long
// ones they are what a loop costs.
void AnswerDispatch(const RunInputs& inputs, const IdleGaps& idle, size_t few, Finding* finding) {
  const double loop_ns = idle.total_ns - idle.LongestNs(few);
  finding->title = TitleOf(inputs, loop_ns) + " while the host works from launch to launch.";
  finding->gain_at_most_ns = loop_ns;
  if (few > 0) {
    finding->evidence.push_back(
        FewGapsText(inputs, idle, few) +
        ". That is a start, a checkpoint or a compilation, and does not count "
        "here");
  }
  finding->evidence.push_back(
      text::Plural(idle.short_count, "gap", "gaps") + " shorter than " + text::Time(kDispatchNs) +
      " make " + text::Percent(idle.short_ns / loop_ns) + " of it, " +
      text::Time(idle.short_ns / static_cast<double>(idle.short_count)) +
      " each on average: what the program and its framework do for each launch; the others make " +
      text::Time(loop_ns - idle.short_ns));
  finding->action =
      MostlyInGraphs(inputs)
          ? "Launch less often: several steps in one graph or one call, or larger batches; then "
            "cut the host's work for each step. Most kernels are in CUDA graphs already."
          : "Launch less often: compile or fuse the operations (torch.compile, jax.jit), capture "
            "them in a CUDA graph, or use larger batches; then cut the work between launches.";
}

// What a library makes at run time is made outside CUDA, and loaded by it.
void AnswerMadeCode(const RunInputs& inputs, const IdleGaps& idle, Finding* finding) {
  finding->title = TitleOf(inputs, idle.total_ns) +
                   " while the host works outside CUDA, most of it before code is loaded.";
  finding->evidence.push_back(
      "in " + text::Count(idle.code_count) + " of these gaps, with " + text::Time(idle.code_ns) +
      ", code was loaded as well, " + text::Time(idle.late_code_ns) +
      " of it in the second half of the loop: a library that compiles for a shape does so before "
      "(no record shows what the host does)");
  finding->action = kKeepShapes;
  finding->confidence = std::min(finding->confidence, Confidence::kMedium);
}

MaybeFinding HostWorkOf(const RunInputs& inputs, const IdleGaps& idle) {
  MaybeFinding finding = FindCause(inputs, idle, BecauseOf(GapCause::kHostWork));
  if (!finding) return finding;
  AddHostEvidence(inputs, idle, &*finding);
  finding->action = ActionAgainst(GapCause::kHostWork);
  const size_t few = idle.FewThatMakeHalf();
  const double loop_ns = idle.total_ns - idle.LongestNs(few);
  if (inputs.Share(loop_ns) >= kIdleShare && idle.short_ns >= kMostlyDispatch * loop_ns) {
    AnswerDispatch(inputs, idle, few, &*finding);
  } else if (few > 0) {
    AnswerFewGaps(inputs, idle, few, &*finding);
  } else if (idle.code_ns >= kMuchHostWork * idle.total_ns && idle.CodeGoesOn()) {
    AnswerMadeCode(inputs, idle, &*finding);
  }
  finding->cost_ns = finding->gain_at_most_ns;
  return finding;
}

}  // namespace

// A loop is not advised by what its start costs: that is a finding of its own.
MaybeFinding HostWork(const RunInputs& inputs) {
  if (inputs.start.count == 0) return HostWorkOf(inputs, GatherCause(inputs, GapCause::kHostWork));
  return HostWorkOf(inputs, GatherIdle(inputs, GapCause::kHostWork, 0, inputs.start.end_ns));
}

MaybeFinding StartUp(const RunInputs& inputs) {
  const IdleStart& start = inputs.start;
  if (inputs.Share(start.total_ns) < kIdleShare) return std::nullopt;
  const IdleGaps idle =
      GatherIdle(inputs, GapCause::kHostWork, kLongGapNs, inputs.device.start_ns, start.end_ns);
  MaybeFinding finding =
      FindCause(inputs, idle, " at its start, while the host works outside CUDA.");
  if (!finding) return finding;
  AddHostEvidence(inputs, idle, &*finding);
  finding->evidence.push_back("the last of them ends at " + MomentText(inputs, start.end_ns) +
                              "; later gaps of " + text::Time(kLongGapNs) +
                              " or more make a tenth of that at most");
  finding->action =
      "Find out what the host does there: it loads, compiles, or tries out kernels. Keep its "
      "results from one run to the next (a cache of compiled code, of choices), or record without "
      "the start (--delay, --window) to see what the rest leaves idle.";
  return finding;
}

MaybeFinding TransferBound(const RunInputs& inputs) {
  MaybeFinding finding =
      FindCause(inputs, GatherCause(inputs, GapCause::kTransfer), BecauseOf(GapCause::kTransfer));
  if (!finding) return finding;
  finding->action = ActionAgainst(GapCause::kTransfer);
  return finding;
}

namespace {

std::string PartText(const char* where, int64_t count, double time_ns) {
  if (count == 0) return "";
  return std::string(where) + ": " + text::Plural(count, "gap", "gaps") + ", " +
         text::Time(time_ns);
}

}  // namespace

MaybeFinding DependencyIdle(const RunInputs& inputs) {
  MaybeFinding finding = FindCause(inputs, GatherCause(inputs, GapCause::kDependency),
                                   BecauseOf(GapCause::kDependency));
  if (!finding) return finding;
  Dependencies found;
  for (const Gap& gap : inputs.device.gaps) found.Add(inputs, gap);
  for (const std::string& line :
       {PartText("between nodes of a CUDA graph", found.graph, found.graph_ns),
        PartText("behind another stream", found.streams, found.streams_ns),
        PartText("of 10 us or more on one stream, behind something that no record names",
                 found.lengthy, found.long_ns),
        PartText("between operations of a stream", found.stream, found.stream_ns)}) {
    if (!line.empty()) finding->evidence.push_back(line);
  }
  finding->action = ActionAgainst(found);
  finding->confidence = std::min(finding->confidence, DependencyConfidence(found));
  return finding;
}

MaybeFinding UnexplainedIdle(const RunInputs& inputs) {
  const IdleGaps idle =
      GatherIdle(inputs, GapCause::kUnknown, kUnexplainedGapNs, inputs.device.start_ns);
  MaybeFinding finding = FindCause(inputs, idle, " for a reason that the records do not show.");
  if (!finding) return finding;
  finding->action =
      "Record again with API calls, and with NVTX ranges around the phases of the program.";
  finding->check = "prof run with API calls and NVTX ranges recorded";
  finding->confidence = Confidence::kLow;
  return finding;
}

}  // namespace prof::analyzer
