// SPDX-License-Identifier: Apache-2.0
//
// A batch is some consecutive blocks of a snapshot, with their checksums checked and parsed by
// protobuf, but not decoded.
#ifndef PROF_LIB_SNAPSHOT_READ_BLOCK_BATCH_H_
#define PROF_LIB_SNAPSHOT_READ_BLOCK_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "lib/snapshot/read/source.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {

struct ParsedBlock {
  wire::Block block;
  uint64_t begin = 0, end = 0;  // the place of its frame in the file
  size_t payload_bytes = 0;
  // kOutOfRange: the end of the file. kDataLoss: damaged. kUnavailable: reading failed.
  absl::Status status;
};

class BlockBatch {
 public:
  // Replaces the batch by the next blocks: at least one, and then those that begin within `bytes`
  // of its beginning. Messages are reused, because they keep the memory of their columns.
  void Read(size_t bytes, Source* source);

  const ParsedBlock* begin() const { return blocks_.data(); }
  const ParsedBlock* end() const { return blocks_.data() + size_; }
  // True when no batch follows: the last block has the trailer, or a status that is not OK.
  [[nodiscard]] bool last() const { return last_; }

 private:
  std::vector<ParsedBlock> blocks_;
  size_t size_ = 0;
  bool last_ = false;
};

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_READ_BLOCK_BATCH_H_
