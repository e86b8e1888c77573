// SPDX-License-Identifier: Apache-2.0
//
// The actions at the top: ranked by what they save, and no time is offered twice.
#include "lib/analyzer/actions.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "test/support/catch.h"

namespace prof::analyzer::actions_test {
namespace {

Action Advice(std::string id, std::optional<double> gain) {
  Action action;
  action.id = std::move(id);
  action.what = "do " + action.id;
  action.gain_at_most = gain;
  action.floor = gain ? "1 - 0.5" : "no ceiling was measured";
  return action;
}

KernelReport Kernel(std::string name, double critical_ns, std::vector<Action> actions) {
  KernelReport kernel;
  kernel.name = std::move(name);
  kernel.total_ns = kernel.busy_ns = kernel.critical_ns = critical_ns;
  kernel.verdict.actions = std::move(actions);
  kernel.verdict.evidence = {"DRAM 76 % of peak (gpu__dram_throughput; median of 5)"};
  kernel.verdict.confidence = Confidence::kHigh;
  return kernel;
}

Finding Found(std::string id, double gain_ns) {
  Finding finding;
  finding.id = std::move(id);
  finding.title = "the GPU waits";
  finding.action = "do not wait";
  finding.gain_at_most_ns = gain_ns;
  finding.confidence = Confidence::kHigh;
  return finding;
}

GapSummary Idle(GapCause cause, double ns) {
  GapSummary gap;
  gap.cause = cause;
  gap.total_ns = ns;
  return gap;
}

double Sum(const std::vector<RankedAction>& actions) {
  double sum_ns = 0;
  for (const RankedAction& action : actions) sum_ns += action.saves_at_most_ns.value_or(0);
  return sum_ns;
}

std::vector<std::string> Ids(const std::vector<RankedAction>& actions) {
  std::vector<std::string> ids;
  for (const RankedAction& action : actions) ids.push_back(action.action.id);
  return ids;
}

using Names = std::vector<std::string>;

// A kernel with two actions, the second one of this kind.
std::vector<RankedAction> TwoActions(double first, Action second) {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("gemm", 1000, {Advice("more-blocks", first), std::move(second)})};
  return RankActions(report, 0);
}

TEST_CASE(
    "Of two actions that leave the work as it is the second one saves what is above its ceiling") {
  std::mt19937 random(std::random_device{}());
  std::uniform_real_distribution<double> gain(0.1, 0.9);
  for (int i = 0; i < 50; ++i) {
    const double one = gain(random), other = gain(random);
    const std::vector<RankedAction> actions = TwoActions(one, Advice("dram-rate", other));
    // Together they come to the lower ceiling of the two, and no further.
    CHECK(Sum(actions) == Approx(1000 * std::max(one, other)));
    CHECK(actions[0].saves_at_most_ns == Approx(1000 * std::max(one, other)));
  }
}

TEST_CASE("The evidence of an action begins with the range that has most of its time") {
  Report report;
  report.undisturbed_ns = 1000;
  report.gaps = {Idle(GapCause::kHostWork, 800)};
  report.findings = {Found("host-work", 800)};
  CHECK(RankActions(report, 0).at(0).evidence == "the GPU waits");
  report.findings[0].place = "step/attn";
  report.findings[0].place_share = 0.912;
  CHECK(RankActions(report, 0).at(0).evidence == "mostly in step/attn (91 %): the GPU waits");
}

TEST_CASE("After an action on several kernels another one of the same work saves what is left") {
  Report report;
  report.undisturbed_ns = 2000;
  report.kernels = {
      Kernel("gemm", 1000, {Advice("dram-rate", 0.3), Advice("raise-occupancy", 0.5)}),
      Kernel("gemm", 1000, {Advice("dram-rate", 0.6)})};
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(Ids(actions) == Names{"dram-rate", "raise-occupancy"});
  CHECK(actions[0].saves_at_most_ns == Approx(900));
  CHECK(actions[1].saves_at_most_ns == Approx(200));
}

TEST_CASE("A finding takes no more idle time than it bounds") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("short", 280, {})};
  report.kernels[0].duration_ns.median = 3e3;
  report.gaps = {Idle(GapCause::kLaunch, 300)};
  report.findings = {Found("small-kernels", 290), Found("launch-bound", 250)};
  report.findings[0].kernels_at_most_ns = 280;
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(Ids(actions) == Names{"small-kernels", "launch-bound"});
  CHECK(actions[0].saves_at_most_ns == Approx(290));
  CHECK(actions[1].saves_at_most_ns == Approx(250));
}

