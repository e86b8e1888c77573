// SPDX-License-Identifier: Apache-2.0
//
// The entry of libFuzzer gives any bytes to the reader, the analysis and the text report. It
// corrects the checksums, so that a mutation gets past them.
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>

#include "lib/format/framing.h"
#include "prof/analyzer.h"

namespace {

// Sets the checksum of each frame to that of its payload. Stops at a payload that is cut off.
std::string MendChecksums(std::string bytes) {
  using namespace prof::format;
  size_t at = kFileHeaderSize;
  while (at + kFrameHeaderSize <= bytes.size()) {
    const size_t size = GetU32(&bytes[at + 4]);
    const size_t payload = at + kFrameHeaderSize;
    if (size > bytes.size() - payload) break;
    PutU32(&bytes[at + 8], Crc32c(std::string_view(bytes).substr(payload, size)));
    at = payload + size;
  }
  return bytes;
}

void ReadAndReport(std::string bytes) {
  const prof::Report report = prof::Analyze(prof::Snapshot::FromBytes(std::move(bytes)));
  std::ostringstream text;
  text << report;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string mended = MendChecksums(bytes);
  if (mended != bytes) ReadAndReport(bytes);
  ReadAndReport(std::move(mended));
  return 0;
}
