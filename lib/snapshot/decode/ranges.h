// SPDX-License-Identifier: Apache-2.0
//
// This file decodes NVTX: the steps of each thread from range to range, ranges that a program
// starts and ends (spans), marks, and the numbers that are attached to them.
#ifndef PROF_LIB_SNAPSHOT_DECODE_RANGES_H_
#define PROF_LIB_SNAPSHOT_DECODE_RANGES_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddRangeSteps(const wire::Block& block, DecodeState* state);

// Removes the steps that AddRangeSteps() added since DecodeState::steps_before was cleared.
void TakeStepsBack(DecodeState* state);

[[nodiscard]] absl::Status AddSpans(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddMarks(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddPayloads(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_RANGES_H_
