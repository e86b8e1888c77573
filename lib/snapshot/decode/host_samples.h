// SPDX-License-Identifier: Apache-2.0
//
// Decodes the looks at threads of the program.
#ifndef PROF_LIB_SNAPSHOT_DECODE_HOST_SAMPLES_H_
#define PROF_LIB_SNAPSHOT_DECODE_HOST_SAMPLES_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddHostSamples(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_HOST_SAMPLES_H_
