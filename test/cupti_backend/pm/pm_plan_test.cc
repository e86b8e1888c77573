// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "lib/format/metric_names.h"
#include "lib/format/triage_metrics.h"
#include "test/cupti_backend/api/installed_cupti.h"
#include "test/support/catch.h"

namespace prof::cupti::test::pm_plan_test {
namespace {

std::set<format::TriageUnit> UnitsOf(const PmPlan& plan) {
  std::set<format::TriageUnit> units;
  for (const PmPass& pass : plan.passes) {
    for (const std::string& metric : pass.metrics) {
      if (metric == format::kSmClockMetric || format::FindTriageRate(metric)) continue;
      const format::TriageMetric* triage = format::FindTriageMetric(metric);
      REQUIRE(triage != nullptr);
      CHECK(units.insert(triage->unit).second);  // each unit once
    }
  }
  return units;
}

TEST_CASE("On every chip from Turing on, triage reads the units that decide in few passes") {
  PROF_TEST_LOAD_CUPTI(api);
  using format::TriageUnit;
  size_t chips = 0;
  for (const std::string& chip : SupportedChips(api)) {
    const MetricHost host(&api, chip, {}, CUPTI_PROFILER_TYPE_PM_SAMPLING);
    if (!host.ok()) continue;  // older than Turing
    ++chips;
    const PmPlan plan = PlanTriage(host);
    INFO(chip << ": " << plan.passes.size() << " passes, without " << plan.left_out);
    REQUIRE_FALSE(plan.passes.empty());
    CHECK(plan.passes.size() <= kMostTriagePasses);
    for (const PmPass& pass : plan.passes) {
      CHECK_FALSE(pass.config_image.empty());
      CHECK(host.Passes(pass.metrics, nullptr) == 1);
    }
    const std::set<TriageUnit> units = UnitsOf(plan);
    CHECK(units.size() >= 11);
    for (const TriageUnit unit : {TriageUnit::kL2, TriageUnit::kL1, TriageUnit::kShared,
                                  TriageUnit::kFma, TriageUnit::kFp64, TriageUnit::kIssue}) {
      CHECK(units.count(unit) == 1);
    }
    CHECK((units.count(TriageUnit::kDram) == 1 || chip.back() == 'B'));  // integrated: it has none
  }
  CHECK(chips > 10);
}

TEST_CASE("A unit that triage cannot read of a chip is named with the metric that the chip lacks") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GA100", {}, CUPTI_PROFILER_TYPE_PM_SAMPLING);
  CHECK(PlanTriage(host).left_out.find("heavy FMA (sm__pipe_fmaheavy_cycles_active.avg.") !=
        std::string::npos);
}

TEST_CASE("On Hopper one pass holds all units and rates of triage and the SM clock") {
  PROF_TEST_LOAD_CUPTI(api);
  const MetricHost host(&api, "GH100", {}, CUPTI_PROFILER_TYPE_PM_SAMPLING);
  const PmPlan plan = PlanTriage(host);
  REQUIRE(plan.passes.size() == 1);
  CHECK(plan.passes.front().metrics.size() ==
        format::kTriageUnits - 1 + std::size(format::kTriageRates) + 1);  // no warps; the clock
  CHECK(std::count(plan.passes.front().metrics.begin(), plan.passes.front().metrics.end(),
                   format::kSmClockMetric) == 1);
  CHECK(plan.left_out.empty());
}

}  // namespace
}  // namespace prof::cupti::test::pm_plan_test
