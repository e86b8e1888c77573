// SPDX-License-Identifier: Apache-2.0
//
// This file derives the times at which each range was open from the steps of each thread.
#ifndef PROF_LIB_SNAPSHOT_JOIN_RANGE_INSTANCES_H_
#define PROF_LIB_SNAPSHOT_JOIN_RANGE_INSTANCES_H_

#include <cstdint>

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// Fills Model::instances from the sorted steps. Ranges that are still open at the end are closed at
// `end_ns`. Of the rest of the model it reads the paths and may add to Model::truncation, and so
// another thread may join calls and operations at the same time.
void DeriveInstances(int64_t end_ns, model::Model* model);

// The same for the ops of PyTorch: fills the instances of Model::torch.
void DeriveTorchInstances(int64_t end_ns, model::Model* model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_RANGE_INSTANCES_H_
