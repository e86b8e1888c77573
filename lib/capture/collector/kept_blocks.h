// SPDX-License-Identifier: Apache-2.0
//
// The blocks of the last seconds, in memory, for a recording that keeps no more. Used by the
// collector thread alone.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_KEPT_BLOCKS_H_
#define PROF_LIB_CAPTURE_COLLECTOR_KEPT_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lib/capture/collector/output.h"
#include "prof/snapshot.h"

namespace prof::capture {

class KeptBlocks {
 public:
  // Blocks stay for `keep_ns` after they were ended, and while their events take at most
  // `cap_bytes`. Their table entries (strings, shapes, lanes, paths) stay for ever: later blocks
  // name them by their place, and the encoder bounds them.
  KeptBlocks(int64_t keep_ns, size_t cap_bytes) : keep_ns_(keep_ns), cap_bytes_(cap_bytes) {}

  // `tables` and `events`: the two parts of one serialized wire.Block, of `rows` events.
  void Add(std::string tables, std::string events, uint64_t rows, int64_t now_ns);
  void Expire(int64_t now_ns);

  // A complete recording of what is here now.
  void WriteTo(Output* output, const Integrity& integrity, int64_t end_ns) const;
  // The beginning of a recording: all blocks, which are freed as they are written. Their number.
  uint64_t MoveTo(Output* output);

  // Events that were dropped, by age or at the cap.
  uint64_t rows_dropped() const { return rows_dropped_; }
  size_t event_bytes() const { return event_bytes_; }

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
