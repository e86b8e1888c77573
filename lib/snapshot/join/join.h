// SPDX-License-Identifier: Apache-2.0
//
// The join connects the records of a model: which call launched an operation, in which range, and
// which launch a counter sample was taken from.
#ifndef PROF_LIB_SNAPSHOT_JOIN_JOIN_H_
#define PROF_LIB_SNAPSHOT_JOIN_JOIN_H_

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// Sorts and joins a model that the decoder has filled.
void Join(model::Model* model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_JOIN_H_
