// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_copies.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "lib/analyzer/base/ceilings.h"
#include "lib/analyzer/base/host_link.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_text.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::CopyKind;
using model::MemoryKind;
using model::Op;

struct Copies {
  int64_t count = 0;
  double bytes = 0;
  double time_ns = 0;     // union
  double exposed_ns = 0;  // of that, without a kernel
};

bool ToOrFromHost(const Op& op) {
  return op.copy == CopyKind::kHostToDevice || op.copy == CopyKind::kDeviceToHost;
}

bool IsPageable(const Op& op) {
  return op.source == MemoryKind::kPageable || op.destination == MemoryKind::kPageable;
}

bool MayHaveCopies(const RunInputs& inputs) {
  return inputs.model.ops.MayHave(model::OpKind::kCopy);
}

template <typename Wanted>
Copies Collect(const RunInputs& inputs, Wanted wanted) {
  Copies copies;
  if (!MayHaveCopies(inputs)) return copies;
  Intervals times;
  for (const Op& op : inputs.model.ops) {
    if (op.kind != model::OpKind::kCopy || !op.timed || op.device != inputs.device.device) continue;
    if (!inputs.device.IsEvidence(op) || !wanted(op)) continue;
    times.push_back({op.start_ns, op.end_ns});
    ++copies.count;
    copies.bytes += static_cast<double>(op.bytes);
  }
  const IntervalUnion all(std::move(times));
  copies.time_ns = static_cast<double>(all.length_ns());
  if (copies.count == 0) return copies;
  const IntervalUnion kernels = KernelTimes(inputs.model, inputs.device);
  copies.exposed_ns = static_cast<double>(all.length_ns() - all.WithinNs(kernels));
  return copies;
}

std::string DescribeCopies(const Copies& copies) {
  std::string text = text::Plural(copies.count, "copy", "copies") + ", " +
                     text::Bytes(copies.bytes) + " in " + text::Time(copies.time_ns);
  if (copies.time_ns > 0) {
    text += " (" + text::Fixed(copies.bytes / copies.time_ns, 1) + " GB/s), " +
            text::Percent(1 - copies.exposed_ns / copies.time_ns) + " of it under kernels";
  }
  return text;
}

// What copies in one direction, from or to pinned memory, cannot exceed here.
struct LinkRate {
  double bytes_per_ns = 0;  // 0: not known
  const char* from = "";    // "measured"
};

// Measured by a calibration, or else the rate of the link; or the highest one of this run.
LinkRate RateOf(const RunInputs& inputs, CopyKind kind) {
  const model::Device* const device = inputs.model.FindDevice(inputs.device.device);
  LinkRate rate;
  if (const double measured = CopyCeiling(device, kind); measured > 0) {
    rate = {measured / 1e9, "measured"};
  } else if (kind != CopyKind::kPeerToPeer) {
    rate = {HostLinkBytesPerS(device) / 1e9, "at best"};
  }
  if (!MayHaveCopies(inputs)) return rate;
  for (const Op& op : inputs.model.ops) {
    if (op.kind != model::OpKind::kCopy || !op.timed || op.copy != kind || IsPageable(op)) continue;
    if (op.end_ns <= op.start_ns || static_cast<double>(op.bytes) < kSmallCopyBytes) continue;
    const double own = static_cast<double>(op.bytes) / static_cast<double>(op.end_ns - op.start_ns);
    if (own > rate.bytes_per_ns) rate = {own, "the fastest copy of the run"};
  }
  return rate;
}

std::string RateText(const LinkRate& rate) {
  return text::Fixed(rate.bytes_per_ns, 0) + " GB/s (" + rate.from + ")";
}

// Host copies as if each direction ran at its rate.
struct AtRate {
  double time_ns = 0;
  LinkRate rate;  // of the direction with most bytes
};

template <typename Wanted>
AtRate HostCopiesAtRate(const RunInputs& inputs, Wanted wanted) {
  AtRate all;
  double most_bytes = 0;
  for (const CopyKind kind : {CopyKind::kHostToDevice, CopyKind::kDeviceToHost}) {
    const Copies copies =
        Collect(inputs, [&](const Op& op) { return op.copy == kind && wanted(op); });
    if (copies.count == 0) continue;
    const LinkRate rate = RateOf(inputs, kind);
    all.time_ns += copies.bytes / rate.bytes_per_ns;
    if (copies.bytes < most_bytes) continue;
    most_bytes = copies.bytes;
    all.rate = rate;
  }
  return all;
}

