// SPDX-License-Identifier: Apache-2.0
//
// This file decodes the driver's readings of clocks, temperature and power.
#ifndef PROF_LIB_SNAPSHOT_DECODE_GPU_STATE_H_
#define PROF_LIB_SNAPSHOT_DECODE_GPU_STATE_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddGpuStates(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_GPU_STATE_H_
