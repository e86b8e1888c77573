// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/matched.h"

#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::ranks::test::matched_test {
namespace {

Rank Of(const std::string& name, const std::vector<Collective>& collectives) {
  Rank rank;
  rank.name = name;
  rank.names = {"ncclDevKernel_AllReduce", "ncclDevKernel_SendRecv"};
  rank.collectives = collectives;
  for (Collective& one : rank.collectives) one.exposed_ns = one.ns();
  return rank;
}

Collective At(int64_t start_ns, int64_t end_ns) {
  Collective one;
  one.start_ns = start_ns;
  one.end_ns = end_ns;
  return one;
}

std::vector<Collective> Equal(size_t count, int64_t start_ns, int64_t ns) {
  std::vector<Collective> all;
  for (size_t i = 0; i < count; ++i) {
    const int64_t at_ns = start_ns + static_cast<int64_t>(i) * 10'000'000;
    all.push_back(At(at_ns, at_ns + ns));
  }
  return all;
}

TEST_CASE("The shortest kernel is that of the rank that came last, and the others waited for it") {
  const Matched matched =
      Match({Of("a", {At(0, 900)}), Of("b", {At(500, 900)}), Of("c", {At(800, 900)})});
  REQUIRE(matched.problem.empty());
  REQUIRE(matched.meetings.size() == 1);
  CHECK(matched.meetings[0].last == 2);
  CHECK(matched.meetings[0].transfer_ns == 100);
  CHECK(matched.meetings[0].wait_ns == std::vector<double>{800, 300, 0});
}

TEST_CASE("A wait beside other work costs the part of the SMs that the waiting kernel holds") {
  Rank early = Of("a", {At(0, 1000)});
  early.collectives[0].exposed_ns = 300;
  early.collectives[0].sm_share = 0.25;
  early.collectives[0].beside_ns = 400;  // and an earlier collective
  const Matched matched = Match({early, Of("b", {At(800, 1000)})});
  REQUIRE(matched.meetings.size() == 1);
  CHECK(matched.meetings[0].wait_ns == std::vector<double>{300 + 0.25 * 400, 0});
  CHECK(matched.meetings[0].taken_ns == std::vector<double>{0.25 * 400, 0});
}

TEST_CASE("Ranks with other collectives are refused, with the first one that differs") {
  std::vector<Collective> other = Equal(10, 0, 1000);
  other[4].name = 1;
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

TEST_CASE("Collectives that do not end together on all ranks are of other communicators") {
  std::vector<Collective> first = Equal(100, 0, 1'000'000);
  std::vector<Collective> second = Equal(100, 3'000'000, 1'000'000);  // another clock
  for (size_t i = 0; i < 100; i += 4) {
    second[i].start_ns += 700'000;
    second[i].end_ns += 700'000;
  }
  const Matched matched = Match({Of("rank 0", first), Of("rank 1", second)});
  CHECK(matched.problem.empty());
  CHECK(matched.meetings.size() == 75);
  REQUIRE(matched.notes.size() == 1);
  CHECK(matched.notes[0].find("25 collectives are left out: they did not end together") == 0);

  for (size_t i = 0; i < 100; ++i) {
    const int64_t later_ns = static_cast<int64_t>(i * i % 7) * 1'000'000;
    second[i].start_ns += later_ns;
    second[i].end_ns += later_ns;
  }
  CHECK(Match({Of("rank 0", first), Of("rank 1", second)})
            .problem.find("the ranks do not wait for each other: ") == 0);
}

TEST_CASE("Collectives before or in which prof held a rank up are left out and named") {
  const std::vector<Collective> all = Equal(40, 0, 1'000'000);
  Rank held = Of("b", all);
  for (size_t i = 20; i < 23; ++i) {
    held.collectives[i].held = true;
    held.collectives[i].start_ns += 900'000;
  }
  const Matched matched = Match({Of("a", all), held});
  REQUIRE(matched.problem.empty());
  CHECK(matched.meetings.size() == 37);
  CHECK(matched.meetings[20].number == 23);
  REQUIRE(matched.notes.size() == 1);
  CHECK(matched.notes[0].find("3 collectives are left out: prof held a rank up") == 0);
}

TEST_CASE("What has no time, and what not all ranks wait in, keeps its place and is left out") {
  std::vector<Collective> first = Equal(100, 0, 1000), second = first;
  first[3].end_ns = first[3].start_ns - 1;
  first[5].name = second[5].name = 1;
  const Matched matched = Match({Of("rank 0", first), Of("rank 1", second)});
  CHECK(matched.problem.empty());
  CHECK(matched.meetings.size() == 98);
  CHECK(matched.notes.size() == 2);
}

}  // namespace
}  // namespace prof::ranks::test::matched_test