bool IsCopy(const Op& op) { return op.kind == model::OpKind::kCopy && ToOrFromHost(op); }

// Calls of copies that hold up their thread.
template <typename Wanted>
std::set<int32_t> CallsOf(const RunInputs& inputs, Wanted wanted) {
  std::set<int32_t> calls;
  for (const Op& op : inputs.model.ops) {
    if (IsCopy(op) && op.api != model::kNoIndex && wanted(op)) calls.insert(op.api);
  }
  return calls;
}

// What a copy beside the gap may have to do with it: neither what the host does for longer than for
// a call, nor the loading of code.
double OfCopyBeside(const Gap& gap) {
  const auto time_ns = static_cast<double>(gap.of_cause_ns(gap.cause));
  switch (gap.cause) {
    case GapCause::kSync:
    case GapCause::kLaunch:
    case GapCause::kTransfer:
    case GapCause::kDependency:
      return time_ns;
    case GapCause::kHostWork:
      return std::min(time_ns, kDispatchNs);
    default:
      return 0;
  }
}

// A copy that holds up its thread: idle time directly behind it is that copy's, and what the
// thread, which came late, left idle later.
template <typename Wanted>
double IdleBehind(const RunInputs& inputs, Wanted wanted) {
  if (!MayHaveCopies(inputs)) return 0;
  const std::set<int32_t> calls = CallsOf(inputs, wanted);
  double idle_ns = 0;
  for (const Gap& gap : inputs.device.gaps) {
    if (gap.cause == GapCause::kProfiler || gap.previous_op == model::kNoIndex) continue;
    const Op& previous = inputs.model.ops[gap.previous_op];
    const bool behind = gap.cause != GapCause::kDependency && IsCopy(previous) && wanted(previous);
    if (behind) {
      idle_ns += OfCopyBeside(gap);
    } else if (gap.wait != model::kNoIndex && calls.count(gap.wait) != 0) {
      idle_ns += static_cast<double>(std::min(gap.after_wait_ns, gap.without_waits_ns));
    }
  }
  return idle_ns;
}

// Idle time directly before and behind copies of a kind, as far as it may be theirs.
template <typename Wanted>
double IdleBesideCopies(const RunInputs& inputs, Wanted wanted) {
  double idle_ns = 0;
  for (const Gap& gap : inputs.device.gaps) {
    if (gap.previous_op == model::kNoIndex) continue;
    const Op& previous = inputs.model.ops[gap.previous_op];
    const Op& next = inputs.model.ops[gap.next_op];
    const bool beside = (IsCopy(previous) && wanted(previous)) || (IsCopy(next) && wanted(next));
    if (beside) idle_ns += OfCopyBeside(gap);
  }
  return idle_ns;
}

// The time of the direction with more of it: one link has one direction at a time for each.
template <typename Wanted>
double LongerDirectionNs(const RunInputs& inputs, Wanted wanted) {
  double longer_ns = 0;
  for (const CopyKind kind : {CopyKind::kHostToDevice, CopyKind::kDeviceToHost}) {
    const Copies copies =
        Collect(inputs, [&](const Op& op) { return op.copy == kind && wanted(op); });
    longer_ns = std::max(longer_ns, copies.time_ns);
  }
  return longer_ns;
}

// Kernels of one stream run one after the other, however little they wait for.
double LongestStreamNs(const RunInputs& inputs) {
  std::map<std::pair<uint32_t, uint32_t>, double> streams;
  double longest_ns = 0;
  for (const Op& op : inputs.model.ops) {
    if (op.kind != model::OpKind::kKernel || !op.timed || op.device != inputs.device.device)
      continue;
    if (!inputs.device.IsEvidence(op)) continue;
    double& stream_ns = streams[{op.context, op.stream}];
    stream_ns += static_cast<double>(op.end_ns - op.start_ns);
    longest_ns = std::max(longest_ns, stream_ns);
  }
  return longest_ns;
}

}  // namespace