TEST_CASE("An action with less work saves its part of what an action before it has left") {
  Action less = Advice("coalesce", 0.5);
  less.kind = GainKind::kCauseRemoved;
  const std::vector<RankedAction> actions = TwoActions(0.6, less);
  REQUIRE(Ids(actions) == Names{"more-blocks", "coalesce"});
  CHECK(actions[0].saves_at_most_ns == Approx(600));
  CHECK(actions[1].saves_at_most_ns == Approx(200));
}

TEST_CASE("After an action with less work the ceilings of the same work are lower") {
  Action less = Advice("coalesce", 0.7);
  less.kind = GainKind::kCauseRemoved;
  const std::vector<RankedAction> actions = TwoActions(0.5, less);
  REQUIRE(Ids(actions) == Names{"coalesce", "more-blocks"});
  CHECK(actions[0].saves_at_most_ns == Approx(700));
  CHECK(actions[1].saves_at_most_ns == Approx(150));
}

TEST_CASE(
    "Idle time that is taken already is not taken from kernels by the finding on small ones") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("long", 600, {}), Kernel("short", 100, {})};
  report.kernels[0].duration_ns.median = 600e3;
  report.kernels[1].duration_ns.median = 3e3;
  report.gaps = {Idle(GapCause::kLaunch, 300)};
  report.findings = {Found("cuda-graph", 300), Found("small-kernels", 250)};
  report.findings[1].kernels_at_most_ns = 80;
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(Ids(actions) == Names{"cuda-graph", "small-kernels"});
  CHECK(actions[0].saves_at_most_ns == Approx(300));
  CHECK(actions[1].saves_at_most_ns == Approx(80));
}

TEST_CASE("Actions are ranked by the time that they free, of kernels and of idle time together") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("gemm", 500, {Advice("tensor", 0.2)}),
                    Kernel("copy", 200, {Advice("dram", 0.9)})};
  report.gaps = {Idle(GapCause::kSync, 300)};
  report.findings = {Found("sync-bound", 300)};
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(Ids(actions) == Names{"sync-bound", "dram", "tensor"});
  CHECK(actions[0].saves_at_most_ns == 300);
  CHECK(actions[0].target == "the run");
  CHECK(actions[0].action.kind == GainKind::kIdleTime);
  CHECK(actions[1].saves_at_most_ns == 180);
  CHECK(actions[1].target == "copy");
  CHECK(actions[1].evidence == "DRAM 76 % of peak");
  CHECK(actions[2].saves_at_most_ns == Approx(100));
}

TEST_CASE("Two findings about the same idle time do not both get it") {
  Report report;
  report.undisturbed_ns = 1000;
  report.gaps = {Idle(GapCause::kLaunch, 400)};
  report.findings = {Found("launch-bound", 400), Found("cuda-graph", 390)};
  CHECK(Ids(RankActions(report, 0)) == Names{"launch-bound"});
  report.findings = {Found("launch-bound", 300), Found("cuda-graph", 390)};
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(Ids(actions) == Names{"cuda-graph", "launch-bound"});
  CHECK(actions[1].saves_at_most_ns == 10);
}

