// SPDX-License-Identifier: Apache-2.0
//
// A block sink takes the finished blocks of a recording: a file, memory, or the last seconds.
#ifndef PROF_LIB_CAPTURE_WIRE_BLOCK_SINK_H_
#define PROF_LIB_CAPTURE_WIRE_BLOCK_SINK_H_

#include <cstdint>
#include <string_view>

namespace prof::capture {

// One serialized wire.Block in two parts. Each part is a valid wire.Block too.
struct EncodedBlock {
  std::string_view tables;  // entries that later blocks name by their place
  std::string_view events;
  uint64_t rows = 0;  // events
};

// Used by the collector thread alone.
class BlockSink {
 public:
  virtual ~BlockSink() = default;

  // Copies or writes the block before it returns.
  virtual void Append(const EncodedBlock& block) = 0;
  // The blocks that the sink was given. The trailer of a recording states their number.
  [[nodiscard]] virtual uint64_t blocks() const = 0;
  // Whether old blocks are dropped: then each block must repeat which ranges are open.
  [[nodiscard]] virtual bool drops_blocks() const { return false; }
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_BLOCK_SINK_H_
