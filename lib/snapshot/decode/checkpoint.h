// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint remembers how much of the model there was before a block, so that a damaged block
// can be taken back.
#ifndef PROF_LIB_SNAPSHOT_DECODE_CHECKPOINT_H_
#define PROF_LIB_SNAPSHOT_DECODE_CHECKPOINT_H_

#include <cstddef>
#include <vector>

#include "lib/snapshot/decode/state.h"

namespace prof::snapshot {

class Checkpoint {
 public:
  // `pm_samples`: whether the block has any. Nothing here copies what was decoded before: a file
  // may have a thousand devices and a million blocks.
  Checkpoint(DecodeState* state, bool pm_samples);

  // Removes everything that was added after the constructor.
  void Restore();

 private:
  DecodeState* state_;
  std::vector<size_t> sizes_;    // of the tables that only grow
  std::vector<size_t> pm_rows_;  // of each PM series, if the block adds to them
  size_t devices_;
  size_t spent_;
};

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_CHECKPOINT_H_
