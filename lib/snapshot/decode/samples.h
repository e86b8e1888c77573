// SPDX-License-Identifier: Apache-2.0
//
// This file decodes counter samples of launches and regions, and the times at which taking them
// held up a thread of the program.
#ifndef PROF_LIB_SNAPSHOT_DECODE_SAMPLES_H_
#define PROF_LIB_SNAPSHOT_DECODE_SAMPLES_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddSamples(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddProfilerIntervals(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_SAMPLES_H_
