// SPDX-License-Identifier: Apache-2.0
//
// The planner with the installed CUPTI's host half, which knows every chip and needs no GPU.
#include "cupti_backend/metrics/pass_planner.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "test/cupti_backend/api/installed_cupti.h"

namespace prof::cupti::test::pass_planner_test {
namespace {

std::vector<PlannedGroup> OfLevel(const PassPlan& plan, const std::string& level) {
  std::vector<PlannedGroup> groups;
  for (const PlannedGroup& group : plan.groups) {
    if (group.level == level) groups.push_back(group);
  }
  return groups;
}

std::vector<std::string> MetricsOf(const PassPlan& plan) {
  std::vector<std::string> metrics;
  for (const PlannedGroup& group : plan.groups) {
    for (const std::string& metric : group.metrics) {
      if (metric != kWindowMetric) metrics.push_back(metric);
    }
  }
  return metrics;
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The reason for which `metric` was left out.
std::string Why(const PassPlan& plan, const std::string& metric) {
  for (const std::string& text : plan.left_out) {
    if (text.rfind(metric + ": ", 0) == 0) return text.substr(metric.size() + 2);
  }
  return {};
}

PassPlan PlanUser(const MetricHost& host, const std::vector<std::string>& metrics) {
  return PlanPasses(host, LevelsOf(host, Counters::kNone, metrics));
}

TEST_CASE("On GH100 the triage takes 4 passes, the stalls at most 8, with nothing left") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  REQUIRE(host.ok());
  const PassPlan plan = PlanPasses(host, LevelsOf(host, Counters::kStalls, {}));
  CHECK(plan.left_out.empty());
  CHECK(OfLevel(plan, "sol").size() == 4);
  CHECK_FALSE(OfLevel(plan, "stalls").empty());
  CHECK(OfLevel(plan, "stalls").size() <= 8);
  CHECK(plan.groups.size() == OfLevel(plan, "sol").size() + OfLevel(plan, "stalls").size());
  CHECK(plan.groups.front().level == "sol");
}

TEST_CASE("The pulse is one pass, and the triage holds it") {
  PROF_TEST_LOAD_CUPTI(api);
  for (const char* chip : {"GH100", "GB100", "GB202", "AD102", "GA100"}) {
    INFO(chip);
    const MetricHost host(&api, chip, {});
    const PassPlan pulse = PlanPasses(host, LevelsOf(host, Counters::kPulse, {}));
    const PassPlan triage = PlanPasses(host, LevelsOf(host, Counters::kSpeedOfLight, {}));
    CHECK(pulse.groups.size() == 1);
    CHECK(MetricsOf(pulse).size() >= 14);
    for (const std::string& metric : MetricsOf(pulse)) {
      INFO(metric);
      CHECK(Has(MetricsOf(triage), metric));
    }
  }
}

TEST_CASE("Each counter level holds the ones before it") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  CHECK(LevelsOf(host, Counters::kNone, {}).empty());
  const auto names = [&](Counters counters) {
    std::vector<std::string> levels;
    for (const MetricLevel& level : LevelsOf(host, counters, {"x.sum"}))
      levels.push_back(level.name);
    return levels;
  };
  using Names = std::vector<std::string>;
  CHECK(names(Counters::kAuto) == Names{"stalls", "memory", "memory", "sol", "user"});
  CHECK(names(Counters::kNone) == Names{"user"});
  CHECK(names(Counters::kPulse) == Names{"pulse", "user"});
  CHECK(names(Counters::kSpeedOfLight) == Names{"sol", "user"});
  CHECK(names(Counters::kStalls) == Names{"sol", "stalls", "user"});
  CHECK(names(Counters::kAll) ==
        Names{"sol", "stalls", "memory", "tensor", "speed-of-light", "user"});
}

TEST_CASE("By need the groups of a question read either the SMs or DRAM and L2") {
  PROF_TEST_LOAD_CUPTI(api);
  for (const char* chip : {"GH100", "GB100", "GB202", "AD102", "GA100"}) {
    INFO(chip);
    const MetricHost host(&api, chip, {});
    const PassPlan plan = PlanPasses(host, LevelsOf(host, Counters::kAuto, {}));
    CHECK(plan.groups.size() <= 30);
    size_t dear = 0;
    format::Needs answered = format::kNeedsNothing;
    for (const PlannedGroup& group : plan.groups) {
      INFO(group.level << ": " << group.metrics.back());
      answered |= group.answers;
      if (group.answers == format::kNeedsUse) continue;
      CHECK(group.answers != format::kNeedsNothing);
      const bool memory = ChangeCostNs(group.metrics) > ChangeCostNs({"smsp__inst_executed.sum"});
      dear += memory ? 1 : 0;
      CHECK((!memory || group.cost == MetricCost::kMemory));
    }
    CHECK(dear <= 3);
    CHECK(answered == (format::kNeedsEverything & ~format::kNeedsRequested));
  }
}

TEST_CASE("A chip's own names stand for the usual ones") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GB202", {});
  const std::vector<std::string> metrics =
      MetricsOf(PlanPasses(host, LevelsOf(host, Counters::kSpeedOfLight, {})));
  CHECK(Has(metrics, "dram__bytes_op_read.sum"));
  CHECK(Has(metrics, "dram__bytes_op_write.sum"));
  CHECK_FALSE(Has(metrics, "dram__bytes_read.sum"));
}

