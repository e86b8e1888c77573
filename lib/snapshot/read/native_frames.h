// SPDX-License-Identifier: Apache-2.0
//
// The native frames of a recording get their functions, files and lines.
#ifndef PROF_LIB_SNAPSHOT_READ_NATIVE_FRAMES_H_
#define PROF_LIB_SNAPSHOT_READ_NATIVE_FRAMES_H_

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// Replaces the tables of frames and stacks: a call in a function that was inlined becomes a frame
// of each function. Before calls and nodes are joined to operations. Where something is missing to
// find lines, a notice says what. Linear in frames and stacks; opens the files of their modules.
void FindNativeSources(model::Model* model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_READ_NATIVE_FRAMES_H_
