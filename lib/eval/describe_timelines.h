// SPDX-License-Identifier: Apache-2.0
//
// What findings about planted timelines are worth, as text.
#ifndef PROF_LIB_EVAL_DESCRIBE_TIMELINES_H_
#define PROF_LIB_EVAL_DESCRIBE_TIMELINES_H_

#include <string>

#include "lib/eval/timeline_score.h"

namespace prof::eval {

// For people: the rates of both forms, each miss, each cause that was not planted and is named.
[[nodiscard]] std::string DescribeTimelines(const PlantedTimelines& planted);

// A line for each timeline: what it is expected to have, and the findings of both forms.
[[nodiscard]] std::string ListTimelines(const PlantedTimelines& planted);

}  // namespace prof::eval

#endif  // PROF_LIB_EVAL_DESCRIBE_TIMELINES_H_
