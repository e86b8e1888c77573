// SPDX-License-Identifier: Apache-2.0
//
// This file decodes the tables of a block, whose entries the columns name by their ids: strings,
// devices, range paths, kernel shapes and others.
#ifndef PROF_LIB_SNAPSHOT_DECODE_TABLES_H_
#define PROF_LIB_SNAPSHOT_DECODE_TABLES_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddStrings(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddDevices(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddPaths(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddShapes(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddLanes(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddStreams(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddThreads(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddPassGroups(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddNames(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddHostStacks(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddGraphNodes(const wire::Block& block, DecodeState* state);

// Gives threads the names that came after them in the file. Call it after the last block.
void NameThreads(DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_TABLES_H_
