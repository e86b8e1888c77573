// SPDX-License-Identifier: Apache-2.0
//
// This file defines the frames of a snapshot file for its writer and its reader
// (docs/internals/snapshot-format.md).
//
//   file   = file header, frame*
//   header = "PROFSNAP" | u32 version | u32 0
//   frame  = u32 "PBLK" | u32 payload length | u32 CRC-32C of the payload | payload (a wire.Block)
//
// All integers are little endian.
#ifndef PROF_LIB_FORMAT_FRAMING_H_
#define PROF_LIB_FORMAT_FRAMING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prof::format {

constexpr std::string_view kFileMagic = "PROFSNAP";
constexpr uint32_t kFormatVersion = 2;
constexpr size_t kFileHeaderSize = 16;
constexpr uint32_t kFrameMagic = 0x4b4c4250;  // "PBLK"
constexpr size_t kFrameHeaderSize = 12;
constexpr uint32_t kMaxPayload = 16u << 20;  // a longer payload means that the file is damaged

namespace internal {
// Table k has the effect of a byte that k more bytes follow.
using CrcTables = std::array<std::array<uint32_t, 256>, 16>;
constexpr CrcTables MakeCrcTables() {
  CrcTables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78u : crc >> 1;
    tables[0][i] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t before = tables[k - 1][i];
      tables[k][i] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
inline constexpr CrcTables kCrcTables = MakeCrcTables();
}  // namespace internal

[[nodiscard]] inline uint32_t GetU32(const char* at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value |= static_cast<uint32_t>(static_cast<uint8_t>(at[i])) << (8 * i);
  return value;
}

// CRC-32C (Castagnoli), as in RFC 3720: Crc32c("123456789") == 0xe3069283.
[[nodiscard]] inline uint32_t Crc32c(std::string_view bytes) {
  const auto& tables = internal::kCrcTables;
  uint32_t crc = ~0u;
  for (; bytes.size() >= tables.size(); bytes.remove_prefix(tables.size())) {
    uint32_t next = 0;  // sixteen bytes at once: only the first four depend on the bytes before
    for (size_t word = 0; word < tables.size(); word += 4) {
      const uint32_t four = GetU32(bytes.data() + word) ^ (word == 0 ? crc : 0);
      for (size_t i = 0; i < 4; ++i) {
        next ^= tables[tables.size() - 1 - word - i][four >> (8 * i) & 0xff];
      }
    }
    crc = next;
  }
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  return ~crc;
}

inline void PutU32(char* at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<char>(value >> (8 * i));
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_FRAMING_H_
