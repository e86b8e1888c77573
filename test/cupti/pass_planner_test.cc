// SPDX-License-Identifier: Apache-2.0
//
// The planner with the installed CUPTI's host half, which knows every chip and needs no GPU.
#include "cupti_backend/pass_planner.h"

#include <dlfcn.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // CUPTI opens its host library in a way that they refuse
#else
constexpr bool kSanitized = false;
#endif

// Loads CUPTI or skips the test case.
#define PROF_TEST_LOAD_CUPTI(api)                                                 \
  if (kSanitized) PROF_SKIP("CUPTI's host library does not run with sanitizers"); \
  CuptiApi api;                                                                   \
  do {                                                                            \
    std::string what, fix;                                                        \
    if (!LoadCupti(&(api), &what, &fix)) PROF_SKIP((what + "; " + fix).c_str());  \
  } while (false)

std::vector<std::string> SupportedChips(const CuptiApi& api) {
  void* library = dlopen(api.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  const auto ask = reinterpret_cast<decltype(&cuptiProfilerHostGetSupportedChips)>(
      dlsym(library, "cuptiProfilerHostGetSupportedChips"));
  REQUIRE(ask != nullptr);
  CUpti_Profiler_Host_GetSupportedChips_Params params = {
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
  REQUIRE(ask(&params) == CUPTI_SUCCESS);
  std::vector<std::string> chips(params.ppChipNames, params.ppChipNames + params.numChips);
  std::sort(chips.begin(), chips.end());
  chips.erase(std::unique(chips.begin(), chips.end()), chips.end());
  return chips;
}

std::vector<PlannedGroup> OfTier(const PassPlan& plan, const std::string& tier) {
  std::vector<PlannedGroup> groups;
  for (const PlannedGroup& group : plan.groups) {
    if (group.tier == tier) groups.push_back(group);
  }
  return groups;
}

void CheckGroups(const MetricHost& host, const PassPlan& plan) {
  for (const PlannedGroup& group : plan.groups) {
    INFO(group.metrics.back());
    CHECK(group.metrics.front() == kWindowMetric);
    CHECK(std::count(group.metrics.begin(), group.metrics.end(), kWindowMetric) == 1);
    CHECK(group.metrics.size() > 1);
    CHECK_FALSE(group.config_image.empty());
    CHECK(host.Passes(group.metrics, nullptr) == 1);
  }
}

TEST_CASE("On every chip each tier is planned in single passes, or what the chip lacks is named") {
  PROF_TEST_LOAD_CUPTI(api);
  const std::vector<MetricTier> tiers = TiersOf(Counters::kAll, {});
  REQUIRE(tiers.size() == 4);
  const std::vector<std::string> chips = SupportedChips(api);
  size_t chips_with_metrics = 0;
  for (const std::string& chip : chips) {
    INFO(chip);
    const MetricHost host(&api, chip, {});
    chips_with_metrics += host.ok() ? 1 : 0;  // CUPTI 13.0 lists GV11B without any
    const PassPlan plan = PlanPasses(host, tiers);
    CheckGroups(host, plan);
    CHECK(OfTier(plan, "T1").empty() != host.ok());

    std::set<std::string> planned;
    for (const PlannedGroup& group : plan.groups) {
      planned.insert(group.metrics.begin(), group.metrics.end());
    }
    for (const MetricTier& tier : tiers) {
      for (const MetricGroup& group : tier.groups) {
        for (const std::string& metric : group) {
          const bool named = std::any_of(
              plan.left_out.begin(), plan.left_out.end(),
              [&](const std::string& text) { return text.rfind(metric + ": ", 0) == 0; });
          INFO(tier.name << " " << metric);
          CHECK((planned.count(metric) != 0) != named);
        }
      }
    }
  }
  CHECK(chips_with_metrics >= 10);
  CHECK(chips_with_metrics + 1 >= chips.size());
}

TEST_CASE("On GH100 the speed of light takes 4 passes, the stalls at most 10, with nothing left") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  REQUIRE(host.ok());
  const PassPlan plan = PlanPasses(host, TiersOf(Counters::kStalls, {}));
  CHECK(plan.left_out == std::vector<std::string>{});
  CHECK(OfTier(plan, "T1").size() == 4);
  CHECK_FALSE(OfTier(plan, "T2").empty());
  CHECK(OfTier(plan, "T2").size() <= 10);
  CHECK(plan.groups.size() == OfTier(plan, "T1").size() + OfTier(plan, "T2").size());
  CHECK(plan.groups.front().tier == "T1");  // cheapest first
}

TEST_CASE("Each counter level holds the ones before it") {
  CHECK(TiersOf(Counters::kNone, {}).empty());
  const std::vector<std::string> names = {"T1", "T2", "T3", "T4", "user"};
  const auto check = [&](Counters counters, size_t count) {
    const std::vector<MetricTier> tiers = TiersOf(counters, {"x.sum"});
    REQUIRE(tiers.size() == count + 1);
    for (size_t i = 0; i < count; ++i) CHECK(tiers[i].name == names[i]);
    CHECK(tiers.back().name == "user");
    CHECK(tiers.back().groups == std::vector<MetricGroup>{{"x.sum"}});
  };
  check(Counters::kNone, 0);
  check(Counters::kPulse, 1);
  check(Counters::kSpeedOfLight, 1);
  check(Counters::kStalls, 2);
  check(Counters::kAll, 4);
}

TEST_CASE("The pulse needs one pass: the first one of the speed of light") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const PassPlan pulse = PlanPasses(host, TiersOf(Counters::kPulse, {}));
  const PassPlan light = PlanPasses(host, TiersOf(Counters::kSpeedOfLight, {}));
  CheckGroups(host, pulse);
  REQUIRE(pulse.groups.size() == 1);
  CHECK(pulse.groups[0].metrics == light.groups[0].metrics);
}

