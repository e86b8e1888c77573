// SPDX-License-Identifier: Apache-2.0
//
// The operations of each stream become tracks; an operation that ended an idle time has its cause.
#ifndef PROF_LIB_HTML_GATHER_OPERATIONS_H_
#define PROF_LIB_HTML_GATHER_OPERATIONS_H_

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/html/gather_ranges.h"
#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::html {

struct Stages {
  const analyzer::RangeFamilies& families;
  const analyzer::Timeline& timeline;
  const analyzer::KernelGroups& groups;
  const RangeRows& rows;
};

// Adds the names of all operations, tracks and sparks.
void GatherOperations(const model::Model& model, const Report& report, const Stages& stages,
                      TimelineData* data);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_GATHER_OPERATIONS_H_
