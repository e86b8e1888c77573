// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_fusion.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
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
// [own] Of its peak: a kernel that something else limits moves much as well.
constexpr double kMuchOfDram = 0.50;
constexpr double kOfFill = 0.05;     // [own] of the bytes that a fill writes
constexpr double kReadsFill = 0.90;  // [own] of what a fill wrote
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
  const bool fits = shared >= (fills ? kReadsFill : kReadsWhatWasWritten) * first.written;
  const bool much = 2 * shared >= kSharedTraffic * (first.Bytes() + next.Bytes());
  return fits && much ? shared : 0;
}

// Launches of one kernel in a row, on one stream: an operation on a list of tensors takes many.
struct ChainLink {
  int32_t group = model::kNoIndex;  // of the first launch; kNoIndex: there is none
  DramTraffic traffic;              // of all launches
  int64_t start_ns = 0, end_ns = 0;
  int64_t launches = 0;
  int32_t last_group = model::kNoIndex;  // of the last launch
  int64_t last_start_ns = 0;
};

// Links of one stream, one directly behind the other, no two of one kernel.
struct LaunchChain {
  std::vector<ChainLink> links;
  double shared_bytes = 0;
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
  // Both parallel to the groups. `kernels`: a number for each name.
  ChainSearch(const KernelGroups& groups, std::vector<std::optional<DramTraffic>> traffic,
              std::vector<size_t> kernels)
      : groups_(groups), traffic_(std::move(traffic)), kernels_(std::move(kernels)) {}

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
      OneStream& stream = StreamOf(op);
      const int32_t group = groups_.group_of_op[i];
      const DeviceTimeline* const device = timeline.Find(op.device);
      const bool is_evidence = group != model::kNoIndex && device != nullptr &&
                               device->IsEvidence(op) && op.start_ns > loop_ns[op.device];
      if (!is_evidence || !Take(op, group, &stream)) End(&stream);
    }
    for (auto& [id, stream] : streams_) End(&stream);
  }

  const std::map<std::vector<int32_t>, AlikeChains>& found() const { return found_; }
  // The time in which any chain runs: those of several streams may overlap.
  double TimeNs() const { return static_cast<double>(IntervalUnion(intervals_).length_ns()); }

 private:
  using StreamId = std::tuple<uint32_t, uint32_t, uint32_t>;  // device, context, stream
  struct OneStream {
    LaunchChain chain;
    ChainLink last;  // behind the chain, still growing
  };

  OneStream& StreamOf(const model::Op& op) {
    const StreamId id{op.device, op.context, op.stream};
    if (last_ == streams_.end() || last_->first != id) last_ = streams_.try_emplace(id).first;
    return last_->second;
  }

  bool IsSame(int32_t group, int32_t other) const { return kernels_[group] == kernels_[other]; }

  // Directly behind: otherwise the host did something else, which may need the result.
  static bool Follows(int64_t start_ns, const ChainLink& link) {
    return start_ns >= link.end_ns && start_ns - link.end_ns <= kHostStallNs;
  }

  // False: the launch is no part of any chain.
  bool Take(const model::Op& op, int32_t group, OneStream* stream) {
    ChainLink& last = stream->last;
    const bool known = traffic_[group].has_value() && IsOfMedianSize(op, *traffic_[group]);
    const bool follows = last.group != model::kNoIndex && Follows(op.start_ns, last);
    if (follows && IsSame(group, last.group)) {
      // The rest of a list may have a grid of its own, whose bytes need not be known.
      if (known) {
        last.traffic.read += traffic_[group]->read;
        last.traffic.written += traffic_[group]->written;
      }
      ++last.launches;
      last.last_group = group;
      last.last_start_ns = op.start_ns;
      last.end_ns = op.end_ns;
      return true;
    }
    if (!known) return false;
    if (!follows) End(stream);
    Extend(stream);
    last = {group, *traffic_[group], op.start_ns, op.end_ns, 1, group, op.start_ns};
    return true;
  }

  // What grew behind the chain becomes its last link, or begins another one.
  void Extend(OneStream* stream) {
    if (stream->last.group == model::kNoIndex) return;
    const ChainLink link = std::exchange(stream->last, ChainLink{});
    std::vector<ChainLink>& links = stream->chain.links;
    const bool again = std::any_of(links.begin(), links.end(), [&](const ChainLink& other) {
      return IsSame(other.group, link.group);
    });
    const bool may = !links.empty() && links.size() < kLongestChain && !again;
    const double shared = may ? Shared(link, &stream->chain) : 0;
    if (!(shared > 0)) Close(&stream->chain);
    stream->chain.shared_bytes += shared;
    links.push_back(link);
  }

  // Of the bytes of the chain's last link and the next one; 0: the next one is no part of it.
  // Operations on one list have about as many launches each. One launch behind several may read
  // what the last of them wrote.
  double Shared(const ChainLink& next, LaunchChain* chain) const {
    ChainLink& back = chain->links.back();
    const auto [fewer, more] = std::minmax(back.launches, next.launches);
    if (2 * fewer > more) return SharedBytes(back.traffic, next.traffic);
    if (next.launches > 1 || chain->links.size() > 1 || !traffic_[back.last_group]) return 0;
    const double shared = SharedBytes(*traffic_[back.last_group], next.traffic);
    if (shared > 0) {
      back = {back.last_group, *traffic_[back.last_group], back.last_start_ns, back.end_ns, 1,
              back.last_group, back.last_start_ns};
    }
    return shared;
  }

  void End(OneStream* stream) {
    Extend(stream);
    Close(&stream->chain);
  }

  void Close(LaunchChain* chain) {
    std::vector<int32_t> groups;
    for (const ChainLink& link : chain->links) groups.push_back(link.group);
    if (groups.size() > 1 && (found_.size() < kMostChains || found_.count(groups) > 0)) {
      const ChainLink &first = chain->links.front(), &last = chain->links.back();
      AlikeChains one;
      one.count = 1;
      one.time_ns = static_cast<double>(last.end_ns - first.start_ns);
      one.shared_bytes = 2 * chain->shared_bytes;  // written, and read
      for (const ChainLink& link : chain->links) one.bytes += link.traffic.Bytes();
      one.left_bytes =
          first.traffic.read + std::max(0.0, last.traffic.written - last.traffic.l2_bytes);
      one.left_ns = std::min(one.time_ns, one.left_bytes / first.traffic.peak * 1e9);
      found_[groups].Add(one);
      intervals_.push_back({first.start_ns, last.end_ns});
    }
    *chain = LaunchChain{};
  }

  const KernelGroups& groups_;
  const std::vector<std::optional<DramTraffic>> traffic_;
  const std::vector<size_t> kernels_;
  std::map<StreamId, OneStream> streams_;
  std::map<StreamId, OneStream>::iterator last_ = streams_.end();
  std::map<std::vector<int32_t>, AlikeChains> found_;
  Intervals intervals_;
};

