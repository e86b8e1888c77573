// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/matched.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "lib/text/numbers.h"

namespace prof::ranks {
namespace {

// Recordings of one job may end some collectives apart.
constexpr double kMayLack = 0.05;
// What meets ends together: the ends on two ranks are as far apart as their clocks, which drift
// slowly. So far from the median of so many neighbours on each side, and they did not meet. [own]
constexpr int64_t kTogetherNs = 200'000;
constexpr size_t kNeighbours = 15;
// With fewer that met, it is not one communicator. [own]
constexpr double kLeastMet = 0.5;

constexpr const char* kWayOut =
    "give the recordings of the ranks that share a communicator, such as one data-parallel group, "
    "recorded from the same point of the program";

size_t CommonCount(const std::vector<Rank>& ranks) {
  size_t count = std::numeric_limits<size_t>::max();
  for (const Rank& rank : ranks) count = std::min(count, rank.collectives.size());
  return count;
}

const std::string& NameOf(const Rank& rank, size_t i) {
  return rank.names[rank.collectives[i].name];
}

std::string Different(const std::vector<Rank>& ranks, size_t count) {
  for (const Rank& rank : ranks) {
    for (size_t i = 0; i < count; ++i) {
      const std::string& first = NameOf(ranks.front(), i);
      if (NameOf(rank, i) == first) continue;
      return "the ranks run different collectives: number " + std::to_string(i + 1) + " is " +
             first + " in " + ranks.front().name + ", and " + NameOf(rank, i) + " in " + rank.name +
             ": " + kWayOut;
    }
  }
  return "";
}

// The kernels of other collectives may end before all ranks have come: that of a sender, or of the
// root of a broadcast.
bool AllWait(const std::string& name) {
  constexpr std::array<const char*, 3> kNames = {"AllReduce", "AllGather", "ReduceScatter"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](const char* one) { return name.find(one) != std::string::npos; });
}

// Which of these collectives the rank ended together with the first one, up to their clocks.
std::vector<bool> EndedTogether(const Rank& first, const Rank& rank,
                                const std::vector<size_t>& numbers) {
  std::vector<int64_t> apart_ns;
  apart_ns.reserve(numbers.size());
  for (const size_t i : numbers) {
    apart_ns.push_back(rank.collectives[i].end_ns - first.collectives[i].end_ns);
  }
  std::vector<bool> together;
  for (size_t k = 0; k < apart_ns.size(); ++k) {
    const size_t from = k - std::min(k, kNeighbours);
    const size_t until = std::min(apart_ns.size(), k + kNeighbours + 1);
    std::vector<int64_t> near(apart_ns.begin() + static_cast<std::ptrdiff_t>(from),
                              apart_ns.begin() + static_cast<std::ptrdiff_t>(until));
    const auto middle = near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2);
    std::nth_element(near.begin(), middle, near.end());
    together.push_back(std::abs(apart_ns[k] - *middle) <= kTogetherNs);
  }
  return together;
}

Meeting MeetingOf(const std::vector<Rank>& ranks, size_t i) {
  Meeting meeting;
  meeting.number = i;
  for (size_t r = 1; r < ranks.size(); ++r) {
    if (ranks[r].collectives[i].ns() < ranks[meeting.last].collectives[i].ns()) meeting.last = r;
  }
  const Collective& shortest = ranks[meeting.last].collectives[i];
  meeting.transfer_ns = std::min(shortest.ns(), shortest.exposed_ns);
  for (const Rank& rank : ranks) {
    const Collective& one = rank.collectives[i];
    const double all_ns = one.ns() - shortest.ns(), alone_ns = std::min(all_ns, one.exposed_ns);
    meeting.taken_ns.push_back(one.sm_share * std::min(all_ns - alone_ns, one.beside_ns));
    meeting.wait_ns.push_back(alone_ns + meeting.taken_ns.back());
  }
  return meeting;
}

void Note(size_t count, const std::string& why, Matched* matched) {
  if (count == 0) return;
  matched->notes.push_back(
      text::Plural(static_cast<int64_t>(count), "collective is", "collectives are") +
      " left out: " + why);
}

// Those in which all ranks wait for each other, as far as it shows.
void Meet(const std::vector<Rank>& ranks, Matched* matched) {
  std::vector<size_t> numbers;
  size_t untimed = 0, others = 0;
  for (size_t i = 0; i < matched->count; ++i) {
    const bool is_timed = std::all_of(ranks.begin(), ranks.end(), [&](const Rank& rank) {
      return rank.collectives[i].is_timed();
    });
    if (!is_timed) {
      ++untimed;
    } else if (!AllWait(NameOf(ranks.front(), i))) {
      ++others;
    } else {
      numbers.push_back(i);
    }
  }
  std::vector<bool> together(numbers.size(), true);
  for (size_t r = 1; r < ranks.size(); ++r) {
    const std::vector<bool> of_rank = EndedTogether(ranks.front(), ranks[r], numbers);
    for (size_t k = 0; k < together.size(); ++k) together[k] = together[k] && of_rank[k];
  }
  size_t apart = 0, held = 0;
  for (size_t k = 0; k < numbers.size(); ++k) {
    const bool is_held = std::any_of(ranks.begin(), ranks.end(), [&](const Rank& rank) {
      return rank.collectives[numbers[k]].held;
    });
    if (!together[k]) {
      ++apart;
    } else if (is_held) {
      ++held;
    } else {
      matched->meetings.push_back(MeetingOf(ranks, numbers[k]));
    }
  }
  if (static_cast<double>(apart) > (1 - kLeastMet) * static_cast<double>(numbers.size())) {
    matched->problem = "the ranks do not wait for each other: " + std::to_string(apart) + " of " +
                       std::to_string(numbers.size()) +
                       " collectives did not end together on all of them: " + kWayOut;
    return;
  }
  Note(untimed, "their times are not known on all ranks", matched);
  Note(others,
       "not all ranks wait in them (only in an all-reduce, an all-gather and a "
       "reduce-scatter)",
       matched);
  Note(held, "prof held a rank up just before or meanwhile", matched);
  Note(apart, "they did not end together on all ranks, so they are of other communicators",
       matched);
}

}  // namespace

Matched Match(const std::vector<Rank>& ranks) {
  Matched matched;
  matched.count = CommonCount(ranks);
  for (const Rank& rank : ranks) {
    const size_t all = rank.collectives.size(), more = all - matched.count;
    if (static_cast<double>(more) > kMayLack * static_cast<double>(all)) {
      matched.problem = rank.name + " has " + text::Count(static_cast<int64_t>(all)) +
                        " collectives, another rank " +
                        text::Count(static_cast<int64_t>(matched.count)) + ": " + kWayOut;
      return matched;
    }
    if (more > 0) {
      matched.notes.push_back("The last " + std::to_string(more) + " collectives of " + rank.name +
                              " are not in all recordings: they are left out.");
    }
  }
  matched.problem = Different(ranks, matched.count);
  if (matched.problem.empty()) Meet(ranks, &matched);
  return matched;
}

}  // namespace prof::ranks
