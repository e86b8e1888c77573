// SPDX-License-Identifier: Apache-2.0
//
// The memory output holds the bytes of a recording that has no file.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_MEMORY_OUTPUT_H_
#define PROF_LIB_CAPTURE_COLLECTOR_MEMORY_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "lib/capture/wire/block_frame.h"
#include "lib/capture/wire/block_sink.h"

namespace prof::capture {

class MemoryOutput : public BlockSink {
 public:
  void Append(const EncodedBlock& block) override {
    if (bytes_.empty()) bytes_ = FileHeader();
    const size_t whole = bytes_.size();
    try {
      AppendFrame(block, &bytes_);
    } catch (...) {
      bytes_.resize(whole);  // no memory: what is there stays readable
      throw;
    }
    ++blocks_;
  }
  uint64_t blocks() const override { return blocks_; }

  // Everything so far. Empty when there was no block.
  [[nodiscard]] std::string TakeBytes() { return std::move(bytes_); }

 private:
  std::string bytes_;
  uint64_t blocks_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_MEMORY_OUTPUT_H_
