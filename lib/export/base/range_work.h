// SPDX-License-Identifier: Apache-2.0
//
// The work of a range, or of a scope that is marked for PyTorch (record_function), is what its
// thread launched while it was open: on each stream the stretch from the begin of its first
// operation to the end of its last one.
#ifndef PROF_LIB_EXPORT_BASE_RANGE_WORK_H_
#define PROF_LIB_EXPORT_BASE_RANGE_WORK_H_

#include <cstdint>
#include <functional>

#include "lib/export/base/selection.h"
#include "prof/events.h"

namespace prof::exporting {

struct RangeWork {
  RangeEvent range;  // or a scope, whose path is one of ops
  uint32_t device = 0, stream = 0;
  int64_t start_ns = 0, end_ns = 0;
};

// For each range and stream, in the order in which the ranges end. Holds the open ranges, and 16
// bytes for each operation.
void VisitRangeWork(const Events& events, const Selection& selection,
                    const std::function<void(const RangeWork&)>& visit);

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_RANGE_WORK_H_
