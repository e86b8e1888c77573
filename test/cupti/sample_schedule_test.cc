// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sample_schedule.h"

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

using Action = SampleSchedule::Action;

// A program that launches, with a sampler that does at once what the schedule says.
struct Program {
  Program(uint32_t samples, uint32_t skip, uint32_t groups_of_chip)
      : schedule(samples, skip), groups(groups_of_chip) {}

  // One launch of a signature; returns the group that was sampled, -1: none.
  int Launch(uint64_t key) {
    bool is_new = false;
    SampleSchedule::Entry* entry = schedule.Find(key, &is_new);
    if (entry == nullptr) return -1;
    const SampleSchedule::Decision decision = schedule.Next(*entry, groups, active, now_ns);
    if (decision.action == Action::kRotate) {
      active = static_cast<int>(decision.group);
      ++rotations;
    }
    if (decision.action != Action::kSample) return -1;
    schedule.Took(*entry, decision.group, now_ns);
    return static_cast<int>(decision.group);
  }

  SampleSchedule schedule;
  uint32_t groups;
  int active = -1;
  int64_t now_ns = 0;
  int rotations = 0;
};

TEST_CASE("The first launches of a signature are left alone") {
  Program program(1, 3, 1);
  program.active = 0;
  for (int i = 0; i < 3; ++i) CHECK(program.Launch(1) == -1);
  CHECK(program.Launch(1) == 0);
}

TEST_CASE("A signature is sampled so many times per group, and then never again") {
  Program program(3, 1, 2);
  std::vector<int> taken(2);
  for (int i = 0; i < 1000; ++i) {
    program.now_ns += 1'000'000;
    const int group = program.Launch(1);
    if (group >= 0) ++taken[static_cast<size_t>(group)];
  }
  CHECK(taken == std::vector<int>{3, 3});
  CHECK(program.rotations == 2);  // to each group once
}

TEST_CASE("Without an active group the first launch that wants one asks for the first") {
  Program program(1, 0, 3);
  bool is_new = false;
  SampleSchedule::Entry* entry = program.schedule.Find(1, &is_new);
  CHECK(is_new);
  const SampleSchedule::Decision decision = program.schedule.Next(*entry, 3, -1, 0);
  CHECK(decision.action == Action::kRotate);
  CHECK(decision.group == 0);
}

TEST_CASE("A group that nothing wants any more is left after its patience in time") {
  Program program(1, 0, 2);
  program.active = 0;
  CHECK(program.Launch(1) == 0);
  program.now_ns = SampleSchedule::kGroupPatienceNs - 1;
  CHECK(program.Launch(1) == -1);
  CHECK(program.active == 0);
  program.now_ns = SampleSchedule::kGroupPatienceNs;
  CHECK(program.Launch(1) == -1);
  CHECK(program.active == 1);
}

TEST_CASE("A group that nothing wants any more is left after its patience in launches") {
  Program program(1, 0, 2);
  program.active = 0;
  CHECK(program.Launch(1) == 0);
  for (uint32_t i = 1; i < SampleSchedule::kGroupPatienceLaunches; ++i) program.Launch(1);
  CHECK(program.active == 0);
  program.Launch(1);
  CHECK(program.active == 1);
}

TEST_CASE("A group that is still wanted is not left for others") {
  Program program(100, 0, 2);
  program.active = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    program.now_ns += SampleSchedule::kGroupPatienceNs / 2;
    CHECK(program.Launch(1) == 0);
  }
  CHECK(program.rotations == 0);
}

TEST_CASE("The next group is the one that most launches wanted") {
  Program program(1, 0, 3);
  program.active = 0;
  for (uint64_t key = 1; key <= 5; ++key) program.Launch(key);  // all have group 0
  program.active = 1;
  program.Launch(1);  // and one of them has group 1
  program.active = 0;
  program.Launch(1);                                            // wants 2
  for (uint64_t key = 2; key <= 5; ++key) program.Launch(key);  // want 1
  program.now_ns = SampleSchedule::kGroupPatienceNs;
  program.Launch(1);
  CHECK(program.active == 1);
}

TEST_CASE("It is complete when every signature has all its samples") {
  Program program(1, 0, 2);
  CHECK_FALSE(program.schedule.Complete());  // before the first launch nothing is
  for (int i = 0; i < 3; ++i) {
    for (uint64_t key = 1; key <= 10; ++key) {
      program.now_ns += SampleSchedule::kGroupPatienceNs;
      program.Launch(key);
    }
  }
  CHECK_FALSE(program.schedule.Complete());
  for (int i = 0; i < 10; ++i) {
    for (uint64_t key = 1; key <= 10; ++key) {
      program.now_ns += SampleSchedule::kGroupPatienceNs;
      program.Launch(key);
    }
  }
  CHECK(program.schedule.Complete());
}

