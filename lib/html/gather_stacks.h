// SPDX-License-Identifier: Apache-2.0
//
// The stacks of the host become a tree, with the time of what was called from each.
#ifndef PROF_LIB_HTML_GATHER_STACKS_H_
#define PROF_LIB_HTML_GATHER_STACKS_H_

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"

namespace prof::html {

// Fills TimelineData::stacks with the stacks of GPU work and of calls that took time, and with
// those around them. The names of the groups' kernels are in `data` already. Linear in operations,
// calls and stacks.
void GatherStacks(const model::Model& model, const analyzer::Timeline& timeline,
                  const analyzer::KernelGroups& groups, TimelineData* data);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_GATHER_STACKS_H_