TEST_CASE("The reasons to wait are those of the chip") {
  PROF_TEST_LOAD_CUPTI(api);
  const std::string prefix = "smsp__average_warps_issue_stalled_";
  const std::string suffix = "_per_issue_active.ratio";
  for (const auto& [chip, own] : {std::pair{"GH100", "gmma"}, {"GA102", "mio_throttle_pipe_mio"}}) {
    INFO(chip);
    const MetricHost host(&api, chip, {});
    size_t of_chip = 0;
    for (const auto& [base, kind] : host.metrics()) {
      of_chip += base.rfind(prefix, 0) == 0 ? 1 : 0;
    }
    const PassPlan plan = PlanPasses(host, {LevelNamed(host, "stalls")});
    const std::vector<std::string> metrics = MetricsOf(plan);
    size_t planned = 0;
    for (const std::string& metric : metrics) planned += metric.rfind(prefix, 0) == 0 ? 1 : 0;
    CHECK(planned == of_chip);
    CHECK(planned >= 15);
    CHECK(Has(metrics, std::string(prefix).append(own).append(suffix)));
  }
}

TEST_CASE("Of alternatives the one is taken that needs one pass") {
  PROF_TEST_LOAD_CUPTI(api);
  const std::string whole = "l1tex__lsu_writeback_active.avg.pct_of_peak_sustained_elapsed";
  const std::string part = "l1tex__lsu_writeback_active_mem_lgds.avg.pct_of_peak_sustained_elapsed";
  const auto triage = [&](const char* chip) {
    const MetricHost host(&api, chip, {});
    return MetricsOf(PlanPasses(host, {LevelNamed(host, "sol")}));
  };
  CHECK(Has(triage("GH100"), part));
  CHECK_FALSE(Has(triage("GH100"), whole));
  CHECK(Has(triage("GB202"), whole));
}

TEST_CASE("A throughput of several passes is planned as its parts") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const std::string suffix = ".avg.pct_of_peak_sustained_elapsed";
  const std::string memory = "gpu__compute_memory_throughput" + suffix;
  REQUIRE(host.Passes({memory}, nullptr) > 1);
  const PassPlan plan = PlanUser(host, {memory});
  CHECK(plan.left_out.empty());
  REQUIRE(plan.throughputs.size() == 1);
  const ThroughputPlan& throughput = plan.throughputs[0];
  CHECK(throughput.metric == memory);
  CHECK(Has(throughput.parts, "gpu__dram_throughput" + suffix));  // one pass: taken whole
  CHECK(Has(throughput.parts, "lts__t_sectors" + suffix));
  CHECK(throughput.missing == std::vector<std::string>{"l1tex__lsu_writeback_active" + suffix});
  for (const std::string& part : throughput.parts) {
    INFO(part);
    CHECK(Has(MetricsOf(plan), part));
  }
}

