// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/finding_rules.h"

#include <algorithm>
#include <map>

#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/finding_clock.h"
#include "lib/analyzer/rules/finding_copies.h"
#include "lib/analyzer/rules/finding_graph.h"
#include "lib/analyzer/rules/finding_inputs.h"
#include "lib/analyzer/timeline/launch_calls.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::Op;

// The name with most time.
std::string Most(const std::map<std::string, double>& times) {
  std::string best;
  double most = 0;
  for (const auto& [name, time] : times) {
    if (time <= most) continue;
    best = name;
    most = time;
  }
  return best.empty() ? best : best + " (" + text::Time(most) + ")";
}

// Idle time of one cause, with where it falls. nullopt: too little to matter.
MaybeFinding IdleFinding(const RunInputs& inputs, GapCause cause, double least_ns = 0) {
  double total = 0, longest = 0, known = 0;
  int64_t count = 0;
  std::map<std::string, double> calls, ranges;
  for (const Gap& gap : inputs.device.gaps) {
    const auto length = static_cast<double>(gap.undisturbed_ns());
    if (gap.cause != cause || length < least_ns) continue;
    total += length;
    longest = std::max(longest, length);
    ++count;
    if (gap.path != model::kNone) ranges[inputs.model.paths[gap.path].full] += length;
    if (gap.api == model::kNoIndex) continue;
    known += length;
    calls[inputs.model.strings[inputs.model.api_calls[gap.api].name]] += length;
  }
  if (total <= 0 || inputs.Share(total) < kIdleShare) return std::nullopt;
  Finding finding;
  finding.evidence.push_back(text::Count(count) + " gaps, " + text::Time(total) + " in all (" +
                             text::Percent(inputs.Share(total)) + " of the span), the longest " +
                             text::Time(longest));
  if (!calls.empty()) finding.evidence.push_back("most of it at " + Most(calls));
  if (!ranges.empty()) finding.evidence.push_back("most of it in range " + Most(ranges));
  finding.gain_at_most_ns = total;
  finding.confidence = known >= kCauseKnown * total ? Confidence::kHigh : Confidence::kMedium;
  finding.withheld_why = inputs.lost_operations;
  return finding;
}

std::string Idle(const RunInputs& inputs, const Finding& finding) {
  return "The GPU is idle for " + text::Percent(inputs.Share(finding.gain_at_most_ns)) +
         " of the span";
}

MaybeFinding SyncBound(const RunInputs& inputs) {
  MaybeFinding finding = IdleFinding(inputs, GapCause::kSync);
  if (!finding) return finding;
  finding->title = Idle(inputs, *finding) + " because the host waits before it launches more.";
  finding->action =
      "Remove the waits in the loop: launch ahead and wait once, use events or stream order; "
      "allocate before the loop, or with cudaMallocAsync.";
  return finding;
}