MaybeFinding PageableCopies(const RunInputs& inputs) {
  const Copies copies =
      Collect(inputs, [](const Op& op) { return ToOrFromHost(op) && IsPageable(op); });
  const AtRate pinned = HostCopiesAtRate(inputs, IsPageable);
  const double idle_ns = IdleBehind(inputs, IsPageable);
  const double copying_ns = std::min(copies.exposed_ns, copies.time_ns - pinned.time_ns);
  if (inputs.Share(copying_ns) < kCopyShare) return std::nullopt;
  Finding finding;
  finding.title = "Copies from or to pageable memory take " +
                  text::Percent(inputs.Share(copies.exposed_ns)) + " of the span.";
  finding.evidence = {
      DescribeCopies(copies),
      "pinned, they would take " + text::Time(pinned.time_ns) + " at " + RateText(pinned.rate),
      "the driver stages pageable memory through a buffer of its own, and "
      "cudaMemcpyAsync does not return before that is done"};
  // A pinned copy does not hold up its thread, so that other work can run beside all of it.
  const double gain = copies.exposed_ns + idle_ns;
  if (idle_ns > 0) finding.evidence.push_back("idle behind them: " + text::Time(idle_ns));
  finding.action = "Allocate the host side with cudaMallocHost, or register it once.";
  finding.check = kCheckTimeline;
  finding.gain_at_most_ns = gain;
  finding.confidence = Confidence::kHigh;
  return RatedFinding(std::move(finding), copying_ns + idle_ns);
}

MaybeFinding CopiesNotOverlapped(const RunInputs& inputs) {
  const Copies copies =
      Collect(inputs, [](const Op& op) { return ToOrFromHost(op) && !IsPageable(op); });
  if (copies.exposed_ns <= (1 - kOverlapped) * copies.time_ns) return std::nullopt;
  const auto pinned = [](const Op& op) { return !IsPageable(op); };
  const auto kernels_ns = static_cast<double>(inputs.kernels_ns);
  const double free_kernels = kernels_ns - (copies.time_ns - copies.exposed_ns);
  const double cost_ns = std::min(copies.exposed_ns, free_kernels);
  if (inputs.Share(cost_ns) < kIdleShare) return std::nullopt;
  // At best the kernels, the copies in one direction and those in the other run side by side.
  const double longest_ns = std::max(kernels_ns, LongerDirectionNs(inputs, pinned));
  const double idle_ns = IdleBesideCopies(inputs, pinned);
  const double gain = kernels_ns + copies.exposed_ns - longest_ns + idle_ns;
  Finding finding;
  finding.title = "Copies that could run under kernels take " +
                  text::Percent(inputs.Share(copies.exposed_ns)) + " of the span alone.";
  finding.evidence = {DescribeCopies(copies),
                      "kernels without a copy beside them: " + text::Time(free_kernels)};
  if (idle_ns > 0) finding.evidence.push_back("idle beside them: " + text::Time(idle_ns));
  finding.action =
      "Copy on another stream while kernels run (double buffering), where the data allows it.";
  finding.gain_at_most_ns = gain;
  finding.check = kCheckTimeline;
  finding.confidence = Confidence::kMedium;  // nothing shows whether the data allows it
  finding.withheld_why = inputs.lost_operations;
  return RatedFinding(std::move(finding), cost_ns);
}

