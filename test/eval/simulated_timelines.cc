// SPDX-License-Identifier: Apache-2.0
#include "test/eval/simulated_timelines.h"

#include <string>
#include <utility>

#include "test/analyzer/timelines/timelines.h"

namespace prof::eval {
namespace {

FoundFindings Simulate(const test::TimelineCase& timeline, uint32_t seed, double sampled_share) {
  test::SimulatedProf prof;
  prof.sampled_share = sampled_share;
  test::SimulatedRun run(seed, prof);
  timeline.run(&run, false);
  return FindingsOf(run.Analyzed());
}

}  // namespace

PlantedTimelines SimulatedTimelines(uint32_t seeds) {
  constexpr double kSampled = 0.05;
  PlantedTimelines planted;
  for (const test::TimelineCase& timeline : test::TimelineCases()) {
    for (uint32_t seed = 1; seed <= seeds; ++seed) {
      PlantedTimeline one;
      one.kind = timeline.id + std::string(" ") + timeline.what;
      one.expected = timeline.first;
      one.harmful = timeline.first.empty() ? FindingIds() : timeline.never;
      one.with_timeline = Simulate(timeline, seed, 0);
      one.with_default = Simulate(timeline, seed, kSampled);
      planted.timelines.push_back(std::move(one));
    }
  }
  return planted;
}

}  // namespace prof::eval
