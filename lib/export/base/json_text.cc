// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/json_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace prof::exporting {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

unsigned At(std::string_view text, size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// The bytes of the character that `text` begins with; 0: none that UTF-8 allows (RFC 3629: no
// overlong forms, no surrogates, nothing above U+10FFFF).
size_t CharacterLength(std::string_view text) {
  const unsigned first = At(text, 0), second = At(text, 1);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  unsigned low = 0x80, high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (second < low || second > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((At(text, i) & 0xC0U) != 0x80) return 0;
  }
  return length;
}

void AppendEscaped(char c, std::string* out) {
  constexpr const char* kDigits = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    *out += '\\';
    *out += c;
  } else {
    *out += "\\u00";
    *out += kDigits[static_cast<unsigned char>(c) >> 4];
    *out += kDigits[static_cast<unsigned char>(c) & 15U];
  }
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    valid += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (const char c : ValidUtf8(text)) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      AppendEscaped(c, &out);
    } else {
      out += c;
    }
  }
  return out += '"';
}

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 40> buffer{};
  const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), static_cast<size_t>(end - buffer.data())};
}

void AppendMicroseconds(int64_t ns, std::string* out) {
  std::array<char, 24> buffer{};
  const bool negative = ns < 0;
  const uint64_t size = negative ? ~static_cast<uint64_t>(ns) + 1 : static_cast<uint64_t>(ns);
  const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), size / 1000).ptr;
  if (negative) *out += '-';
  out->append(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const uint64_t rest = size % 1000;
  *out += '.';
  *out += static_cast<char>('0' + rest / 100);
  *out += static_cast<char>('0' + rest / 10 % 10);
  *out += static_cast<char>('0' + rest % 10);
}

}  // namespace prof::exporting