// How many kernels take the host longer to launch than the GPU to run, with nothing queued.
std::string LaunchIndex(const RunInputs& inputs) {
  int64_t kernels = 0, bound = 0;
  for (const Op& op : inputs.model.ops) {
    if (op.kind != model::OpKind::kKernel || !op.timed || op.sampled || op.graph != 0 ||
        op.device != inputs.device.device || op.api == model::kNoIndex) {
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

// Adds how much sampling slowed the launches down. Where it may be the cause of much of the idle
// time, the finding is of low confidence.
void AddSamplingCost(const RunInputs& inputs, Finding* finding) {
  const LaunchCalls calls = CompareLaunchCalls(inputs.model);
  double sampling_ns = 0;
  for (const Gap& gap : inputs.device.gaps) {
    const bool counts = gap.cause == GapCause::kLaunch && calls.Sampling(gap.start_ns);
    if (counts) sampling_ns += static_cast<double>(gap.undisturbed_ns());
  }
  if (sampling_ns < kWhileSampling * inputs.Idle(GapCause::kLaunch)) return;
  std::string text = text::Time(sampling_ns) + " of it while counters were sampled, when a launch ";
  const bool known = calls.sampling.n >= kFewCalls && calls.otherwise.n >= kFewCalls;
  const double slower_ns = calls.sampling.median - calls.otherwise.median;
  if (!known) {
    text += "costs the host more: a recording with --counters none shows what is left";
  } else if (slower_ns < kSlowerCall * calls.otherwise.median) {
    return;
  } else {
    text += "took the host " + text::Time(calls.sampling.median) + " instead of " +
            text::Time(calls.otherwise.median) + "; the difference is taken out";
  }
  finding->evidence.push_back(text);
  const double slowed_ns = slower_ns * static_cast<double>(calls.sampling.n);
  if (!known || slowed_ns >= kSlowedShare * sampling_ns) finding->confidence = Confidence::kLow;
}

MaybeFinding LaunchBound(const RunInputs& inputs) {
  MaybeFinding finding = IdleFinding(inputs, GapCause::kLaunch);
  if (!finding) return finding;
  finding->title = Idle(inputs, *finding) + " because launches come too slowly.";
  if (const std::string index = LaunchIndex(inputs); !index.empty()) {
    finding->evidence.push_back(index);
  }
  AddSamplingCost(inputs, &*finding);
  finding->action =
      "Launch less often: CUDA graphs, fused kernels, larger batches; then cut the host work "
      "between launches.";
  return finding;
}

MaybeFinding CodeLoading(const RunInputs& inputs) {
  MaybeFinding finding = IdleFinding(inputs, GapCause::kLoading);
  if (!finding) return finding;
  finding->title = Idle(inputs, *finding) + " while the driver loads or compiles code.";
  finding->action =
      "Launch each kernel once before the part that counts, or load all code at the start "
      "(CUDA_MODULE_LOADING=EAGER); ship code for this GPU (-arch), so that nothing is compiled at "
      "run time.";
  return finding;
}

MaybeFinding HostWork(const RunInputs& inputs) {
  MaybeFinding finding = IdleFinding(inputs, GapCause::kHostWork);
  if (!finding) return finding;
  finding->title = Idle(inputs, *finding) + " while the host works outside CUDA.";
  finding->action =
      "Do that work on another thread or ahead of time, so that the next launches are queued "
      "before the GPU runs dry.";
  return finding;
}

MaybeFinding TransferBound(const RunInputs& inputs) {
  MaybeFinding finding = IdleFinding(inputs, GapCause::kTransfer);
  if (!finding) return finding;
  finding->title = Idle(inputs, *finding) + " between copies and the work around them.";
  finding->action = "Copy earlier, on a stream of its own, and in fewer pieces.";
  return finding;
}

MaybeFinding UnexplainedIdle(const RunInputs& inputs) {
  MaybeFinding finding = IdleFinding(inputs, GapCause::kUnknown, kUnexplainedGapNs);
  if (!finding) return finding;
  finding->title = Idle(inputs, *finding) + " for a reason that the records do not show.";
  finding->action =
      "Capture again with API calls recorded and NVTX ranges around the phases of the program.";
  finding->confidence = Confidence::kLow;
  return finding;
}

MaybeFinding SmallKernels(const RunInputs& inputs) {
  if (inputs.Share(inputs.Idle(GapCause::kLaunch)) < kIdleShare) return std::nullopt;
  int64_t count = 0;
  double time = 0, gaps = 0;
  for (size_t i = 0; i < inputs.model.ops.size(); ++i) {
    const Op& op = inputs.model.ops[i];
    if (op.kind != model::OpKind::kKernel || !op.timed || op.graph != 0 ||
        op.device != inputs.device.device || !inputs.device.IsEvidence(op)) {
      continue;
    }
    const auto duration = static_cast<double>(op.end_ns - op.start_ns);
    if (duration >= kSmallKernelNs) continue;
    ++count;
    time += duration;
    gaps += inputs.LaunchGapBefore(static_cast<int32_t>(i));
  }
  if (static_cast<double>(count) < kSmallKernels || inputs.Share(gaps) < kIdleShare) {
    return std::nullopt;
  }
  Finding finding;
  finding.title =
      text::Count(count) + " kernels shorter than 10 us leave the GPU waiting for the next one.";
  finding.evidence = {
      "they run for " + text::Time(time) + " in all (" +
          text::Percent(time / std::max(1.0, static_cast<double>(inputs.kernels.length_ns()))) +
          " of the kernel time)",
      "launch gaps before them: " + text::Time(gaps)};
  finding.action = "Fuse neighbours, or batch more work into each launch.";
  finding.gain_at_most_ns = gaps;
  finding.confidence = Confidence::kMedium;
  finding.withheld_why = inputs.lost_operations;
  return finding;
}

// The median time from push to pop of the outermost range that is entered again and again; 0: there
// is none. Of several the one with most time.
double IterationNs(const model::Model& model, const RangeFamilies& families) {
  std::map<uint32_t, std::vector<int64_t>> durations;
  for (const model::RangeInstance& instance : model.instances) {
    if (!instance.closed || model.paths[instance.path].parent != model::kNone) continue;
    durations[families.of_path[instance.path]].push_back(instance.end_ns - instance.start_ns);
  }
  double most_ns = 0, iteration_ns = 0;
  for (auto& [path, list] : durations) {
    const Statistic each = Summarize(list.begin(), list.end());
    const double all_ns = each.median * static_cast<double>(each.n);
    if (static_cast<double>(each.n) < kRepeats || all_ns <= most_ns) continue;
    most_ns = all_ns;
    iteration_ns = each.median;
  }
  return iteration_ns;
}

struct FindingRule {
  std::string_view id;
  MaybeFinding (*find)(const RunInputs&);
};

constexpr FindingRule kFindings[] = {
    {"sync-bound", SyncBound},         {"launch-bound", LaunchBound},
    {"code-loading", CodeLoading},     {"host-work", HostWork},
    {"transfer-bound", TransferBound}, {"unexplained-idle", UnexplainedIdle},
    {"cuda-graph", GraphOpportunity},  {"small-kernels", SmallKernels},
    {"pageable-copy", PageableCopies}, {"copy-not-overlapped", CopiesNotOverlapped},
    {"small-copies", SmallCopies},     {"sync-copy", SynchronousCopies},
};

// A finding that rests on incomplete records is named without a gain or an action.
void Withhold(Finding* finding) {
  finding->withheld = true;
  finding->gain_at_most_ns = 0;
  finding->confidence = Confidence::kNone;
  finding->action.clear();
}

}  // namespace

std::vector<Finding> FindInRun(const model::Model& model, const Timeline& timeline,
                               double undisturbed_ns) {
  std::vector<Finding> findings;
  if (!(undisturbed_ns > 0)) return findings;
  std::vector<RunInputs> devices;
  for (const DeviceTimeline& device : timeline.devices) {
    devices.push_back(GatherRunInputs(model, device, undisturbed_ns));
  }
  for (const FindingRule& rule : kFindings) {
    MaybeFinding worst;
    for (const RunInputs& inputs : devices) {
      MaybeFinding finding = rule.find(inputs);
      if (!finding || (worst && finding->gain_at_most_ns <= worst->gain_at_most_ns)) continue;
      if (devices.size() > 1) {
        finding->evidence.push_back("on device " + std::to_string(inputs.device.device));
      }
      worst = std::move(finding);
    }
    if (!worst) continue;
    worst->id = rule.id;
    worst->gain_at_most_ns = std::clamp(worst->gain_at_most_ns, 0.0, undisturbed_ns);
    if (!worst->withheld_why.empty()) Withhold(&*worst);
    findings.push_back(std::move(*worst));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.gain_at_most_ns > b.gain_at_most_ns;
  });
  return findings;
}

std::string WhyNoFindings(const model::Model& model, const RangeFamilies& families, double span_ns,
                          double undisturbed_ns) {
  if (!(undisturbed_ns < span_ns)) return "";
  const double iteration_ns = IterationNs(model, families);
  std::string why;
  if (undisturbed_ns < kLeastUndisturbed * span_ns) {
    why = "that is less than " + text::Percent(kLeastUndisturbed);
  } else if (undisturbed_ns < iteration_ns) {
    why = "an iteration takes " + text::Time(iteration_ns);
  } else {
    return "";
  }
  return "prof disturbed all but " + text::Time(undisturbed_ns) + " of the " + text::Time(span_ns) +
         ", and " + why +
         ": a longer run, or one with --counters none, shows what is worth changing in it";
}

std::vector<std::string_view> FindingIds() {
  std::vector<std::string_view> ids;
  for (const FindingRule& rule : kFindings) ids.push_back(rule.id);
  ids.emplace_back(kClockFinding);
  return ids;
}

}  // namespace prof::analyzer
