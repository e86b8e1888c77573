// SPDX-License-Identifier: Apache-2.0
//
// Work of CUDA graphs by the range in which its node was captured.
#ifndef PROF_LIB_SNAPSHOT_JOIN_CAPTURED_PATHS_H_
#define PROF_LIB_SNAPSHOT_JOIN_CAPTURED_PATHS_H_

#include "lib/snapshot/model/model.h"

namespace prof::internal {

// All operations of a graph launch are in the range of the launch, which is one row of a report,
// whatever the graph does. So those of which the node was captured in another range get a path of
// their own below that of the launch: "replay > forward/layer 3". Once the paths of launches are
// known; adds paths, in bounded number and size.
void SetCapturedPaths(model::Model* model);

}  // namespace prof::internal

#endif  // PROF_LIB_SNAPSHOT_JOIN_CAPTURED_PATHS_H_
