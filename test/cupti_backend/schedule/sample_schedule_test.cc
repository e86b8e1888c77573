// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/sample_schedule.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test::sample_schedule_test {
namespace {

using Action = SampleSchedule::Action;
constexpr int64_t kMs = 1'000'000;

// A program that launches, and a sampler that does what the schedule says, at what it costs on an
// H200: changing groups takes 20 ms beside the program, a sampled launch holds it up for 1 ms.
struct Program {
  Program(uint32_t wanted, uint32_t skip, uint32_t groups_of_chip, uint32_t every = 1)
      : schedule(std::make_unique<SampleSchedule>(wanted, skip, every)), groups(groups_of_chip) {}

  // One launch of a signature; returns the group that was sampled, -1: none.
  int Launch(uint64_t key, int64_t takes_ns = 0) {
    now_ns += takes_ns;
    FinishRotation();
    bool is_new = false;
    SampleSchedule::Entry* entry = schedule->Find(key, &is_new);
    if (entry == nullptr) return -1;
    if (is_new) schedule->Decide(*entry, 0, Exclusion::kNone);
    if (!schedule->Considers(*entry, now_ns) || rotating_to >= 0) return -1;
    SampleSchedule::Decision decision = schedule->Next(*entry, 0, groups, active, now_ns);
    if (decision.action == Action::kSample && in_image >= image) {
      decision = {Action::kRotate, schedule->AfterFull(0, decision.group)};
    }
    if (decision.action == Action::kRotate) Rotate(decision.group);
    if (decision.action != Action::kSample) return -1;
    const uint32_t group = decision.group;
    CHECK(static_cast<int>(group) == active);
    ++in_image;
    ++samples;
    taken[key].resize(groups);
    ++taken[key][group];
    when[key].push_back(now_ns);
    decision = schedule->CountSample(*entry, 0, group, now_ns);
    if (decision.action == Action::kRotate) Rotate(decision.group);
    now_ns += sample_ns;
    return static_cast<int>(group);
  }

  void Rotate(uint32_t group) {
    ++rotations;
    rotating_to = static_cast<int>(group);
    rotated_ns = now_ns + rotation_ns;
    FinishRotation();
  }
  void FinishRotation() {
    if (rotating_to < 0 || now_ns < rotated_ns) return;
    active = std::exchange(rotating_to, -1);
    in_image = 0;
    schedule->BeginVisit(0, groups, static_cast<uint32_t>(active), now_ns);
  }
  bool Complete() const { return schedule->Complete(now_ns); }
  // Every signature has so many samples of each group.
  bool AllHave(uint64_t signatures, int count) const {
    if (taken.size() != signatures) return false;
    for (const auto& [key, of_group] : taken) {
      for (const int n : of_group) {
        if (n != count) return false;
      }
    }
    return true;
  }

