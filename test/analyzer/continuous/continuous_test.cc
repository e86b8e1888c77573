// SPDX-License-Identifier: Apache-2.0
//
// Planted rates, found again from samples that are longer than the kernels.
#include "lib/analyzer/continuous/continuous.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lib/format/triage_metrics.h"
#include "test/analyzer/continuous/pm_plant.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"

namespace prof::continuous_test {
namespace {

using Catch::Contains;
using test::AddAll;
using test::CheckFound;
using test::PlantedKernel;
using test::PlantOptions;
using test::PmPlant;
using test::TenKernels;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'000'000;

TEST_CASE("Kernels shorter than the samples get their planted rates within the bound", "[long]") {
  for (uint32_t seed = 1; seed <= uint32_t{test::Rounds(3, 1)}; ++seed) {
    INFO("seed " << seed);
    PmPlant plant(seed);
    PlantOptions options;
    options.clock_offset_ns = 3000;
    const std::vector<PlantedKernel> kernels = TenKernels();
    plant.Loop(AddAll(kernels, &plant), kStart, kStart + kSecond, 3000, options);
    plant.Sample(0, kStart + kSecond, options);
    const PmPlant::Answer answer = plant.Attribute();
    for (const PlantedKernel& kernel : kernels) {
      INFO(kernel.name << " of " << kernel.duration_ns << " ns");
      const double within = kernel.duration_ns >= 20'000 ? 2 : 6;
      CheckFound(answer.Of(kernel.name, "m0.pct"), kernel.rates[0], within);
      CheckFound(answer.Of(kernel.name, "m1.pct"), kernel.rates[1], within);
    }
    REQUIRE(answer.continuous.reports.size() == 1);
    const ContinuousReport& report = answer.continuous.reports[0];
    CHECK(report.clock_known);
    CHECK(std::abs(report.clock_offset_ns - 3000) <= report.clock_error_ns);
    CHECK(report.clock_error_ns <= 1000);
    CHECK(report.clock_stable);
    CHECK(report.covered > 0.99);
    CHECK(report.concurrent_share == 0);
    CheckFound(answer.continuous.idle.at("m0.pct"), 0, 2);
  }
}

// Values, and how many are off by less than their bound, and than a third of it.
struct Bounds {
  int values = 0, within = 0, within_a_third = 0;