// DRAM limits it, or it moves half of what the DRAM can in its time.
bool IsOfDram(const KernelReport& kernel, const DramTraffic& traffic) {
  if (kernel.verdict.limiter == Limiter::kDram) return true;
  const double at_peak = traffic.peak * traffic.median_ns * 1e-9;
  return at_peak > 0 && traffic.Bytes() >= kMuchOfDram * at_peak;
}

// "mul, add, gelu and 3 more"
std::string KernelNames(const std::vector<int32_t>& groups,
                        const std::vector<KernelReport>& kernels) {
  std::vector<std::pair<std::string, int64_t>> in_a_row;  // with how many of that name
  for (const int32_t group : groups) {
    if (in_a_row.empty() || in_a_row.back().first != kernels[group].name) {
      in_a_row.emplace_back(kernels[group].name, 0);
    }
    ++in_a_row.back().second;
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(in_a_row.size(), kMostNames); ++i) {
    const auto& [name, count] = in_a_row[i];
    names.push_back(count == 1 ? name : std::to_string(count) + " x " + name);
  }
  std::string list = text::Join(names, ", ");
  if (in_a_row.size() <= kMostNames) return list;
  return list + " and " + std::to_string(in_a_row.size() - kMostNames) + " more";
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
  std::unordered_map<std::string, size_t> names;
  std::vector<size_t> of_name;
  for (const KernelReport& kernel : kernels) {
    traffic.push_back(DramTrafficOf(model, kernel));
    if (traffic.back() && !IsOfDram(kernel, *traffic.back())) traffic.back().reset();
    const std::string& name = kernel.full_name.empty() ? kernel.name : kernel.full_name;
    of_name.push_back(names.try_emplace(name, names.size()).first->second);
  }
  const auto known = std::count_if(traffic.begin(), traffic.end(),
                                   [](const auto& entry) { return entry.has_value(); });
  if (known < 2 || !(undisturbed_ns > 0)) return std::nullopt;
  ChainSearch search(groups, traffic, std::move(of_name));
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
  finding.title = "Kernels that move much from and to DRAM follow each other, " +
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
      "an epilogue of the kernel before. Optimizers have a fused form (PyTorch: fused=True).";
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
