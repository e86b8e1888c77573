// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_inputs.h"

#include <algorithm>
#include <utility>

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/search.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

std::string WhyIdleTimeIsInDoubt(const model::Model& model) {
  const std::vector<std::string> losses = LostOperations(model);
  return losses.empty() ? ""
                        : text::Enumerate(losses) + ": idle time may be work that was not recorded";
}

std::string WhyRangesAreInDoubt(const model::Model& model) {
  const uint64_t lost = LostRangeEvents(model);
  return lost == 0 ? "" : std::to_string(lost) + " range events or API calls were dropped";
}

// A gap that a wait owns, before a launch that the wait did not hold up itself.
bool InTheRefill(const model::Model& model, const Gap& gap) {
  return gap.cause == GapCause::kSync && gap.api != model::kNoIndex && gap.wait == gap.api &&
         model.api_calls[gap.api].end_ns < gap.start_ns;
}

// Gaps are in the order of the operations that end them.
std::optional<Gap> GapBefore(const DeviceTimeline& device, int32_t op) {
  const size_t at = FirstNotBefore(device.gaps.size(), device.gaps.size() / 2,
                                   [&](size_t i) { return device.gaps[i].next_op < op; });
  if (at == device.gaps.size() || device.gaps[at].next_op != op) return std::nullopt;
  return device.gaps[at];
}

}  // namespace

bool IsKernelOf(const DeviceTimeline& device, const model::Op& op) {
  return RunsKernels(op) && op.timed && op.device == device.device && device.IsEvidence(op);
}

double RunInputs::IdleBefore(int32_t op) const {
  const std::optional<Gap> gap = GapBefore(device, op);
  if (!gap || gap->cause == GapCause::kProfiler || gap->cause == GapCause::kUnknown) return 0;
  return static_cast<double>(gap->undisturbed_ns());
}

double RunInputs::LoadingBefore(int32_t op) const {
  const std::optional<Gap> gap = GapBefore(device, op);
  return gap ? static_cast<double>(gap->of_cause_ns(GapCause::kLoading)) : 0;
}

double RunInputs::LaunchGapBefore(int32_t op) const {
  const std::optional<Gap> gap = GapBefore(device, op);
  if (!gap || (gap->cause != GapCause::kLaunch && !InTheRefill(model, *gap))) return 0;
  return static_cast<double>(gap->of_cause_ns(gap->cause));
}

IntervalUnion KernelTimes(const model::Model& model, const DeviceTimeline& device) {
  Intervals kernels;
  for (const model::Op& op : model.ops) {
    if (IsKernelOf(device, op)) kernels.push_back({op.start_ns, op.end_ns});
  }
  return IntervalUnion(std::move(kernels));
}

RunInputs GatherRunInputs(const model::Model& model, const DeviceTimeline& device,
                          const Iterations& iterations, double span_ns) {
  RunInputs inputs{model, device, iterations, span_ns};
  int64_t covered_until_ns = device.start_ns;
  for (const model::Op& op : model.ops) {  // by start
    if (!IsKernelOf(device, op)) continue;
    inputs.kernels_ns += std::max<int64_t>(0, op.end_ns - std::max(op.start_ns, covered_until_ns));
    covered_until_ns = std::max(covered_until_ns, op.end_ns);
  }
  for (const Gap& gap : device.gaps) {
    const auto cause = static_cast<size_t>(gap.cause);
    if (cause >= inputs.idle_ns.size()) continue;
    inputs.idle_ns[cause] += static_cast<double>(gap.of_cause_ns(gap.cause));
    ++inputs.idle_count[cause];
    if (gap.beside_ns == 0) continue;
    const auto beside = static_cast<size_t>(gap.beside_cause());
    inputs.idle_ns[beside] += static_cast<double>(gap.beside_ns);
    ++inputs.idle_count[beside];
  }
  inputs.start = FindIdleStart(device);
  inputs.steps = FindDeviceSteps(model, iterations, device);
  inputs.lost_operations = WhyIdleTimeIsInDoubt(model);
  inputs.lost_ranges = WhyRangesAreInDoubt(model);
  return inputs;
}

void WithholdIfIncomplete(Finding* finding) {
  if (finding->withheld_why.empty()) return;
  finding->withheld = true;
  finding->gain_at_most_ns = 0;
  finding->confidence = Confidence::kNone;
  finding->action.clear();
  finding->check.clear();
}

}  // namespace prof::analyzer
