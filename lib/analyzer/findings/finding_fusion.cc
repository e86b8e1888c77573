// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_fusion.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/kernels/dram_traffic.h"
#include "lib/analyzer/timeline/idle_start.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

// A chain of more kernels is cut: nobody writes one kernel in place of so many.
constexpr size_t kLongestChain = 16;
constexpr size_t kMostChains = 10'000;  // of different kernels
constexpr size_t kMostNames = 4;
constexpr double kOfFill = 0.05;  // [own] of the bytes that a fill writes
// [own] Times the median of the kernel: a launch that takes more, or less than half, moves other
// bytes than the median does.
constexpr double kOtherSize = 2;

bool IsOfMedianSize(const model::Op& op, const DramTraffic& traffic) {
  const auto ns = static_cast<double>(op.end_ns - op.start_ns);
  return !(traffic.median_ns > 0) ||
         (ns <= kOtherSize * traffic.median_ns && ns * kOtherSize >= traffic.median_ns);
}

// The bytes that `next` may read because `first` wrote them; 0: it does not look like that. What
// fits in L2 is read from L2: then the bytes that `next` reads from DRAM are others.
double SharedBytes(const DramTraffic& first, const DramTraffic& next) {
  if (first.Bytes() < first.l2_bytes) return 0;
  const double shared = std::min(first.written, next.read);
  // What reads nothing fills memory: the next one has to read nearly all of that.
  const bool fills = first.read < kOfFill * first.written;
  const bool fits = shared >= (fills ? kMostOf : kReadsWhatWasWritten) * first.written;
  const bool much = 2 * shared >= kSharedTraffic * (first.Bytes() + next.Bytes());
  return fits && much ? shared : 0;
}

// Launches of one stream, one directly behind the other, no two of one kernel.
struct LaunchChain {
  std::vector<int32_t> groups;
  double shared_bytes = 0;
  int64_t start_ns = 0, end_ns = 0;
};

// All chains of the same kernels in the same order.
struct AlikeChains {
  int64_t count = 0;
  double time_ns = 0, shared_bytes = 0, bytes = 0, left_bytes = 0, left_ns = 0;

  void Add(const AlikeChains& other) {
    count += other.count;
    time_ns += other.time_ns;
    shared_bytes += other.shared_bytes;
    bytes += other.bytes;
    left_bytes += other.left_bytes;
    left_ns += other.left_ns;
  }
};

class ChainSearch {
 public:
  ChainSearch(const KernelGroups& groups, std::vector<std::optional<DramTraffic>> traffic)
      : groups_(groups), traffic_(std::move(traffic)) {}

  // What tries out kernels at the start is no chain that comes again.
  void Run(const model::Model& model, const Timeline& timeline) {
    std::map<uint32_t, int64_t> loop_ns;
    for (const DeviceTimeline& device : timeline.devices) {
      const IdleStart start = FindIdleStart(device);
      loop_ns[device.device] = start.count > 0 ? start.end_ns : device.start_ns - 1;
    }
    for (size_t i = 0; i < model.ops.size(); ++i) {
      const model::Op op = model.ops[i];
      if (!op.timed) continue;
      LaunchChain& chain = StreamOf(op);
      const int32_t group = groups_.group_of_op[i];
      const DeviceTimeline* const device = timeline.Find(op.device);
      const bool counts = group != model::kNoIndex && traffic_[group].has_value() &&
                          IsOfMedianSize(op, *traffic_[group]) && device != nullptr &&
                          device->IsEvidence(op) && op.start_ns > loop_ns[op.device];
      if (!counts || !Extend(op, group, &chain)) Close(&chain);
      if (counts && chain.groups.empty()) chain = {{group}, 0, op.start_ns, op.end_ns};
    }
    for (auto& [stream, chain] : streams_) Close(&chain);
  }

  const std::map<std::vector<int32_t>, AlikeChains>& found() const { return found_; }
  // The time in which any chain runs: those of several streams may overlap.
  double TimeNs() const { return static_cast<double>(IntervalUnion(intervals_).length_ns()); }

 private:
  using Stream = std::tuple<uint32_t, uint32_t, uint32_t>;  // device, context, stream

  LaunchChain& StreamOf(const model::Op& op) {
    const Stream stream{op.device, op.context, op.stream};
    if (last_ == streams_.end() || last_->first != stream) {
      last_ = streams_.try_emplace(stream).first;
    }
    return last_->second;
  }

  bool Extend(const model::Op& op, int32_t group, LaunchChain* chain) const {
    const std::vector<int32_t>& before = chain->groups;
    if (before.empty() || before.size() == kLongestChain || op.start_ns < chain->end_ns) {
      return false;
    }
    // The host did something else, which may need the result.
    if (op.start_ns - chain->end_ns > kHostStallNs) return false;
    if (std::find(before.begin(), before.end(), group) != before.end()) return false;
    const double shared = SharedBytes(*traffic_[before.back()], *traffic_[group]);
    if (!(shared > 0)) return false;
    chain->groups.push_back(group);
    chain->shared_bytes += shared;
    chain->end_ns = op.end_ns;
    return true;
  }

