// SPDX-License-Identifier: Apache-2.0
//
// Some of a snapshot's blocks, checked and parsed, but not decoded.
#ifndef PROF_LIB_SNAPSHOT_READ_BLOCK_BATCH_H_
#define PROF_LIB_SNAPSHOT_READ_BLOCK_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "lib/snapshot/read/source.h"
#include "prof/snapshot.pb.h"

namespace prof::internal {

struct ParsedBlock {
  wire::Block block;
  uint64_t begin = 0, end = 0;  // of its frame in the file
  size_t payload_bytes = 0;
  // kOutOfRange: the end of the file. kDataLoss: damaged. kUnavailable: reading failed.
  absl::Status status;
};

class BlockBatch {
 public:
  // Replaces what is there by the next blocks: at least one, and then those that begin within
  // `bytes` from it. Uses the same messages again, which keep the room of their columns.
  void Read(size_t bytes, Source* source);

  const ParsedBlock* begin() const { return blocks_.data(); }
  const ParsedBlock* end() const { return blocks_.data() + size_; }
  // Nothing is to be read behind these: the last one has the trailer, or a status that is not OK.
  bool last() const { return last_; }

 private:
  std::vector<ParsedBlock> blocks_;
  size_t size_ = 0;
  bool last_ = false;
};

}  // namespace prof::internal

#endif  // PROF_LIB_SNAPSHOT_READ_BLOCK_BATCH_H_
