// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_streams.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/communication.h"
#include "lib/analyzer/base/kernel_names.h"
#include "lib/analyzer/base/sm_share.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_text.h"
#include "lib/text/demangle.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::CopyKind;
using model::Op;
using model::OpKind;

bool Counts(const RunInputs& inputs, const Op& op) {
  return op.timed && op.device == inputs.device.device && inputs.device.IsEvidence(op);
}

double OpLengthNs(const Op& op) { return static_cast<double>(op.end_ns - op.start_ns); }

// The idle time directly before and behind operations of one kind goes with them.
template <typename Wanted>
double IdleBeside(const RunInputs& inputs, Wanted wanted) {
  double idle_ns = 0;
  for (const Gap& gap : inputs.device.gaps) {
    if (gap.cause == GapCause::kProfiler || gap.previous_op == model::kNoIndex) continue;
    const bool beside =
        wanted(inputs.model.ops[gap.previous_op]) || wanted(inputs.model.ops[gap.next_op]);
    if (beside) idle_ns += static_cast<double>(gap.undisturbed_ns());
  }
  return idle_ns;
}

// --- Small grids on one stream -------------------------------------------------------------------

// Kernels of one stream, one directly behind the other, each on few SMs and alone on the device.
struct Chain {
  int64_t kernels = 0;
  double time_ns = 0, longest_ns = 0, filled_ns = 0;  // filled: share of the SMs x time
  int64_t start_ns = 0, end_ns = 0;
  uint32_t context = 0, stream = 0;
  std::map<uint32_t, double> shapes;

  // Side by side they take as long as the longest one, and as the SMs need for all of them where
  // each block has an SM of its own. It decides whether they are worth a finding.
  double SavedNs() const { return time_ns - std::max(longest_ns, filled_ns); }
  // At most, blocks of several kernels share the SMs, none of them slower for it, and the gaps
  // between the kernels go as well.
  double MostNs() const { return static_cast<double>(end_ns - start_ns) - longest_ns; }
  bool Precedes(const Op& op) const {
    return kernels > 0 && context == op.context && stream == op.stream &&
           static_cast<double>(op.start_ns - end_ns) < kQueueDelayNs;
  }
  void Add(const Op& op, double share) {
    if (kernels == 0) start_ns = op.start_ns;
    ++kernels;
    time_ns += OpLengthNs(op);
    longest_ns = std::max(longest_ns, OpLengthNs(op));
    filled_ns += share * OpLengthNs(op);
    end_ns = op.end_ns;
    context = op.context;
    stream = op.stream;
    shapes[op.shape] += OpLengthNs(op);
  }
};

struct Serial {
  int64_t kernels = 0;
  double time_ns = 0, saved_ns = 0, most_ns = 0;
  std::map<uint32_t, double> shapes;

  void Close(Chain* chain) {
    if (chain->kernels >= 2) {
      kernels += chain->kernels;
      time_ns += chain->time_ns;
      saved_ns += chain->SavedNs();
      most_ns += chain->MostNs();
      for (const auto& [shape, shape_ns] : chain->shapes) shapes[shape] += shape_ns;
    }
    *chain = Chain{};
  }
};

// False where no kernel of the device can be on few SMs, as far as is known.
bool KnowsSms(const RunInputs& inputs) {
  const model::Device* const device = inputs.model.FindDevice(inputs.device.device);
  return device != nullptr && device->sm_count != 0;
}

bool IsFewSms(const RunInputs& inputs, const Op& op, double* share) {
  if (op.kind != OpKind::kKernel || op.graph != 0 || OpLengthNs(op) < kLaunchSizedNs) return false;
  *share = SmShare(inputs.model, op);
  return *share > 0 && *share <= kFewSms;
}

// Calls `visit` with the device's operations that run while no other one does.
template <typename Visit>
void ForEachAlone(const RunInputs& inputs, Visit visit) {
  const model::OpTable& ops = inputs.model.ops;
  int64_t busy_until_ns = 0;
  std::optional<size_t> alone;  // until the next one begins
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op op = ops[i];
    if (!Counts(inputs, op)) continue;
    const bool idle = op.start_ns >= busy_until_ns;
    if (alone && idle) visit(ops[*alone]);
    alone = idle ? std::optional(i) : std::nullopt;
    busy_until_ns = std::max(busy_until_ns, op.end_ns);
  }
  if (alone) visit(ops[*alone]);
}

