// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/line_table.h"

namespace prof::python {
namespace {

constexpr int64_t kMostLine = INT32_MAX;
constexpr int64_t kUnitBytes = 2;  // of an instruction or an entry of its cache

uint32_t Checked(int64_t line) {
  return line > 0 && line <= kMostLine ? static_cast<uint32_t>(line) : 0;
}

// Pairs of bytes: how many bytes of code, and the difference to the line before; -128: no line.
uint32_t LineAt310(std::string_view table, int64_t line, int64_t offset) {
  int64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto delta = static_cast<int8_t>(table[i + 1]);
    const bool has_line = delta != -128;
    if (has_line) line += delta;
    end += static_cast<uint8_t>(table[i]);
    if (offset < end) return has_line ? Checked(line) : 0;
  }
  return 0;
}

// Six bits a byte, the lowest first; 0x40: another byte follows. Signed: the lowest bit is the
// sign.
int64_t ReadSigned(std::string_view table, size_t* at) {
  uint64_t value = 0;
  for (unsigned shift = 0; *at < table.size() && shift < 36; shift += 6) {
    const auto byte = static_cast<uint8_t>(table[(*at)++]);
    value |= static_cast<uint64_t>(byte & 0x3f) << shift;
    if ((byte & 0x40) == 0) break;
  }
  const auto size = static_cast<int64_t>(value >> 1);
  return (value & 1) != 0 ? -size : size;
}

// The codes of an entry.
constexpr int kOneLine0 = 10, kOneLine2 = 12, kNoColumns = 13, kLong = 14, kNone = 15;

// Entries: a first byte with bit 7, the code and the length in units, then bytes without bit 7.
uint32_t LineAt311(std::string_view table, int64_t line, int64_t offset) {
  int64_t end = 0;
  for (size_t at = 0; at < table.size();) {
    const auto first = static_cast<uint8_t>(table[at++]);
    if ((first & 0x80) == 0) return 0;  // damaged
    const int code = first >> 3 & 15;
    if (code == kNoColumns || code == kLong) {
      line += ReadSigned(table, &at);
    } else if (code >= kOneLine0 && code <= kOneLine2) {
      line += code - kOneLine0;
    }
    if (line > kMostLine || line < -kMostLine) return 0;
    end += ((first & 7) + 1) * kUnitBytes;
    if (offset < end) return code == kNone ? 0 : Checked(line);
    while (at < table.size() && (static_cast<uint8_t>(table[at]) & 0x80) == 0) ++at;
  }
  return 0;
}

}  // namespace

uint32_t LineAt(LineFormat format, std::string_view table, uint32_t first_line, int64_t offset) {
  if (offset < 0) return first_line;
  return format == LineFormat::kPython310 ? LineAt310(table, first_line, offset)
                                          : LineAt311(table, first_line, offset);
}

}  // namespace prof::python
