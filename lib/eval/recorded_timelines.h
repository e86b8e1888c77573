// SPDX-License-Identifier: Apache-2.0
//
// Recordings of planted timelines. The experiment coverage_timelines leaves a folder of them, with
// a file that has what was planted.
#ifndef PROF_LIB_EVAL_RECORDED_TIMELINES_H_
#define PROF_LIB_EVAL_RECORDED_TIMELINES_H_

#include <string>

#include "lib/eval/planted_timeline.h"

namespace prof::eval {

inline constexpr char kTimelinesFile[] = "timelines.json";

// The timelines of kTimelinesFile in the folder, each with the findings of its recordings, which
// are files beside it. None, and no error: the folder has no such file. Reads and analyzes the
// recordings: some 0.1 s each.
[[nodiscard]] PlantedTimelines ReadTimelines(const std::string& folder);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_RECORDED_TIMELINES_H_
