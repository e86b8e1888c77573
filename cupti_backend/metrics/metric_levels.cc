// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/metrics/metric_levels.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "cupti_backend/metrics/level_tables.h"
#include "cupti_backend/metrics/metric_cost.h"
#include "lib/format/metric_aliases.h"

namespace prof::cupti {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// `metric`, or its other name when the chip has that one only.
std::string NameOn(const MetricHost& host, const std::string& metric) {
  if (host.Knows(metric)) return metric;
  const std::string other = format::OtherName(metric);
  return !other.empty() && host.Knows(other) ? other : metric;
}

// The first alternative whose metrics all exist and need one pass each, else the first one.
std::vector<std::string> ChooseMetrics(const MetricHost& host, const std::string& entry) {
  const std::vector<std::string> alternatives = Split(entry, '|');
  for (const std::string& alternative : alternatives) {
    std::vector<std::string> names = Split(alternative, ' ');
    const bool readable = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return host.Knows(name) && (alternatives.size() == 1 || host.Passes({name}, nullptr) == 1);
    });
    if (readable) return names;
  }
  // What there is of it, to be named with its passes; else the usual name.
  for (const std::string& alternative : alternatives) {
    std::vector<std::string> names = Split(alternative, ' ');
    if (std::all_of(names.begin(), names.end(),
                    [&](const std::string& name) { return host.Knows(name); })) {
      return names;
    }
  }
  return {NameOn(host, Split(alternatives.front(), ' ').front())};
}

std::vector<MetricGroup> Resolve(const MetricHost& host, const std::vector<MetricGroup>& table) {
  std::vector<MetricGroup> groups;
  for (const MetricGroup& wanted : table) {
    MetricGroup group;
    for (const std::string& entry : wanted.metrics) {
      for (std::string& name : ChooseMetrics(host, entry)) group.metrics.push_back(std::move(name));
    }
    group.extras = wanted.extras;
    groups.push_back(std::move(group));
  }
  return groups;
}

// smsp__average_warps_issue_stalled_<reason>_per_issue_active
bool IsStallRatio(const std::string& base) {
  constexpr std::string_view prefix = "smsp__average_warps_issue_stalled_";
  constexpr std::string_view suffix = "_per_issue_active";
  return base.size() > prefix.size() + suffix.size() && base.rfind(prefix, 0) == 0 &&
         base.compare(base.size() - suffix.size(), suffix.size(), suffix) == 0;
}

std::vector<std::string> IssueMetrics(const MetricHost& host) {
  std::vector<std::string> metrics;
  for (const char* name :
       {"smsp__issue_active.avg.per_cycle_active", "smsp__warps_active.avg.per_cycle_active",
        "smsp__warps_eligible.avg.per_cycle_active"}) {
    metrics.push_back(NameOn(host, name));
  }
  return metrics;
}

// The reasons differ from chip to chip: those of the table that it has, and those it has beside.
std::vector<MetricGroup> Stalls(const MetricHost& host) {
  std::vector<MetricGroup> groups = Resolve(host, StallTable());
  if (!host.ok()) return groups;
  std::set<std::string> listed;
  for (MetricGroup& group : groups) {
    std::vector<std::string>& metrics = group.metrics;
    metrics.erase(std::remove_if(metrics.begin(), metrics.end(),
                                 [&](const std::string& metric) {
                                   return IsStallRatio(metric.substr(0, metric.find('.'))) &&
                                          !host.Knows(metric);
                                 }),
                  metrics.end());
    listed.insert(metrics.begin(), metrics.end());
  }
  MetricGroup others;
  for (const auto& [base, kind] : host.metrics()) {
    const std::string metric = base + ".ratio";
    if (IsStallRatio(base) && listed.count(metric) == 0) others.metrics.push_back(metric);
  }
  groups.push_back(std::move(others));
  return groups;
}

// For sampling by need. A change to a group that reads DRAM or L2 takes 20 to 27 ms on an H200, to
// one that reads the SMs alone 2.5 to 4. So the metrics of DRAM and L2 are a level of their own:
// the planner does not mix levels.
std::vector<MetricLevel> SplitByCost(const MetricLevel& level) {
  MetricLevel sm = {level.name, {}, level.throughputs}, memory = {level.name, {{}}, {}};
  for (const MetricGroup& group : level.groups) {
    MetricGroup of_sm;
    for (const std::string& metric : group.metrics) {
      const bool dear = CostOf(metric) == MetricCost::kMemory;
      (dear ? memory.groups.front() : of_sm).metrics.push_back(metric);
    }
    if (!of_sm.metrics.empty()) sm.groups.push_back(std::move(of_sm));
  }
  return {std::move(sm), std::move(memory)};
}

// The stall reasons come with the warps that could issue. The use of the units is read where PM
// sampling does not work.
std::vector<MetricLevel> LevelsByNeed(const MetricHost& host) {
  MetricLevel stalls = LevelNamed(host, "stalls");
  stalls.groups.push_back({IssueMetrics(host), {}});
  std::vector<MetricLevel> levels = SplitByCost(LevelNamed(host, "memory"));
  levels.insert(levels.begin(), std::move(stalls));
  levels.push_back(LevelNamed(host, "sol"));
  return levels;
}

}  // namespace

std::vector<std::string> LevelNames() {
  return {"pulse", "sol", "stalls", "memory", "tensor", "speed-of-light"};
}

MetricLevel LevelNamed(const MetricHost& host, const std::string& name) {
  MetricLevel level;
  level.name = name;
  if (name == "pulse") {
    level.groups = Resolve(host, PulseTable());
  } else if (name == "sol") {
    level.groups = Resolve(host, SolTable());
    level.throughputs = SpeedOfLightTable();
  } else if (name == "stalls") {
    level.groups = Stalls(host);
  } else if (name == "memory") {
    level.groups = Resolve(host, MemoryTable());
  } else if (name == "tensor") {
    level.groups = Resolve(host, TensorTable());
  } else if (name == "speed-of-light") {
    level.groups = {{SpeedOfLightTable(), {}}};
  }
  return level;
}

MetricLevel UserLevel(const std::vector<std::string>& metrics) {
  return {"user", {{metrics, {}}}, {}};
}

std::vector<MetricLevel> LevelsOf(const MetricHost& host, Counters counters,
                                  const std::vector<std::string>& user) {
  std::vector<std::string> names;
  if (counters == Counters::kPulse) names = {"pulse"};
  if (counters >= Counters::kSpeedOfLight) names.emplace_back("sol");
  if (counters >= Counters::kStalls) names.emplace_back("stalls");
  if (counters >= Counters::kAll) names.insert(names.end(), {"memory", "tensor", "speed-of-light"});
  std::vector<MetricLevel> levels;
  if (counters == Counters::kAuto) levels = LevelsByNeed(host);
  for (const std::string& name : names) levels.push_back(LevelNamed(host, name));
  if (!user.empty()) levels.push_back(UserLevel(user));
  return levels;
}

}  // namespace prof::cupti