TEST_CASE("Signatures and ranges of one kernel with the same action are one entry") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("gemm", 400, {Advice("dram", 0.25)}),
                    Kernel("gemm", 200, {Advice("dram", 0.5)}),
                    Kernel("norm", 100, {Advice("dram", 0.5)})};
  report.kernels[0].range = "layer/qkv";
  report.kernels[1].range = "layer/up";
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(actions.size() == 2);
  CHECK(actions[0].saves_at_most_ns == 200);
  CHECK(actions[0].target_ns == 600);
  CHECK(actions[0].target == "gemm in 2 ranges");
  CHECK(*actions[0].action.gain_at_most == Approx(200.0 / 600));
  CHECK(actions[1].target == "norm");
}

TEST_CASE("Launch-sized kernels of several names are one entry: merging them is one change") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("norm", 200, {Advice("merge", 1)}),
                    Kernel("add", 100, {Advice("merge", 1)}),
                    Kernel("big", 300, {Advice("merge", 0.5)})};
  report.kernels[0].verdict.limiter = report.kernels[1].verdict.limiter = Limiter::kLaunchSized;
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(actions.size() == 2);
  CHECK(actions[0].target == "norm and 1 more kernel");
  CHECK(actions[0].saves_at_most_ns == 300);
  CHECK(actions[1].target == "big");
}

TEST_CASE("Time off the critical path is not offered") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("hidden", 900, {Advice("dram", 0.9)})};
  report.kernels[0].critical_ns = 0;
  CHECK(RankActions(report, 0).empty());
}

TEST_CASE("An action without a bound says so, takes nothing, and ranks by the least gain") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("mma", 600, {Advice("wgmma", std::nullopt), Advice("ceiling", 0.5)}),
                    Kernel("copy", 100, {Advice("dram", 0.2)})};
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(Ids(actions) == Names{"ceiling", "dram", "wgmma"});
  CHECK(!actions[2].saves_at_most_ns);
  CHECK(actions[2].action.floor == "no ceiling was measured");
}

TEST_CASE("A withheld finding and one without a gain are no actions") {
  Report report;
  report.undisturbed_ns = 1000;
  report.gaps = {Idle(GapCause::kSync, 400)};
  report.findings = {Found("sync-bound", 400), Found("sync-copy", 0)};
  report.findings[0].withheld = true;
  CHECK(RankActions(report, 0).empty());
}

TEST_CASE("A finding gets no more than the time that its cause has") {
  Report report;
  report.undisturbed_ns = 1000;
  report.gaps = {Idle(GapCause::kLaunch, 50), Idle(GapCause::kSync, 500)};
  report.findings = {Found("launch-bound", 400)};
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(actions.size() == 1);
  CHECK(actions[0].saves_at_most_ns == 50);
  // Copies have their own time, and the idle time behind them.
  report.findings = {Found("pageable-copy", 400)};
  CHECK(RankActions(report, 70).front().saves_at_most_ns == 400);
  report.gaps.clear();
  CHECK(RankActions(report, 70).front().saves_at_most_ns == 70);
}

TEST_CASE("A low clock takes the same part of each kernel, and no idle time") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("a", 300, {Advice("dram", 0.5)}), Kernel("b", 100, {})};
  report.gaps = {Idle(GapCause::kSync, 600)};
  report.findings = {Found("clock", 200)};
  report.findings[0].kind = GainKind::kSameWork;
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(Ids(actions) == Names{"clock", "dram"});
  CHECK(*actions[0].saves_at_most_ns == Approx(200));
  CHECK(actions[0].action.kind == GainKind::kSameWork);
  CHECK(*actions[1].saves_at_most_ns == Approx(75));
}

