// SPDX-License-Identifier: Apache-2.0
//
// What the records mean together: which call launched an operation, in which range, and which
// launch a counter sample was taken from.
#ifndef PROF_LIB_SNAPSHOT_JOIN_JOIN_H_
#define PROF_LIB_SNAPSHOT_JOIN_JOIN_H_

#include <cstdint>

#include "lib/snapshot/model/model.h"

namespace prof::internal {

// Sorts and joins a model that the decoder has filled.
void Join(model::Model* model);

// Model::instances from the sorted steps; ranges still open at the end are closed at `end_ns`.
// Reads and changes nothing else of the model than paths and Model::truncation.
void DeriveInstances(int64_t end_ns, model::Model* model);

}  // namespace prof::internal

#endif  // PROF_LIB_SNAPSHOT_JOIN_JOIN_H_
