// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/utf8.h"

#include <cstddef>
#include <cstdint>

namespace prof::capture {
namespace {

// Length of the well-formed sequence at the start of `text`; 0: none. Table 3-7 of the Unicode
// standard: no overlong forms, no surrogates, nothing above U+10FFFF.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto in = [&](size_t i, uint8_t low, uint8_t high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return in(1, 0x80, 0xbf) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const uint8_t low = lead == 0xe0 ? 0xa0 : 0x80;
    const uint8_t high = lead == 0xed ? 0x9f : 0xbf;
    return in(1, low, high) && in(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const uint8_t low = lead == 0xf0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xf4 ? 0x8f : 0xbf;
    return in(1, low, high) && in(2, 0x80, 0xbf) && in(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string SanitizeUtf8(std::string_view text) {
  std::string clean;
  size_t ascii = 0;
  while (ascii < text.size() && static_cast<uint8_t>(text[ascii]) < 0x80) ++ascii;
  clean.reserve(text.size());
  clean = text.substr(0, ascii);
  text.remove_prefix(ascii);
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) {
      clean += '?';
      text.remove_prefix(1);
    } else {
      clean += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return clean;
}

}  // namespace prof::capture