MaybeFinding LinkBound(const RunInputs& inputs) {
  Copies copies;
  CopyKind direction = CopyKind::kUnknown;
  for (const CopyKind kind :
       {CopyKind::kHostToDevice, CopyKind::kDeviceToHost, CopyKind::kPeerToPeer}) {
    const Copies own =
        Collect(inputs, [&](const Op& op) { return op.copy == kind && !IsPageable(op); });
    if (own.count == 0 || own.time_ns <= copies.time_ns) continue;
    copies = own;
    direction = kind;
  }
  if (copies.count == 0 || inputs.Share(copies.time_ns) < kLinkBusy) return std::nullopt;
  const bool is_peer = direction == CopyKind::kPeerToPeer;
  // How fast devices are connected is known by measuring it alone.
  if (is_peer && !(CopyCeiling(inputs.model.FindDevice(inputs.device.device), direction) > 0)) {
    return std::nullopt;
  }
  const LinkRate fastest = RateOf(inputs, direction);
  const double rate = copies.bytes / copies.time_ns;
  if (rate < kLinkRate * fastest.bytes_per_ns) return std::nullopt;
  const double kernels_ns = LongestStreamNs(inputs);
  // Where the kernels of one stream take all of the span, too, fewer bytes save nothing.
  if (inputs.Share(inputs.span_ns - kernels_ns) < kIdleShare) return std::nullopt;
  Finding finding;
  const char* const what = is_peer                                ? "Copies between devices"
                           : direction == CopyKind::kHostToDevice ? "Copies to the device"
                                                                  : "Copies to the host";
  finding.title = std::string(what) + " take " + text::Percent(inputs.Share(copies.time_ns)) +
                  " of the span, at " + text::Percent(rate / fastest.bytes_per_ns) +
                  " of the link's rate.";
  finding.evidence = {DescribeCopies(copies),
                      "the link: " + RateText(fastest) + ", in each direction",
                      "the kernels of one stream take " + text::Time(kernels_ns) + " at most"};
  finding.action =
      is_peer ? "Send fewer bytes: keep on each GPU what it uses often, or use a smaller type."
              : "Send fewer bytes: keep on the GPU what does not change, use a smaller type, or "
                "compress.";
  finding.check = kCheckTimeline;
  finding.gain_at_most_ns = inputs.span_ns - kernels_ns;
  finding.confidence = Confidence::kMedium;  // nothing shows whether fewer bytes would do
  finding.withheld_why = inputs.lost_operations;
  return RatedFinding(std::move(finding), std::max(0.0, copies.time_ns - kernels_ns));
}

MaybeFinding SmallCopies(const RunInputs& inputs) {
  const auto is_small = [](const Op& op) {
    return static_cast<double>(op.bytes) < kSmallCopyBytes;
  };
  const Copies copies =
      Collect(inputs, [&](const Op& op) { return ToOrFromHost(op) && is_small(op); });
  if (static_cast<double>(copies.count) < kSmallCopies) return std::nullopt;
  const double gaps = IdleBesideCopies(inputs, is_small);
  const AtRate in_one = HostCopiesAtRate(inputs, is_small);
  double before_ns = 0;
  for (const Gap& gap : inputs.device.gaps) {
    if (gap.next_op == model::kNoIndex) continue;
    const Op& next = inputs.model.ops[gap.next_op];
    if (IsCopy(next) && is_small(next)) before_ns += OfCopyBeside(gap);
  }
  const double cost_ns = std::max(0.0, copies.exposed_ns - in_one.time_ns) + before_ns;
  if (inputs.Share(cost_ns) < kCopyShare) return std::nullopt;
  // The one copy that is left may run under kernels.
  const double gain = copies.exposed_ns + gaps;
  Finding finding;
  finding.title = text::Count(copies.count) + " copies below 64 KB cost more than their bytes.";
  finding.evidence = {DescribeCopies(copies), "idle beside them: " + text::Time(gaps),
                      "in one piece they would take " + text::Time(in_one.time_ns) + " at " +
                          RateText(in_one.rate)};
  finding.action = "Gather them in one buffer and copy once.";
  finding.check = kCheckTimeline;
  finding.gain_at_most_ns = gain;
  finding.confidence = Confidence::kMedium;
  return RatedFinding(std::move(finding), cost_ns);
}

// Only idle time right after a copy counts, and only if the copy's call held up the host.
MaybeFinding SynchronousCopies(const RunInputs& inputs) {
  const auto waits = [](const Op& op) { return !op.async; };
  const Copies copies =
      Collect(inputs, [&](const Op& op) { return ToOrFromHost(op) && waits(op); });
  const double idle = IdleBehind(inputs, waits);
  if (inputs.Share(idle) < kCopyShare) return std::nullopt;
  Finding finding;
  finding.title = "After synchronous copies the GPU is idle for " +
                  text::Percent(inputs.Share(idle)) + " of the span.";
  finding.evidence = {DescribeCopies(copies), "idle after them: " + text::Time(idle),
                      "asynchronous copies may also run beside other work"};
  finding.action =
      "Use cudaMemcpyAsync with pinned memory, and wait where the data is needed, not before.";
  finding.gain_at_most_ns = idle + copies.exposed_ns;
  finding.check = kCheckTimeline;
  finding.confidence = Confidence::kMedium;
  finding.withheld_why = inputs.lost_operations;
  return RatedFinding(std::move(finding), idle);
}

}  // namespace prof::analyzer
