// SPDX-License-Identifier: Apache-2.0
//
// What the course of a launch shows that its averages do not: units that are busy one after the
// other, and SMs that have no work at its end.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_COURSE_H_
#define PROF_LIB_ANALYZER_RULES_RULE_COURSE_H_

#include <array>
#include <optional>
#include <string_view>

#include "prof/continuous_report.h"

namespace prof::analyzer {

// A unit that leads in a part of each launch.
struct LaunchPhase {
  std::string_view unit;     // "DRAM"
  double share = 0;          // of a launch, 0..1
  double use = 0;            // there, 0..1
  double use_elsewhere = 0;  // in the parts that the other one leads
};

// The two units that lead most of a launch, where each is busy in its own parts and at most half as
// busy in those of the other. nullopt: there are no such two, or there is no course.
[[nodiscard]] std::optional<std::array<LaunchPhase, 2>> FindPhases(const LaunchCourse& course);

// The idle time of the SMs, as a share of a launch, 0..1: how much less they are active than where
// most of them are.
struct IdleSms {
  double all = 0;
  double start =
      0;  // of that, in the first parts, up to one where nine tenths of the most are active
  double end = 0;  // and in the last parts
};
// nullopt: there is no course of the SMs, or a part of it is not known.
[[nodiscard]] std::optional<IdleSms> IdleOf(const LaunchCourse& course);

// The share of a launch, 0..1, at whose end fewer than half of the SMs had a warp all the time. 0
// where it is not known.
[[nodiscard]] double DrainOf(const LaunchCourse& course);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_COURSE_H_
