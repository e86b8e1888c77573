// SPDX-License-Identifier: Apache-2.0
//
// This file decodes the operations of a device: kernels, copies, memsets, launches of whole graphs.
// Their columns go straight into the tables of the model, without an allocation for each row.
#ifndef PROF_LIB_SNAPSHOT_DECODE_OPERATIONS_H_
#define PROF_LIB_SNAPSHOT_DECODE_OPERATIONS_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddKernels(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddCopies(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddMemsets(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddGraphRuns(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddLaunchCounts(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_OPERATIONS_H_
