// SPDX-License-Identifier: Apache-2.0
//
// This file sorts the tables of a model by time. Records come nearly in order, and checking that
// costs less than sorting, so it checks first.
#ifndef PROF_LIB_SNAPSHOT_JOIN_SORT_H_
#define PROF_LIB_SNAPSHOT_JOIN_SORT_H_

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

void SortSteps(model::Model* model);

// Sorts all tables except the steps.
void SortOthers(model::Model* model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_SORT_H_
