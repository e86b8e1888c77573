// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "lib/format/metric_names.h"
#include "lib/format/metric_purpose.h"

namespace prof::cupti {
namespace {

using format::TriageMetric;
using format::TriageUnit;

// The names that the chip has, as CUPTI evaluates them, by preference.
template <size_t kNames>
std::vector<std::string> NamesOnChip(const MetricHost& host,
                                     const std::array<std::string_view, kNames>& bases,
                                     std::string_view suffix) {
  std::vector<std::string> names;
  for (const std::string_view base : bases) {
    if (base.empty()) break;
    std::string name = std::string(base) + std::string(suffix);
    if (host.Knows(name)) names.push_back(std::move(name));
  }
  return names;
}

// The pass with one metric more, if it is still one pass.
bool AddTo(const MetricHost& host, const std::string& name, PmPass* pass) {
  std::vector<std::string> joint = pass->metrics;
  joint.push_back(name);
  std::vector<uint8_t> image;
  if (host.Passes(joint, &image) != 1) return false;
  *pass = {std::move(joint), std::move(image)};
  return true;
}

// By name first, then by pass: a preferred name in a later pass is better than another one.
bool AddToAny(const MetricHost& host, const std::vector<std::string>& names, size_t most_passes,
              std::vector<PmPass>* passes) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    for (PmPass& pass : *passes) {
      if (AddTo(host, name, &pass)) return true;
    }
    PmPass fresh;
    if (passes->size() >= most_passes || !AddTo(host, name, &fresh)) return false;
    passes->push_back(std::move(fresh));
    return true;
  });
}

// Each rate in the first pass that has room for it: none is worth a pass of its own.
void AddRates(const MetricHost& host, PmPlan* plan) {
  std::vector<std::vector<std::string>> names;
  for (const format::TriageRateMetric& rate : format::kTriageRates) {
    names.push_back(NamesOnChip(host, rate.names, rate.suffix));
  }
  if (plan->passes.size() == 1) {  // mostly all fit, which one question shows
    PmPass all = plan->passes.front();
    for (const std::vector<std::string>& known : names) {
      if (!known.empty()) all.metrics.push_back(known.front());
    }
    if (host.Passes(all.metrics, &all.config_image) == 1) {
      plan->passes.front() = std::move(all);
      return;
    }
  }
  for (const std::vector<std::string>& known : names) {
    (void)AddToAny(host, known, plan->passes.size(), &plan->passes);
  }
}

// The warps where there is room after the rates, which tell more: on GH100 there is none.
void AddWarps(const MetricHost& host, PmPlan* plan) {
  for (const TriageMetric& metric : format::kTriageMetrics) {
    if (metric.unit != TriageUnit::kWarps) continue;
    (void)AddToAny(host, NamesOnChip(host, metric.names, format::kTriageSuffix),
                   plan->passes.size(), &plan->passes);
  }
}

// The SM clock, in each pass that has room for it: a pass more only for the clock would make the
// units' samples rarer.
void AddClock(const MetricHost& host, PmPlan* plan) {
  if (!host.Knows(format::kSmClockMetric)) return;
  for (PmPass& pass : plan->passes) (void)AddTo(host, format::kSmClockMetric, &pass);
}

// The unit, by the name that it has on most chips, or by the one on this chip, which has no room.
void LeaveOut(const TriageMetric& metric, const std::vector<std::string>& on_chip, PmPlan* plan) {
  std::string_view usual;
  for (const std::string_view name : metric.names) usual = name.empty() ? usual : name;
  const std::string name =
      on_chip.empty() ? std::string(usual) + std::string(format::kTriageSuffix) : on_chip.front();
  plan->left_out += (plan->left_out.empty() ? "" : ", ") + format::WithPurpose(name);
}

PmPlan PlanUnits(const MetricHost& host, const std::vector<TriageUnit>& units, size_t most_passes) {
  PmPlan plan;
  std::vector<std::vector<std::string>> names;
  PmPass all;
  for (const TriageMetric& metric : format::kTriageMetrics) {
    if (std::find(units.begin(), units.end(), metric.unit) == units.end()) continue;
    names.push_back(NamesOnChip(host, metric.names, format::kTriageSuffix));
    if (names.back().empty()) {
      LeaveOut(metric, names.back(), &plan);
    } else {
      all.metrics.push_back(names.back().front());
    }
  }
  if (all.metrics.empty()) return plan;
  if (host.Passes(all.metrics, &all.config_image) == 1) {
    plan.passes.push_back(std::move(all));
    return plan;
  }
  size_t i = 0;
  for (const TriageMetric& metric : format::kTriageMetrics) {
    if (std::find(units.begin(), units.end(), metric.unit) == units.end()) continue;
    const std::vector<std::string>& known = names[i++];
    if (known.empty() || AddToAny(host, known, most_passes, &plan.passes)) continue;
    LeaveOut(metric, known, &plan);
  }
  return plan;
}

}  // namespace

PmPlan PlanPmSampling(const MetricHost& host, const std::vector<TriageUnit>& units,
                      size_t most_passes) {
  PmPlan plan = PlanUnits(host, units, most_passes);
  AddClock(host, &plan);
  return plan;
}

PmPlan PlanTriage(const MetricHost& host) {
  std::vector<TriageUnit> units;
  for (const TriageMetric& metric : format::kTriageMetrics) {
    if (metric.unit != TriageUnit::kWarps) units.push_back(metric.unit);
  }
  PmPlan plan = PlanPmSampling(host, units, kMostTriagePasses);
  AddRates(host, &plan);
  AddWarps(host, &plan);
  return plan;
}

}  // namespace prof::cupti
