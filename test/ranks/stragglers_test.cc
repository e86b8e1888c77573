// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/stragglers.h"

#include <algorithm>
#include <string>
#include <vector>

#include "test/ranks/job.h"
#include "test/support/catch.h"

namespace prof::ranks::test::stragglers_test {
namespace {

std::vector<size_t> Named(const Job& job) {
  std::vector<size_t> named;
  for (const RankVerdict& verdict : job.verdicts) {
    if (verdict.straggles) named.push_back(verdict.rank);
  }
  return named;
}

TEST_CASE("A rank whose kernels take longer is named, with what that costs and with the kernels") {
  for (const size_t ranks : {2, 4, 16}) {
    JobOptions options;
    options.ranks = ranks;
    options.straggler = ranks - 1;
    options.slower = 0.1;
    const Job job = FindStragglers(RunJob(options, 1));
    INFO(ranks << " ranks");
    REQUIRE(job.problem.empty());
    CHECK(job.finding == Finding::kStraggler);
    REQUIRE(Named(job) == std::vector<size_t>{ranks - 1});
    const RankVerdict& verdict = job.verdicts.front();
    CHECK(verdict.cause == Cause::kSlowerKernels);
    // A tenth of its kernels: what all wait for.
    const double planted_ns = 0.1 * options.kernel_ns * 18 * options.steps;
    CHECK(verdict.late_ns == Approx(planted_ns).epsilon(0.15));
    CHECK(job.gain_ns == Approx(planted_ns).epsilon(0.2));
    REQUIRE_FALSE(verdict.differences.empty());
    const Difference& first = verdict.differences.front();
    CHECK(first.work.mean_ns() == Approx(1.1 * first.others_mean_ns).epsilon(0.02));
  }
}

TEST_CASE("The clocks are told where all ranks have one, and kernels take longer") {
  JobOptions options;
  options.straggler = 1;
  options.slower = 0.1;
  std::vector<Rank> ranks = RunJob(options, 1);
  for (size_t r = 0; r < ranks.size(); ++r) ranks[r].sm_clock_hz = r == 1 ? 1.7e9 : 1.9e9;
  const RankVerdict verdict = FindStragglers(ranks).verdicts.front();
  CHECK(verdict.sm_clock_hz == 1.7e9);
  CHECK(verdict.others_sm_clock_hz == 1.9e9);
  ranks[3].sm_clock_hz = 0;
  CHECK(FindStragglers(ranks).verdicts.front().sm_clock_hz == 0);
}

// Beside a kernel that waits those of the early ranks take longer, and hide who has more work.
TEST_CASE("What waiting kernels take from those beside them hides no cause") {
  JobOptions options;
  options.straggler = 1;
  options.more = 0.34;
  std::vector<Rank> ranks = RunJob(options, 2);
  const double more_ns = FindStragglers(ranks).verdicts.front().compute_more_ns;
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (r == 1) continue;
    double taken_ns = 0;
    for (size_t i = 0; i < ranks[r].collectives.size(); ++i) {
      Collective& one = ranks[r].collectives[i];
      const double wait_ns = std::max(0.0, one.ns() - ranks[1].collectives[i].ns());
      one.exposed_ns = 0;
      one.beside_ns = one.ns();
      one.sm_share = 0.5;
      taken_ns += 0.5 * wait_ns;
      one.compute_ns += taken_ns;
    }
    for (Work& work : ranks[r].work) work.ns += taken_ns / 2;
  }
  const Job job = FindStragglers(std::move(ranks));
  REQUIRE(Named(job) == std::vector<size_t>{1});
  CHECK(job.verdicts.front().cause == Cause::kMoreWork);
  const RankVerdict& verdict = job.verdicts.front();
  CHECK(verdict.compute_more_ns + verdict.taken_from_others_ns == Approx(more_ns).epsilon(0.05));
  CHECK(verdict.taken_from_others_ns > 0.2 * more_ns);
}

TEST_CASE("A rank that launches more, and one whose host is late, are told apart") {
  JobOptions more;
  more.straggler = 1;
  more.more = 0.34;
  const Job with_more = FindStragglers(RunJob(more, 2));
  REQUIRE(Named(with_more) == std::vector<size_t>{1});
  CHECK(with_more.verdicts.front().cause == Cause::kMoreWork);

  JobOptions later;
  later.straggler = 2;
  later.later = 2;
  const Job with_later = FindStragglers(RunJob(later, 3));
  REQUIRE(Named(with_later) == std::vector<size_t>{2});
  CHECK(with_later.verdicts.front().cause == Cause::kHost);
  CHECK(with_later.verdicts.front().differences.empty());
}

TEST_CASE("Clocks of hosts that differ by milliseconds change nothing") {
  JobOptions options;
  options.straggler = 3;
  options.slower = 0.05;
  options.one_host = false;
  CHECK(Named(FindStragglers(RunJob(options, 4))) == std::vector<size_t>{3});
}

TEST_CASE("Two ranks that are equally late are both named, with what both cost") {
  JobOptions options;
  options.ranks = 8;
  options.straggler = 3;
  options.planted = 2;
  options.slower = 0.1;
  const Job job = FindStragglers(RunJob(options, 11));
  std::vector<size_t> named = Named(job);
  std::sort(named.begin(), named.end());
  CHECK(named == std::vector<size_t>{3, 4});
  CHECK(job.gain_ns == Approx(0.1 * options.kernel_ns * 18 * options.steps).epsilon(0.2));
}

// Each of them has other ranks and other jitter, of kernels and of steps.
TEST_CASE("Of jobs without a late rank hardly any names one, with one nearly all do") {
  constexpr uint32_t kJobs = 150;
  int false_alarms = 0, found = 0, others = 0;
  for (uint32_t seed = 1; seed <= kJobs; ++seed) {
    JobOptions options;
    options.ranks = 2 + seed % 7;
    options.jitter = 0.01 * (1 + seed % 5);
    options.step_jitter = 0.01 * (seed % 4);
    false_alarms += Named(FindStragglers(RunJob(options, seed))).empty() ? 0 : 1;
    options.straggler = seed % options.ranks;
    options.slower = 0.05;
    const std::vector<size_t> named = Named(FindStragglers(RunJob(options, 1000 + seed)));
    found += std::count(named.begin(), named.end(), options.straggler) > 0 ? 1 : 0;
    others += named.size() > 1 ? 1 : 0;
  }
  INFO(false_alarms << " false alarms, " << found << " of " << kJobs << " found, " << others
                    << " with another one");
  CHECK(false_alarms <= 0.03 * kJobs);
  CHECK(found >= 0.95 * kJobs);
  CHECK(others <= 0.03 * kJobs);
}

TEST_CASE("One stall of another rank hides no late rank, and makes nobody late") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    JobOptions options;
    options.stall_ns = 100e6;  // as long as all steps together
    options.stalled = 1;
    INFO("seed " << seed);
    const Job together = FindStragglers(RunJob(options, seed));
    CHECK(Named(together).empty());
    REQUIRE(together.notes.size() == 1);
    CHECK(together.notes[0].find("rank 1 was late there by ") != std::string::npos);
    options.straggler = 2;
    options.slower = 0.05;
    const Job slower = FindStragglers(RunJob(options, seed));
    REQUIRE(Named(slower) == std::vector<size_t>{2});
    CHECK(slower.verdicts.front().rank == 2);
    CHECK(slower.verdicts.front().late_ns > 0);
    CHECK(slower.verdicts.front().cause == Cause::kSlowerKernels);
    options.slower = 0;
    options.later = 2;
    const Job later = FindStragglers(RunJob(options, seed));
    REQUIRE(Named(later) == std::vector<size_t>{2});
    CHECK(later.verdicts.front().cause == Cause::kHost);
  }
}

