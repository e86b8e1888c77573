// SPDX-License-Identifier: Apache-2.0
//
// Block frames put blocks behind each other in a file, as lib/format/framing.h defines it.
#ifndef PROF_LIB_CAPTURE_WIRE_BLOCK_FRAME_H_
#define PROF_LIB_CAPTURE_WIRE_BLOCK_FRAME_H_

#include <string>

#include "lib/capture/wire/block_sink.h"

namespace prof::capture {

// The bytes in front of the first frame.
[[nodiscard]] std::string FileHeader();

// Appends the frame header and the block to `bytes`.
void AppendFrame(const EncodedBlock& block, std::string* bytes);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_BLOCK_FRAME_H_
