// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/matched.h"

#include <algorithm>
#include <limits>

#include "lib/text/numbers.h"

namespace prof::ranks {
namespace {

// Recordings of one job may end some collectives apart.
constexpr double kMayLack = 0.05;
// Clocks of processes on one host agree by far better. [own]
constexpr int64_t kClockNs = 1'000'000;
// Of the collectives: so many that do not overlap are no accident.
constexpr double kApart = 0.01;

constexpr const char* kWayOut =
    "give the recordings of the ranks that share a communicator, such as one data-parallel group, "
    "recorded from the same point of the program";

size_t CommonCount(const std::vector<Rank>& ranks) {
  size_t count = std::numeric_limits<size_t>::max();
  for (const Rank& rank : ranks) count = std::min(count, rank.collectives.size());
  return count;
}

std::string Different(const std::vector<Rank>& ranks, size_t count) {
  const std::vector<Collective>& first = ranks.front().collectives;
  for (const Rank& rank : ranks) {
    for (size_t i = 0; i < count; ++i) {
      if (rank.collectives[i].kernel == first[i].kernel) continue;
      return "the ranks run different collectives: number " + std::to_string(i + 1) + " is " +
             first[i].kernel + " in " + ranks.front().name + ", and " + rank.collectives[i].kernel +
             " in " + rank.name + ": " + kWayOut;
    }
  }
  return "";
}

// On one host, what waits for each other runs at one time.
std::string Apart(const std::vector<Rank>& ranks, size_t count) {
  for (size_t a = 0; a < ranks.size(); ++a) {
    for (size_t b = a + 1; b < ranks.size(); ++b) {
      if (ranks[a].host.empty() || ranks[a].host != ranks[b].host) continue;
      size_t apart = 0;
      for (size_t i = 0; i < count; ++i) {
        const Collective& one = ranks[a].collectives[i];
        const Collective& other = ranks[b].collectives[i];
        if (std::max(one.start_ns, other.start_ns) >
            std::min(one.end_ns, other.end_ns) + kClockNs) {
          ++apart;
        }
      }
      if (static_cast<double>(apart) <= kApart * static_cast<double>(count)) continue;
      return ranks[a].name + " and " + ranks[b].name +
             " do not wait for each other: " + std::to_string(apart) + " of " +
             std::to_string(count) + " collectives ran at different times: " + kWayOut;
    }
  }
  return "";
}

Meeting MeetingOf(const std::vector<Rank>& ranks, size_t i) {
  Meeting meeting;
  for (size_t r = 1; r < ranks.size(); ++r) {
    if (ranks[r].collectives[i].ns() < ranks[meeting.last].collectives[i].ns()) meeting.last = r;
  }
  meeting.transfer_ns = ranks[meeting.last].collectives[i].ns();
  meeting.late_ns = std::numeric_limits<double>::max();
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (r == meeting.last) continue;
    const Collective& one = ranks[r].collectives[i];
    meeting.late_ns =
        std::min(meeting.late_ns, std::min(one.ns() - meeting.transfer_ns, one.exposed_ns));
  }
  return meeting;
}

}  // namespace

Matched Match(const std::vector<Rank>& ranks) {
  Matched matched;
  const size_t count = CommonCount(ranks);
  for (const Rank& rank : ranks) {
    const size_t more = rank.collectives.size() - count;
    if (static_cast<double>(more) > kMayLack * static_cast<double>(rank.collectives.size())) {
      matched.problem =
          rank.name + " has " + text::Count(static_cast<int64_t>(rank.collectives.size())) +
          " collectives, another rank " + text::Count(static_cast<int64_t>(count)) + ": " + kWayOut;
      return matched;
    }
    if (more > 0) {
      matched.notes.push_back("The last " + std::to_string(more) + " collectives of " + rank.name +
                              " are not in all recordings: they are left out.");
    }
  }
  matched.problem = Different(ranks, count);
  if (matched.problem.empty()) matched.problem = Apart(ranks, count);
  if (!matched.problem.empty()) return matched;
  for (size_t i = 0; i < count; ++i) matched.meetings.push_back(MeetingOf(ranks, i));
  return matched;
}

}  // namespace prof::ranks
