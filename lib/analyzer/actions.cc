// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/actions.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_clock.h"
#include "lib/analyzer/findings/finding_table.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/timeline/critical_path.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr size_t kCauses = 32;  // more than there are

// The time that is left to be saved, in whole parts: each kernel, each cause of idle time, copies.
struct Pools {
  std::vector<double> left_ns;
  // What it would be if nothing had been done that leaves the work as it is: the bound of such an
  // action is a part of this.
  std::vector<double> full_ns;
  size_t idle = 0, copies = 0;  // indices of the first cause, and of the copies

  size_t Idle(GapCause cause) const { return idle + static_cast<size_t>(cause); }
};

Pools FillPools(const Report& report, double copies_ns) {
  Pools pools;
  for (const KernelReport& kernel : report.kernels) {
    pools.left_ns.push_back(std::max(0.0, kernel.critical_ns));
  }
  pools.idle = pools.left_ns.size();
  pools.copies = pools.idle + kCauses;
  pools.left_ns.resize(pools.copies + 1);
  for (const GapSummary& gap : report.gaps) {
    if (gap.cause == GapCause::kProfiler) continue;
    pools.left_ns[pools.Idle(gap.cause)] += std::max(0.0, gap.total_ns);
  }
  pools.left_ns[pools.copies] = std::max(0.0, copies_ns);
  pools.full_ns = pools.left_ns;
  return pools;
}

// The part of one pool that an action may save.
struct Draw {
  size_t pool;
  double fraction;
  // It does the same work nearer to a ceiling. After another such action it saves what that one has
  // left above this ceiling, not this part of it once more.
  bool same_work = false;

  double Of(const Pools& pools) const {
    const double left_ns = pools.left_ns[pool];
    if (!same_work) return fraction * left_ns;
    return std::clamp(left_ns - (1 - fraction) * pools.full_ns[pool], 0.0, left_ns);
  }
};

struct ActionCandidate {
  RankedAction entry;
  std::vector<Draw> draws;
  double most_ns = -1;  // of a finding: its gain; below 0: the draws alone are the bound
  // The draws that are idle time bring no more than this together; below 0: no bound of their own.
  double idle_most_ns = -1;
  bool bounded = true;
  size_t main = 0;  // of kernels: the one with most time
  std::set<std::string> ranges, names;

  double About(const Pools& pools) const {
    double sum_ns = 0;
    for (const Draw& draw : draws) sum_ns += pools.left_ns[draw.pool];
    return sum_ns;
  }
  // Of each draw, in their order.
  std::vector<double> Parts(const Pools& pools) const {
    double left_ns = most_ns < 0 ? std::numeric_limits<double>::infinity() : most_ns;
    double idle_ns = idle_most_ns < 0 ? left_ns : idle_most_ns;
    std::vector<double> parts;
    for (const Draw& draw : draws) {
      const bool is_idle = draw.pool >= pools.idle && draw.pool < pools.copies;
      double part_ns = std::min(draw.Of(pools), left_ns);
      if (is_idle) part_ns = std::min(part_ns, idle_ns);
      if (is_idle) idle_ns -= part_ns;
      left_ns -= part_ns;
      parts.push_back(part_ns);
    }
    return parts;
  }
  double Saves(const Pools& pools) const {
    const std::vector<double> parts = Parts(pools);
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  }
  double Rank(const Pools& pools) const {
    return bounded ? Saves(pools) : kWorthwhileGain * About(pools);
  }
  void Take(Pools* pools) const {
    if (!bounded) return;
    const std::vector<double> parts = Parts(*pools);
    for (size_t i = 0; i < draws.size(); ++i) {
      const Draw& draw = draws[i];
      const double taken_ns = parts[i];
      double& pool_ns = pools->left_ns[draw.pool];
      if (!draw.same_work && pool_ns > 0) {
        pools->full_ns[draw.pool] *= (pool_ns - taken_ns) / pool_ns;
      }
      pool_ns -= taken_ns;
    }
  }
};

std::string RangesText(const std::set<std::string>& ranges) {
  if (ranges.size() > 1) return " in " + std::to_string(ranges.size()) + " ranges";
  return ranges.begin()->empty() ? "" : " in " + *ranges.begin();
}

// "DRAM 76 % of peak (gpu__dram_throughput; median of 5)" without its source, which the verdict
// has.
std::string WithoutSource(const std::string& evidence) {
  return evidence.substr(0, evidence.find(" ("));
}

// "DRAM 76 % of peak (n=5), L2 54 %" without the number of samples.
std::string WithoutParentheses(std::string text) {
  for (size_t begin = text.find(" ("); begin != text.npos; begin = text.find(" (", begin)) {
    const size_t end = text.find(')', begin);
    if (end == text.npos) break;
    text.erase(begin, end + 1 - begin);
  }
  return text;
}