  void Close(LaunchChain* chain) {
    if (chain->groups.size() > 1 &&
        (found_.size() < kMostChains || found_.count(chain->groups) > 0)) {
      const DramTraffic& first = *traffic_[chain->groups.front()];
      const DramTraffic& last = *traffic_[chain->groups.back()];
      AlikeChains one;
      one.count = 1;
      one.time_ns = static_cast<double>(chain->end_ns - chain->start_ns);
      one.shared_bytes = 2 * chain->shared_bytes;  // written, and read
      for (const int32_t group : chain->groups) one.bytes += traffic_[group]->Bytes();
      one.left_bytes = first.read + std::max(0.0, last.written - last.l2_bytes);
      one.left_ns = std::min(one.time_ns, one.left_bytes / first.peak * 1e9);
      found_[chain->groups].Add(one);
      intervals_.push_back({chain->start_ns, chain->end_ns});
    }
    *chain = LaunchChain{};
  }

  const KernelGroups& groups_;
  const std::vector<std::optional<DramTraffic>> traffic_;
  std::map<Stream, LaunchChain> streams_;
  std::map<Stream, LaunchChain>::iterator last_ = streams_.end();
  std::map<std::vector<int32_t>, AlikeChains> found_;
  Intervals intervals_;
};

// "mul, add, gelu and 3 more"
std::string KernelNames(const std::vector<int32_t>& groups,
                        const std::vector<KernelReport>& kernels) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(groups.size(), kMostNames); ++i) {
    names.push_back(kernels[groups[i]].name);
  }
  std::string list = text::Join(names, ", ");
  if (groups.size() <= kMostNames) return list;
  return list + " and " + std::to_string(groups.size() - kMostNames) + " more";
}

std::string WhereIs(const std::vector<int32_t>& groups, const std::vector<KernelReport>& kernels) {
  const std::string& range = kernels[groups.front()].range;
  return range.empty() ? "" : " in range " + range;
}

}  // namespace

std::optional<Finding> FindFusion(const model::Model& model, const Timeline& timeline,
                                  const KernelGroups& groups,
                                  const std::vector<KernelReport>& kernels, double undisturbed_ns) {
  std::vector<std::optional<DramTraffic>> traffic;
  traffic.reserve(kernels.size());
  for (const KernelReport& kernel : kernels) {
    const bool limits = kernel.verdict.limiter == Limiter::kDram;
    traffic.push_back(limits ? DramTrafficOf(model, kernel) : std::nullopt);
  }
  const auto known = std::count_if(traffic.begin(), traffic.end(),
                                   [](const auto& entry) { return entry.has_value(); });
  if (known < 2 || !(undisturbed_ns > 0)) return std::nullopt;
  ChainSearch search(groups, traffic);
  search.Run(model, timeline);
  AlikeChains all;
  const std::pair<const std::vector<int32_t>, AlikeChains>* most = nullptr;
  double cost_ns = 0;
  for (const auto& entry : search.found()) {
    all.Add(entry.second);
    if (most == nullptr || entry.second.shared_bytes > most->second.shared_bytes) most = &entry;
    cost_ns += entry.second.shared_bytes / traffic[entry.first.front()]->peak * 1e9;
  }
  if (most == nullptr || cost_ns < kFusionShare * undisturbed_ns) return std::nullopt;
  const double gain_ns = std::min(all.time_ns - all.left_ns, search.TimeNs());
  Finding finding;
  finding.id = kFusionFinding;
  finding.kind = GainKind::kLessWork;
  finding.title = "Kernels that DRAM limits follow each other, " +
                  text::Plural(all.count, "time", "times") +
                  ", and each may read what the one before it wrote.";
  finding.evidence = {
      "the most: " + KernelNames(most->first, kernels) + WhereIs(most->first, kernels) + ", " +
          text::Plural(most->second.count, "time", "times") + ", " +
          text::Time(most->second.time_ns),
      "all of them took " + text::Time(all.time_ns) + " and moved " + text::Bytes(all.bytes) +
          " from and to DRAM; up to " + text::Bytes(all.shared_bytes) +
          " of it would stay in registers: " + text::Time(cost_ns) + " at the DRAM's peak",
      "at most: their time, less " + text::Time(all.left_ns) +
          " that the DRAM needs at its peak for " + text::Bytes(all.left_bytes) +
          " that are left to move",
      "the sizes fit; whether a kernel reads what the one before it wrote is not recorded"};
  finding.action =
      "Fuse them: torch.compile, one Triton or CUDA kernel that keeps the values in registers, or "
      "an epilogue of the kernel before.";
  finding.check = "prof compare, before and after the change: time and DRAM bytes of both";
  finding.confidence = Confidence::kMedium;
  finding.gain_at_most_ns = std::min(gain_ns, undisturbed_ns);
  const std::vector<std::string> lost = LostOperations(model);
  if (!lost.empty()) {
    finding.withheld_why =
        text::Enumerate(lost) + ": other kernels may have run between those of a chain";
  }
  WithholdIfIncomplete(&finding);
  return finding;
}

}  // namespace prof::analyzer
