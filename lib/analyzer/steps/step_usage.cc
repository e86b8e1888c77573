// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/steps/step_usage.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/timeline/gap_cause.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Op;

constexpr size_t kCommunicationClass = kGapCauses, kCopyClass = kGapCauses + 1;
constexpr size_t kKernelClasses = kGapCauses + 2;

using PartCounts = std::array<int, kStepParts>;

// The operations that run on one device while its operations are visited by their starts.
class Running {
 public:
  Running(const std::vector<StepWindow>& windows, std::vector<StepUsage>* usages)
      : windows_(windows), usages_(*usages) {}

  void Begin(int64_t start_ns, int64_t end_ns, size_t part) {
    EndUntil(start_ns);
    Advance(start_ns);
    ++counts_[part];
    ends_.push({end_ns, part});
  }

  void EndAll() {
    while (!ends_.empty()) EndUntil(ends_.top().first);
  }

 private:
  using End = std::pair<int64_t, size_t>;  // time, part

  void EndUntil(int64_t time_ns) {
    while (!ends_.empty() && ends_.top().first <= time_ns) {
      Advance(ends_.top().first);
      --counts_[ends_.top().second];
      ends_.pop();
    }
  }

  void Advance(int64_t time_ns) {
    const Interval interval{std::exchange(at_ns_, time_ns), time_ns};
    const auto parts =
        std::count_if(counts_.begin(), counts_.end(), [](int count) { return count > 0; });
    if (parts == 0 || interval.end_ns <= interval.start_ns) return;
    SplitByWindows(windows_, interval, [&](size_t step, const Interval& piece) {
      const int64_t length_ns = piece.end_ns - piece.start_ns;
      usages_[step].busy_ns += length_ns;
      for (size_t part = 0; part < kStepParts; ++part) {
        if (counts_[part] == 0) continue;
        usages_[step].parts[part].gpu_ns += length_ns;
        if (parts == 1) usages_[step].parts[part].alone_ns += length_ns;
      }
    });
  }

  const std::vector<StepWindow>& windows_;
  std::vector<StepUsage>& usages_;
  PartCounts counts_{};
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  int64_t at_ns_ = 0;
};

size_t ClassOf(const Op& op, StepPart part, int32_t group,
               const std::vector<KernelReport>& kernels) {
  if (!RunsKernels(op)) return kCopyClass;
  if (part == StepPart::kCommunication && op.kind == model::OpKind::kKernel) {
    return kCommunicationClass;
  }
  const Limiter limiter = group == kNoIndex ? Limiter::kNotMeasured
                                            : kernels[static_cast<size_t>(group)].verdict.limiter;
  return kKernelClasses + static_cast<size_t>(limiter);
}

void AddOperations(const model::Model& model, const Timeline& timeline, const KernelGroups& groups,
                   const std::vector<KernelReport>& kernels, const StepParts& parts,
                   const std::vector<StepWindow>& windows, std::vector<StepUsage>* usages) {
  std::unordered_map<uint32_t, Running> devices;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op op = model.ops[i];
    if (!op.timed) break;  // they are last
    const DeviceTimeline* const device = timeline.Find(op.device);
    if (device == nullptr || !device->IsEvidence(op)) continue;
    const StepPart part = parts.OfOperation(i);
    devices.try_emplace(op.device, windows, usages)
        .first->second.Begin(op.start_ns, op.end_ns, static_cast<size_t>(part));
    const size_t step = WindowAt(windows, op.start_ns);
    if (step == windows.size()) continue;
    StepUsage& usage = (*usages)[step];
    ++usage.operations;
    usage.classes[ClassOf(op, part, groups.group_of_op[i], kernels)] += timeline.exclusive_ns[i];
    if (op.kind != model::OpKind::kCopy) continue;
    ++usage.copies;
    usage.copied_bytes += op.bytes;
  }
  for (auto& [id, running] : devices) running.EndAll();
}