TEST_CASE("A throughput of one pass is read as it is") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const std::string dram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
  const PassPlan plan = PlanUser(host, {dram});
  CHECK(MetricsOf(plan) == std::vector<std::string>{dram});
  CHECK(plan.throughputs.empty());
}

TEST_CASE("Nothing is read twice: the last level reads what the first one left") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const PassPlan plan =
      PlanPasses(host, LevelsOf(host, Counters::kAll, {"dram__bytes_read.sum", "dram__bytes.sum"}));
  const std::vector<std::string> metrics = MetricsOf(plan);
  CHECK(std::set<std::string>(metrics.begin(), metrics.end()).size() == metrics.size());
  CHECK(OfLevel(plan, "user").size() == 1);
  REQUIRE(plan.throughputs.size() == 2);
  for (const ThroughputPlan& throughput : plan.throughputs) {
    for (const std::string& part : throughput.parts) {
      INFO(part);
      CHECK(Has(metrics, part));
    }
  }
}

TEST_CASE("The triage alone knows which parts of the speed of light it does not read") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const PassPlan plan = PlanPasses(host, LevelsOf(host, Counters::kSpeedOfLight, {}));
  const std::vector<std::string> metrics = MetricsOf(plan);
  REQUIRE(plan.throughputs.size() == 2);
  size_t read = 0, all = 0;
  for (const ThroughputPlan& throughput : plan.throughputs) {
    all += throughput.parts.size() + throughput.missing.size();
    for (const std::string& part : throughput.parts) read += Has(metrics, part) ? 1 : 0;
  }
  CHECK(read >= 32);
  CHECK(all > read);
}

TEST_CASE("Metrics that patched code counts never share a group with those of the hardware") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const std::string software = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum";
  const PassPlan plan = PlanUser(host, {"smsp__inst_executed.sum", software, "dram__bytes.sum"});
  REQUIRE(plan.groups.size() == 2);
  CHECK(plan.groups[0].metrics == std::vector<std::string>{software});  // cheaper
  CHECK(plan.groups[0].cost == MetricCost::kSoftware);
  CHECK(host.Passes(plan.groups[0].metrics, nullptr) == 1);
}

TEST_CASE("The cheapest group of a level comes first") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  // Each of the groups is one pass as it stands.
  MetricLevel level{"x", {{{"smsp__inst_executed.sum"}, {}}, {{"dram__bytes.sum"}, {}}}, {}};
  const PassPlan plan = PlanPasses(host, {level});
  REQUIRE(plan.groups.size() == 2);
  CHECK(plan.groups[0].cost == MetricCost::kMemory);
  CHECK(plan.groups[1].cost == MetricCost::kSm);
}

TEST_CASE("The cost of a metric is that of its hardware unit") {
  CHECK(CostOf("gpu__time_duration.sum") == MetricCost::kTime);
  CHECK(CostOf("smsp__sass_inst_executed_op_shared_ld.sum") == MetricCost::kSoftware);
  CHECK(CostOf("dram__bytes.sum.per_second") == MetricCost::kMemory);
  CHECK(CostOf("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed") == MetricCost::kMemory);
  CHECK(CostOf("LTS.TriageCompute.lts__throughput.avg") == MetricCost::kMemory);
  CHECK(CostOf("l1tex__t_sectors.sum") == MetricCost::kSm);
  CHECK(CostOf("gpu__compute_memory_throughput.avg") == MetricCost::kSm);
  CHECK(CostOf("nameless") == MetricCost::kSm);
  CHECK(CostOf(std::vector<std::string>{"gpu__time_duration.sum", "lts__t_sectors.sum"}) ==
        MetricCost::kMemory);
  CHECK(SampleCostNs(MetricCost::kTime) < SampleCostNs(MetricCost::kSoftware));
  CHECK(SampleCostNs(MetricCost::kSoftware) < SampleCostNs(MetricCost::kMemory));
  CHECK(SampleCostNs(MetricCost::kMemory) < SampleCostNs(MetricCost::kSm));
}

