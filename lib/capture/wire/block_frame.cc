// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/block_frame.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "lib/format/framing.h"

namespace prof::capture {

std::string FileHeader() {
  std::string header(format::kFileHeaderSize, '\0');
  std::memcpy(header.data(), format::kFileMagic.data(), format::kFileMagic.size());
  format::PutU32(header.data() + 8, format::kFormatVersion);
  return header;
}

void AppendFrame(const EncodedBlock& block, std::string* bytes) {
  const size_t begin = bytes->size();
  bytes->append(format::kFrameHeaderSize, '\0').append(block.tables).append(block.events);
  const std::string_view payload =
      std::string_view(*bytes).substr(begin + format::kFrameHeaderSize);
  char* const header = bytes->data() + begin;
  format::PutU32(header, format::kFrameMagic);
  format::PutU32(header + 4, static_cast<uint32_t>(payload.size()));
  format::PutU32(header + 8, format::Crc32c(payload));
}

}  // namespace prof::capture