TEST_CASE("A wrong metric of the user is named and spoils nothing") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const std::vector<std::string> user = {"no__such_metric.sum", "smsp__inst_executed.nosuffix",
                                         "smsp__inst_executed.sum", "smsp__inst_executed", ""};
  const PassPlan plan = PlanPasses(host, TiersOf(Counters::kSpeedOfLight, user));
  CheckGroups(host, plan);
  CHECK(OfTier(plan, "T1").size() == 4);
  const std::vector<PlannedGroup> groups = OfTier(plan, "user");
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].metrics == std::vector<std::string>{kWindowMetric, "smsp__inst_executed.sum"});
  REQUIRE(plan.left_out.size() == 4);
  const auto why = [&](const std::string& metric) {
    for (const std::string& text : plan.left_out) {
      if (text.rfind(metric + ": ", 0) == 0) return text.substr(metric.size() + 2);
    }
    return std::string();
  };
  CHECK(why("no__such_metric.sum") == "not a metric of GH100");
  CHECK(why("smsp__inst_executed") == "not a metric of GH100");
  CHECK(why("") == "not a metric of GH100");
  CHECK(why("smsp__inst_executed.nosuffix").find("rejected by CUPTI") == 0);
}

TEST_CASE("A user's metric that needs several launches is left out, with the number") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const PassPlan plan =
      PlanPasses(host, TiersOf(Counters::kNone, {"l1tex__lsu_writeback_active.sum"}));
  CHECK(plan.groups.empty());
  REQUIRE(plan.left_out.size() == 1);
  CHECK(plan.left_out[0].find("l1tex__lsu_writeback_active.sum: needs ") == 0);
  CHECK(plan.left_out[0].find("passes") != std::string::npos);
}

TEST_CASE("The user may ask for the window metric too, once") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {});
  const PassPlan plan =
      PlanPasses(host, TiersOf(Counters::kNone, {kWindowMetric, "smsp__inst_executed.sum"}));
  CheckGroups(host, plan);
  CHECK(plan.left_out.empty());
}

TEST_CASE("A chip that CUPTI does not know has no metrics, and all are named") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "ZZ999", {});
  CHECK_FALSE(host.ok());
  const PassPlan plan = PlanPasses(host, TiersOf(Counters::kNone, {"smsp__inst_executed.sum"}));
  CHECK(plan.groups.empty());
  CHECK(plan.left_out ==
        std::vector<std::string>{"smsp__inst_executed.sum: not a metric of ZZ999"});
}

}  // namespace
}  // namespace prof::cupti::test
