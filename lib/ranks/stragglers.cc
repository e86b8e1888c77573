// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/stragglers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/quantiles.h"
#include "lib/ranks/matched.h"

namespace prof::ranks {
namespace {

constexpr size_t kMostDifferences = 3;
// A cause has to make up this part of what the rank is late by. [own]
constexpr double kExplains = 0.5;

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

template <typename Value>
double MedianOfOthers(const std::vector<Rank>& ranks, size_t but, Value value) {
  std::vector<double> values;
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (r != but) values.push_back(value(ranks[r]));
  }
  return Median(std::move(values));
}

// By rank and part of the run: what it is late by.
std::vector<std::vector<double>> LateByPart(const std::vector<Meeting>& meetings, size_t ranks,
                                            size_t parts) {
  std::vector<std::vector<double>> late(ranks, std::vector<double>(parts));
  for (size_t i = 0; i < meetings.size(); ++i) {
    late[meetings[i].last][i * parts / meetings.size()] += meetings[i].late_ns;
  }
  return late;
}

// Later than the median of the others in more parts, and by more, than chance explains: the lower
// end of the interval of the mean is above zero. The level is that of 95 % for all ranks together:
// the normal quantile of 0.025 / n is at most sqrt(1.96^2 + 2 ln n).
bool IsBeyondChance(const std::vector<std::vector<double>>& late, size_t rank) {
  std::vector<double> more;
  for (size_t part = 0; part < late[rank].size(); ++part) {
    std::vector<double> others;
    for (size_t r = 0; r < late.size(); ++r) {
      if (r != rank) others.push_back(late[r][part]);
    }
    more.push_back(late[rank][part] - Median(std::move(others)));
  }
  const auto n = static_cast<double>(more.size());
  double mean = 0, squares = 0;
  for (const double one : more) mean += one / n;
  for (const double one : more) squares += (one - mean) * (one - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  const double all_ranks = std::sqrt(1 + 2 * std::log(static_cast<double>(late.size())) /
                                             analyzer::kNormal / analyzer::kNormal);
  return mean > all_ranks * analyzer::StudentQuantile(n - 1) * error;
}

using Key = std::tuple<std::string, std::array<uint32_t, 3>, std::array<uint32_t, 3>>;

std::map<Key, Work> ByKey(const Rank& rank) {
  std::map<Key, Work> works;
  for (const Work& work : rank.work) {
    Work& into = works[{work.kernel, work.grid, work.block}];
    const int64_t launches = into.launches + work.launches;
    const double ns = into.ns + work.ns;
    into = work;
    into.launches = launches;
    into.ns = ns;
  }
  return works;
}

// The kernels in which it differs, and how much of that is in launches that take longer.
double Compare(const std::vector<Rank>& ranks, RankVerdict* verdict) {
  std::vector<std::map<Key, Work>> others;
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (r != verdict->rank) others.push_back(ByKey(ranks[r]));
  }
  double slower_ns = 0;
  for (const auto& [key, work] : ByKey(ranks[verdict->rank])) {
    std::vector<double> launches, means;
    for (const std::map<Key, Work>& other : others) {
      const auto found = other.find(key);
      launches.push_back(found == other.end() ? 0 : static_cast<double>(found->second.launches));
      if (found != other.end()) means.push_back(found->second.mean_ns());
    }
    Difference difference;
    difference.work = work;
    difference.others_launches = Median(std::move(launches));
    difference.others_mean_ns = Median(std::move(means));
    difference.ns = work.ns - difference.others_launches * difference.others_mean_ns;
    if (difference.others_mean_ns > 0) {
      slower_ns +=
          static_cast<double>(work.launches) * (work.mean_ns() - difference.others_mean_ns);
    }
    verdict->differences.push_back(std::move(difference));
  }
  std::sort(verdict->differences.begin(), verdict->differences.end(),
            [](const Difference& a, const Difference& b) { return a.ns > b.ns; });
  verdict->differences.resize(std::min(verdict->differences.size(), kMostDifferences));
  return slower_ns;
}

void Explain(const std::vector<Rank>& ranks, RankVerdict* verdict) {
  const Rank& rank = ranks[verdict->rank];
  verdict->compute_more_ns =
      rank.compute_ns -
      MedianOfOthers(ranks, verdict->rank, [](const Rank& one) { return one.compute_ns; });
  verdict->idle_more_ns = rank.idle_ns - MedianOfOthers(ranks, verdict->rank, [](const Rank& one) {
                            return one.idle_ns;
                          });
  const double least_ns = kExplains * verdict->late_ns;
  if (std::max(verdict->compute_more_ns, verdict->idle_more_ns) < least_ns) return;
  if (verdict->idle_more_ns > verdict->compute_more_ns) {
    verdict->cause = Cause::kHost;
    return;
  }
  const double slower_ns = Compare(ranks, verdict);
  verdict->cause =
      slower_ns >= kExplains * verdict->compute_more_ns ? Cause::kSlowerKernels : Cause::kMoreWork;
}

}  // namespace

const char* ToString(Cause cause) {
  switch (cause) {
    case Cause::kSlowerKernels:
      return "slower-kernels";
    case Cause::kMoreWork:
      return "more-work";
    case Cause::kHost:
      return "host";
    case Cause::kUnknown:
      break;
  }
  return "unknown";
}

Job FindStragglers(std::vector<Rank> ranks) {
  Job job;
  std::stable_sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
    return std::tie(a.number, a.device) < std::tie(b.number, b.device);
  });
  job.ranks = std::move(ranks);
  if (job.ranks.size() < 2) {
    job.problem = "a job has two ranks with collectives of NCCL or more, and here " +
                  std::to_string(job.ranks.size()) +
                  (job.ranks.size() == 1 ? " has them" : " have them");
    return job;
  }
  Matched matched = Match(job.ranks);
  job.problem = std::move(matched.problem);
  job.notes = std::move(matched.notes);
  if (!job.problem.empty()) return job;

  job.collectives = static_cast<int64_t>(matched.meetings.size());
  std::vector<double> spans;
  for (const Rank& rank : job.ranks) spans.push_back(rank.span_ns);
  job.span_ns = Median(std::move(spans));
  job.verdicts.resize(job.ranks.size());
  for (size_t r = 0; r < job.ranks.size(); ++r) job.verdicts[r].rank = r;
  for (const Meeting& meeting : matched.meetings) {
    job.transfer_ns += meeting.transfer_ns;
    job.late_ns += meeting.late_ns;
    RankVerdict& verdict = job.verdicts[meeting.last];
    ++verdict.last;
    verdict.late_ns += meeting.late_ns;
  }
  const size_t parts = std::min(kParts, matched.meetings.size() / kFewestOfPart);
  if (parts >= kFewestParts) {
    const std::vector<std::vector<double>> late =
        LateByPart(matched.meetings, job.ranks.size(), parts);
    job.finding = job.late_ns >= 2 * kMatters * job.span_ns ? Finding::kInTurn : Finding::kTogether;
    for (RankVerdict& verdict : job.verdicts) {
      verdict.straggles =
          verdict.late_ns >= kMatters * job.span_ns && IsBeyondChance(late, verdict.rank);
      if (!verdict.straggles) continue;
      job.finding = Finding::kStraggler;
      Explain(job.ranks, &verdict);
    }
  }
  std::stable_sort(
      job.verdicts.begin(), job.verdicts.end(),
      [](const RankVerdict& a, const RankVerdict& b) { return a.late_ns > b.late_ns; });
  return job;
}

}  // namespace prof::ranks
