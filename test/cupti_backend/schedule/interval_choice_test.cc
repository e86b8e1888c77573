// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/interval_choice.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test::interval_choice_test {
namespace {

using Launch = IntervalChoice::Launch;

constexpr int64_t kUs = 1'000, kPartNs = 50'000'000;

struct Kernels {
  uint64_t count = 1;        // that differ
  int64_t ns = 20 * kUs;     // of a launch
  int64_t gap_ns = 1 * kUs;  // to the next one
  size_t in_a_row = 1;       // launches of one kernel
  bool lacking = true;
  uint64_t first = 1;
};

// A part of a program that repeats these launches.
std::vector<Launch> PartOf(const Kernels& kernels) {
  std::vector<Launch> launches;
  int64_t at_ns = 0;
  for (size_t i = 0; at_ns < kPartNs; ++i) {
    const uint64_t kernel = kernels.first + i / kernels.in_a_row % kernels.count;
    launches.push_back({at_ns, at_ns + kernels.ns, kernel, kernels.lacking});
    at_ns += kernels.ns + kernels.gap_ns;
  }
  return launches;
}

int64_t ChosenFor(const Kernels& kernels) {
  IntervalChoice choice;
  for (int i = 0; i < 8; ++i) choice.Add(PartOf(kernels), 0, kPartNs);
  return choice.interval_ns();
}

TEST_CASE("Kernels that follow each other at once want samples that are shorter than they are") {
  CHECK(ChosenFor({8, 9 * kUs, kUs}) == 5 * kUs);
  CHECK(ChosenFor({8, 24 * kUs, kUs}) <= 10 * kUs);
}

TEST_CASE("Kernels at a distance want samples that hold all of a launch and nothing else") {
  CHECK(ChosenFor({60, 20 * kUs, 100 * kUs}) == 50 * kUs);
  CHECK(ChosenFor({60, 6 * kUs, 15 * kUs}) == 20 * kUs);
}

TEST_CASE("Launches of one kernel in a row may share a sample") {
  CHECK(ChosenFor({12, 9 * kUs, kUs, 50}) >= 20 * kUs);
}

TEST_CASE("A burst is to see several launches of a long kernel, or much of a very long one") {
  CHECK(ChosenFor({1, 900 * kUs, kUs}) >= 20 * kUs);
  CHECK(ChosenFor({4, 10'000 * kUs, kUs}) == 50 * kUs);
  CHECK(ChosenFor({1, 100'000 * kUs, kUs}) == 50 * kUs);
}

TEST_CASE("A single launch in an idle part of the program has all of that part") {
  IntervalChoice choice;
  choice.Add({{kPartNs / 2, kPartNs / 2 + 6 * kUs, 1, true}}, 0, kPartNs);
  CHECK(choice.interval_ns() == 50 * kUs);
}

TEST_CASE("Copies, and kernels on other streams, are beside a launch, too") {
  std::vector<Launch> launches = PartOf({60, 20 * kUs, 100 * kUs});
  std::vector<Launch> all;
  for (const Launch& launch : launches) {
    all.push_back(launch);
    all.push_back({launch.start_ns + kUs, launch.end_ns + 90 * kUs, 0, false});
  }
  IntervalChoice choice;
  for (int i = 0; i < 8; ++i) choice.Add(all, 0, kPartNs);
  CHECK(choice.interval_ns() <= 10 * kUs);
}

TEST_CASE("Kernels that have enough have no say, and where none lacks samples it stays as it is") {
  IntervalChoice choice;
  CHECK(choice.interval_ns() == 0);
  choice.Add(PartOf({60, 20 * kUs, 100 * kUs, 1, false}), 0, kPartNs);
  CHECK(choice.interval_ns() == 0);

  std::vector<Launch> mixed = PartOf({60, 20 * kUs, 100 * kUs, 1, false});
  for (Launch& launch : mixed) {  // close behind each of them, one that lacks samples
    const Launch enough = launch;
    launch = {enough.end_ns, enough.end_ns + 9 * kUs, 100 + enough.kernel, true};
  }
  for (const Launch& enough : PartOf({60, 20 * kUs, 100 * kUs, 1, false})) {
    mixed.push_back(enough);
  }
  std::sort(mixed.begin(), mixed.end(),
            [](const Launch& a, const Launch& b) { return a.start_ns < b.start_ns; });
  for (int i = 0; i < 8; ++i) choice.Add(mixed, 0, kPartNs);
  const int64_t chosen_ns = choice.interval_ns();
  CHECK(chosen_ns == 5 * kUs);
  choice.Add(PartOf({60, 20 * kUs, 100 * kUs, 1, false}), 0, kPartNs);
  CHECK(choice.interval_ns() == chosen_ns);
}

TEST_CASE("The choice follows the program from one kind of part to another, and back") {
  IntervalChoice choice;
  const std::vector<Launch> sparse = PartOf({60, 20 * kUs, 100 * kUs});
  const std::vector<Launch> dense = PartOf({8, 9 * kUs, kUs});
  for (int i = 0; i < 8; ++i) choice.Add(sparse, 0, kPartNs);
  CHECK(choice.interval_ns() == 50 * kUs);
  for (int i = 0; i < 8; ++i) choice.Add(dense, 0, kPartNs);
  CHECK(choice.interval_ns() == 5 * kUs);
  for (int i = 0; i < 16; ++i) choice.Add(sparse, 0, kPartNs);
  CHECK(choice.interval_ns() == 50 * kUs);
}

}  // namespace
}  // namespace prof::cupti::test::interval_choice_test
