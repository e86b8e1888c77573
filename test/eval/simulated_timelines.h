// SPDX-License-Identifier: Apache-2.0
//
// The simulated timelines of test/analyzer/timelines as planted ones: what they are expected to
// have, and the findings in them.
#ifndef PROF_TEST_EVAL_SIMULATED_TIMELINES_H_
#define PROF_TEST_EVAL_SIMULATED_TIMELINES_H_

#include <cstdint>

#include "lib/eval/planted_timeline.h"

namespace prof::eval {

// Each is simulated once for each of the seeds 1 to `seeds`: as it is, and with counters of 5 % of
// the launches.
PlantedTimelines SimulatedTimelines(uint32_t seeds);

}  // namespace prof::eval

#endif  // PROF_TEST_EVAL_SIMULATED_TIMELINES_H_
