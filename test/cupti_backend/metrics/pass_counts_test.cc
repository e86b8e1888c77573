// SPDX-License-Identifier: Apache-2.0
//
// Every level on every chip that the installed CUPTI knows: planned in single passes, what a chip
// lacks is named, and no level takes more passes than pass_counts.txt says.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cupti_backend/metrics/pass_planner.h"
#include "lib/format/metric_purpose.h"
#include "test/cupti_backend/api/installed_cupti.h"

namespace prof::cupti::test::pass_counts_test {
namespace {

using Counts = std::map<std::string, size_t>;  // by level

// "GH100 sol=4 stalls=8"
std::map<std::string, Counts> Recorded() {
  std::ifstream file(PROF_TEST_PASS_COUNTS);
  REQUIRE(file.good());
  std::map<std::string, Counts> chips;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream in(line);
    std::string chip, entry;
    in >> chip;
    Counts& counts = chips[chip];
    while (in >> entry) {
      const size_t equals = entry.find('=');
      REQUIRE(equals != std::string::npos);
      counts[entry.substr(0, equals)] = std::stoul(entry.substr(equals + 1));
    }
  }
  return chips;
}

std::string Line(const std::string& chip, const Counts& counts) {
  std::string line = chip;
  for (const auto& [level, passes] : counts) line += " " + level + "=" + std::to_string(passes);
  return line;
}

void CheckGroups(const MetricHost& host, const PassPlan& plan) {
  int software = 0;
  for (const PlannedGroup& group : plan.groups) {
    INFO(group.level << " " << group.metrics.back());
    const std::vector<std::string>& metrics = group.metrics;
    if (std::any_of(metrics.begin(), metrics.end(), IsSoftware)) {
      CHECK(std::all_of(metrics.begin(), metrics.end(), IsSoftware));
      CHECK(++software == 1);
    } else {
      CHECK(metrics.front() == kWindowMetric);
      CHECK(std::count(metrics.begin(), metrics.end(), kWindowMetric) == 1);
      CHECK(metrics.size() > 1);
    }
    CHECK_FALSE(group.config_image.empty());
    CHECK(host.Passes(metrics, nullptr) == 1);
  }
}

// Each metric of the levels is planned, put together from parts, or named with a reason.
void CheckAnswered(const std::vector<MetricLevel>& levels, const PassPlan& plan) {
  std::set<std::string> answered;
  for (const PlannedGroup& group : plan.groups) {
    answered.insert(group.metrics.begin(), group.metrics.end());
  }
  for (const ThroughputPlan& throughput : plan.throughputs) {
    if (!throughput.parts.empty()) answered.insert(throughput.metric);
  }
  for (const std::string& text : plan.left_out) {
    const std::string metric = text.substr(0, text.find(": "));
    INFO(text);
    CHECK_FALSE(format::PurposeOf(metric).empty());  // a user learns what is missing
    answered.insert(metric);
  }
  for (const MetricLevel& level : levels) {
    for (const MetricGroup& group : level.groups) {
      for (const std::string& metric : group.metrics) {
        INFO(level.name << " " << metric);
        CHECK(answered.count(metric) == 1);
      }
    }
  }
}

void Count(const PassPlan& plan, Counts* counts) {
  for (const PlannedGroup& group : plan.groups) ++(*counts)[group.level];
}

TEST_CASE(
    "On every chip each level takes no more passes than recorded, or what it lacks is named") {
  PROF_TEST_LOAD_CUPTI(api);
  const std::map<std::string, Counts> recorded = Recorded();
  size_t with_metrics = 0;
  const std::vector<std::string> chips = SupportedChips(api);
  for (const std::string& chip : chips) {
    INFO(chip);
    const MetricHost host(&api, chip, {});
    with_metrics += host.ok() ? 1 : 0;  // CUPTI 13.0 lists GV11B without any
    Counts counts;
    for (const Counters counters : {Counters::kPulse, Counters::kAll}) {
      const std::vector<MetricLevel> levels = LevelsOf(host, counters, {});
      const PassPlan plan = PlanPasses(host, levels);
      CheckGroups(host, plan);
      CheckAnswered(levels, plan);
      Count(plan, &counts);
    }
    CHECK((counts["sol"] > 0) == host.ok());
    CHECK((counts["pulse"] > 0) == host.ok());
    if (!host.ok()) continue;

    INFO("In test/cupti_backend/metrics/pass_counts.txt the line of this chip would have to be\n"
         << Line(chip, counts));
    const auto expected = recorded.find(chip);
    if (expected == recorded.end()) {
      WARN(chip << " is not in test/cupti_backend/metrics/pass_counts.txt. Add: "
                << Line(chip, counts));
      continue;
    }
    for (const auto& [level, passes] : counts) {
      const auto known = expected->second.find(level);
      INFO(level << ": " << passes << " passes");
      CHECK(passes <= (known == expected->second.end() ? 0 : known->second));
    }
  }
  CHECK(with_metrics >= 10);
  CHECK(with_metrics + 1 >= chips.size());
}

}  // namespace
}  // namespace prof::cupti::test::pass_counts_test
