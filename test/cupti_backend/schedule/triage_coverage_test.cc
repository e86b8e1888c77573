// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/triage_coverage.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::triage_coverage_test {
namespace {

constexpr int64_t kUs = 1'000, kMs = 1'000'000, kS = 1'000'000'000;
constexpr size_t kDram = static_cast<size_t>(format::TriageUnit::kDram);

// `count` samples from `begin_ns` on, at `dram` percent.
TriageCoverage::Burst BurstAt(int64_t begin_ns, int64_t interval_ns, int count, float dram) {
  TriageCoverage::Burst burst;
  for (int i = 0; i < count; ++i) {
    burst.begin_ns.push_back(begin_ns + i * interval_ns);
    burst.end_ns.push_back(begin_ns + (i + 1) * interval_ns);
    TriageUse use;
    use.fill(std::nanf(""));
    use[kDram] = dram;
    burst.use.push_back(use);
  }
  return burst;
}

// Kernels of `length_ns` back to back over [begin_ns, end_ns).
void Launch(TriageCoverage* coverage, KernelKey key, int64_t begin_ns, int64_t end_ns,
            int64_t length_ns) {
  for (int64_t at_ns = begin_ns; at_ns < end_ns; at_ns += length_ns) {
    if (coverage->Wants(at_ns + length_ns)) coverage->AddRecord(key, at_ns, at_ns + length_ns);
  }
}

// One burst of 160 samples, its records, and the time until they are compared.
void RunBurst(TriageCoverage* coverage, KernelKey key, int64_t begin_ns, int64_t length_ns,
              int64_t interval_ns, float dram) {
  coverage->ExpectBurst(begin_ns);
  const int64_t end_ns = begin_ns + 160 * interval_ns;
  Launch(coverage, key, begin_ns - kMs, end_ns + kMs, length_ns);
  coverage->AddBurst(BurstAt(begin_ns, interval_ns, 160, dram), begin_ns);
  coverage->Resolve(begin_ns + TriageCoverage::kSettleNs + 1);
}

TEST_CASE("Before a burst no record is wanted, and after it those from its begin on") {
  TriageCoverage coverage;
  CHECK_FALSE(coverage.Wants(kS));
  coverage.ExpectBurst(kS);
  CHECK(coverage.Wants(kS + 1));
  CHECK_FALSE(coverage.Wants(kS - 1));
}

TEST_CASE("Records of a later time show that those of a burst have come") {
  TriageCoverage coverage;
  coverage.ExpectBurst(kS);
  Launch(&coverage, 5, kS - kMs, kS + 2 * kMs, 100 * kUs);
  coverage.AddBurst(BurstAt(kS, 5 * kUs, 160, 85), kS);
  coverage.Resolve(kS + 20 * kMs);
  CHECK(coverage.bursts_resolved() == 0);
  const int64_t later_ns = kS + kMs + TriageCoverage::kLaterNs;
  coverage.AddRecord(5, later_ns, later_ns + kUs);
  coverage.Resolve(kS + 80 * kMs);
  CHECK(coverage.bursts_resolved() == 1);
}

TEST_CASE("A kernel lacks samples until it was seen in three bursts, then its use is decided") {
  TriageCoverage coverage;
  for (int burst = 0; burst < 2; ++burst) {
    RunBurst(&coverage, 5, (burst + 1) * kS, 100 * kUs, 10 * kUs, 85);
    CHECK(coverage.lacking() == Approx(1));
    CHECK(coverage.TakeDecided().empty());
  }
  RunBurst(&coverage, 5, 3 * kS, 100 * kUs, 10 * kUs, 85);
  CHECK(coverage.lacking() < 0.01);
  const auto decided = coverage.TakeDecided();
  REQUIRE(decided.size() == 1);
  CHECK(decided.front().key == 5);
  CHECK(decided.front().use[kDram] == Approx(85));
  CHECK(std::isnan(decided.front().use[kDram + 1]));
  CHECK(coverage.TakeDecided().empty());
}

TEST_CASE("A launch that is longer than a burst needs eight of them, which see its parts") {
  TriageCoverage coverage;
  for (int burst = 1; burst <= 8; ++burst) {
    CHECK(coverage.TakeDecided().empty());
    const int64_t begin_ns = burst * kS;
    coverage.ExpectBurst(begin_ns);
    coverage.AddRecord(5, begin_ns - kMs, begin_ns + 6 * kMs);
    coverage.AddBurst(BurstAt(begin_ns, 5 * kUs, 100, 85), begin_ns);
    coverage.AddRecord(5, begin_ns + 6 * kMs, begin_ns + 13 * kMs);
    coverage.Resolve(begin_ns + TriageCoverage::kSettleNs + 1);
  }
  CHECK(coverage.TakeDecided().size() == 1);
  CHECK(coverage.lacking() < 0.01);
}

TEST_CASE("A kernel is met once by each burst, until it has enough") {
  TriageCoverage coverage;
  for (int burst = 1; burst <= 5; ++burst) {
    RunBurst(&coverage, 5, burst * kS, 100 * kUs, 10 * kUs, 85);
    CHECK(coverage.TakeMet() == std::vector<KernelKey>(burst <= 3 ? 1 : 0, 5));
  }
}

TEST_CASE("Where the last seconds are kept, a kernel that had enough lacks samples again") {
  for (const int64_t half_life_ns : {int64_t{0}, 10 * kS}) {
    TriageCoverage coverage;
    coverage.ForgetHalfIn(half_life_ns);
    for (int burst = 1; burst <= 3; ++burst) {
      RunBurst(&coverage, 7, burst * kS, 100 * kUs, 5 * kUs, 85);
    }
    CHECK(coverage.lacking() == 0);
    CHECK(coverage.TakeDecided().size() == 1);
    coverage.Resolve(9 * kS);
    CHECK(coverage.lacking() == 0);
    coverage.Resolve(12 * kS);  // no burst has come meanwhile
    CHECK(coverage.lacking() == (half_life_ns == 0 ? 0 : 1));
    for (int burst = 13; burst <= 15; ++burst) {
      RunBurst(&coverage, 7, burst * kS, 100 * kUs, 5 * kUs, 85);
    }
    CHECK(coverage.lacking() == 0);
  }
}

TEST_CASE("A burst is compared when a record from after it has come, or after five seconds") {
  TriageCoverage coverage;
  coverage.ExpectBurst(kS);
  coverage.AddBurst(BurstAt(kS, 10 * kUs, 160, 50), kS);
  coverage.Resolve(kS + TriageCoverage::kSettleNs + 1);
  CHECK(coverage.bursts_resolved() == 0);
  SECTION("records come late") {
    coverage.AddRecord(1, kS, kS + kMs);
    coverage.Resolve(kS + 2000 * kMs);
    CHECK(coverage.bursts_resolved() == 0);
    coverage.AddRecord(1, kS + 2 * kMs, kS + 3 * kMs);
    coverage.Resolve(kS + 2001 * kMs);
    CHECK(coverage.bursts_resolved() == 1);
    CHECK(coverage.interval_ns() > 0);  // it met a kernel
  }
  SECTION("nothing runs after it") {
    coverage.Resolve(kS + TriageCoverage::kLongestSettleNs);
    CHECK(coverage.bursts_resolved() == 0);
    coverage.Resolve(kS + TriageCoverage::kLongestSettleNs + 1);
    CHECK(coverage.bursts_resolved() == 1);
  }
}

TEST_CASE("Time with nothing but collectives is told apart, and does not count as busy") {
  TriageCoverage coverage;
  CHECK(coverage.waiting_share() == 0);
  coverage.ExpectBurst(kS);
  // Of 1600 us a kernel has 200, then a collective 1000, and 100 more beside a kernel.
  coverage.AddRecord(5, kS, kS + 200 * kUs);
  coverage.AddRecord(0, kS + 200 * kUs, kS + 1300 * kUs);
  coverage.AddRecord(5, kS + 1200 * kUs, kS + 1300 * kUs);
  coverage.AddBurst(BurstAt(kS, 10 * kUs, 160, 50), kS);
  coverage.AddRecord(5, kS + 60 * kMs, kS + 61 * kMs);
  coverage.Resolve(kS + 61 * kMs);
  REQUIRE(coverage.bursts_resolved() == 1);
  CHECK(coverage.waiting_share() == Approx(1000.0 / 1600));
  CHECK(coverage.lacking() == Approx(1));  // the kernel has too few samples, and is all that counts
  RunBurst(&coverage, 0, 2 * kS, 100 * kUs, 10 * kUs, 50);
  CHECK(coverage.waiting_share() == Approx(1));
  CHECK(coverage.lacking() == Approx(1));  // as before: the burst met nothing
}

TEST_CASE("The interval is long where a burst would see one launch only, and short otherwise") {
  TriageCoverage longs, shorts;
  RunBurst(&longs, 1, kS, 900 * kUs, 10 * kUs, 50);
  CHECK(longs.interval_ns() >= 20'000);
  RunBurst(&shorts, 1, kS, 9 * kUs, 10 * kUs, 50);
  CHECK(shorts.interval_ns() == 5'000);
}

TEST_CASE("When the long kernels have enough, the interval suits the short ones that do not") {
  TriageCoverage coverage;
  for (int burst = 1; burst <= 3; ++burst) {
    RunBurst(&coverage, 1, burst * kS, 900 * kUs, 50 * kUs, 50);
  }
  CHECK(coverage.interval_ns() >= 20'000);
  // From now on a hundredth of the time is a short kernel's.
  for (int burst = 4; burst <= 12; ++burst) {
    const int64_t begin_ns = burst * kS;
    coverage.ExpectBurst(begin_ns);
    for (int64_t at_ns = begin_ns; at_ns < begin_ns + 160 * 50 * kUs; at_ns += kMs) {
      coverage.AddRecord(1, at_ns, at_ns + 990 * kUs);
      coverage.AddRecord(2, at_ns + 990 * kUs, at_ns + kMs);
    }
    coverage.AddBurst(BurstAt(begin_ns, 50 * kUs, 160, 50), begin_ns);
    coverage.Resolve(begin_ns + TriageCoverage::kSettleNs + 1);
  }
  CHECK(coverage.interval_ns() == 5'000);
}

// Bursts of samples of 50 us, with launches in them at a distance.
void RunSparseBursts(TriageCoverage* coverage, int64_t kernel_ns, int bursts, int launches,
                     int64_t neighbour_ns) {
  constexpr int64_t kSampleNs = 50 * kUs;
  for (int burst = 1; burst <= bursts; ++burst) {
    const int64_t begin_ns = burst * kS;
    coverage->ExpectBurst(begin_ns);
    for (int i = 0; i < launches; ++i) {  // one in each second sample
      const int64_t sample_ns = begin_ns + 2 * i * kSampleNs;
      if (neighbour_ns != 0) {
        coverage->AddRecord(9, sample_ns - neighbour_ns - kUs, sample_ns - neighbour_ns);
      }
      coverage->AddRecord(4, sample_ns + 20 * kUs, sample_ns + 20 * kUs + kernel_ns);
    }
    coverage->AddBurst(BurstAt(begin_ns, kSampleNs, 20, 12), begin_ns);
    const int64_t later_ns = begin_ns + kS / 2;
    coverage->AddRecord(0, later_ns, later_ns + kUs);
    coverage->Resolve(begin_ns + TriageCoverage::kSettleNs + 1);
  }
}

TEST_CASE("A sample with all of a launch and nothing else gives the launch its use") {
  TriageCoverage coverage;
  RunSparseBursts(&coverage, 10 * kUs, 3, 2, 0);
  CHECK(coverage.TakeDecided().empty());  // six such launches are not enough
  RunSparseBursts(&coverage, 10 * kUs, 4, 2, 0);
  const auto decided = coverage.TakeDecided();
  REQUIRE(decided.size() == 1);
  CHECK(decided.front().use[kDram] == Approx(60));  // it ran for a fifth of the sample
}

TEST_CASE("A kernel that ran for less than a sample lacks samples, however many saw it") {
  TriageCoverage coverage;
  RunSparseBursts(&coverage, 5 * kUs, 3, 4, 0);  // 60 us
  CHECK(coverage.TakeDecided().empty());
  RunSparseBursts(&coverage, 5 * kUs, 3, 4, 0);
  CHECK(coverage.TakeDecided().size() == 1);
}

TEST_CASE("What runs right before a sample may be in it: then the launch in it is not alone") {
  TriageCoverage coverage;
  RunSparseBursts(&coverage, 10 * kUs, 4, 2, kUs);
  CHECK(coverage.TakeDecided().empty());
}

TEST_CASE("Kernels that are shorter than a sample have enough, but no use of their own") {
  TriageCoverage coverage;
  for (int burst = 1; burst <= 3; ++burst) {
    RunBurst(&coverage, 9, burst * kS, 3 * kUs, 5 * kUs, 40);
  }
  CHECK(coverage.lacking() < 0.01);
  const auto decided = coverage.TakeDecided();
  REQUIRE(decided.size() == 1);
  CHECK(std::isnan(decided.front().use[kDram]));
}

TEST_CASE("Records of a burst that is under way are kept when an earlier one is compared") {
  TriageCoverage coverage;
  coverage.ExpectBurst(kS);
  coverage.AddBurst(BurstAt(kS, 10 * kUs, 160, 50), kS);
  const int64_t next_ns = kS + TriageCoverage::kLongestSettleNs;
  coverage.ExpectBurst(next_ns);
  coverage.Resolve(next_ns + 1);
  CHECK(coverage.bursts_resolved() == 1);
  CHECK(coverage.Wants(next_ns + 1));
}

TEST_CASE("The key of a kernel depends on its name and on each part of its shape") {
  const KernelKey key = KernelKeyOf("kernel", {1, 2, 3}, {4, 5, 6}, 7);
  CHECK(key == KernelKeyOf("kernel", {1, 2, 3}, {4, 5, 6}, 7));
  CHECK(key != KernelKeyOf("kernel2", {1, 2, 3}, {4, 5, 6}, 7));
  CHECK(key != KernelKeyOf("kernel", {2, 1, 3}, {4, 5, 6}, 7));
  CHECK(key != KernelKeyOf("kernel", {1, 2, 3}, {4, 5, 7}, 7));
  CHECK(key != KernelKeyOf("kernel", {1, 2, 3}, {4, 5, 6}, 8));
}

}  // namespace
}  // namespace prof::cupti::triage_coverage_test
