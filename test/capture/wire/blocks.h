// SPDX-License-Identifier: Apache-2.0
//
// Blocks are read from a snapshot with libprotobuf here: the other side of the contract.
#ifndef PROF_TEST_CAPTURE_WIRE_BLOCKS_H_
#define PROF_TEST_CAPTURE_WIRE_BLOCKS_H_

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lib/format/framing.h"
#include "prof/snapshot.pb.h"

namespace prof::test {

// The payload of each frame. Throws at the first byte that contradicts
// docs/internals/snapshot-format.md.
inline std::vector<std::string> Payloads(std::string_view bytes) {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw std::runtime_error(what);
  };
  require(bytes.size() >= format::kFileHeaderSize, "no file header");
  require(bytes.substr(0, 8) == format::kFileMagic, "wrong magic");
  require(format::GetU32(&bytes[8]) == format::kFormatVersion, "wrong version");
  bytes.remove_prefix(format::kFileHeaderSize);
  std::vector<std::string> payloads;
  while (!bytes.empty()) {
    require(bytes.size() >= format::kFrameHeaderSize, "cut frame header");
    require(format::GetU32(&bytes[0]) == format::kFrameMagic, "wrong frame magic");
    const size_t size = format::GetU32(&bytes[4]);
    const uint32_t crc = format::GetU32(&bytes[8]);
    bytes.remove_prefix(format::kFrameHeaderSize);
    require(size <= format::kMaxPayload && size <= bytes.size(), "wrong payload size");
    payloads.emplace_back(bytes.substr(0, size));
    require(format::Crc32c(payloads.back()) == crc, "wrong checksum");
    bytes.remove_prefix(size);
  }
  return payloads;
}

inline std::vector<wire::Block> Blocks(std::string_view bytes) {
  std::vector<wire::Block> blocks;
  for (const std::string& payload : Payloads(bytes)) {
    if (!blocks.emplace_back().ParseFromString(payload)) throw std::runtime_error("not a Block");
  }
  return blocks;
}

}  // namespace prof::test

#endif  // PROF_TEST_CAPTURE_WIRE_BLOCKS_H_
