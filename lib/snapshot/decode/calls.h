// SPDX-License-Identifier: Apache-2.0
//
// This file decodes what the host did: CUDA API calls, waits, and the overhead that CUPTI reports.
#ifndef PROF_LIB_SNAPSHOT_DECODE_CALLS_H_
#define PROF_LIB_SNAPSHOT_DECODE_CALLS_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddApiCalls(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddSyncs(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddOverheads(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_CALLS_H_
