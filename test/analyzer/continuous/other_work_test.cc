// SPDX-License-Identifier: Apache-2.0
//
// Work of others is seen where it is, and nowhere else: programs with drawn kernels and gaps.
#include "lib/analyzer/continuous/other_work.h"

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "lib/analyzer/findings/finding_other_work.h"
#include "test/analyzer/continuous/pm_plant.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"

namespace prof::test::other_work_test {
namespace {

using analyzer::OtherWork;

constexpr int64_t kStart = 1'000'000;
constexpr int64_t kEnd = kStart + 400'000'000;
constexpr uint32_t kOthers = 99;  // the stream of another process
constexpr char kSmActive[] = "sm__cycles_active.avg.pct_of_peak_sustained_elapsed";

int64_t Draw(std::mt19937* random, int64_t from, int64_t to) {
  return std::uniform_int_distribution<int64_t>(from, to)(*random);
}

// Kernels with gaps between them; in the gaps another process works for so much of the time.
PmPlant SharedDevice(uint32_t seed, double others) {
  std::mt19937 random(seed);
  PmPlant plant(seed);
  std::vector<uint32_t> shapes;
  for (int i = 0; i < 6; ++i) {
    shapes.push_back(plant.Kernel({"k" + std::to_string(i),
                                   Draw(&random, 5'000, 300'000),
                                   {static_cast<double>(Draw(&random, 20, 100))}}));
  }
  const uint32_t other = plant.Kernel({"of another process", 20'000, {90}});
  for (int64_t now = kStart; now < kEnd;) {
    const uint32_t shape = shapes[static_cast<size_t>(Draw(&random, 0, 5))];
    now = plant.Run(shape, now, plant.planted(shape).duration_ns);
    const int64_t gap = Draw(&random, 20'000, 200'000);
    const auto length = static_cast<int64_t>(others * static_cast<double>(gap));
    if (length > 0) plant.Run(other, now + (gap - length) / 2, length, 0, kOthers);
    now += gap;
  }
  PlantOptions options;
  options.interval_ns = 20'000;
  options.clock_offset_ns = Draw(&random, -2000, 2000);
  plant.Sample(0, kEnd, options);
  plant.Forget(kOthers);
  plant.model().pm_series[0].metrics = {kSmActive};
  return plant;
}

TEST_CASE("Work of another process is seen, with its share of the idle time", "[long]") {
  for (uint32_t seed = 1; seed <= static_cast<uint32_t>(Rounds(20, 1)); ++seed) {
    INFO("seed " << seed);
    PmPlant plant = SharedDevice(seed, 0.4);
    const std::vector<OtherWork> found = plant.Attribute().continuous.other_work;
    REQUIRE(found.size() == 1);
    CHECK(found[0].device == 0);
    CHECK(found[0].active > 0.25);  // 0.4 x 0.9, and more in the middle of the gaps
    CHECK(found[0].active < 0.6);
    CHECK(found[0].seconds > 0.01);
  }
}

TEST_CASE("Nothing else is seen on a device that the program has to itself", "[long]") {
  for (uint32_t seed = 1; seed <= static_cast<uint32_t>(Rounds(60, 1)); ++seed) {
    INFO("seed " << seed);
    PmPlant plant = SharedDevice(seed, 0);
    CHECK(plant.Attribute().continuous.other_work.empty());
  }
}

// Kernels with gaps shorter than a sample: each sample holds a part of one.
PmPlant WithoutIdleSamples(uint32_t seed, int64_t beyond_ns) {
  PmPlant plant(seed);
  const uint32_t shape = plant.Kernel({"k", 15'000, {95}});
  for (int64_t now = kStart; now < kEnd; now += 25'000) {
    plant.Run(shape, now, 15'000);
    // The kernel works on beyond its record.
    if (beyond_ns > 0) plant.Run(shape, now + 15'000, beyond_ns, 0, kOthers);
  }
  PlantOptions options;
  options.interval_ns = 20'000;
  plant.Sample(0, kEnd, options);
  plant.Forget(kOthers);
  plant.model().pm_series[0].metrics = {kSmActive};
  return plant;
}

TEST_CASE("Samples that straddle the edges of kernels are no work of others", "[long]") {
  for (uint32_t seed = 1; seed <= static_cast<uint32_t>(Rounds(20, 1)); ++seed) {
    INFO("seed " << seed);
    for (const int64_t beyond_ns : {0, 1'500}) {
      PmPlant plant = WithoutIdleSamples(seed, beyond_ns);
      CHECK(plant.Attribute().continuous.other_work.empty());
    }
  }
}

TEST_CASE("Kernels of two streams that overlap leave nothing to others", "[long]") {
  for (uint32_t seed = 1; seed <= static_cast<uint32_t>(Rounds(20, 2)); ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    PmPlant plant(seed);
    const uint32_t one = plant.Kernel({"one", 60'000, {50}});
    const uint32_t two = plant.Kernel({"two", 90'000, {40}});
    for (int64_t now = kStart; now < kEnd; now += Draw(&random, 150'000, 400'000)) {
      plant.Run(one, now, 60'000);
      plant.Run(two, now + Draw(&random, 0, 80'000), 90'000, 0, 8);
    }
    PlantOptions options;
    options.interval_ns = 20'000;
    options.clock_offset_ns = Draw(&random, -2000, 2000);
    plant.Sample(0, kEnd, options);
    plant.model().pm_series[0].metrics = {kSmActive};
    CHECK(plant.Attribute().continuous.other_work.empty());
  }
}

TEST_CASE("Work before the first and after the last operation may be the program's own") {
  PmPlant plant(1);
  const uint32_t shape = plant.Kernel({"k", 100'000, {80}});
  const int64_t from = kStart + 100'000'000, to = kEnd - 100'000'000;
  for (int64_t now = kStart; now < kEnd; now += 200'000) {
    plant.Run(shape, now, 100'000, 0, now >= from && now < to ? 7 : kOthers);
  }
  PlantOptions options;
  options.interval_ns = 20'000;
  plant.Sample(0, kEnd, options);
  plant.Forget(kOthers);
  plant.model().pm_series[0].metrics = {kSmActive};
  CHECK(plant.Attribute().continuous.other_work.empty());
}

TEST_CASE("Where the recording lacks operations by itself, nobody else is blamed", "[long]") {
  PmPlant lossy = SharedDevice(1, 0.4);
  lossy.model().integrity.dropped_by_cupti = 3;
  CHECK(lossy.Attribute().continuous.other_work.empty());
  PmPlant paused = SharedDevice(1, 0.4);
  paused.model().pauses.push_back({kStart, kStart + 1000});
  CHECK(paused.Attribute().continuous.other_work.empty());
  PmPlant held = SharedDevice(1, 0.4);  // by prof, whose launches may have no record
  held.model().profiler_intervals.push_back({model::ProfilerWork::kSample, 0, kStart, kEnd});
  CHECK(held.Attribute().continuous.other_work.empty());
}

TEST_CASE("What counters decided beside other work has low confidence") {
  std::vector<KernelReport> kernels(3);
  for (KernelReport& kernel : kernels) kernel.verdict.confidence = Confidence::kHigh;
  for (KernelReport& kernel : kernels) kernel.verdict.limiter = Limiter::kDram;
  kernels[0].verdict.source = Source::kPmSamples;
  kernels[1].verdict.source = Source::kNone;  // by its duration
  kernels[2].verdict.source = Source::kCounters;
  kernels[2].device = 1;
  std::vector<Finding> findings(1);
  const std::vector<OtherWork> work = {{0, 0.4, 0.01, 0.2}};
  DoubtBesideOtherWork(work, &kernels);
  AddOtherWork(work, &findings);
  CHECK(kernels[0].verdict.confidence == Confidence::kLow);
  CHECK(kernels[0].verdict.notes.size() == 1);
  CHECK(kernels[1].verdict.confidence == Confidence::kHigh);
  CHECK(kernels[2].verdict.confidence == Confidence::kHigh);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].id == "other-work");
  CHECK(findings[0].gain_at_most_ns == 0);
  CHECK(findings[0].evidence[0].find("40.0 % +-1.0 %") != std::string::npos);
}

}  // namespace
}  // namespace prof::test::other_work_test
