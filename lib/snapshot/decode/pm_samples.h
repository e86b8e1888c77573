// SPDX-License-Identifier: Apache-2.0
//
// This file decodes PM samples: the table of series, and their columns.
#ifndef PROF_LIB_SNAPSHOT_DECODE_PM_SAMPLES_H_
#define PROF_LIB_SNAPSHOT_DECODE_PM_SAMPLES_H_

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

[[nodiscard]] absl::Status AddPmSeries(const wire::Block& block, DecodeState* state);
[[nodiscard]] absl::Status AddPmSamples(const wire::Block& block, DecodeState* state);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_PM_SAMPLES_H_