Serial FindSerial(const RunInputs& inputs) {
  Serial serial;
  if (!KnowsSms(inputs)) return serial;
  const std::vector<bool> communicates = Communicates(inputs.model);  // NCCL's grids are small
  Chain chain;
  ForEachAlone(inputs, [&](const Op& op) {
    double share = 0;
    const bool few = IsFewSms(inputs, op, &share) && !communicates[op.shape];
    if (!few || !chain.Precedes(op)) serial.Close(&chain);
    if (few) chain.Add(op, share);
  });
  serial.Close(&chain);
  return serial;
}

// --- The legacy default stream -------------------------------------------------------------------

using FlagByStream = std::map<std::pair<uint32_t, uint32_t>, model::StreamFlag>;

FlagByStream FlagsOf(const model::Model& model) {
  FlagByStream flags;
  for (const model::Stream& stream : model.streams) {
    flags[{stream.context, stream.stream}] = stream.flag;
  }
  return flags;
}

using ContextAndStream = std::pair<uint32_t, uint32_t>;

// Work in the null stream and in streams that wait for it.
struct TwoSides {
  Intervals null, waiting;
  std::map<ContextAndStream, double> streams_ns;  // of each of them
  double idle_ns = 0;                             // between two of them
  int64_t turns = 0;
};

TwoSides SplitByStream(const RunInputs& inputs) {
  const FlagByStream flags = FlagsOf(inputs.model);
  TwoSides sides;
  if (flags.empty()) return sides;
  model::StreamFlag last = model::StreamFlag::kUnknown;
  for (const Op& op : inputs.model.ops) {
    if (!Counts(inputs, op)) continue;
    const auto known = flags.find({op.context, op.stream});
    if (known == flags.end()) continue;
    const model::StreamFlag flag = known->second;
    if (flag != model::StreamFlag::kNull && flag != model::StreamFlag::kDefault) continue;
    (flag == model::StreamFlag::kNull ? sides.null : sides.waiting)
        .push_back({op.start_ns, op.end_ns});
    sides.streams_ns[{op.context, op.stream}] += OpLengthNs(op);
    if (last != model::StreamFlag::kUnknown && last != flag) ++sides.turns;
    last = flag;
  }
  for (const Gap& gap : inputs.device.gaps) {
    if (gap.cause == GapCause::kProfiler || gap.previous_op == model::kNoIndex) continue;
    const Op previous = inputs.model.ops[gap.previous_op], next = inputs.model.ops[gap.next_op];
    const ContextAndStream one{previous.context, previous.stream}, other{next.context, next.stream};
    if (one == other || sides.streams_ns.count(one) == 0 || sides.streams_ns.count(other) == 0) {
      continue;
    }
    sides.idle_ns += static_cast<double>(gap.undisturbed_ns());
  }
  return sides;
}

// --- Communication -------------------------------------------------------------------------------

struct Communication {
  IntervalUnion all, compute;
  Statistic each;
  // The shortest of each kernel and grid, times their number. The rest is longer messages, or the
  // wait for ranks that are late.
  double shortest_ns = 0;
};

Communication FindCommunication(const RunInputs& inputs) {
  const std::vector<bool> communicates = Communicates(inputs.model);
  Intervals all, compute;
  std::vector<int64_t> lengths;
  std::map<uint32_t, std::pair<int64_t, int64_t>> shapes;  // their number, and the shortest
  for (const Op& op : inputs.model.ops) {
    if (!RunsKernels(op) || !Counts(inputs, op)) continue;
    const bool is = op.kind == OpKind::kKernel && communicates[op.shape];
    (is ? all : compute).push_back({op.start_ns, op.end_ns});
    if (!is) continue;
    const int64_t length_ns = op.end_ns - op.start_ns;
    lengths.push_back(length_ns);
    const auto [shape, added] = shapes.try_emplace(op.shape, 0, length_ns);
    ++shape->second.first;
    shape->second.second = std::min(shape->second.second, length_ns);
  }
  Communication found{IntervalUnion(std::move(all)), IntervalUnion(std::move(compute)),
                      Summarize(lengths.begin(), lengths.end()), 0};
  for (const auto& [shape, one] : shapes) {
    found.shortest_ns += static_cast<double>(one.first * one.second);
  }
  return found;
}

// --- Copies on the device ------------------------------------------------------------------------

const char* DeviceCopyName(const Op& op) {
  if (op.kind == OpKind::kMemset) return "memsets";
  if (op.kind != OpKind::kCopy) return nullptr;
  if (op.copy == CopyKind::kDeviceToDevice) return "copies within the device";
  if (op.copy == CopyKind::kPeerToPeer) return "copies between devices";
  return nullptr;
}

struct Moved {
  int64_t count = 0;
  double bytes = 0, time_ns = 0, fastest = 0;  // fastest: bytes per nanosecond of one
};