TEST_CASE("A low clock takes nothing from the kernels of another device") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("a", 300, {}), Kernel("b", 300, {Advice("dram", 0.5)})};
  report.kernels[0].device = 0;
  report.kernels[1].device = 1;
  for (const uint32_t id : {0U, 1U}) {
    DeviceReport& device = report.devices.emplace_back();
    device.id = id;
    device.busy_ns = 300;
    device.run_clock.hz.n = id == 0 ? 2 : 0;
    device.run_clock.hz.median = 1e9;
    device.run_clock.sampled_hz.median = 2e9;
    device.run_clock.lost_ns = 150;
  }
  report.findings = {Found("clock", 250)};
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(Ids(actions) == Names{"clock", "dram"});
  CHECK(actions[0].target_ns == 300);
  CHECK(*actions[0].saves_at_most_ns == Approx(250));
  CHECK(*actions[1].saves_at_most_ns == Approx(150));  // nothing of it is taken
}

// A report of random kernels and idle time that fills its span.
Report Random(std::mt19937* random) {
  const auto uniform = [&](double most) {
    return std::uniform_real_distribution<double>(0, most)(*random);
  };
  Report report;
  for (int k = 0; k < 12; ++k) {
    std::vector<Action> actions;
    for (const char* id : {"a", "b", "c"}) actions.push_back(Advice(id, uniform(1)));
    report.kernels.push_back(Kernel("k" + std::to_string(k % 7), uniform(1000), actions));
    report.undisturbed_ns += report.kernels.back().critical_ns;
  }
  for (const GapCause cause : {GapCause::kSync, GapCause::kLaunch, GapCause::kHostWork}) {
    report.gaps.push_back(Idle(cause, uniform(2000)));
    report.undisturbed_ns += report.gaps.back().total_ns;
  }
  for (const char* id : {"sync-bound", "launch-bound", "cuda-graph", "host-work", "a-new-rule"}) {
    report.findings.push_back(Found(id, uniform(3000)));
  }
  return report;
}

TEST_CASE("A finding about kernels that could run side by side takes its time from them") {
  Report report;
  report.undisturbed_ns = 1000;
  report.kernels = {Kernel("a", 600, {}), Kernel("b", 400, {})};
  report.findings = {Found("serialization", 300)};
  report.findings[0].kind = GainKind::kCauseRemoved;
  const std::vector<RankedAction> actions = RankActions(report, 0);
  REQUIRE(actions.size() == 1);
  CHECK(*actions[0].saves_at_most_ns == Approx(300));
  CHECK(actions[0].action.kind == GainKind::kCauseRemoved);
}

TEST_CASE("What the actions save together never exceeds the span") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const Report report = Random(&random);
    const std::vector<RankedAction> actions = RankActions(report, 0);
    CHECK(actions.size() <= kMostActions);
    CHECK(Sum(actions) <= report.undisturbed_ns * (1 + 1e-12));
    for (size_t i = 1; i < actions.size(); ++i) {
      CHECK(*actions[i].saves_at_most_ns <= *actions[i - 1].saves_at_most_ns);
    }
  }
}

TEST_CASE("An action whose time is taken away is gone, and the others stay") {
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 100; ++round) {
    Report report = Random(&random);
    const std::vector<RankedAction> actions = RankActions(report, 0);
    REQUIRE(!actions.empty());
    const RankedAction& first = actions.front();
    if (first.target == "the run") {
      report.gaps.clear();
    } else {
      for (KernelReport& kernel : report.kernels) {
        if (kernel.name == first.target) kernel.critical_ns = 0;
      }
    }
    for (const RankedAction& action : RankActions(report, 0)) {
      const bool same = action.action.id == first.action.id && action.target == first.target;
      CHECK(!same);
    }
  }
}

TEST_CASE("The same report has the same actions in the same order") {
  std::mt19937 random(5);
  const Report report = Random(&random);
  CHECK(Ids(RankActions(report, 0)) == Ids(RankActions(report, 0)));
  Report equal;
  equal.undisturbed_ns = 200;
  equal.kernels = {Kernel("first", 100, {Advice("a", 0.5)}),
                   Kernel("second", 100, {Advice("a", 0.5)})};
  CHECK(RankActions(equal, 0).front().target == "first");
}

}  // namespace
}  // namespace prof::analyzer::actions_test