TEST_CASE("A rank that becomes late in the last third of the run is late") {
  int named = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    JobOptions options;
    options.straggler = 2;
    options.slower = 0.1;
    options.from_step = 42;
    named += Named(FindStragglers(RunJob(options, seed))) == std::vector<size_t>{2} ? 1 : 0;
  }
  CHECK(named >= 18);
}

TEST_CASE("Ranks whose steps differ by much, at random, are no stragglers") {
  constexpr uint32_t kJobs = 120;
  int false_alarms = 0;
  for (uint32_t seed = 1; seed <= kJobs; ++seed) {
    JobOptions options;
    options.ranks = size_t{4} << seed % 3;
    options.steps = 50 + static_cast<int>(seed % 3) * 50;
    options.collectives = 1;
    options.step_jitter = 0.2 + 0.1 * (seed % 2);
    false_alarms += Named(FindStragglers(RunJob(options, 3000 + seed))).empty() ? 0 : 1;
  }
  INFO(false_alarms << " false alarms");
  CHECK(false_alarms <= 0.05 * kJobs);
}

TEST_CASE("Ranks that are late in turn are called that") {
  JobOptions options;
  options.step_jitter = 0.2;
  const Job job = FindStragglers(RunJob(options, 5));
  CHECK(job.finding == Finding::kInTurn);
  CHECK(Named(job).empty());
  CHECK(job.wait_ns > 0.02 * job.span_ns);
  CHECK(job.gain_ns == 0);
}

TEST_CASE("Where hardly anybody waits, and where there are too few collectives, nobody is named") {
  JobOptions options;
  options.jitter = 0.001;
  CHECK(FindStragglers(RunJob(options, 6)).finding == Finding::kTogether);
  options.steps = 5;
  options.slower = 0.5;
  const Job few = FindStragglers(RunJob(options, 7));
  CHECK(few.finding == Finding::kTooFew);
  CHECK(few.meetings == 15);
  CHECK(Named(few).empty());
}

TEST_CASE("Waits that other work hides cost nothing") {
  JobOptions options;
  options.slower = 0.3;
  std::vector<Rank> ranks = RunJob(options, 8);
  for (Rank& rank : ranks) {
    for (Collective& one : rank.collectives) one.exposed_ns = 0;
  }
  const Job job = FindStragglers(std::move(ranks));
  CHECK(job.wait_ns == 0);
  CHECK(Named(job).empty());
}

TEST_CASE("A recording that goes on for longer than the others changes no cause") {
  JobOptions options;
  options.straggler = 1;
  options.later = 1;
  std::vector<Rank> ranks = RunJob(options, 10);
  for (Rank& rank : ranks) {
    if (rank.number != 1) rank.collectives.resize(rank.collectives.size() - 7);
  }
  const Job job = FindStragglers(std::move(ranks));
  REQUIRE(Named(job) == std::vector<size_t>{1});
  CHECK(job.verdicts.front().cause == Cause::kHost);
}

TEST_CASE("A recording that is named twice is refused") {
  JobOptions options;
  std::vector<Rank> ranks = RunJob(options, 12);
  ranks.push_back(ranks[2]);
  CHECK(FindStragglers(std::move(ranks)).problem ==
        "rank2.prof and rank2.prof are of the same process and GPU: give one recording of each "
        "rank");
}

TEST_CASE("One rank is no job") {
  JobOptions options;
  options.ranks = 1;
  CHECK(FindStragglers(RunJob(options, 9)).problem ==
        "a job has two ranks with collectives of NCCL or more, and here 1 has them");
  CHECK_FALSE(FindStragglers({}).problem.empty());
}

}  // namespace
}  // namespace prof::ranks::test::stragglers_test
