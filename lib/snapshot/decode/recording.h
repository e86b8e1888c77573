// SPDX-License-Identifier: Apache-2.0
//
// This file decodes the description of the recording: its process, what did not work, what was
// lost, and how it ended.
#ifndef PROF_LIB_SNAPSHOT_DECODE_RECORDING_H_
#define PROF_LIB_SNAPSHOT_DECODE_RECORDING_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddNotices(const wire::Block& block, DecodeState* state);

// These three replace what earlier blocks had. They never fail.
[[nodiscard]] absl::Status AddHeader(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddIntegrity(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddTrailer(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_RECORDING_H_