TEST_CASE("A signature that ran once and never again does not hold up completion for ever") {
  Program program(1, 0, 1);
  program.active = 0;
  bool is_new = false;
  program.schedule.Find(99, &is_new);  // seen, not sampled
  program.Launch(1);
  CHECK_FALSE(program.schedule.Complete());
  for (int i = 0; i < 4 * 2 + 256; ++i) program.Launch(1);
  CHECK(program.schedule.Complete());
}

TEST_CASE("An excluded signature is never sampled and does not hold up completion") {
  Program program(1, 0, 1);
  program.active = 0;
  bool is_new = false;
  program.schedule.Find(7, &is_new)->excluded.store(true);
  for (int i = 0; i < 10; ++i) CHECK(program.Launch(7) == -1);
  CHECK(program.Launch(1) == 0);
  program.Launch(1);
  CHECK(program.schedule.Complete());
}

TEST_CASE("A chip without groups is never sampled") {
  Program program(1, 0, 0);
  for (int i = 0; i < 10; ++i) CHECK(program.Launch(1) == -1);
}

TEST_CASE("Signatures beyond the table are counted and the others go on") {
  const auto schedule = std::make_unique<SampleSchedule>(1, 0);
  bool is_new = false;
  for (uint64_t key = 1; key <= 2 * SampleSchedule::kCapacity; ++key) schedule->Find(key, &is_new);
  CHECK(schedule->dropped() >= SampleSchedule::kCapacity);
  CHECK(schedule->signatures() + schedule->dropped() == 2 * SampleSchedule::kCapacity);
  CHECK(schedule->Find(1, &is_new) != nullptr);
  CHECK_FALSE(is_new);
}

TEST_CASE("Keys that meet in one place of the table stay apart") {
  const auto schedule = std::make_unique<SampleSchedule>(1, 0);
  std::set<SampleSchedule::Entry*> entries;
  bool is_new = false;
  for (uint64_t i = 0; i < 10; ++i) {
    entries.insert(schedule->Find(5 + i * SampleSchedule::kCapacity, &is_new));
    CHECK(is_new);
  }
  CHECK(entries.size() == 10);
}

TEST_CASE("Each part of a signature makes another one") {
  const int a = 0, b = 0;
  std::vector<Signature> signatures(1);
  const auto change = [&](auto edit) {
    Signature signature;
    edit(signature);
    signatures.push_back(signature);
  };
  change([&](Signature& s) { s.function = &a; });
  change([&](Signature& s) { s.function = &b; });
  change([&](Signature& s) { s.context = &a; });
  for (size_t i = 0; i < 3; ++i) {
    change([&](Signature& s) { s.grid[i] = 1; });
    change([&](Signature& s) { s.block[i] = 1; });
  }
  change([&](Signature& s) { s.dynamic_shared_bytes = 1; });
  change([&](Signature& s) { s.range_family = 1; });
  change([&](Signature& s) { s.range_family = uint64_t{1} << 32; });
  std::set<uint64_t> hashes;
  for (const Signature& signature : signatures) hashes.insert(HashOf(signature));
  CHECK(hashes.size() == signatures.size());
  CHECK(hashes.count(0) == 0);
}

TEST_CASE("Threads that launch the same signatures share their entries") {
  constexpr int kThreads = 8;
  constexpr uint64_t kKeys = 500;
  SampleSchedule schedule(2, 1);
  std::atomic<uint64_t> made{0}, sampled{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        for (uint64_t key = 1; key <= kKeys; ++key) {
          bool is_new = false;
          SampleSchedule::Entry* entry = schedule.Find(key, &is_new);
          if (is_new) ++made;
          const SampleSchedule::Decision decision = schedule.Next(*entry, 1, 0, round);
          if (decision.action != Action::kSample) continue;
          schedule.Took(*entry, decision.group, round);
          ++sampled;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made == kKeys);
  CHECK(schedule.signatures() == kKeys);
  CHECK(schedule.dropped() == 0);
  CHECK(schedule.Complete());
  // Deciding and taking are two steps, so each thread may be one ahead.
  CHECK(sampled >= 2 * kKeys);
  CHECK(sampled <= (2 + kThreads - 1) * kKeys);
}

}  // namespace
}  // namespace prof::cupti::test
