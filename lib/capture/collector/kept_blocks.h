// SPDX-License-Identifier: Apache-2.0
//
// Kept blocks are the blocks of the last seconds, in memory, of a recording that keeps no more.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_KEPT_BLOCKS_H_
#define PROF_LIB_CAPTURE_COLLECTOR_KEPT_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lib/capture/wire/block_sink.h"
#include "prof/snapshot.h"

namespace prof::capture {

class KeptBlocks : public BlockSink {
 public:
  // Blocks stay for `keep_ns` after they were ended, and while their events take at most
  // `cap_bytes`. Their table entries (strings, shapes, lanes, paths) are never dropped: later
  // blocks name them by their place, and the encoder bounds them.
  KeptBlocks(int64_t keep_ns, size_t cap_bytes) : keep_ns_(keep_ns), cap_bytes_(cap_bytes) {}

  // The block ended now.
  void Append(const EncodedBlock& block) override;
  uint64_t blocks() const override { return tables_.size() + blocks_.size(); }
  bool drops_blocks() const override { return true; }

  void Expire(int64_t now_ns);

  // Writes a complete recording of what is kept now.
  void WriteTo(BlockSink* sink, const Integrity& integrity, int64_t end_ns) const;
  // Writes the beginning of a recording: all blocks, which are freed as they are written.
  void MoveTo(BlockSink* sink);

  // Events that were dropped, by age or at the cap.
  [[nodiscard]] uint64_t rows_dropped() const { return rows_dropped_; }
  [[nodiscard]] size_t event_bytes() const { return event_bytes_; }

 private:
  struct Kept {
    std::string tables, events;
    uint64_t rows = 0;
    int64_t ended_ns = 0;
  };

  void DropOldest();

  const int64_t keep_ns_;
  const size_t cap_bytes_;
  std::vector<std::string> tables_;  // of dropped blocks, in their order, in payloads
  std::deque<Kept> blocks_;
  size_t event_bytes_ = 0;
  uint64_t rows_dropped_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_KEPT_BLOCKS_H_