TEST_CASE("A wrong metric of the user is named with the right ones, and spoils nothing") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const std::vector<std::string> user = {"dram__bytes_raed.sum",
                                         "smsp__inst_executed.nosuffix",
                                         "smsp__inst_executed.sum",
                                         "smsp__inst_executed",
                                         "",
                                         "nothing_like_any_metric_of_any_chip.sum",
                                         "sm__troughput.avg",
                                         "l1tex__t_sector_hit_rate.sum",
                                         std::string(100'000, 'x')};
  const PassPlan plan = PlanPasses(host, LevelsOf(host, Counters::kSpeedOfLight, user));
  CHECK(OfLevel(plan, "sol").size() == 4);
  const std::vector<PlannedGroup> groups = OfLevel(plan, "user");
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].metrics == std::vector<std::string>{kWindowMetric, "smsp__inst_executed.sum"});
  CHECK(plan.left_out.size() == user.size() - 1);
  const auto starts = [&](const std::string& metric, const std::string& text) {
    INFO(metric << ": " << Why(plan, metric));
    CHECK(Why(plan, metric).rfind(text, 0) == 0);
  };
  starts("dram__bytes_raed.sum",
         "no such metric on GH100; nearest: dram__bytes_read, dram__bytes_write");
  starts("sm__troughput.avg", "no such metric on GH100; nearest: sm__throughput");
  starts("smsp__inst_executed", "needs one of its suffixes: .avg, ");
  starts("smsp__inst_executed.nosuffix", "smsp__inst_executed has no .nosuffix, but .avg, ");
  starts("l1tex__t_sector_hit_rate.sum",
         "l1tex__t_sector_hit_rate has no .sum, but .max_rate, .pct, ");
  CHECK(Why(plan, "") == "no such metric on GH100");
  CHECK(Why(plan, "nothing_like_any_metric_of_any_chip.sum") == "no such metric on GH100");
}

TEST_CASE("A user's metric that needs several launches is left out, with the number") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const PassPlan plan = PlanUser(host, {"l1tex__lsu_writeback_active.sum"});
  CHECK(plan.groups.empty());
  CHECK(plan.left_out ==
        std::vector<std::string>{"l1tex__lsu_writeback_active.sum: needs 2 passes, more than one "
                                 "launch can give"});
}

TEST_CASE("The user may ask for the window metric too, once") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const PassPlan plan = PlanUser(host, {kWindowMetric, "smsp__inst_executed.sum"});
  REQUIRE(plan.groups.size() == 1);
  CHECK(plan.groups[0].metrics ==
        std::vector<std::string>{kWindowMetric, "smsp__inst_executed.sum"});
  CHECK(plan.left_out.empty());
}

TEST_CASE("Any list of metrics is split into single passes") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  std::vector<std::string> user;
  for (const auto& [base, kind] : host.metrics()) {
    if (kind == MetricKind::kCounter && base.rfind("smsp__inst_executed_op_", 0) == 0) {
      user.push_back(base + ".sum");
    }
  }
  REQUIRE(user.size() > 50);
  user.resize(50);
  const PassPlan plan = PlanUser(host, user);
  CHECK(plan.left_out.empty());
  CHECK(MetricsOf(plan).size() == user.size());
  for (const PlannedGroup& group : plan.groups) CHECK(host.Passes(group.metrics, nullptr) == 1);
}

TEST_CASE("A chip that CUPTI does not know has no metrics, and all are named") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "ZZ999", {});
  CHECK_FALSE(host.ok());
  const PassPlan plan = PlanUser(host, {"smsp__inst_executed.sum"});
  CHECK(plan.groups.empty());
  CHECK(plan.left_out ==
        std::vector<std::string>{"smsp__inst_executed.sum: no such metric on ZZ999"});
}

}  // namespace
}  // namespace prof::cupti::test::pass_planner_test
