// SPDX-License-Identifier: Apache-2.0
//
// This file joins counter samples with the launches that they were taken from.
#ifndef PROF_LIB_SNAPSHOT_JOIN_SAMPLES_H_
#define PROF_LIB_SNAPSHOT_JOIN_SAMPLES_H_

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// Needs JoinOps() before it. Sets CounterSample::op and Model::graph_ops, and marks the operations
// of sampled launches.
void JoinSamples(model::Model* model);

// Marks the operations that were launched inside a counter range. The range slows a launch down
// even when it gives no values.
void MarkSampled(model::Model* model);

// Removes untraced launches that have a record, too: another thread made them while tracing was
// paused.
void DropUntracedWithRecord(model::Model* model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_SAMPLES_H_
