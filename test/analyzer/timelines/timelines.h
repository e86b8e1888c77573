// SPDX-License-Identifier: Apache-2.0
//
// The timelines are programs with one known trouble, or with none. Each is simulated with numbers
// that are drawn, and has the findings that must come first and those that must not come. Those
// with a fix are simulated with it as well: what the fix saves is what a gain has to bound.
#ifndef PROF_TEST_ANALYZER_TIMELINES_TIMELINES_H_
#define PROF_TEST_ANALYZER_TIMELINES_TIMELINES_H_

#include <string>
#include <vector>

#include "test/analyzer/timelines/simulated_run.h"

namespace prof::test {

struct TimelineCase {
  const char* id;
  const char* what;
  void (*run)(SimulatedRun* p, bool fixed);
  bool has_fix = false;
  std::vector<std::string> first;  // one of them comes first; empty: no finding at all
  std::vector<std::string> never;  // none of them comes
  // False: counters make it another program. prof holds one of two threads up, and the other one's
  // work runs alone; or what another process takes falls into the time that is prof's.
  bool same_with_counters = true;
};

const std::vector<TimelineCase>& TimelineCases();

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_TIMELINES_TIMELINES_H_