// The two busiest units where one of them decides, otherwise the first two sentences.
std::string EvidenceOf(const KernelReport& kernel) {
  std::string units = WithoutParentheses(BusiestUnits(kernel.units));
  const Limiter limiter = kernel.verdict.limiter;
  const bool by_unit = limiter >= Limiter::kDram && limiter <= Limiter::kMixed;
  if (by_unit && !units.empty()) return units;
  std::string line;
  const std::vector<std::string>& evidence = kernel.verdict.evidence;
  for (size_t i = 0; i < std::min<size_t>(evidence.size(), 2); ++i) {
    line += (i > 0 ? "; " : "") + WithoutSource(evidence[i]);
  }
  return line;
}

void AddKernelActions(const Report& report, std::vector<ActionCandidate>* candidates) {
  using Key = std::tuple<std::string, std::string, std::string, bool>;
  std::map<Key, size_t> known;
  const bool is_exposed =
      std::any_of(report.findings.begin(), report.findings.end(),
                  [](const Finding& finding) { return finding.id == "exposed-communication"; });
  for (size_t k = 0; k < report.kernels.size(); ++k) {
    const KernelReport& kernel = report.kernels[k];
    for (const Action& action : kernel.verdict.actions) {
      const bool bounded = action.gain_at_most.has_value();
      if (bounded && !(*action.gain_at_most > 0)) continue;
      if (is_exposed && action.id == "wait-less-for-ranks") continue;  // the finding has it
      // Short kernels are merged with each other, and one change is about all collectives.
      const bool alone = kernel.verdict.limiter != Limiter::kLaunchSized &&
                         kernel.verdict.limiter != Limiter::kCommunication;
      const Key key{alone ? kernel.name : "", action.id, action.what, bounded};
      const auto [it, added] = known.try_emplace(key, candidates->size());
      if (added) {
        ActionCandidate& candidate = candidates->emplace_back();
        candidate.entry.action = action;
        candidate.entry.confidence = kernel.verdict.confidence;
        candidate.bounded = bounded;
        candidate.main = k;
      }
      ActionCandidate& candidate = (*candidates)[it->second];
      // Two actions of one kernel may be the same to the reader: it draws once.
      if (!candidate.draws.empty() && candidate.draws.back().pool == k) continue;
      candidate.draws.push_back(
          {k, std::clamp(action.gain_at_most.value_or(1), 0.0, 1.0), KeepsWork(action)});
      candidate.ranges.insert(kernel.range);
      candidate.names.insert(kernel.name);
    }
  }
}

void NameKernel(const Report& report, ActionCandidate* candidate) {
  if (candidate->most_ns >= 0) return;  // a finding
  const KernelReport& kernel = report.kernels[candidate->main];
  const size_t others = candidate->names.size() - 1;
  candidate->entry.target =
      kernel.name + (others > 0 ? " and " + text::Plural(static_cast<int64_t>(others),
                                                         "more kernel", "more kernels")
                                : RangesText(candidate->ranges));
  candidate->entry.evidence = EvidenceOf(kernel);
  const std::string& check = candidate->entry.action.check;
  candidate->entry.check = check.empty() ? kernel.verdict.missing : check;
}

// The same part of each kernel that `counts`.
template <typename Counts>
void AddDrawsOfKernels(double gain_ns, const Pools& pools, Counts counts,
                       std::vector<Draw>* draws) {
  double sum_ns = 0;
  for (size_t k = 0; k < pools.idle; ++k) sum_ns += counts(k) ? pools.left_ns[k] : 0;
  if (!(sum_ns > 0)) return;
  for (size_t k = 0; k < pools.idle; ++k) {
    if (counts(k)) draws->push_back({k, std::min(1.0, gain_ns / sum_ns)});
  }
}

// The kernels that a finding is about, and how much of its gain is of them.
void AddDrawsOfKernels(FindingKernels which, const Finding& finding, const Report& report,
                       const Pools& pools, std::vector<Draw>* draws) {
  const auto add = [&](double gain_ns, auto counts) {
    AddDrawsOfKernels(gain_ns, pools, counts, draws);
  };
  const double gain_ns = finding.gain_at_most_ns;
  switch (which) {
    case FindingKernels::kNone:
      return;
    case FindingKernels::kAll:
      return add(gain_ns, [](size_t) { return true; });
    case FindingKernels::kShort:
      return add(finding.kernels_at_most_ns,
                 [&](size_t k) { return report.kernels[k].duration_ns.median < kSmallKernelNs; });
    case FindingKernels::kOfDram:
      return add(gain_ns,
                 [&](size_t k) { return report.kernels[k].verdict.limiter == Limiter::kDram; });
    case FindingKernels::kOfRanks:
      return add(finding.kernels_at_most_ns, [&](size_t k) {
        return report.kernels[k].verdict.limiter == Limiter::kCommunication;
      });
    case FindingKernels::kOfLowClock: {
      // A low clock slows down all kernels of its device, and none of another one.
      const DeviceReport* const device = LowClockDevice(report.devices, report.undisturbed_ns);
      return add(gain_ns, [&](size_t k) {
        return device == nullptr || report.kernels[k].device == device->id;
      });
    }
  }
}