  std::unique_ptr<SampleSchedule> schedule;
  uint32_t groups;
  int64_t rotation_ns = 20 * kMs, sample_ns = kMs;
  size_t image = 16;  // samples between two rotations
  int active = -1, rotating_to = -1;
  int64_t now_ns = kMs, rotated_ns = 0;
  size_t in_image = 0;
  int rotations = 0, samples = 0;
  std::map<uint64_t, std::vector<int>> taken;
  std::map<uint64_t, std::vector<int64_t>> when;
};

// One that costs nothing: for the rules alone.
Program Free(uint32_t samples, uint32_t skip, uint32_t groups, uint32_t every = 1) {
  Program program(samples, skip, groups, every);
  program.rotation_ns = program.sample_ns = 0;
  program.image = 1000;
  return program;
}

// --- Rules ---------------------------------------------------------------------------------------

TEST_CASE("The first launches of a signature are left alone") {
  Program program = Free(5, 3, 1);
  program.Rotate(0);
  for (int i = 0; i < 3; ++i) CHECK(program.Launch(1) == -1);
  CHECK(program.Launch(1) == 0);
}

TEST_CASE("After those launches only one in each stride is sampled") {
  Program program = Free(5, 1, 1, 4);
  program.Rotate(0);
  std::vector<int> sampled;
  for (int i = 0; i < 10; ++i) {
    if (program.Launch(1, 20 * kMs) == 0) sampled.push_back(i);
  }
  CHECK(sampled == std::vector<int>{1, 5, 9});
}

TEST_CASE("Without an active group the first launch that wants one asks for the first") {
  Program program(1, 0, 3);
  CHECK(program.Launch(1) == -1);
  CHECK(program.rotating_to == 0);
}

TEST_CASE("Every group has samples before any has the rest") {
  Program program = Free(5, 1, 4);
  std::vector<int> order;
  while (!program.Complete()) {
    const int group = program.Launch(1, kMs);
    if (group >= 0) order.push_back(group);
    REQUIRE(program.now_ns < 10'000 * kMs);
  }
  REQUIRE(order.size() == 20);
  CHECK(std::set<int>(order.begin(), order.begin() + 12).size() == 4);
  CHECK(program.AllHave(1, 5));
  CHECK(program.rotations == 7);  // to each group twice; the second round begins where it is
}

TEST_CASE("The later samples come after a rest as long as what was before it") {
  Program program = Free(5, 0, 1);
  program.Rotate(0);
  for (int i = 0; i < 100; ++i) program.Launch(1, kMs);
  const std::vector<int64_t>& when = program.when[1];
  REQUIRE(when.size() == 5);
  CHECK(when[2] - when[0] == 2 * kMs);  // nothing else wants the group
  CHECK(when[3] - when[2] >= when[2] - when[0]);

  Program many = Free(50, 0, 1);
  many.Rotate(0);
  while (!many.Complete()) many.Launch(1, kMs);
  const std::vector<int64_t>& times = many.when[1];
  REQUIRE(times.size() == 50);
  int64_t rests = 0;
  for (size_t i = 1; i < times.size(); ++i) {
    const bool rest = times[i] - times[i - 1] > kMs;
    if (rest) CHECK(times[i] - times[i - 1] >= times[i - 1] - times[0]);
    rests += rest ? 1 : 0;
  }
  CHECK(rests >= 3);
}

TEST_CASE("A rest has an end, however long the round before it took") {
  Program program = Free(5, 0, 1);
  program.Rotate(0);
  program.Launch(1);
  program.Launch(1, 50'000 * kMs);
  program.Launch(1, 50'000 * kMs);
  CHECK(program.samples == 3);
  CHECK(program.Launch(1, SampleSchedule::kMaxRestNs - 1) == -1);
  CHECK(program.Launch(1, 1) == 0);
}

TEST_CASE("A signature leaves launches to others that want the group") {
  Program program = Free(5, 0, 1);
  program.Rotate(0);
  CHECK(program.Launch(1) == 0);
  CHECK(program.Launch(2) == 0);
  CHECK(program.Launch(1, 1000) == -1);  // 2 wants it, too
  CHECK(program.Launch(2) == -1);
  CHECK(program.Launch(2) == 0);
  CHECK(program.Launch(1) == 0);
}

TEST_CASE("Launches that are far apart are all sampled") {
  Program program = Free(5, 0, 1);
  program.Rotate(0);
  for (int i = 0; i < 2; ++i) {
    CHECK(program.Launch(1, SampleSchedule::kSpacingNs) == 0);
    CHECK(program.Launch(2) == 0);
  }
}

TEST_CASE("A group that others still want is left when they do not come") {
  Program program = Free(3, 0, 2);
  program.Rotate(0);
  CHECK(program.Launch(1) == 0);
  CHECK(program.Launch(2) == 0);  // and never again
  while (program.taken[1][0] < 2) program.Launch(1, 100'000);
  const int64_t since_ns = program.now_ns;
  while (program.active == 0) program.Launch(1, 100'000);
  CHECK(program.now_ns - since_ns >= SampleSchedule::kPatienceNs);
  CHECK(program.now_ns - since_ns <= SampleSchedule::kPatienceNs + kMs);
}

TEST_CASE("A rare launch does not take the group away from a rarer one") {
  Program program = Free(2, 0, 2);
  program.Rotate(0);
  for (int i = 0; i < 40 && !program.Complete(); ++i) {
    program.Launch(1, 300 * kMs);
    program.Launch(2, 100 * kMs);
    if (i % 2 == 0) program.Launch(3, 100 * kMs);
  }
  CHECK(program.Complete());
  CHECK(program.AllHave(3, 2));
  CHECK(program.rotations <= 8);
}

TEST_CASE("An excluded signature is never sampled and does not hold up completion") {
  Program program = Free(1, 0, 1);
  program.Rotate(0);
  bool is_new = false;
  SampleSchedule::Entry* waits = program.schedule->Find(7, &is_new);
  program.schedule->Decide(*waits, 0, Exclusion::kWaits);
  for (int i = 0; i < 10; ++i) CHECK(program.Launch(7) == -1);
  CHECK(program.Launch(1) == 0);
  CHECK(program.Complete());
  CHECK(program.schedule->CountOf(Exclusion::kWaits).signatures == 1);
  CHECK(program.schedule->CountOf(Exclusion::kWaits).launches == 10);
}

TEST_CASE("A signature that is excluded while it is at work gives its place up") {
  Program program = Free(2, 0, 2);
  program.Rotate(0);
  CHECK(program.Launch(1) == 0);
  CHECK(program.Launch(2) == 0);
  bool is_new = false;
  program.schedule->Exclude(*program.schedule->Find(1, &is_new), Exclusion::kHeldUp);
  program.schedule->Exclude(*program.schedule->Find(1, &is_new), Exclusion::kHeldUp);
  for (int i = 0; i < 200; ++i) {
    CHECK(program.Launch(1, kMs) == -1);
    program.Launch(2);
  }
  CHECK(program.Complete());
  CHECK(program.taken[2] == std::vector<int>{2, 2});
}

TEST_CASE("A signature that nobody has judged yet is not sampled") {
  SampleSchedule schedule(1, 0, 1);
  bool is_new = false;
  CHECK_FALSE(schedule.Considers(*schedule.Find(1, &is_new), 1));
  CHECK_FALSE(schedule.Complete(1));
}

TEST_CASE("A chip without groups is never sampled") {
  Program program = Free(1, 0, 0);
  for (int i = 0; i < 10; ++i) CHECK(program.Launch(1) == -1);
}

// --- The clock -----------------------------------------------------------------------------------

struct Clocked : Program {
  Clocked() : Program(Free(5, 0, 1)) { Rotate(0); }
  void Run(double hz) {
    bool is_new = false;
    for (int i = 0; i < 1000 && (samples == 0 || !Complete()); ++i) {
      if (Launch(1, kMs) == 0) schedule->AddClock(*schedule->Find(1, &is_new), hz);
    }
  }
};

TEST_CASE("A signature whose SM clock moved has one round more, and no third") {
  Clocked program;
  program.Run(1.98e9);
  CHECK(program.samples == 5);
  bool is_new = false;
  SampleSchedule::Entry* entry = program.schedule->Find(1, &is_new);
  program.schedule->AddClock(*entry, 1.95e9);  // 1.5 %
  CHECK(program.Complete());
  program.schedule->AddClock(*entry, 1.9e9);
  CHECK_FALSE(program.Complete());
  program.Run(1.9e9);
  CHECK(program.Complete());
  CHECK(program.samples == 8);
  program.schedule->AddClock(*entry, 1.2e9);
  CHECK(program.Complete());
}

TEST_CASE("A clock that moves while it is sampled adds the same round") {
  Clocked program;
  bool is_new = false;
  program.Launch(1, kMs);
  SampleSchedule::Entry* entry = program.schedule->Find(1, &is_new);
  program.schedule->AddClock(*entry, 1.2e9);
  program.schedule->AddClock(*entry, 0);  // unknown
  program.schedule->AddClock(*entry, 1.9e9);
  program.Run(1.9e9);
  CHECK(program.samples == 8);
}

// --- Programs ------------------------------------------------------------------------------------

TEST_CASE("A loop of 12 kernels and 300 us has 5 samples of 13 groups within 7,000 steps") {
  Program program(5, 1, 13);
  int steps = 0;
  for (; steps < 7'000 && !program.Complete(); ++steps) {
    for (uint64_t key = 1; key <= 12; ++key) program.Launch(key, 25'000);
  }
  CAPTURE(steps, program.rotations, program.now_ns / kMs);
  CHECK(program.Complete());
  CHECK(program.AllHave(12, 5));
  // 12 x 13 x 5 = 780 samples at 16 a time are 49 rotations at least.
  CHECK(program.rotations <= 75);
  CHECK(program.now_ns <= 4'000 * kMs);
}

TEST_CASE("With room for all samples of a visit the same loop changes groups twice per group") {
  Program program(5, 1, 13);
  program.image = 64;
  while (!program.Complete() && program.now_ns < 10'000 * kMs) {
    for (uint64_t key = 1; key <= 12; ++key) program.Launch(key, 25'000);
  }
  CHECK(program.AllHave(12, 5));
  CHECK(program.rotations <= 2 * 13 + 2);
}

TEST_CASE("One launch of 2 s after the other is hardly ever left out") {
  Program program(5, 1, 13);
  int launches = 0;
  for (; launches < 200 && !program.Complete(); ++launches) program.Launch(1, 2'000 * kMs);
  CHECK(program.Complete());
  CHECK(program.AllHave(1, 5));
  CHECK(launches <= 5 * 13 + 8);
}

TEST_CASE("Of 5,000 kernels those that are sampled have all groups, before others begin") {
  Program program(5, 1, 13);
  for (int step = 0; step < 400; ++step) {
    for (uint64_t key = 1; key <= 5'000; ++key) program.Launch(key, 10'000);
  }
  CHECK_FALSE(program.Complete());
  size_t whole = 0;
  for (const auto& [key, of_group] : program.taken) {
    whole += std::count(of_group.begin(), of_group.end(), 0) == 0 ? 1 : 0;
  }
  CAPTURE(program.samples, program.taken.size(), whole, program.rotations);
  CHECK(whole > 30);
  CHECK(program.taken.size() - whole <= 2 * SampleSchedule::kMaxOpen);
}

TEST_CASE("A signature that appears late is sampled as well, without starting all over") {
  Program program(5, 1, 13);
  while (!program.Complete() && program.now_ns < 20'000 * kMs) {
    for (uint64_t key = 1; key <= 12; ++key) program.Launch(key, 25'000);
  }
  REQUIRE(program.Complete());
  const int before = program.rotations, samples = program.samples;
  int steps = 0;
  for (; steps < 10'000 && (steps < 10 || !program.Complete()); ++steps) {
    for (uint64_t key = 1; key <= 13; ++key) program.Launch(key, 25'000);
  }
  CHECK(program.AllHave(13, 5));
  CHECK(program.samples == samples + 5 * 13);
  CHECK(program.rotations - before <= 2 * 13 + 2);
}

TEST_CASE("A phase of the program that ends half sampled does not block the next one") {
  Program program(5, 1, 13);
  for (int step = 0; step < 60; ++step) {
    for (uint64_t key = 1; key <= 40; ++key) program.Launch(key, 25'000);
  }
  REQUIRE(program.samples > 0);
  int steps = 0;
  for (; steps < 20'000 && (steps < 10 || !program.Complete()); ++steps) {
    for (uint64_t key = 101; key <= 112; ++key) program.Launch(key, 25'000);
  }
  CHECK(program.Complete());
  for (uint64_t key = 101; key <= 112; ++key) CHECK(program.taken[key] == std::vector<int>(13, 5));
}

TEST_CASE("A kernel that is launched a hundred times in a row leaves the others their turn") {
  Program program(5, 1, 4);
  int steps = 0;
  for (; steps < 5'000 && !program.Complete(); ++steps) {
    for (int i = 0; i < 100; ++i) program.Launch(1, 5'000);
    for (uint64_t key = 2; key <= 5; ++key) program.Launch(key, 25'000);
  }
  CHECK(program.Complete());
  CHECK(program.AllHave(5, 5));
}

TEST_CASE("A signature that ran once and never again does not hold up completion") {
  Program program = Free(1, 0, 1);
  bool is_new = false;
  program.schedule->Decide(*program.schedule->Find(99, &is_new), 0, Exclusion::kNone);
  program.Rotate(0);
  program.Launch(1);
  CHECK_FALSE(program.Complete());
  for (int i = 0; i < 4 * 2 + 256; ++i) program.Launch(1);
  CHECK(program.Complete());

  Program slow = Free(1, 0, 1);
  slow.schedule->Decide(*slow.schedule->Find(99, &is_new), 0, Exclusion::kNone);
  slow.Rotate(0);
  for (int i = 0; i < 12; ++i) slow.Launch(1, 2'000 * kMs);
  CHECK(slow.Complete());
}

// --- The table -----------------------------------------------------------------------------------

TEST_CASE("Signatures beyond the table are counted and the others go on") {
  const auto schedule = std::make_unique<SampleSchedule>(1, 0, 1);
  bool is_new = false;
  for (uint64_t key = 1; key <= 2 * SampleSchedule::kCapacity; ++key) schedule->Find(key, &is_new);
  CHECK(schedule->dropped() >= SampleSchedule::kCapacity);
  CHECK(schedule->signatures() + schedule->dropped() == 2 * SampleSchedule::kCapacity);
  CHECK(schedule->Find(1, &is_new) != nullptr);
  CHECK_FALSE(is_new);
}

TEST_CASE("Keys that meet in one place of the table stay apart") {
  const auto schedule = std::make_unique<SampleSchedule>(1, 0, 1);
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
  change([&](Signature& s) { s.slot = 1; });
  for (size_t i = 0; i < 3; ++i) {
    change([&](Signature& s) { s.grid[i] = 1; });
    change([&](Signature& s) { s.block[i] = 1; });
  }
  change([&](Signature& s) { s.dynamic_shared_bytes = 1; });
  change([&](Signature& s) { s.range_family = 1; });
  change([&](Signature& s) { s.range_family = uint64_t{1} << 32; });
  change([&](Signature& s) { s.range_matches = false; });
  std::set<uint64_t> hashes;
  for (const Signature& signature : signatures) hashes.insert(HashOf(signature));
  CHECK(hashes.size() == signatures.size());
  CHECK(hashes.count(0) == 0);
}

TEST_CASE("Threads that launch the same signatures share their entries") {
  constexpr int kThreads = 8;
  constexpr uint64_t kKeys = 500;
  SampleSchedule schedule(1, 1, 1);
  schedule.BeginVisit(0, 1, 0, 1);
  std::mutex one_at_a_time;
  std::atomic<uint64_t> made{0}, sampled{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int round = 1; round <= 60; ++round) {
        for (uint64_t key = 1; key <= kKeys; ++key) {
          bool is_new = false;
          SampleSchedule::Entry* entry = schedule.Find(key, &is_new);
          if (is_new) {
            ++made;
            schedule.Decide(*entry, 0, Exclusion::kNone);
          }
          if (!schedule.Considers(*entry, round * kMs)) continue;
          const std::lock_guard<std::mutex> lock(one_at_a_time);
          if (schedule.Next(*entry, 0, 1, 0, round * kMs).action != Action::kSample) continue;
          schedule.CountSample(*entry, 0, 0, round * kMs);
          ++sampled;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(made == kKeys);
  CHECK(schedule.signatures() == kKeys);
  CHECK(schedule.dropped() == 0);
  CHECK(sampled == kKeys);
  CHECK(schedule.unfinished() == 0);
  CHECK(schedule.Complete(60 * kMs));
}

TEST_CASE("Where there are more kernels than places, those with most GPU time come first") {
  SampleSchedule schedule(5, 0, 1);
  constexpr uint32_t kGroups = 2, kPlaces = SampleSchedule::kMaxOpen, kKernels = 2 * kPlaces + 8;
  std::vector<SampleSchedule::Entry*> entries;
  for (uint32_t i = 0; i < kKernels; ++i) {
    bool is_new = false;
    entries.push_back(schedule.Find(1000 + i, &is_new));
    REQUIRE(is_new);
    schedule.Decide(*entries.back(), 0, Exclusion::kNone);
    // The later ones take longer, and the first one was asked for by name.
    entries.back()->timed_launches = 1;
    entries.back()->timed_ns = 1000 * (i + 1);
  }
  entries[0]->requested = true;
  int64_t now_ns = 1'000'000;
  for (SampleSchedule::Entry* entry : entries) schedule.Considers(*entry, now_ns);
  schedule.BeginVisit(0, kGroups, 0, now_ns);
  std::set<uint32_t> sampled;
  for (uint32_t i = 0; i < kKernels; ++i) {
    const auto decision = schedule.Next(*entries[i], 0, kGroups, 0, now_ns);
    if (decision.action == SampleSchedule::Action::kSample) sampled.insert(i);
  }
  CHECK(sampled.size() == kPlaces);
  CHECK(sampled.count(0) == 1);
  for (uint32_t i = kKernels - kPlaces + 1; i < kKernels; ++i) {
    CHECK(sampled.count(i) == 1);
  }
  // When those are finished it is the turn of the next ones.
  for (const uint32_t i : sampled) schedule.Exclude(*entries[i], Exclusion::kHeldUp);
  schedule.BeginVisit(0, kGroups, 1, now_ns);
  CHECK(schedule.Next(*entries[1], 0, kGroups, 1, now_ns).action == SampleSchedule::Action::kNone);
  CHECK(schedule.Next(*entries[kPlaces], 0, kGroups, 1, now_ns).action ==
        SampleSchedule::Action::kSample);
}

}  // namespace
}  // namespace prof::cupti::test::sample_schedule_test