  void Add(const PmPlant::Answer& answer, const std::vector<PlantedKernel>& kernels) {
    for (const PlantedKernel& kernel : kernels) {
      for (size_t m = 0; m < 2; ++m) {
        const ContinuousValue& value = answer.Of(kernel.name, "m" + std::to_string(m) + ".pct");
        if (!value.value) continue;
        ++values;
        const double off = std::abs(*value.value - kernel.rates[m]);
        within += off <= value.error ? 1 : 0;
        within_a_third += off <= value.error / 3 ? 1 : 0;
      }
    }
  }
};

TEST_CASE(
    "An error bound of 95 % holds for about 95 % of the kernels, and is no larger than needed",
    "[long]") {
  Bounds bounds;
  constexpr int kPrograms = test::Rounds(20, 4);
  for (uint32_t seed = 10; seed < 10 + kPrograms; ++seed) {
    PmPlant plant(seed);
    PlantOptions options;
    const std::vector<PlantedKernel> kernels = TenKernels();
    plant.Loop(AddAll(kernels, &plant), kStart, kStart + kSecond / 5, 3000, options);
    plant.Sample(0, kStart + kSecond / 5, options);
    bounds.Add(plant.Attribute(), kernels);
  }
  INFO(bounds.within << " and " << bounds.within_a_third << " of " << bounds.values);
  CHECK(bounds.values > 13 * kPrograms);
  CHECK(bounds.within >= bounds.values * 0.93);
  CHECK(bounds.within_a_third < bounds.values * 0.80);
}

TEST_CASE("Kernels whose rate changes while they run get bounds that hold", "[long]") {
  Bounds bounds;
  constexpr int kPrograms = test::Rounds(10, 2);
  for (int i = 0; i < kPrograms; ++i) {
    PmPlant plant(40 + i);
    PlantOptions options;
    options.interval_ns = 150'000;
    std::vector<PlantedKernel> kernels = TenKernels();
    for (size_t k = 0; k < kernels.size(); ++k) kernels[k].front = k % 2 == 0 ? 0.3 : -0.3;
    plant.Loop(AddAll(kernels, &plant), kStart, kStart + kSecond, 3000, options);
    plant.Sample(0, kStart + kSecond, options);
    bounds.Add(plant.Attribute(), kernels);
  }
  INFO(bounds.within << " of " << bounds.values);
  CHECK(bounds.values > 12 * kPrograms);
  CHECK(bounds.within >= bounds.values * 0.9);  // with one rate for all of a launch: half of them
}

TEST_CASE("A sample of much more than its interval says nothing of the kernels in it") {
  PmPlant plant;
  PlantOptions options;
  options.interval_ns = 50'000;
  const uint32_t first = plant.Kernel({"first", 500'000, {60}});
  const uint32_t second = plant.Kernel({"second", 500'000, {60}});
  constexpr int64_t kMiddle = kStart + kSecond / 10, kEnd = kMiddle + kSecond / 10;
  plant.Loop({first}, kStart, kMiddle, 3000, options);
  plant.Loop({second}, kMiddle, kEnd, 3000, options);
  plant.Sample(kStart, kMiddle, options);
  model::PmSeries& series = plant.model().pm_series.at(0);
  series.begin_ns.push_back(kMiddle);
  series.end_ns.push_back(kEnd);
  series.samples.push_back(1);
  series.values.push_back(0);
  const PmPlant::Answer answer = plant.Attribute();
  CheckFound(answer.Of("first"), 60, 2);
  CHECK_FALSE(answer.Of("second").value);
}

TEST_CASE("What a long kernel does first is not the value of the short one before it") {
  PmPlant plant;
  PlantOptions options;
  options.interval_ns = 50'000;
  options.noise = 0.1;
  const uint32_t brief = plant.Kernel({"brief", 14'000, {5}});
  const uint32_t lasting = plant.Kernel({"lasting", 7'000'000, {5}});
  const uint32_t beginning = plant.Kernel({"beginning", 15'000, {25}});
  const uint32_t clock = plant.Kernel({"clock", 110'000, {80}});  // its edges show the offset
  int64_t now_ns = kStart;
  for (int i = 0; i < 200; ++i) {
    now_ns = plant.Run(brief, now_ns, 14'000) + 1000;
    plant.Run(beginning, now_ns, 15'000, 0, 9);
    now_ns = plant.Run(lasting, now_ns, 7'000'000 + 317 * i) + 30'000;
    for (int k = 0; k < 5; ++k) now_ns = plant.Run(clock, now_ns, 110'000) + 30'000;
  }
  plant.Sample(kStart, now_ns, options);
  plant.Forget(9);
  const PmPlant::Answer answer = plant.Attribute();
  CHECK(answer.Of("lasting").value.value_or(0) == Approx(5).margin(0.2));
  const ContinuousValue& value = answer.Of("brief");
  INFO(value.value.value_or(-1) << " +-" << value.error);
  CHECK((!value.value || std::abs(*value.value - 5) <= 2));
}

// Bursts of one sampling.
void JoinSeries(std::vector<model::PmSeries>* series) {
  model::PmSeries& all = series->front();
  for (size_t i = 1; i < series->size(); ++i) {
    const model::PmSeries& one = (*series)[i];
    all.begin_ns.insert(all.begin_ns.end(), one.begin_ns.begin(), one.begin_ns.end());
    all.end_ns.insert(all.end_ns.end(), one.end_ns.begin(), one.end_ns.end());
    all.samples.insert(all.samples.end(), one.samples.begin(), one.samples.end());
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
  }
  series->resize(1);
}

TEST_CASE("A launch of which some parts were not sampled has a bound that holds what they may be") {
  constexpr int64_t kLaunch = kSecond, kPart = kLaunch / 8, kBurst = 640'000;
  const auto value_of = [](const std::vector<int>& parts, double front, double noise) {
    PmPlant plant;
    PlantOptions options;
    options.interval_ns = 5'000;
    options.noise = noise;
    const PlantedKernel kernel = {"once", kLaunch, {50, 20}, front};
    (void)plant.Run(plant.Kernel(kernel), kStart, kLaunch);
    for (const int part : parts) {
      const int64_t at = kStart + part * kPart + kPart / 3;
      plant.Sample(at, at + kBurst, options);
    }
    JoinSeries(&plant.model().pm_series);
    return plant.Attribute().Of("once");
  };
  const ContinuousValue all = value_of({0, 1, 2, 3, 4, 5, 6, 7}, 0.2, 0.02);
  CheckFound(all, 50, 2);
  const ContinuousValue most = value_of({0, 2, 3, 5, 7}, 0.2, 0.02);
  CheckFound(most, 50, 5);
  CHECK(most.error > all.error);
  CHECK(most.error < 15);
  // Samples without any noise say no more of the other parts.
  const ContinuousValue exact = value_of({0, 3, 4, 6, 7}, 0, 0);
  CheckFound(exact, 50, 5);
  CHECK(exact.error > 3);
  CHECK(exact.error < 15);
  // A sample in which the launch began is of the time before it, too.
  PmPlant plant;
  PlantOptions options;
  options.interval_ns = 5'000;
  options.noise = 0.02;
  (void)plant.Run(plant.Kernel({"once", kLaunch, {50, 20}, 0.2}), kStart, kLaunch);
  for (const int part : {0, 2, 3, 5, 7}) {
    const int64_t at = part == 0 ? kStart - 2'500 : kStart + part * kPart + kPart / 3;
    plant.Sample(at, at + kBurst, options);
  }
  JoinSeries(&plant.model().pm_series);
  CheckFound(plant.Attribute().Of("once"), 50, 5);
}

TEST_CASE("Bursts that meet two parts of six long launches leave a bound for the others") {
  constexpr int64_t kLaunch = 6'600'000, kStep = kLaunch + 20'000, kBurst = 640'000;
  for (const double front : {0.0, 0.1}) {
    PmPlant plant;
    PlantOptions options;
    options.interval_ns = 5'000;
    options.noise = 0.02;
    const uint32_t shape = plant.Kernel({"long", kLaunch, {20, 90}, front});
    for (int i = 0; i < 6; ++i) (void)plant.Run(shape, kStart + i * kStep, kLaunch);
    for (int i = 0; i < 6; ++i) {
      const int64_t at = kStart + i * kStep + kLaunch * (i == 2 ? 22 : 45) / 100;
      plant.Sample(at, at + kBurst, options);
    }
    JoinSeries(&plant.model().pm_series);
    const ContinuousValue value = plant.Attribute().Of("long");
    CAPTURE(front, value.missing);
    REQUIRE(value.value);
    CHECK(std::abs(*value.value - 20) <= value.error);
    CHECK(value.error > 2);
  }
}

constexpr int kRare = 60;

double RateOfRare(int i) { return i % 2 == 0 ? 95 : 5; }

// Two kernels, and beside them kRare others, each 12 times for 30 us: two samples' worth.
void PlantRare(PmPlant* plant) {
  PlantOptions options;
  options.interval_ns = 200'000;
  const uint32_t low = plant->Kernel({"low", 35'000, {20}});
  const uint32_t high = plant->Kernel({"high", 30'000, {70}});
  std::vector<uint32_t> rare;
  rare.reserve(kRare);
  for (int i = 0; i < kRare; ++i) {
    rare.push_back(plant->Kernel({"rare" + std::to_string(i), 30'000, {RateOfRare(i)}}));
  }
  int64_t time_ns = 0;
  for (int round = 0; round < 12; ++round) {
    for (size_t i = 0; i < rare.size();
         ++i) {  // the fast ones beside one, the slow ones beside the other
      for (const uint32_t shape : {i % 2 == 0 ? low : high, rare[i]}) {
        time_ns = plant->Run(shape, time_ns, plant->planted(shape).duration_ns) + 3'000;
      }
    }
    time_ns += 11'000;
  }
  plant->Sample(0, time_ns, options);
}

TEST_CASE("Kernels too rare for a value do not spoil those of the kernels around them") {
  PmPlant plant;
  PlantRare(&plant);
  const PmPlant::Answer answer = plant.Attribute();
  CheckFound(answer.Of("low"), 20, 5);
  CheckFound(answer.Of("high"), 70, 5);
  CHECK_FALSE(answer.Of("rare7").value);
  CHECK_THAT(answer.Of("rare7").missing, Contains("cannot be separated"));
}

TEST_CASE("A unit that may limit a kernel has a value within 25 points, and no wider one") {
  PmPlant plant;
  PlantRare(&plant);
  const std::string dram =
      std::string(format::kTriageMetrics[0].names[0]) + std::string(format::kTriageSuffix);
  plant.model().pm_series.front().metrics.front() = dram;
  const PmPlant::Answer answer = plant.Attribute();
  int wide = 0, none = 0, values = 0, within = 0;
  for (int i = 0; i < kRare; ++i) {
    const ContinuousValue& value = answer.Of("rare" + std::to_string(i), dram);
    none += value.value ? 0 : 1;
    if (!value.value) continue;
    ++values;
    CHECK(value.error <= 25);
    wide += value.error > 15 ? 1 : 0;
    within += std::abs(*value.value - RateOfRare(i)) <= value.error ? 1 : 0;
  }
  CHECK(wide > kRare / 2);
  CHECK(none > 0);
  CHECK(within >= values * 9 / 10);
}

TEST_CASE("Where samples of twice the length give other rates, the bounds are wider", "[long]") {
  const auto attribute = [](int64_t wrong_ns) {
    PmPlant plant;
    PlantOptions options;
    options.interval_ns = 110'000;
    const uint32_t low = plant.Kernel({"low", 40'000, {10}});
    const uint32_t high = plant.Kernel({"high", 30'000, {80}});
    plant.Loop({low, high}, 0, kSecond, 3'000, options);
    plant.Sample(0, kSecond, options);
    model::PmSeries& series = plant.model().pm_series[0];
    for (size_t i = 1; i < series.rows(); i += 2) {  // wrong times within pairs, right ones between
      series.end_ns[i - 1] = series.begin_ns[i] += i % 4 == 1 ? wrong_ns : -wrong_ns;
    }
    return plant.Attribute();
  };
  const PmPlant::Answer right = attribute(0), wrong = attribute(8000);
  for (const auto& [name, planted] : {std::pair{"low", 10.0}, std::pair{"high", 80.0}}) {
    CheckFound(right.Of(name), planted, 0.5);
    CHECK(right.Of(name).error < 0.5);
    REQUIRE(wrong.Of(name).value);
    const double off = std::abs(*wrong.Of(name).value - planted);
    CHECK(off > 3);
    CHECK(off < 1.2 * wrong.Of(name).error);
  }
}

TEST_CASE("A short kernel that runs alone in its samples gets its planted rate", "[long]") {
  PmPlant plant;
  const PlantedKernel kernel{"k", 5'000, {40, 60}};
  plant.Loop({plant.Kernel(kernel)}, kStart, kStart + kSecond, 3000, {});
  plant.Sample(0, kStart + kSecond, {});
  CheckFound(plant.Attribute().Of("k", "m0.pct"), 40, 6);
}

TEST_CASE("Kernels that share every sample in one proportion are not separated", "[long]") {
  PmPlant plant;
  PlantOptions options;
  options.jitter_ns = 0;
  const uint32_t a = plant.Kernel({"a", 10'000, {80}});
  const uint32_t b = plant.Kernel({"b", 10'000, {20}});
  const uint32_t path = plant.Path("pair");
  plant.Loop({a, b}, 0, kSecond / 2, 0, options, path);  // five times in every sample
  plant.Sample(0, kSecond / 2, options);
  const PmPlant::Answer answer = plant.Attribute();
  for (const char* name : {"a", "b"}) {
    const ContinuousValue& value = answer.Of(name);
    CHECK_FALSE(value.value);
    CHECK_THAT(value.missing,
               Contains("cannot be separated") && Contains(name[0] == 'a' ? "b" : "a"));
  }
  // Together they are known very well.
  const ContinuousValue& both = answer.continuous.of_path.at(path).at("m0.pct");
  CheckFound(both, 50, 0.5);
  CHECK(both.error < 0.5);
}

TEST_CASE("A kernel that ran for less than six samples has a value where six saw four launches") {
  const int launches = GENERATE(3, 8);
  PmPlant plant;
  PlantOptions options;
  const uint32_t long_one = plant.Kernel({"long", 50'000, {60}});
  const uint32_t rare = plant.Kernel({"rare", 50'000, {10}});
  plant.Loop({long_one}, 0, kSecond / 5, 20'000, options);
  for (int i = 0; i < launches; ++i) plant.Run(rare, kSecond / 5 + i * 200'000, 50'000);
  plant.Sample(0, kSecond / 5 + 10'000'000, options);
  const PmPlant::Answer answer = plant.Attribute();
  CheckFound(answer.Of("long"), 60, 2);
  if (launches == 8) {
    CheckFound(answer.Of("rare"), 10, 2);
  } else {
    CHECK_FALSE(answer.Of("rare").value);
    CHECK_THAT(answer.Of("rare").missing,
               Contains("only 150 us") && Contains("600 us") && Contains("4 launches"));
  }
}

TEST_CASE("A kernel of which one launch of many was sampled gets a reason, of two a value") {
  const int sampled = GENERATE(1, 2);
  INFO(sampled << " launches in the samples");
  PmPlant plant;
  PlantOptions options;
  options.noise = 0.2;
  const uint32_t long_one = plant.Kernel({"long", 50'000, {60}});
  const uint32_t seldom = plant.Kernel({"seldom", 4'000'000, {30}});
  plant.Loop({long_one}, 0, kSecond / 5, 20'000, options);
  for (int i = 0; i < 5; ++i) plant.Run(seldom, kSecond / 5 + i * 5'000'000, 4'000'000);
  plant.Sample(0, kSecond / 5 + sampled * 5'000'000 - 500'000, options);
  const PmPlant::Answer answer = plant.Attribute();
  if (sampled == 1) {
    CHECK_FALSE(answer.Of("seldom").value);
    CHECK_THAT(answer.Of("seldom").missing, Contains("only 1 of its 5 launches"));
  } else {
    CheckFound(answer.Of("seldom"), 30, 2);
  }
}

TEST_CASE("Ranges get the mean over their time, also of kernels too rare for a value") {
  PmPlant plant;
  PlantOptions options;
  const uint32_t path = plant.Path("many");
  const uint32_t other = plant.Kernel({"other", 100'000, {20}});
  std::vector<uint32_t> rare;
  rare.reserve(200);
  for (int i = 0; i < 200; ++i)
    rare.push_back(plant.Kernel({"rare" + std::to_string(i), 30'000, {70}}));
  int64_t time_ns = 0;
  for (int round = 0; round < 20; ++round) {
    for (const uint32_t shape : rare) time_ns = plant.Run(shape, time_ns, 30'000, path);
    for (int i = 0; i < 10; ++i) time_ns = plant.Run(other, time_ns, 100'000) + 5000;
  }
  plant.Sample(0, time_ns, options);
  const PmPlant::Answer answer = plant.Attribute();
  CHECK_FALSE(answer.Of("rare17").value);
  CheckFound(answer.continuous.of_path.at(path).at("m0.pct"), 70, 1);
  CheckFound(answer.continuous.of_path.at(0).at("m0.pct"), 20, 1);
}

TEST_CASE("What the GPU does between operations is found as the idle rate") {
  PmPlant plant;
  PlantOptions options;
  const uint32_t kernel = plant.Kernel({"k", 30'000, {60}});
  plant.Loop({kernel}, 0, kSecond / 5, 50'000, options);
  plant.Sample(0, kSecond / 5, options);
  for (float& value : plant.model().pm_series[0].values) value += 4;  // of another process, say
  const PmPlant::Answer answer = plant.Attribute();
  CheckFound(answer.continuous.idle.at("m0.pct"), 4, 0.5);
  CheckFound(answer.Of("k"), 64, 1);
}

TEST_CASE(
    "A device that was sampled while nothing ran has its series, and a note that it is idle") {
  PmPlant plant;
  PlantOptions options;
  plant.Kernel({"k", 1, {60}});
  plant.Sample(0, 10'000'000, options);
  const PmPlant::Answer answer = plant.Attribute();
  REQUIRE(answer.continuous.reports.size() == 1);
  CHECK(answer.continuous.reports[0].samples == 100);
  REQUIRE(answer.continuous.reports[0].notes.size() == 1);
  CHECK_THAT(answer.continuous.reports[0].notes[0], Contains("nothing to attribute"));
}

TEST_CASE("Gaps and missing values in the samples cost coverage, not truth", "[long]") {
  PmPlant plant;
  PlantOptions options;
  const std::vector<PlantedKernel> kernels = TenKernels();
  plant.Loop(AddAll(kernels, &plant), kStart, kStart + kSecond, 3000, options);
  plant.Sample(0, kStart + kSecond, options);
  model::PmSeries& series = plant.model().pm_series[0];
  const model::PmSeries all = series;
  series.begin_ns.clear();
  series.end_ns.clear();
  series.samples.clear();
  series.values.clear();
  for (size_t i = 0; i < all.rows(); ++i) {
    if (i % 100 < 20) continue;  // a buffer overflowed
    series.begin_ns.push_back(all.begin_ns[i]);
    series.end_ns.push_back(all.end_ns[i]);
    series.samples.push_back(1);
    const bool lost = i % 17 == 0;
    series.values.push_back(lost ? std::numeric_limits<float>::quiet_NaN() : all.row(i)[0]);
    series.values.push_back(all.row(i)[1]);
  }
  const PmPlant::Answer answer = plant.Attribute();
  CHECK(answer.continuous.reports[0].covered == Approx(0.8).margin(0.01));
  for (const PlantedKernel& kernel : kernels) {
    if (kernel.duration_ns >= 20'000) CheckFound(answer.Of(kernel.name), kernel.rates[0], 2.5);
  }
}

TEST_CASE("A metric that CUPTI gave in no sample is missing, and the others are not") {
  PmPlant plant;
  PlantOptions options;
  const uint32_t kernel = plant.Kernel({"k", 30'000, {60, 20}});
  plant.Loop({kernel}, 0, kSecond / 5, 50'000, options);
  plant.Sample(0, kSecond / 5, options);
  model::PmSeries& series = plant.model().pm_series[0];
  for (size_t i = 0; i < series.rows(); ++i) series.values[2 * i] = std::nanf("");
  const PmPlant::Answer answer = plant.Attribute();
  CHECK_FALSE(answer.Of("k", "m0.pct").value);
  CHECK_THAT(answer.Of("k", "m0.pct").missing, Contains("CUPTI gave no values"));
  CheckFound(answer.Of("k", "m1.pct"), 20, 1);
}

TEST_CASE("Equal samples that the file holds as one row count as many") {
  PmPlant plant;
  PlantOptions options;
  const uint32_t kernel = plant.Kernel({"k", 30'000, {60}});
  plant.Loop({kernel}, 0, kSecond / 5, 50'000, options);
  plant.Sample(0, kSecond / 5, options);
  model::PmSeries& series = plant.model().pm_series[0];
  const int64_t end_ns = series.end_ns.back();
  series.begin_ns.push_back(end_ns);  // then idle for a second
  series.end_ns.push_back(end_ns + kSecond);
  series.samples.push_back(10'000);
  series.values.push_back(0);
  const PmPlant::Answer answer = plant.Attribute();
  CHECK(answer.continuous.reports[0].samples == 12'000);
  CheckFound(answer.Of("k"), 60, 1);
  CHECK(std::abs(*answer.continuous.idle.at("m0.pct").value) < 0.1);
}

TEST_CASE("Several devices are attributed apart, and a range on both gets their mean by time") {
  PmPlant plant;
  PlantOptions first, second;
  second.device = 1;
  second.clock_offset_ns = -2000;
  const uint32_t kernel = plant.Kernel({"k", 40'000, {60}});
  const uint32_t other = plant.Kernel({"o", 40'000, {30}});
  const uint32_t path = plant.Path("step");
  plant.Loop({kernel}, 0, kSecond / 5, 20'000, first, path);
  plant.Loop({other}, 0, kSecond / 5, 20'000, second, path);
  plant.Sample(0, kSecond / 5, first);
  plant.Sample(0, kSecond / 5, second);
  const PmPlant::Answer answer = plant.Attribute();
  REQUIRE(answer.continuous.reports.size() == 2);
  CheckFound(answer.Of("k", "m0.pct", 0), 60, 1);
  CheckFound(answer.Of("o", "m0.pct", 1), 30, 1);
  CheckFound(answer.continuous.of_path.at(path).at("m0.pct"), 45, 1);
}

TEST_CASE("Samples with concurrent kernels are left out where enough others remain") {
  PmPlant plant;
  PlantOptions options;
  const uint32_t a = plant.Kernel({"a", 30'000, {40}});
  const uint32_t b = plant.Kernel({"b", 30'000, {70}});
  plant.Loop({a, b}, 0, kSecond / 2, 10'000, options);
  // For a twentieth of the time both run beside each other on another stream.
  for (int64_t time_ns = 0; time_ns < kSecond / 40; time_ns += 35'000) {
    plant.Run(a, time_ns, 30'000, 0, 8);
  }
  plant.Sample(0, kSecond / 2, options);
  // There the GPU gives less than the sum: contention.
  model::PmSeries& series = plant.model().pm_series[0];
  for (size_t i = 0; i < 250; ++i) series.values[i] = 45;
  const PmPlant::Answer answer = plant.Attribute();
  const ContinuousReport& report = answer.continuous.reports[0];
  CHECK(report.concurrent_share == Approx(0.05).margin(0.01));
  CHECK_FALSE(report.concurrent_used);
  CHECK_THAT(report.notes.back(), Contains("left out"));
  CheckFound(answer.Of("a"), 40, 1);
  CheckFound(answer.Of("b"), 70, 1);
}

TEST_CASE("Where everything overlaps, each kernel adds its rate, with a note in the report") {
  PmPlant plant;
  PlantOptions options;
  const uint32_t compute = plant.Kernel({"compute", 70'000, {30}});
  const uint32_t memory = plant.Kernel({"memory", 45'000, {50}});
  plant.Loop({compute}, 0, kSecond / 2, 2'000, options);
  for (int64_t time_ns = 0; time_ns < kSecond / 2; time_ns += 110'000) {
    plant.Run(memory, time_ns, 45'000, 0, 8);
  }
  plant.Sample(0, kSecond / 2, options);
  const PmPlant::Answer answer = plant.Attribute();
  const ContinuousReport& report = answer.continuous.reports[0];
  CHECK(report.concurrent_used);
  CHECK(report.concurrent_share > 0.5);
  CHECK_THAT(report.notes.back(), Contains("add its own rate"));
  CheckFound(answer.Of("compute"), 30, 1);
  CheckFound(answer.Of("memory"), 50, 1);
}

TEST_CASE("A kernel that never runs alone has the value of all that runs with it, named so") {
  PmPlant plant;
  PlantOptions options;
  options.interval_ns = 10'000;
  const uint32_t gemm = plant.Kernel({"gemm", 200'000, {30}});
  const uint32_t reduce = plant.Kernel({"reduce", 200'000, {50}});
  const uint32_t other = plant.Kernel({"other", 100'000, {20}});
  int64_t time_ns = 0;
  for (int round = 0; round < 200; ++round) {
    if (round % 20 == 0) {
      plant.Run(gemm, time_ns, 200'000);  // both start and end together
      time_ns = plant.Run(reduce, time_ns, 200'000, 0, 8) + 5'000;
    }
    time_ns = plant.Run(other, time_ns, 100'000) + 5'000;
  }
  plant.Sample(0, time_ns, options);
  const PmPlant::Answer answer = plant.Attribute();
  CheckFound(answer.Of("other"), 20, 0.5);
  CHECK(answer.Of("other").beside.empty());
  CheckFound(answer.Of("gemm"), 80, 1);
  CHECK(answer.Of("gemm").beside == "reduce");
  CHECK(answer.Of("reduce").beside == "gemm");
  CHECK(answer.Of("reduce").launches == 10);
}

TEST_CASE("Rates stay within 0 and 100 % whatever the noise") {
  PmPlant plant;
  PlantOptions options;
  options.noise = 8;
  const uint32_t none = plant.Kernel({"none", 25'000, {0}});
  const uint32_t full = plant.Kernel({"full", 25'000, {100}});
  const uint32_t half = plant.Kernel({"half", 33'000, {50}});
  plant.Loop({none, full, half}, 0, kSecond / 2, 4'000, options);
  plant.Sample(0, kSecond / 2, options);
  const PmPlant::Answer answer = plant.Attribute();
  for (const char* name : {"none", "full", "half"}) {
    const ContinuousValue& value = answer.Of(name);
    REQUIRE(value.value);
    CHECK(*value.value >= 0);
    CHECK(*value.value <= 100);
  }
  CheckFound(answer.Of("half"), 50, 4);
}

TEST_CASE("More kernels than the fit has room for: the large ones get values, the others a reason",
          "[long]") {
  PmPlant plant;
  PlantOptions options;
  std::vector<uint32_t> shapes;
  shapes.reserve(700);
  for (int i = 0; i < 700; ++i) {
    // Every rate again and again, so that what is put together is known.
    shapes.push_back(plant.Kernel(
        {"k" + std::to_string(i), i < 300 ? 60'000 : 25'000, {i % 2 == 0 ? 80.0 : 20.0}}));
  }
  int64_t time_ns = 0;
  for (int round = 0; round < 90; ++round) {
    for (const uint32_t shape : shapes) {
      time_ns = plant.Run(shape, time_ns, plant.planted(shape).duration_ns) + 3'000;
    }
    time_ns += 7'000;  // or the samples would see each round in the same way
  }
  plant.Sample(0, time_ns, options);
  const PmPlant::Answer answer = plant.Attribute();
  CheckFound(answer.Of("k10"), 80, 3);
  CheckFound(answer.Of("k201"), 20, 3);
  CHECK_FALSE(answer.Of("k699").value);
  CHECK_THAT(answer.Of("k699").missing, Contains("512 kernels with most time"));
}

}  // namespace
}  // namespace prof::continuous_test