std::vector<Draw> DrawsOf(const Finding& finding, const Report& report, const Pools& pools) {
  std::vector<Draw> draws;
  const FindingTime* const time = FindingTimeOf(finding);
  if (time == nullptr) {
    // A finding that is not in the table: it may be about any time without a kernel.
    for (size_t pool = pools.idle; pool < pools.left_ns.size(); ++pool) draws.push_back({pool, 1});
    return draws;
  }
  for (const GapCause cause : time->idle) draws.push_back({pools.Idle(cause), 1});
  if (time->copies) draws.push_back({pools.copies, 1});
  AddDrawsOfKernels(time->kernels, finding, report, pools, &draws);
  return draws;
}

// "the run from 3.210 s to 3.740 s"
std::string TargetOf(const Finding& finding) {
  if (!finding.stretch) return "the run";
  const auto moment = [](double time_ns) { return text::Fixed(time_ns / 1e9, 3) + " s"; };
  return "the run from " + moment(finding.stretch->begin_ns) + " to " +
         moment(finding.stretch->end_ns);
}

// The place first: the end of a line may be cut off.
std::string EvidenceOf(const Finding& finding) {
  if (finding.place.empty()) return finding.title;
  return "mostly in " + finding.place + " (" + text::ShortPercent(finding.place_share) +
         "): " + finding.title;
}

void AddFinding(const Finding& finding, const Report& report, const Pools& pools,
                std::vector<ActionCandidate>* candidates) {
  if (finding.withheld || !(finding.gain_at_most_ns > 0)) return;
  ActionCandidate& candidate = candidates->emplace_back();
  Action& action = candidate.entry.action;
  action.id = finding.id;
  action.kind = finding.kind;
  action.what = finding.action;
  action.floor = "the time that the records show: " + text::Time(finding.gain_at_most_ns);
  candidate.entry.target = TargetOf(finding);
  candidate.entry.confidence = finding.confidence;
  candidate.entry.evidence = EvidenceOf(finding);
  if (finding.confidence == Confidence::kLow) candidate.entry.check = finding.check;
  candidate.most_ns = finding.gain_at_most_ns;
  candidate.draws = DrawsOf(finding, report, pools);
  if (finding.kernels_at_most_ns > 0) {
    candidate.idle_most_ns = finding.gain_at_most_ns - finding.kernels_at_most_ns;
  }
}

// The fraction of its time that an entry saves, for entries whose kernels differ in it.
void SetFraction(double saves_ns, double about_ns, ActionCandidate* candidate) {
  if (about_ns > 0) candidate->entry.action.gain_at_most = saves_ns / about_ns;
}

}  // namespace

PathTimes TimesOnPath(const model::Model& model, const Timeline& timeline,
                      const KernelGroups& groups) {
  PathTimes times;
  times.kernels_ns.resize(groups.groups.size());
  const std::vector<int64_t> walked_ns = CriticalTimes(model, timeline);
  const std::vector<int64_t>& critical_ns = walked_ns.empty() ? timeline.exclusive_ns : walked_ns;
  for (size_t i = 0; i < critical_ns.size(); ++i) {
    const int32_t group = groups.group_of_op[i];
    double& sum_ns =
        group == model::kNoIndex ? times.other_ns : times.kernels_ns[static_cast<size_t>(group)];
    sum_ns += static_cast<double>(critical_ns[i]);
  }
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    const KernelGroup& group = groups.groups[g];
    const bool untraced = group.launches.duration_from_counters;
    if (untraced) times.kernels_ns[g] += static_cast<double>(group.exclusive_ns);
  }
  return times;
}

std::vector<RankedAction> RankActions(const Report& report, double copies_ns) {
  Pools pools = FillPools(report, copies_ns);
  std::vector<ActionCandidate> candidates;
  for (const Finding& finding : report.findings) AddFinding(finding, report, pools, &candidates);
  AddKernelActions(report, &candidates);
  for (ActionCandidate& candidate : candidates) {
    candidate.entry.target_ns = candidate.About(pools);
    if (candidate.most_ns < 0 && candidate.bounded) {
      SetFraction(candidate.Saves(pools), candidate.entry.target_ns, &candidate);
    }
  }
  std::vector<RankedAction> ranked;
  const double least_ns = kLeastAction * report.undisturbed_ns;
  while (ranked.size() < kMostActions && !candidates.empty()) {
    auto best = candidates.begin();
    for (auto at = candidates.begin(); at != candidates.end(); ++at) {
      if (at->Rank(pools) > best->Rank(pools)) best = at;
    }
    if (best->Rank(pools) < least_ns || !(best->Rank(pools) > 0)) break;
    if (best->bounded) best->entry.saves_at_most_ns = best->Saves(pools);
    NameKernel(report, &*best);
    best->Take(&pools);
    ranked.push_back(std::move(best->entry));
    candidates.erase(best);
  }
  return ranked;
}

}  // namespace prof::analyzer
