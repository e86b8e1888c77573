// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a device is the chain of operations that made its work last as long as it
// did: each moment of it belongs to one operation. Time off the path frees nothing when it is
// saved.
#ifndef PROF_LIB_ANALYZER_TIMELINE_CRITICAL_PATH_H_
#define PROF_LIB_ANALYZER_TIMELINE_CRITICAL_PATH_H_

#include <cstdint>
#include <vector>

#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Parallel to Model::ops: the part of each operation that is on the path of its device; 0 for those
// without a time and those that are set aside. Of each device it sums to its busy time at most.
// The path is walked from the last end backwards: from an operation to the one before it in its
// stream, where they are a chain (operation_links.h); otherwise to the work that ran last before
// it. Waits between streams are not in the records: the path may be on the other side of one.
// Linear in the operations. Empty where no two operations of a device overlap: then each is on the
// path, and owns its Timeline::exclusive_ns.
[[nodiscard]] std::vector<int64_t> CriticalTimes(const model::Model& model,
                                                 const Timeline& timeline);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_CRITICAL_PATH_H_