std::string DescribeMoved(const char* name, const Moved& moved) {
  return text::Count(moved.count) + " " + name + ", " + text::Bytes(moved.bytes) + " in " +
         text::Time(moved.time_ns) + " (" + text::Fixed(moved.bytes / moved.time_ns, 1) +
         " GB/s; the fastest of them " + text::Fixed(moved.fastest, 1) + ")";
}

}  // namespace

MaybeFinding Serialization(const RunInputs& inputs) {
  const Serial serial = FindSerial(inputs);
  if (inputs.Share(serial.saved_ns) < kIdleShare) return std::nullopt;
  TimeByPlace names;
  for (const auto& [shape, time_ns] : serial.shapes) {
    names[ShortName(text::Demangle(inputs.model.shapes[shape].name))] += time_ns;
  }
  Finding finding;
  finding.title = text::Count(serial.kernels) +
                  " kernels that reach half of the SMs or fewer run one after the other.";
  finding.evidence = {"alone on the device, directly behind one another on one stream: " +
                          WithShare(inputs, serial.time_ns),
                      "most time: " + MostOf(names, serial.time_ns, "in "),
                      "gain: the time of each row and of the gaps in it, less its longest kernel"};
  finding.action =
      "Run those side by side that do not depend on each other: on several streams, as branches of "
      "a graph, or merged into one launch.";
  finding.gain_at_most_ns = serial.most_ns;
  finding.check = "no record shows whether they depend on each other: try two streams";
  finding.confidence = Confidence::kLow;
  finding.withheld_why = inputs.lost_operations;
  return RatedFinding(std::move(finding), serial.saved_ns);
}

MaybeFinding DefaultStream(const RunInputs& inputs) {
  TwoSides sides = SplitByStream(inputs);
  const IntervalUnion null(std::move(sides.null)), waiting(std::move(sides.waiting));
  const double smaller_ns = static_cast<double>(std::min(null.length_ns(), waiting.length_ns()));
  if (static_cast<double>(sides.turns) < kTurns || inputs.Share(smaller_ns) < kIdleShare) {
    return std::nullopt;
  }
  if (null.WithinNs(waiting) > 0) return std::nullopt;  // the flags do not mean what they say
  Finding finding;
  finding.title = "The legacy default stream makes other streams wait.";
  finding.evidence = {
      "work in the default stream: " + text::Time(null.length_ns()) +
          "; in streams that wait for it: " + text::Time(waiting.length_ns()),
      "they never ran side by side, and took " + text::Count(sides.turns) + " turns",
      "gain: all of that work and the gaps between the streams, less the stream with most work"};
  finding.action =
      "Create the streams with cudaStreamNonBlocking, or compile with --default-stream per-thread, "
      "where the work is independent.";
  // Streams that wait for the default stream do not run beside each other, either.
  double longest_ns = 0;
  for (const auto& [stream, work_ns] : sides.streams_ns) longest_ns = std::max(longest_ns, work_ns);
  const auto all_ns = static_cast<double>(null.length_ns() + waiting.length_ns());
  finding.gain_at_most_ns = std::max(smaller_ns, all_ns - longest_ns) + sides.idle_ns;
  finding.check = "no record shows whether the work is independent: try cudaStreamNonBlocking";
  finding.confidence = Confidence::kMedium;
  finding.withheld_why = inputs.lost_operations;
  return RatedFinding(std::move(finding), smaller_ns);
}

MaybeFinding ExposedCommunication(const RunInputs& inputs) {
  const std::vector<bool> communicates = Communicates(inputs.model);
  if (std::find(communicates.begin(), communicates.end(), true) == communicates.end()) {
    return std::nullopt;
  }
  const Communication found = FindCommunication(inputs);
  const auto all_ns = static_cast<double>(found.all.length_ns());
  const auto hidden_ns = static_cast<double>(found.all.WithinNs(found.compute));
  if (all_ns <= 0 || inputs.Share(all_ns - hidden_ns) < kIdleShare) return std::nullopt;
  Finding finding;
  finding.title = "Communication takes " + text::Percent(inputs.Share(all_ns - hidden_ns)) +
                  " of the span with no other kernel beside it.";
  finding.evidence = {
      "NCCL kernels: " + text::Time(all_ns) + ", " + text::Percent(hidden_ns / all_ns) +
          " of it under other kernels",
      text::Count(found.each.n) + " of them, median " + text::Time(found.each.median) +
          ", longest " + text::Time(found.each.max) +
          "; the time contains the wait for ranks that are late",
      "if each took as long as the shortest of its kind: " + text::Time(found.shortest_ns) +
          "; the rest is larger messages, or that wait"};
  const bool waits = found.shortest_ns < kMostlyTransfer * all_ns;
  finding.action =
      waits ? "Find the rank that the others wait for (prof ranks with the recordings of all of "
              "them), and even out the work of the ranks and of their hosts; then communicate "
              "while the GPU computes."
            : "Communicate while the GPU computes: start with one part while the next one is "
              "computed (another stream, buckets); even out the ranks.";
  const double idle_ns = IdleBeside(
      inputs, [&](const Op& op) { return op.kind == OpKind::kKernel && communicates[op.shape]; });
  if (idle_ns > 0) finding.evidence.push_back("idle beside them: " + text::Time(idle_ns));
  finding.gain_at_most_ns = all_ns - hidden_ns + idle_ns;
  finding.kernels_at_most_ns = all_ns - hidden_ns;
  finding.check = "prof run on every rank: the rank whose NCCL kernels are shortest comes last";
  finding.confidence = Confidence::kMedium;
  finding.withheld_why = inputs.lost_operations;
  return finding;
}

