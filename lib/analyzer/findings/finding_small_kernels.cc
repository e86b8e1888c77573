// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_small_kernels.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_text.h"
#include "lib/analyzer/kernels/dram_traffic.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Op;

// Kernels below kSmallKernelNs, and the idle time beside them that host or dependency leave.
struct Small {
  int64_t count = 0;
  double time_ns = 0;
  double gaps_ns = 0;    // before them
  double beside_ns = 0;  // before and behind them
  double rows_ns = 0;    // of time_ns: those with another one directly beside them on their stream
};

double LaunchOrDependencyNs(const Gap& gap) {
  const bool counts = gap.cause == GapCause::kLaunch || gap.cause == GapCause::kDependency;
  return counts ? static_cast<double>(gap.of_cause_ns(gap.cause)) : 0;
}

double LengthNs(const Op& op) { return static_cast<double>(op.end_ns - op.start_ns); }

bool IsSmall(const Op& op) {
  return op.kind == model::OpKind::kKernel && LengthNs(op) < kSmallKernelNs;
}

// Calls `function(op, index, in_a_row)` for each small kernel; `in_a_row`: another one is directly
// beside it on its stream. The calls are in no order.
template <typename Function>
void ForEachSmall(const model::Model& model, const DeviceTimeline& device, Function function) {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  struct Last {
    size_t op = kNone;  // the kernel before, if it was small
    bool in_a_row = false;
  };
  std::map<std::tuple<uint32_t, uint32_t>, Last> streams;  // by context and stream
  const auto end = [&](const Last& last) {
    if (last.op != kNone) function(model.ops[last.op], last.op, last.in_a_row);
  };
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op op = model.ops[i];
    if (!op.timed || op.device != device.device || !device.IsEvidence(op)) continue;
    Last& last = streams[{op.context, op.stream}];
    const bool follows = last.op != kNone && IsSmall(op);
    last.in_a_row |= follows;
    end(last);
    last = IsSmall(op) ? Last{i, follows} : Last{};
  }
  for (const auto& [stream, last] : streams) end(last);
}

Small GatherSmall(const RunInputs& inputs) {
  Small small;
  ForEachSmall(inputs.model, inputs.device, [&](const Op& op, size_t, bool in_a_row) {
    ++small.count;
    small.time_ns += LengthNs(op);
    if (in_a_row) small.rows_ns += LengthNs(op);
  });
  for (const Gap& gap : inputs.device.gaps) {
    if (gap.previous_op == kNoIndex) continue;
    const bool before = IsSmall(inputs.model.ops[gap.next_op]);
    if (before) small.gaps_ns += LaunchOrDependencyNs(gap);
    if (before || IsSmall(inputs.model.ops[gap.previous_op])) {
      small.beside_ns += LaunchOrDependencyNs(gap);
    }
  }
  return small;
}

struct DramReads {
  double ns = 0;
  int64_t launches = 0;
};

// What the DRAM needs at its peak for what the small kernels in rows read.
DramReads ReadsOf(const model::Model& model, const DeviceTimeline& device,
                  const KernelGroups& groups,
                  const std::vector<std::optional<DramTraffic>>& traffic) {
  DramReads reads;
  ForEachSmall(model, device, [&](const Op& op, size_t i, bool in_a_row) {
    const int32_t group = groups.group_of_op[i];
    if (!in_a_row || group == kNoIndex || !traffic[static_cast<size_t>(group)]) return;
    const DramTraffic& of_kernel = *traffic[static_cast<size_t>(group)];
    if (!(of_kernel.Bytes() < of_kernel.l2_bytes)) return;
    reads.ns += std::min(LengthNs(op), of_kernel.read_at_least / of_kernel.peak * 1e9);
    ++reads.launches;
  });
  return reads;
}

}  // namespace

MaybeFinding SmallKernels(const RunInputs& inputs) {
  const Small small = GatherSmall(inputs);
  if (static_cast<double>(small.count) < kSmallKernels ||
      inputs.Share(small.gaps_ns) < kIdleShare) {
    return std::nullopt;
  }
  Finding finding;
  finding.title = text::Count(small.count) +
                  " kernels shorter than 10 us leave the GPU waiting for the next one.";
  finding.evidence = {
      "they run for " + text::Time(small.time_ns) + " in all (" +
          text::Percent(small.time_ns / std::max(1.0, static_cast<double>(inputs.kernels_ns))) +
          " of the kernel time)",
      "idle before them: " + text::Time(small.gaps_ns),
      "gain: the idle time before and behind them (" + text::Time(small.beside_ns) + "), and the " +
          text::Time(small.rows_ns) +
          " of those with another one beside them on their stream, at most"};
  AddSamplingCost(inputs, &finding);
  finding.action = "Fuse neighbours, or batch more work into each launch.";
  finding.gain_at_most_ns = small.beside_ns + small.rows_ns;
  finding.kernels_at_most_ns = small.rows_ns;
  finding.check = kCheckTimeline;
  finding.confidence =
      finding.confidence == Confidence::kLow ? Confidence::kLow : Confidence::kMedium;
  finding.withheld_why = inputs.lost_operations;
  return RatedFinding(std::move(finding), small.gaps_ns + small.rows_ns);
}

void KeepDramReads(const model::Model& model, const Timeline& timeline, const KernelGroups& groups,
                   const std::vector<KernelReport>& kernels, std::vector<Finding>* findings) {
  const auto finding = std::find_if(findings->begin(), findings->end(), [](const Finding& one) {
    return one.id == kSmallKernelsFinding && !one.withheld;
  });
  if (finding == findings->end()) return;
  std::vector<std::optional<DramTraffic>> traffic;
  traffic.reserve(kernels.size());
  for (const KernelReport& kernel : kernels) traffic.push_back(DramTrafficOf(model, kernel));
  // The finding is of one device, which it does not name: what any of them reads less is a bound.
  std::optional<DramReads> least;
  for (const DeviceTimeline& device : timeline.devices) {
    const DramReads reads = ReadsOf(model, device, groups, traffic);
    if (!least || reads.ns < least->ns) least = reads;
  }
  if (!least || !(least->ns > 0)) return;
  const double less_ns = std::min(least->ns, finding->kernels_at_most_ns);
  finding->gain_at_most_ns -= less_ns;
  finding->kernels_at_most_ns -= less_ns;
  finding->evidence.push_back("less the " + text::Time(less_ns) +
                              " that the DRAM needs at its peak for what " +
                              text::Plural(least->launches, "launch", "launches") +
                              " of them read: a fused kernel reads it as well");
}

}  // namespace prof::analyzer
