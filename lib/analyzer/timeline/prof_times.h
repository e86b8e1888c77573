// SPDX-License-Identifier: Apache-2.0
//
// When threads of the program were in prof's hands, as prof recorded it.
#ifndef PROF_LIB_ANALYZER_TIMELINE_PROF_TIMES_H_
#define PROF_LIB_ANALYZER_TIMELINE_PROF_TIMES_H_

#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// By thread. Takes n log n in the intervals that prof recorded.
[[nodiscard]] std::vector<IntervalUnion> ProfTimes(const model::Model& model);

// The same without the parts of prof's preparation in which no GPU worked: there prof cannot have
// waited for the program's work. Takes linear time in the operations, where prof prepared itself on
// a thread of the program.
[[nodiscard]] std::vector<IntervalUnion> ProfWaits(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_PROF_TIMES_H_
