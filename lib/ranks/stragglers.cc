// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/stragglers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/quantiles.h"
#include "lib/ranks/matched.h"
#include "lib/text/numbers.h"

namespace prof::ranks {
namespace {

constexpr size_t kMostDifferences = 3;
// A cause has to make up this part of what the rank is late by. [own]
constexpr double kExplains = 0.5;
// Of the median distance from the median: five standard deviations, where parts differ at random.
// [own]
constexpr double kFarAway = 5 * 1.4826;
constexpr int kMostStalled = 2;  // parts that are left out. [own]

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double MedianOfOthers(const std::vector<RankVerdict>& verdicts, size_t but,
                      double RankVerdict::*value) {
  std::vector<double> values;
  for (const RankVerdict& verdict : verdicts) {
    if (verdict.rank != but) values.push_back(verdict.*value);
  }
  return Median(std::move(values));
}

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double MeanOfOthers(const std::vector<double>& values, size_t but) {
  return (Sum(values) - values[but]) / static_cast<double>(values.size() - 1);
}

size_t PartOf(size_t meeting, size_t meetings, size_t parts) { return meeting * parts / meetings; }

// By rank and part of the run: by how much longer than it the others waited. Where no rank is late
// this is zero on average, whatever its distribution is.
std::vector<std::vector<double>> LateByPart(const std::vector<Meeting>& meetings, size_t ranks,
                                            size_t parts) {
  std::vector<std::vector<double>> late(ranks, std::vector<double>(parts));
  for (size_t i = 0; i < meetings.size(); ++i) {
    const std::vector<double>& wait_ns = meetings[i].wait_ns;
    for (size_t r = 0; r < ranks; ++r) {
      late[r][PartOf(i, meetings.size(), parts)] += MeanOfOthers(wait_ns, r) - wait_ns[r];
    }
  }
  return late;
}

// One stall of a rank, such as a checkpoint, is no habit. True for parts that are far from the
// others of a rank, by `least_ns` or more; for none where they are more than kMostStalled: that is
// how the run is.
std::vector<bool> StalledParts(const std::vector<std::vector<double>>& late, double least_ns) {
  std::vector<bool> stalled(late.front().size());
  for (const std::vector<double>& parts : late) {
    const double median = Median(parts);
    std::vector<double> distances;
    distances.reserve(parts.size());
    for (const double one : parts) distances.push_back(std::abs(one - median));
    const double most = std::max(least_ns, kFarAway * Median(distances));
    for (size_t p = 0; p < parts.size(); ++p) {
      if (distances[p] > most) stalled[p] = true;
    }
  }
  const auto count = std::count(stalled.begin(), stalled.end(), true);
  return count <= kMostStalled ? stalled : std::vector<bool>(stalled.size());
}

// The rank that stalled in a part, and for how long the others waited for it.
std::string StallText(const Job& job, const std::vector<std::vector<double>>& late, size_t part) {
  size_t rank = 0;
  for (size_t r = 1; r < late.size(); ++r) {
    if (late[r][part] > late[rank][part]) rank = r;
  }
  return "One of " + std::to_string(late.front().size()) +
         " parts of the run is left out: " + job.ranks[rank].name + " was late there by " +
         text::Time(late[rank][part]) + " in all, far more than in the others.";
}

// The lower end of the interval of the mean is above zero. The level is about that of 95 % for all
// ranks together: the normal quantile of 0.025 / n is at most sqrt(1.96^2 + 2 ln n).
bool IsBeyondChance(const std::vector<double>& late, size_t ranks) {
  const auto n = static_cast<double>(late.size());
  const double mean = Sum(late) / n;
  double squares = 0;
  for (const double one : late) squares += (one - mean) * (one - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  const double for_all = std::sqrt(1 + 2 * std::log(static_cast<double>(ranks)) /
                                           analyzer::kNormal / analyzer::kNormal);
  return mean > for_all * analyzer::StudentQuantile(n - 1) * error;
}

// With those that straggle no later than the latest of the others.
double GainOf(const Job& job, const std::vector<Meeting>& meetings,
              const std::vector<bool>& left_out) {
  std::vector<bool> straggles(job.ranks.size());
  for (const RankVerdict& verdict : job.verdicts) straggles[verdict.rank] = verdict.straggles;
  double gain_ns = 0;
  for (size_t i = 0; i < meetings.size(); ++i) {
    const Meeting& meeting = meetings[i];
    if (!straggles[meeting.last] || left_out[PartOf(i, meetings.size(), left_out.size())]) continue;
    double least_ns = std::numeric_limits<double>::infinity();
    for (size_t r = 0; r < straggles.size(); ++r) {
      if (!straggles[r]) least_ns = std::min(least_ns, meeting.wait_ns[r]);
    }
    gain_ns += std::isfinite(least_ns) ? least_ns : 0;
  }
  return gain_ns;
}

using Key = std::tuple<std::string, std::array<uint32_t, 3>, std::array<uint32_t, 3>>;

// Of the launches up to the last collective that all ranks have, as far as they are evenly spread.
std::map<Key, Work> ByKey(const Rank& rank, size_t count) {
  const double part = static_cast<double>(count) / static_cast<double>(rank.collectives.size());
  std::map<Key, Work> works;
  for (Work work : rank.work) {
    work.ns *= part;
    work.launches = std::llround(part * static_cast<double>(work.launches));
    works.emplace(Key{work.kernel, work.grid, work.block}, std::move(work));
  }
  return works;
}

// The kernels in which it differs, and how much of that is in launches that take longer.
double Compare(const std::vector<Rank>& ranks, size_t count, RankVerdict* verdict) {
  std::vector<std::map<Key, Work>> others;
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (r != verdict->rank) others.push_back(ByKey(ranks[r], count));
  }
  double slower_ns = 0;
  for (const auto& [key, work] : ByKey(ranks[verdict->rank], count)) {
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

void CompareClocks(const std::vector<Rank>& ranks, RankVerdict* verdict) {
  std::vector<double> others;
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (!(ranks[r].sm_clock_hz > 0)) return;
    if (r != verdict->rank) others.push_back(ranks[r].sm_clock_hz);
  }
  verdict->sm_clock_hz = ranks[verdict->rank].sm_clock_hz;
  verdict->others_sm_clock_hz = Median(std::move(others));
}

void Explain(const Job& job, size_t count, RankVerdict* verdict) {
  const std::vector<RankVerdict>& all = job.verdicts;
  const auto more = [&](double RankVerdict::*value) {
    return verdict->*value - MedianOfOthers(all, verdict->rank, value);
  };
  verdict->taken_from_others_ns = std::max(0.0, -more(&RankVerdict::taken_ns));
  verdict->compute_more_ns = more(&RankVerdict::compute_ns);
  verdict->idle_more_ns = more(&RankVerdict::idle_ns);
  const double least_ns = kExplains * verdict->late_ns;
  const double compute_ns = verdict->compute_more_ns + verdict->taken_from_others_ns;
  if (std::max(compute_ns, verdict->idle_more_ns) < least_ns) return;
  if (verdict->idle_more_ns > compute_ns) {
    verdict->cause = Cause::kHost;
    return;
  }
  const double slower_ns = Compare(job.ranks, count, verdict) + verdict->taken_from_others_ns;
  if (slower_ns < kExplains * compute_ns) {
    verdict->cause = Cause::kMoreWork;
    return;
  }
  verdict->cause = Cause::kSlowerKernels;
  CompareClocks(job.ranks, verdict);
}

// Two recordings of one process and device, or one that was named twice.
std::string Twice(const std::vector<Rank>& ranks) {
  for (size_t a = 0; a < ranks.size(); ++a) {
    for (size_t b = a + 1; b < ranks.size(); ++b) {
      if (std::tie(ranks[a].host, ranks[a].pid, ranks[a].device, ranks[a].number) !=
          std::tie(ranks[b].host, ranks[b].pid, ranks[b].device, ranks[b].number)) {
        continue;
      }
      return ranks[a].file + " and " + ranks[b].file +
             " are of the same process and GPU: give one recording of each rank";
    }
  }
  return "";
}

void FindSpans(const std::vector<Meeting>& meetings, Job* job) {
  job->verdicts.resize(job->ranks.size());
  std::vector<double> spans;
  for (size_t r = 0; r < job->ranks.size(); ++r) {
    RankVerdict& verdict = job->verdicts[r];
    verdict.rank = r;
    const std::vector<Collective>& all = job->ranks[r].collectives;
    const auto [first, last] = std::minmax_element(
        meetings.begin(), meetings.end(), [&](const Meeting& a, const Meeting& b) {
          return all[a.number].start_ns < all[b.number].start_ns;
        });
    if (first != meetings.end()) {
      verdict.span_ns = static_cast<double>(all[last->number].end_ns - all[first->number].start_ns);
    }
    spans.push_back(verdict.span_ns);
  }
  job->span_ns = Median(std::move(spans));
}

// What the rank did from the first collective to the last one, without the parts that are left out.
void SumOwn(const Matched& matched, const std::vector<bool>& left_out, const Rank& rank,
            RankVerdict* verdict) {
  const std::vector<Collective>& all = rank.collectives;
  for (size_t i = 0; i < matched.count; ++i) {  // the latest one need not be the last
    verdict->compute_ns = std::max(verdict->compute_ns, all[i].compute_ns);
    verdict->idle_ns = std::max(verdict->idle_ns, all[i].idle_ns);
  }
  const std::vector<Meeting>& meetings = matched.meetings;
  for (size_t i = 1; i < meetings.size(); ++i) {
    if (!left_out[PartOf(i, meetings.size(), left_out.size())]) continue;
    const Collective &before = all[meetings[i - 1].number], &one = all[meetings[i].number];
    verdict->compute_ns -= std::max(0.0, one.compute_ns - before.compute_ns);
    verdict->idle_ns -= std::max(0.0, one.idle_ns - before.idle_ns);
  }
}

void SumUp(const Matched& matched, const std::vector<bool>& left_out, Job* job) {
  for (RankVerdict& verdict : job->verdicts) {
    SumOwn(matched, left_out, job->ranks[verdict.rank], &verdict);
  }
  const auto ranks = static_cast<double>(job->ranks.size());
  for (size_t i = 0; i < matched.meetings.size(); ++i) {
    if (left_out[PartOf(i, matched.meetings.size(), left_out.size())]) continue;
    const Meeting& meeting = matched.meetings[i];
    ++job->meetings;
    job->transfer_ns += meeting.transfer_ns;
    ++job->verdicts[meeting.last].last;
    for (RankVerdict& verdict : job->verdicts) {
      const double wait_ns = meeting.wait_ns[verdict.rank];
      verdict.wait_ns += wait_ns;
      verdict.taken_ns += meeting.taken_ns[verdict.rank];
      verdict.late_ns += MeanOfOthers(meeting.wait_ns, verdict.rank) - wait_ns;
      job->wait_ns += wait_ns / ranks;
    }
  }
}

// The parts that count.
std::vector<double> Kept(const std::vector<double>& parts, const std::vector<bool>& left_out) {
  std::vector<double> kept;
  for (size_t p = 0; p < parts.size(); ++p) {
    if (!left_out[p]) kept.push_back(parts[p]);
  }
  return kept;
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
  job.problem = Twice(job.ranks);
  if (!job.problem.empty()) return job;
  Matched matched = Match(job.ranks);
  job.problem = std::move(matched.problem);
  job.notes = std::move(matched.notes);
  if (!job.problem.empty()) return job;

  const std::vector<Meeting>& meetings = matched.meetings;
  FindSpans(meetings, &job);
  const size_t parts = std::min(kParts, meetings.size() / kFewestOfPart);
  if (parts < kFewestParts) {
    SumUp(matched, {false}, &job);
  } else {
    const std::vector<std::vector<double>> late = LateByPart(meetings, job.ranks.size(), parts);
    const std::vector<bool> stalled = StalledParts(late, kMatters * job.span_ns);
    for (size_t p = 0; p < parts; ++p) {
      if (stalled[p]) job.notes.push_back(StallText(job, late, p));
    }
    SumUp(matched, stalled, &job);
    job.finding = job.wait_ns >= 2 * kMatters * job.span_ns ? Finding::kInTurn : Finding::kTogether;
    for (RankVerdict& verdict : job.verdicts) {
      const std::vector<double> kept = Kept(late[verdict.rank], stalled);
      verdict.straggles =
          Sum(kept) >= kMatters * job.span_ns && IsBeyondChance(kept, job.ranks.size());
      if (!verdict.straggles) continue;
      job.finding = Finding::kStraggler;
      Explain(job, matched.count, &verdict);
    }
    job.gain_ns = GainOf(job, meetings, stalled);
  }
  std::stable_sort(
      job.verdicts.begin(), job.verdicts.end(),
      [](const RankVerdict& a, const RankVerdict& b) { return a.late_ns > b.late_ns; });
  return job;
}

}  // namespace prof::ranks
