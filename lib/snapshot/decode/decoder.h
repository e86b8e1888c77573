// SPDX-License-Identifier: Apache-2.0
//
// The decoder adds one block after another to a model. It checks every id, length and time, so that
// nothing behind the reader has to.
#ifndef PROF_LIB_SNAPSHOT_DECODE_DECODER_H_
#define PROF_LIB_SNAPSHOT_DECODE_DECODER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "lib/snapshot/decode/state.h"
#include "lib/snapshot/model/model.h"

namespace prof::wire {
class Block;
}  // namespace prof::wire

namespace prof::snapshot {

class Decoder {
 public:
  explicit Decoder(model::Model* model) : state_(model) {}

  // Adds a block whose encoded size is `bytes`: all of it, or on an error nothing of it.
  [[nodiscard]] absl::Status Add(const wire::Block& block, size_t bytes);

  // Call it after the last block.
  void Finish();

  // The number of blocks in the file, as its trailer has it.
  [[nodiscard]] uint64_t trailer_blocks() const { return state_.trailer_blocks; }

 private:
  DecodeState state_;
};

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_DECODE_DECODER_H_
