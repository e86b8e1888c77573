// SPDX-License-Identifier: Apache-2.0
//
// This file decodes memory: allocations, operations on memory pools, unified memory.
#ifndef PROF_LIB_SNAPSHOT_DECODE_MEMORY_H_
#define PROF_LIB_SNAPSHOT_DECODE_MEMORY_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddAllocations(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddTensors(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddPoolOperations(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddUnifiedMemory(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_MEMORY_H_
