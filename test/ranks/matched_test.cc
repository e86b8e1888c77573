// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/matched.h"

#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::ranks::test {
namespace {

Rank Of(const std::string& name, const std::vector<Collective>& collectives) {
  Rank rank;
  rank.name = name;
  rank.host = "node";
  rank.collectives = collectives;
  for (Collective& one : rank.collectives) one.exposed_ns = one.ns();
  return rank;
}

std::vector<Collective> Equal(size_t count, int64_t start_ns, int64_t ns) {
  std::vector<Collective> all;
  for (size_t i = 0; i < count; ++i) {
    const int64_t at_ns = start_ns + static_cast<int64_t>(i) * 10'000'000;
    all.push_back({"ncclDevKernel_AllReduce", at_ns, at_ns + ns, 0});
  }
  return all;
}

TEST_CASE(
    "The shortest kernel is that of the rank that came last; the second-latest says by how "
    "much") {
  const Matched matched = Match({Of("a", {{"nccl", 0, 900, 0}}), Of("b", {{"nccl", 500, 900, 0}}),
                                 Of("c", {{"nccl", 800, 900, 0}})});
  REQUIRE(matched.problem.empty());
  REQUIRE(matched.meetings.size() == 1);
  CHECK(matched.meetings[0].last == 2);
  CHECK(matched.meetings[0].transfer_ns == 100);
  CHECK(matched.meetings[0].late_ns == 300);
}

TEST_CASE("Ranks with other collectives are refused, with the first one that differs") {
  std::vector<Collective> other = Equal(10, 0, 1000);
  other[4].kernel = "ncclDevKernel_SendRecv";
  const Matched matched = Match({Of("rank 0", Equal(10, 0, 1000)), Of("rank 1", other)});
  CHECK(matched.problem.find("number 5 is ncclDevKernel_AllReduce in rank 0, and "
                             "ncclDevKernel_SendRecv in rank 1") != std::string::npos);
}

TEST_CASE("A few collectives more at the end are left out and named, many are a problem") {
  const Matched few = Match({Of("rank 0", Equal(100, 0, 1000)), Of("rank 1", Equal(98, 0, 1000))});
  CHECK(few.problem.empty());
  CHECK(few.meetings.size() == 98);
  REQUIRE(few.notes.size() == 1);
  CHECK(few.notes[0].find("The last 2 collectives of rank 0") == 0);
  const Matched many = Match({Of("rank 0", Equal(100, 0, 1000)), Of("rank 1", Equal(90, 0, 1000))});
  CHECK(many.problem.find("rank 0 has 100 collectives, another rank 90") == 0);
}

TEST_CASE(
    "On one host, ranks whose collectives run at different times do not wait for each other") {
  const std::vector<Collective> early = Equal(100, 0, 1000), late = Equal(100, 5'000'000, 1000);
  const Matched apart = Match({Of("rank 0", early), Of("rank 1", late)});
  CHECK(apart.problem.find("rank 0 and rank 1 do not wait for each other: 100 of 100") == 0);
  Rank elsewhere = Of("rank 1", late);
  elsewhere.host = "other";
  CHECK(Match({Of("rank 0", early), elsewhere}).problem.empty());  // another clock
}

}  // namespace
}  // namespace prof::ranks::test
