// SPDX-License-Identifier: Apache-2.0
//
// The block writer turns a block's columns into the bytes of a wire.Block.
#ifndef PROF_LIB_CAPTURE_WIRE_BLOCK_WRITER_H_
#define PROF_LIB_CAPTURE_WIRE_BLOCK_WRITER_H_

#include <cstdint>
#include <string>

#include "lib/capture/wire/columns.h"
#include "prof/snapshot.h"

namespace prof::capture {

struct BlockTrailer {
  int64_t end_ns = 0;
  uint64_t blocks = 0;  // in the file, this one included
};

// A block is its table entries followed by its events; each part is a valid wire.Block too.
void AppendTables(const BlockColumns& columns, std::string* bytes);
// `trailer`: null except in the last block of a recording.
void AppendEvents(const BlockColumns& columns, const Integrity& integrity,
                  const BlockTrailer* trailer, std::string* bytes);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_BLOCK_WRITER_H_