// Idle time of the program: what prof disturbed is left out, and the step does not count.
void AddGaps(const Timeline& timeline, const StepParts& parts,
             const std::vector<StepWindow>& windows, std::vector<StepUsage>* usages) {
  for (const DeviceTimeline& device : timeline.devices) {
    for (const Gap& gap : device.gaps) {
      if (gap.disturbed_ns > 0) continue;
      const bool on_device = gap.cause == GapCause::kTransfer || gap.cause == GapCause::kDependency;
      SplitByWindows(windows, {gap.start_ns, gap.end_ns}, [&](size_t step, const Interval& piece) {
        StepUsage& usage = (*usages)[step];
        usage.classes[static_cast<size_t>(gap.cause)] += piece.end_ns - piece.start_ns;
        const auto add = [&](int64_t from_ns, int64_t to_ns, StepPart part) {
          usage.parts[static_cast<size_t>(part)].idle_ns += to_ns - from_ns;
        };
        if (on_device) {
          add(piece.start_ns, piece.end_ns, parts.OfOperation(static_cast<size_t>(gap.next_op)));
        } else {
          parts.VisitHost(piece, add);
        }
      });
    }
  }
}

// The step in whose host time a moment is.
size_t HostWindowAt(const std::vector<StepWindow>& windows, int64_t time_ns) {
  const auto at = std::lower_bound(
      windows.begin(), windows.end(), time_ns,
      [](const StepWindow& window, int64_t time) { return window.host.end_ns < time; });
  const bool in = at != windows.end() && at->host.start_ns < time_ns;
  return in ? static_cast<size_t>(at - windows.begin()) : windows.size();
}

void AddHostTimes(const model::Model& model, const StepParts& parts,
                  const std::vector<StepWindow>& windows, uint32_t thread,
                  std::vector<StepUsage>* usages) {
  for (size_t step = 0; step < windows.size(); ++step) {
    parts.VisitHost(windows[step].host, [&](int64_t from_ns, int64_t to_ns, StepPart part) {
      (*usages)[step].parts[static_cast<size_t>(part)].host_ns += to_ns - from_ns;
    });
  }
  const GapClassifier calls(model);
  int64_t until_ns = 0;  // a call within another one adds nothing
  for (size_t i = 0; i < model.api_calls.size(); ++i) {
    if (!calls.BlocksHost(i)) continue;
    const model::ApiCall call = model.api_calls[i];
    if (call.thread != thread) continue;
    const size_t step = HostWindowAt(windows, call.end_ns);
    const int64_t start_ns = std::max(call.start_ns, until_ns);
    until_ns = std::max(until_ns, call.end_ns);
    if (step == windows.size() || call.end_ns <= start_ns) continue;
    (*usages)[step].blocked_ns += call.end_ns - std::max(start_ns, windows[step].host.start_ns);
  }
  for (const model::Allocation& allocation : model.allocations) {
    if (allocation.operation != model::AllocationOperation::kAllocate) continue;
    const size_t step = HostWindowAt(windows, allocation.time_ns);
    if (step < windows.size()) (*usages)[step].allocated_bytes += allocation.bytes;
  }
}

}  // namespace

std::string ClassName(size_t number) {
  if (number < kGapCauses) return std::string("idle: ") + ToString(static_cast<GapCause>(number));
  if (number == kCommunicationClass) return "communication";
  if (number == kCopyClass) return "copies";
  return std::string("kernels: ") + ToString(static_cast<Limiter>(number - kKernelClasses));
}

std::vector<StepUsage> MeasureSteps(const model::Model& model, const Timeline& timeline,
                                    const KernelGroups& groups,
                                    const std::vector<KernelReport>& kernels,
                                    const StepParts& parts, const std::vector<StepWindow>& windows,
                                    uint32_t thread) {
  std::vector<StepUsage> usages(windows.size());
  AddOperations(model, timeline, groups, kernels, parts, windows, &usages);
  AddGaps(timeline, parts, windows, &usages);
  AddHostTimes(model, parts, windows, thread, &usages);
  return usages;
}

}  // namespace prof::analyzer