MaybeFinding DeviceCopies(const RunInputs& inputs) {
  const model::OpTable& ops = inputs.model.ops;
  if (!ops.MayHave(OpKind::kCopy) && !ops.MayHave(OpKind::kMemset)) return std::nullopt;
  std::map<std::string, Moved> kinds;
  Intervals times;
  for (const Op& op : inputs.model.ops) {
    const char* name = Counts(inputs, op) ? DeviceCopyName(op) : nullptr;
    if (name == nullptr || op.end_ns <= op.start_ns) continue;
    Moved& moved = kinds[name];
    ++moved.count;
    moved.bytes += static_cast<double>(op.bytes);
    moved.time_ns += OpLengthNs(op);
    moved.fastest = std::max(moved.fastest, static_cast<double>(op.bytes) / OpLengthNs(op));
    times.push_back({op.start_ns, op.end_ns});
  }
  const IntervalUnion all(std::move(times));
  const IntervalUnion kernels = KernelTimes(inputs.model, inputs.device);
  const auto exposed_ns = static_cast<double>(all.length_ns() - all.WithinNs(kernels));
  if (inputs.Share(exposed_ns) < kIdleShare) return std::nullopt;
  Finding finding;
  finding.title = "Copies and memsets on the device take " +
                  text::Percent(inputs.Share(exposed_ns)) + " of the span alone.";
  for (const auto& [name, moved] : kinds) {
    finding.evidence.push_back(DescribeMoved(name.c_str(), moved));
  }
  finding.action =
      "Do without them: let the kernels before write to where the data is needed, and those after "
      "initialize it; overlap copies between devices with kernels.";
  const double idle_ns =
      IdleBeside(inputs, [](const Op& op) { return DeviceCopyName(op) != nullptr; });
  if (idle_ns > 0) finding.evidence.push_back("idle beside them: " + text::Time(idle_ns));
  finding.gain_at_most_ns = exposed_ns + idle_ns;
  finding.check = kCheckTimeline;
  finding.confidence = Confidence::kMedium;
  finding.withheld_why = inputs.lost_operations;
  return finding;
}

MaybeFinding BusiestDevice(const std::vector<RunInputs>& devices) {
  if (devices.size() < 2) return std::nullopt;
  double most_ns = 0, sum_ns = 0;
  uint32_t busiest = 0;
  Finding finding;
  for (const RunInputs& inputs : devices) {
    const auto work_ns = static_cast<double>(FindCommunication(inputs).compute.length_ns());
    finding.evidence.push_back("device " + std::to_string(inputs.device.device) + ": " +
                               text::Time(work_ns) + " of kernels");
    sum_ns += work_ns;
    if (work_ns <= most_ns) continue;
    most_ns = work_ns;
    busiest = inputs.device.device;
  }
  const auto n = static_cast<double>(devices.size());
  const double mean_ns = sum_ns / n;
  const double gain_ns = n * (most_ns - mean_ns);
  if (most_ns < (1 + kStraggler) * mean_ns || devices[0].Share(gain_ns) < kIdleShare) {
    return std::nullopt;
  }
  finding.title = "Device " + std::to_string(busiest) + " works " +
                  text::Percent(most_ns / mean_ns - 1) + " longer than the devices do on average.";
  finding.evidence.push_back("gain: " + text::Time(most_ns - mean_ns) +
                             " on each device, if all had the same work");
  finding.action = "Even out the work of the devices, where the others wait for this one.";
  finding.gain_at_most_ns = gain_ns;
  finding.check = "the rows of the busiest device: what it runs that the others do not";
  finding.confidence = Confidence::kMedium;
  finding.withheld_why = devices[0].lost_operations;
  return finding;
}

}  // namespace prof::analyzer
