// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_course.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "lib/analyzer/base/thresholds.h"
#include "lib/format/triage_metrics.h"

namespace prof::analyzer {
namespace {

using format::TriageUnit;

constexpr std::initializer_list<TriageUnit> kLeaders = {
    TriageUnit::kDram,   TriageUnit::kL2,   TriageUnit::kL1,  TriageUnit::kShared,
    TriageUnit::kTensor, TriageUnit::kFma,  TriageUnit::kAlu, TriageUnit::kFp64,
    TriageUnit::kXu,     TriageUnit::kIssue};

struct UnitCourse {
  std::string_view name;
  const std::vector<double>* percent = nullptr;
  size_t led = 0;  // parts
};

std::vector<UnitCourse> UnitsOf(const LaunchCourse& course) {
  std::vector<UnitCourse> units;
  for (const LaunchCourse::Unit& unit : course.units) {
    const format::TriageMetric* const found = format::FindTriageMetric(unit.metric);
    if (found != nullptr &&
        std::find(kLeaders.begin(), kLeaders.end(), found->unit) != kLeaders.end()) {
      units.push_back({unit.name, &unit.percent, 0});
    }
  }
  return units;
}

// By part: the index of the unit that leads; units.size(): not known.
std::vector<size_t> LeadersOf(const LaunchCourse& course, const std::vector<UnitCourse>& units) {
  std::vector<size_t> leaders(course.parts(), units.size());
  for (size_t part = 0; part < leaders.size(); ++part) {
    double most = -1;
    for (size_t unit = 0; unit < units.size(); ++unit) {
      const double use = (*units[unit].percent)[part];
      if (!(use > most)) continue;  // nor NaN
      most = use;
      leaders[part] = unit;
    }
  }
  return leaders;
}

// The mean use of `unit` in the parts that `leader` leads, 0..1.
double UseIn(const UnitCourse& unit, const std::vector<size_t>& leaders, size_t leader) {
  double sum = 0;
  size_t parts = 0;
  for (size_t part = 0; part < leaders.size(); ++part) {
    if (leaders[part] != leader || std::isnan((*unit.percent)[part])) continue;
    sum += (*unit.percent)[part] / 100;
    ++parts;
  }
  return parts == 0 ? 0 : sum / static_cast<double>(parts);
}

}  // namespace

std::optional<std::array<LaunchPhase, 2>> FindPhases(const LaunchCourse& course) {
  std::vector<UnitCourse> units = UnitsOf(course);
  if (units.size() < 2) return std::nullopt;
  const std::vector<size_t> leaders = LeadersOf(course, units);
  for (const size_t leader : leaders) {
    if (leader < units.size()) ++units[leader].led;
  }
  std::array<size_t, 2> most = {0, 1};
  if (units[1].led > units[0].led) std::swap(most[0], most[1]);
  for (size_t unit = 2; unit < units.size(); ++unit) {
    if (units[unit].led > units[most[0]].led) {
      most = {unit, most[0]};
    } else if (units[unit].led > units[most[1]].led) {
      most[1] = unit;
    }
  }
  std::array<LaunchPhase, 2> phases;
  for (size_t i = 0; i < phases.size(); ++i) {
    const UnitCourse& unit = units[most[i]];
    phases[i] = {unit.name, static_cast<double>(unit.led) / static_cast<double>(course.parts()),
                 UseIn(unit, leaders, most[i]), UseIn(unit, leaders, most[1 - i])};
    const bool is_phase = phases[i].share >= kLeastPhase && phases[i].use >= kBusy &&
                          phases[i].use_elsewhere <= phases[i].use / 2;
    if (!is_phase) return std::nullopt;
  }
  return phases;
}

namespace {

// By part; nullptr: not measured.
const std::vector<double>* SmsOf(const LaunchCourse& course) {
  for (const LaunchCourse::Unit& unit : course.units) {
    const format::TriageMetric* const found = format::FindTriageMetric(unit.metric);
    if (found != nullptr && found->unit == TriageUnit::kSmActive) return &unit.percent;
  }
  return nullptr;
}

constexpr double kMostSms = 0.9;  // [own] of the part with most active SMs

// `begin` to `end`, in the direction in which they are given.
template <typename Iterator>
double IdleUpToMost(Iterator begin, Iterator end, double most) {
  double idle = 0;
  for (; begin != end && *begin < kMostSms * most; ++begin) idle += 1 - *begin / most;
  return idle;
}

}  // namespace

std::optional<IdleSms> IdleOf(const LaunchCourse& course) {
  const std::vector<double>* const sms = SmsOf(course);
  if (sms == nullptr || sms->empty()) return std::nullopt;
  if (std::any_of(sms->begin(), sms->end(), [](double one) { return std::isnan(one); })) {
    return std::nullopt;
  }
  const double most = *std::max_element(sms->begin(), sms->end());
  if (!(most > 0)) return std::nullopt;
  const auto parts = static_cast<double>(sms->size());
  IdleSms idle;
  for (const double one : *sms) idle.all += (1 - one / most) / parts;
  idle.start = IdleUpToMost(sms->begin(), sms->end(), most) / parts;
  idle.end = IdleUpToMost(sms->rbegin(), sms->rend(), most) / parts;
  return idle;
}

double DrainOf(const LaunchCourse& course) {
  const std::vector<double>* const sms = SmsOf(course);
  if (sms == nullptr) return 0;
  size_t parts = 0;
  while (parts < sms->size() && (*sms)[sms->size() - 1 - parts] < 50) ++parts;
  return static_cast<double>(parts) / static_cast<double>(sms->size());
}

}  // namespace prof::analyzer
