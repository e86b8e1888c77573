// SPDX-License-Identifier: Apache-2.0
//
// This file gives the work of CUDA graphs paths that name the range of its capture.
#ifndef PROF_LIB_SNAPSHOT_JOIN_CAPTURED_PATHS_H_
#define PROF_LIB_SNAPSHOT_JOIN_CAPTURED_PATHS_H_

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// All operations of a graph launch are in the range of the launch, and so they would be one row of
// a report, whatever the graph does. An operation whose node was captured in another range gets a
// path of its own below the path of the launch: "replay > forward/layer 3". Call it when the paths
// of launches are known. The number and the size of the paths that it adds are bounded.
void SetCapturedPaths(model::Model* model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_CAPTURED_PATHS_H_
