// SPDX-License-Identifier: Apache-2.0
//
// The verdicts: what is slower, faster, the same, and what stays open.
#include "prof/compare.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/compare/decide.h"
#include "lib/text/strings.h"
#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::compare_test {
namespace {

using test::Around;
using test::Contains;
using test::Kernel;
using test::Run;
using test::Runs;
using test::With;

Compared TimeOf(const Comparison& comparison) {
  REQUIRE(comparison.error.empty());
  REQUIRE(comparison.kernels.size() == 1);
  return comparison.kernels[0].time;
}

Compared CompareTimes(const std::vector<double>& before, const std::vector<double>& after) {
  return TimeOf(Compare(Runs(before), Runs(after, 100)));
}

TEST_CASE("A kernel that takes 10 % longer in seven runs is slower, and 10 % less is faster") {
  const Compared slower = CompareTimes(Around(100e3), Around(110e3));
  CHECK(slower.change == Change::kSlower);
  CHECK(slower.ratio.value == Approx(1.1));
  CHECK(slower.ratio.low > 1.09);
  CHECK(slower.runs_needed == 0);
  CHECK(CompareTimes(Around(110e3), Around(100e3)).change == Change::kFaster);
}

TEST_CASE("Equal runs are the same, and so is a change that is surely below the threshold") {
  CHECK(CompareTimes(Around(100e3), Around(100e3)).change == Change::kSame);
  CHECK(CompareTimes(Around(100e3), Around(102e3)).change == Change::kSame);
}

TEST_CASE("One run of each side is inconclusive, with the number of runs that would decide") {
  const Compared c = CompareTimes({100e3}, {120e3});
  CHECK(c.change == Change::kInconclusive);
  CHECK(c.runs_needed == 4);  // 2 / C(8, 4) is the first level below 0.05
  CHECK_THAT(c.why, Contains("At least 4 runs of each side would decide"));
  CHECK(c.noise_from == "launches within a run, a lower bound");
}

TEST_CASE("Three runs cannot show a change by ranks: the level is 0.1") {
  const Compared c = CompareTimes({100e3, 100.1e3, 100.2e3}, {120e3, 120.1e3, 120.2e3});
  CHECK(c.change == Change::kInconclusive);
  CHECK(c.runs_needed == 4);
  CHECK_THAT(c.why, Contains("by chance"));
}

TEST_CASE("Noise raises the threshold: three times the spread of equal runs") {
  const std::vector<double> noisy = {90e3, 95e3, 98e3, 100e3, 102e3, 106e3, 111e3};
  std::vector<double> later = noisy;
  for (double& time : later) time *= 1.06;
  const Compared c = CompareTimes(noisy, later);
  CHECK(c.threshold == Approx(3 * *c.noise));
  CHECK(c.threshold > 0.15);
  CHECK(c.change != Change::kSlower);
}

TEST_CASE("Stored noise of equal runs sets the threshold") {
  RunSet before = Collect(Runs(Around(100e3)));
  before.kernels[0].noise = 0.05;
  before.kernels[0].noise_runs = 12;
  const Comparison comparison = Compare(before, Collect(Runs(Around(107e3), 100)));
  CHECK(TimeOf(comparison).threshold == Approx(0.15));
  CHECK(TimeOf(comparison).noise_from == "12 equal runs");
  CHECK(TimeOf(comparison).change == Change::kSame);
}

TEST_CASE("With one run a counter that noise cannot move decides together with the time") {
  const auto with = [](double time_ns, double instructions) {
    return With(Kernel("saxpy", time_ns), test::kInstructions, instructions);
  };
  const auto compare = [&](double time_ns, double instructions) {
    return TimeOf(Compare({Run({with(100e3, 1e6)}, 1)}, {Run({with(time_ns, instructions)}, 2)}));
  };
  CHECK(compare(120e3, 1.2e6).change == Change::kSlower);
  CHECK(compare(80e3, 0.8e6).change == Change::kFaster);
  CHECK(compare(120e3, 0.8e6).change == Change::kInconclusive);  // they disagree
  CHECK(compare(120e3, 1e6).change == Change::kInconclusive);
  CHECK(compare(101e3, 1e6).change == Change::kInconclusive);  // the cycles are not known
}

TEST_CASE("With one run the same work in the same cycles is the same") {
  const auto run = [](double time_ns, double cycles, uint32_t pid) {
    KernelReport kernel = With(Kernel("saxpy", time_ns), test::kInstructions, 1e6);
    return Run({With(kernel, test::kCycles, cycles)}, pid);
  };
  CHECK(TimeOf(Compare({run(100e3, 180e3, 1)}, {run(101e3, 181e3, 2)})).change == Change::kSame);
  CHECK(TimeOf(Compare({run(100e3, 180e3, 1)}, {run(120e3, 216e3, 2)})).change == Change::kSlower);
}

TEST_CASE("Time that moved without the cycles is the clock, and no verdict") {
  std::vector<Report> before = Runs(Around(100e3)), after = Runs(Around(112e3), 100);
  for (std::vector<Report>* side : {&before, &after}) {
    for (Report& report : *side) {
      report.kernels[0] = With(report.kernels[0], test::kCycles, 180e3);
    }
  }
  const Comparison comparison = Compare(before, after);
  CHECK(TimeOf(comparison).change == Change::kInconclusive);
  CHECK_THAT(TimeOf(comparison).why, Contains("the clock differs"));
  REQUIRE(comparison.kernels[0].cycles.has_value());
  CHECK(comparison.kernels[0].cycles->ratio.value == Approx(1));
}

TEST_CASE("Cycles that moved by most of what the time did are no clock") {
  const auto compare = [](double time, double cycles) {
    std::vector<Report> before = Runs(Around(100e3)), after = Runs(Around(time * 100e3), 100);
    for (Report& report : before) {
      report.kernels[0] = With(report.kernels[0], test::kCycles, 180e3);
    }
    for (Report& report : after) {
      report.kernels[0] = With(report.kernels[0], test::kCycles, cycles * 180e3);
    }
    return TimeOf(Compare(before, after)).change;
  };
  CHECK(compare(1.03, 1.02) == Change::kSlower);
  CHECK(compare(1.03, 1.01) == Change::kInconclusive);
  CHECK(compare(0.97, 0.98) == Change::kFaster);
}

TEST_CASE("Many kernels are corrected for, and small ones are not tested") {
  std::vector<Report> before, after;
  for (uint32_t run = 0; run < 4; ++run) {
    std::vector<KernelReport> one, other;
    for (int k = 0; k < 10; ++k) {
      const double time_ns = 100e3 * (1 + 0.001 * run);
      one.push_back(Kernel("kernel" + std::to_string(k), time_ns, k));
      other.push_back(Kernel("kernel" + std::to_string(k), k == 0 ? 1.2 * time_ns : time_ns, k));
    }
    one.push_back(Kernel("tiny", 100, 10));
    other.push_back(Kernel("tiny", 300, 10));
    before.push_back(Run(one, run + 1));
    after.push_back(Run(other, run + 100));
  }
  const Comparison comparison = Compare(before, after);
  const KernelChange& slow = comparison.kernels[0];
  CHECK(slow.name == "kernel0");
  CHECK(slow.time.level == Approx(2.0 / 70));
  CHECK(slow.time.corrected == Approx(10 * 2.0 / 70));
  CHECK(slow.time.change == Change::kInconclusive);  // four runs are too few for ten kernels
  CHECK(slow.time.runs_needed == 6);                 // 10 * 2 / C(12, 6) = 0.022; 5: 0.079
  const KernelChange& tiny = comparison.kernels.back();
  CHECK(tiny.name == "tiny");
  CHECK_FALSE(tiny.time.tested);
}

TEST_CASE("Different devices and drivers are refused") {
  std::vector<Report> after = Runs(Around(100e3), 100);
  for (Report& report : after) report.nvidia_driver = "590.2";
  const Comparison refused = Compare(Runs(Around(100e3)), after);
  CHECK_THAT(refused.error,
             Contains("the drivers differ: 580.1 before, 590.2 after") && Contains("--across"));
  CompareOptions options;
  options.across = true;
  const Comparison across = Compare(Runs(Around(100e3)), after, options);
  CHECK(across.error.empty());
  REQUIRE(across.notes.size() == 1);
  CHECK_THAT(across.notes[0], Contains("the drivers differ"));
}

TEST_CASE(
    "Across devices a time that is not normalized is compared as it is, and the note has it") {
  std::vector<Report> before = Runs(Around(100e3)), after = Runs(Around(100e3), 100);
  for (Report& report : after) report.devices[0].name = "NVIDIA H100";
  CompareOptions options;
  options.across = true;
  const Comparison plain = Compare(before, after, options);
  CHECK(TimeOf(plain).ratio.value == Approx(1));
  REQUIRE(plain.notes.size() == 1);
  CHECK_THAT(plain.notes[0],
             Contains("the devices differ") && Contains("(kernels: 1 not normalized)"));
}

TEST_CASE("The same recordings on both sides are compared, with a note that nothing can differ") {
  const std::vector<Report> runs = Runs(Around(100e3));
  const Comparison same = Compare(runs, runs);
  CHECK(same.error.empty());
  CHECK(same.overall() == Change::kSame);
  REQUIRE(same.notes.size() == 1);
  CHECK_THAT(same.notes[0], Contains("both sides are the same recordings: nothing can differ"));
  const Comparison one = Compare({runs[0]}, {runs[0]});
  CHECK_THAT(one.notes.at(0), Contains("both sides are the same recording: nothing can differ"));
}

TEST_CASE("Commands that differ on both sides and between them are named once for each side") {
  const auto runs = [](const char* program, uint32_t pid) {
    std::vector<Report> side = test::Runs({100e3, 101e3}, pid);
    side[0].command = std::string(program) + " --seconds 1";
    side[1].command = std::string(program) + " --steps 300";
    return side;
  };
  const auto with = [](const Comparison& comparison, const char* words) {
    return std::count_if(comparison.notes.begin(), comparison.notes.end(),
                         [&](const std::string& note) { return text::Contains(note, words); });
  };
  std::vector<Report> before = runs("./app", 1), after = runs("./app --fast", 11);
  CHECK(with(Compare(before, after), "the commands of the runs differ") == 2);
  CHECK(with(Compare(before, after), "the commands differ") == 0);
  after[1].command = after[0].command;
  CHECK(with(Compare(before, after), "the commands differ") == 1);
  before[1].command = after[1].command = "./another";
  CHECK(with(Compare(before, after), "several programs") == 2);
  CHECK(with(Compare(before, after), "the commands differ") == 0);
}

TEST_CASE("Some recordings of both sides are counted in the note, and equal runs have none") {
  std::vector<Report> before = Runs(Around(100e3)), after = Runs(Around(101e3), 100);
  CHECK(Compare(before, after).notes.empty());
  after[2] = before[5];
  after[3] = before[1];
  const Comparison some = Compare(before, after);
  REQUIRE(some.notes.size() == 1);
  CHECK_THAT(some.notes[0],
             Contains("2 recordings are on both sides, of 7 runs before and 7 after"));
  // The span alone makes no recording.
  after = Runs(Around(101e3), 100);
  after[2].undisturbed_ns = before[5].undisturbed_ns;
  CHECK(Compare(before, after).notes.empty());
}

TEST_CASE(
    "A change between sides that were not recorded in turns has a note, and no change has none") {
  const auto compare = [](double time_ns, int64_t step, const std::string& device) {
    std::vector<Report> before = Runs(Around(100e3)), after = Runs(Around(time_ns), 100);
    for (int64_t i = 0; i < 7; ++i) {
      before[static_cast<size_t>(i)].start_ns = 1000 + 10 * i;
      after[static_cast<size_t>(i)].start_ns = 1005 + 10 * i + step;
      after[static_cast<size_t>(i)].devices[0].name = device;
    }
    CompareOptions options;
    options.across = true;
    return Compare(before, after, options);
  };
  const std::string h200 = "NVIDIA H200";
  const Comparison later = compare(120e3, 100, h200);
  CHECK(later.order == RunOrder::kBeforeFirst);
  REQUIRE(later.notes.size() == 1);
  CHECK_THAT(later.notes[0], Contains("not interleaved: all runs before were recorded before those "
                                      "after"));
  CHECK_THAT(compare(120e3, -100, h200).notes.at(0),
             Contains("all runs after were recorded before those before"));
  std::ostringstream text, json;
  text << later;
  WriteComparisonJson(json, later);
  CHECK_THAT(text.str(), Contains("note:   the sides were not interleaved"));
  CHECK_THAT(json.str(), Contains("\"order\": \"before-first\""));
  CHECK(compare(120e3, 0, h200).notes.empty());
  CHECK(compare(120e3, 0, h200).order == RunOrder::kInterleaved);
  CHECK(compare(100.5e3, 100, h200).notes.empty());
  CHECK_THAT(compare(120e3, 100, "NVIDIA H100").notes.at(0), !Contains("interleaved"));
  std::ostringstream unknown;
  WriteComparisonJson(unknown, Compare(Runs(Around(100e3)), Runs(Around(120e3), 100)));
  CHECK_THAT(unknown.str(), Contains("\"order\": null"));
}

TEST_CASE("Both modes of runs and of launches are shown") {
  const Compared c = CompareTimes({100e3, 100.1e3, 100.2e3, 130e3, 130.1e3, 130.2e3},
                                  {100e3, 100.1e3, 100.2e3, 100.3e3, 100.4e3, 100.5e3});
  REQUIRE(c.modes_before.has_value());
  CHECK(c.modes_before->high == Approx(130.1e3));
  CHECK_FALSE(c.modes_after.has_value());
}

TEST_CASE("Runs that did more work are compared per amount of work") {
  std::vector<Report> before = Runs(Around(100e3)), after = Runs(Around(100e3), 100);
  for (Report& report : after) {
    report.kernels[0].launches = 200;
    report.span_ns *= 2;
    report.undisturbed_ns *= 2;
    report.devices[0].busy_ns *= 2;
  }
  const Comparison comparison = Compare(before, after);
  CHECK_THAT(comparison.notes.at(0), Contains("2.000 times after"));
  for (const Compared& c : comparison.run) {
    CHECK(c.ratio.value == Approx(1).margin(0.001));
    CHECK(c.change == Change::kSame);
  }
}

TEST_CASE("A run of more steps does not blur its side, also where the sides share no kernel") {
  const auto side = [](const char* name, double time_ns, uint32_t first_pid) {
    std::vector<Report> runs;
    for (uint32_t i = 0; i < 6; ++i) {
      // Most kernels are launched once, at the start: they are no measure of the work.
      std::vector<KernelReport> kernels = {Kernel(name, time_ns * (1 + 0.001 * i))};
      if (i == 0) kernels[0].launches = 400;
      kernels[0].total_ns = kernels[0].duration_ns.median * double(kernels[0].launches);
      for (const char* once : {"fill", "seed", "warm"}) {
        kernels.push_back(Kernel(std::string(once) + name, 10e3));
        kernels.back().launches = 1;
        kernels.back().total_ns = 10e3;
      }
      runs.push_back(test::Run(kernels, first_pid + i));
    }
    return runs;
  };
  const Comparison comparison =
      Compare(side("half_kernel", 100e3, 1), side("float_sgemm", 150e3, 101));
  const auto span = std::find_if(comparison.run.begin(), comparison.run.end(),
                                 [](const Compared& c) { return c.name == "span"; });
  REQUIRE(span != comparison.run.end());
  CHECK(span->change == Change::kSlower);
  CHECK(span->ratio.value == Approx(1.5).margin(0.01));
  CHECK(span->ratio.high < 1.53);
}

// Seven runs of kernels with `launches` each.
std::vector<Report> Launched(const std::vector<std::pair<KernelReport, int64_t>>& kernels,
                             uint32_t first_pid) {
  std::vector<Report> runs;
  for (uint32_t i = 0; i < 7; ++i) {
    std::vector<KernelReport> list;
    for (const auto& [kernel, launches] : kernels) {
      list.push_back(kernel);
      list.back().launches = launches;
      list.back().total_ns = kernel.duration_ns.median * static_cast<double>(launches);
    }
    runs.push_back(test::Run(list, first_pid + i));
  }
  return runs;
}

const Compared& Quantity(const Comparison& comparison, const std::string& name) {
  for (const Compared& compared : comparison.run) {
    if (compared.name == name) return compared;
  }
  FAIL("no " << name);
  return comparison.run.front();
}

TEST_CASE("Launches of another grid are no measure of the work") {
  KernelReport half = Kernel("saxpy", 60e3);
  half.grid = {66, 1, 1};
  const Comparison comparison =
      Compare(Launched({{Kernel("saxpy", 100e3), 100}}, 1), Launched({{half, 200}}, 101));
  CHECK(Quantity(comparison, "span").ratio.value == Approx(1.2));  // as recorded
  std::ostringstream text;
  text << comparison;
  CHECK_THAT(text.str(), Contains("launched 100 times before, 200 after (2.000 times)"));
}

TEST_CASE("More launches are shown also where the run is compared per amount of work") {
  const Comparison comparison = Compare(Launched({{Kernel("saxpy", 100e3), 100}}, 1),
                                        Launched({{Kernel("saxpy", 100e3), 150}}, 101));
  CHECK(Quantity(comparison, "span").ratio.value == Approx(1));
  std::ostringstream text;
  WriteComparison(text, comparison, 200, true);
  CHECK_THAT(text.str(), Contains("launched 100 times before, 150 after (1.500 times)"));
  REQUIRE(comparison.notes.size() == 1);
  CHECK_THAT(comparison.notes[0],
             Contains("As recorded, the span is 10.0 ms before and 15.0 ms after"));
}

TEST_CASE("A kernel whose launches differ from those of the others is shown, however small it is") {
  const auto runs = [](int64_t launches, uint32_t first_pid) {
    return Launched(
        {{Kernel("a", 100e3), 100}, {Kernel("b", 90e3), 100}, {Kernel("c", 80), launches}},
        first_pid);
  };
  std::ostringstream text;
  WriteComparison(text, Compare(runs(100, 1), runs(130, 101)), 200);
  CHECK_THAT(text.str(), Contains("launched 100 times before, 130 after (1.300 times)"));
  std::ostringstream equal;
  WriteComparison(equal, Compare(runs(100, 1), runs(100, 101)), 200);
  CHECK_THAT(equal.str(), !Contains("launched"));
}

TEST_CASE("A cause of idle time that a run does not have is 0 with API calls, else not known") {
  const auto runs = [](double idle_ns, int64_t calls, uint32_t first_pid) {
    std::vector<Report> reports = test::Runs(test::Around(100e3), first_pid);
    for (Report& report : reports) {
      report.totals.api_calls = calls;
      if (idle_ns == 0) continue;
      GapSummary gap;
      gap.cause = GapCause::kLaunch;
      gap.total_ns = idle_ns;
      report.gaps.push_back(gap);
    }
    return reports;
  };
  const Comparison known = Compare(runs(0, 100, 1), runs(3e6, 100, 101));
  const Compared& launch = Quantity(known, "idle: launch");
  CHECK(launch.before.n == 7);
  CHECK(launch.before.median == 0);
  CHECK(launch.after.median == 3e6);
  CHECK_THAT(launch.why, Contains("have none of it"));
  CHECK_FALSE(launch.tested);
  std::ostringstream text;
  text << known;
  CHECK_THAT(text.str(), Contains("idle: launch"));
  const Comparison unknown = Compare(runs(0, 0, 1), runs(3e6, 100, 101));
  CHECK(Quantity(unknown, "idle: launch").before.n == 0);
  CHECK_THAT(Quantity(unknown, "idle: launch").why, Contains("Only the runs after have it"));
}

TEST_CASE("Idle time by cause and ranges are compared") {
  const auto runs = [](double idle_ns, uint32_t pid) {
    std::vector<Report> all = Runs(Around(100e3), pid);
    for (Report& report : all) {
      GapSummary gap;
      gap.cause = GapCause::kSync;
      gap.total_ns = idle_ns * report.span_ns / 1e7;
      report.gaps.push_back(gap);
      RangeRow row;
      row.label = "step (3 ranges)";
      row.time_ns = report.devices[0].busy_ns;
      report.rows.push_back(row);
    }
    return all;
  };
  const Comparison comparison = Compare(runs(1e6, 1), runs(2e6, 100));
  bool seen_idle = false, seen_range = false;
  for (const Compared& c : comparison.run) {
    if (c.name == "idle: sync") {
      seen_idle = true;
      CHECK(c.change == Change::kSlower);
    }
    if (c.name == "step") {
      seen_range = true;
      CHECK(c.change == Change::kSame);
    }
  }
  CHECK(seen_idle);
  CHECK(seen_range);
  CHECK(comparison.overall() == Change::kSlower);
}

TEST_CASE("More noise and smaller effects need more runs") {
  const double few = compare::RunsNeeded(std::log(1.1), 0.01, 0.05, 1, 0.05);
  CHECK(few == 4);
  CHECK(compare::RunsNeeded(std::log(1.1), 0.05, 0.05, 1, 0.05) > few);
  CHECK(compare::RunsNeeded(std::log(1.1), 0.01, 0.05, 50, 0.05) > few);
  CHECK(compare::RunsNeeded(0, 0.01, 0.05, 1, 0.05) == 3);  // the same, surely
  CHECK(compare::RunsNeeded(std::log1p(0.024), 0.2, 0.05, 1, 0.05) > kMostRuns);
}

TEST_CASE("The text has the verdict, the reason and what is common once") {
  std::vector<Report> before, after;
  for (uint32_t run = 0; run < 2; ++run) {
    std::vector<KernelReport> kernels;
    for (int k = 0; k < 5; ++k) kernels.push_back(Kernel("k" + std::to_string(k), 100e3, k));
    if (run == 0) before.push_back(Run(kernels, 1));
    if (run == 1) after.push_back(Run(kernels, 2));
  }
  std::ostringstream out;
  WriteComparison(out, Compare(before, after), 100);
  CHECK_THAT(out.str(), Contains("before: 1 run on NVIDIA H200 (132 SMs), driver 580.1: ./app") &&
                            Contains("inconclusive [1] [2]") && Contains("[1] One run of a side") &&
                            Contains("[2] neither side has a counter"));
  const std::string text = out.str();
  const size_t first = text.find("neither side has a counter");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("neither side has a counter", first + 1) == std::string::npos);
}

}  // namespace
}  // namespace prof::compare_test
