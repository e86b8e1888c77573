// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/strings.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace prof::report {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 1;
  bool valid = false;
};

CodePoint Decode(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const size_t bytes = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (bytes == 0 || lead >= 0xf5 || at + bytes > text.size()) return {};
  uint32_t value = lead & (0x7f >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {};
    value = (value << 6) | (byte(at + i) & 0x3f);
  }
  static constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kSmallest[bytes] || value > 0x10ffff || surrogate) return {};
  return {value, bytes, true};
}

int WidthOf(uint32_t c) {
  const bool combining = (c >= 0x300 && c < 0x370) || (c >= 0x200b && c < 0x2010) ||
                         (c >= 0x20d0 && c < 0x2100) || (c >= 0xfe00 && c < 0xfe10);
  if (combining) return 0;
  const bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
                    (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
                    (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
                    (c >= 0x1f300 && c < 0x1f650) || (c >= 0x1f900 && c < 0x1fa00) ||
                    (c >= 0x20000 && c < 0x40000);
  return wide ? 2 : 1;
}

// Bytes of the longest prefix of `text` within `width` columns, and at least one character.
size_t PrefixWithin(std::string_view text, int width) {
  size_t at = 0;
  int used = 0;
  while (at < text.size()) {
    const CodePoint c = Decode(text, at);
    used += WidthOf(c.value);
    if (used > width && at > 0) break;
    at += c.bytes;
  }
  return at;
}

// Bytes from the start of the longest suffix of `text` within `width` columns.
size_t SuffixWithin(std::string_view text, int width) {
  size_t at = 0;
  int used = DisplayWidth(text);
  while (used > width) {
    const CodePoint c = Decode(text, at);
    used -= WidthOf(c.value);
    at += c.bytes;
  }
  return at;
}

// Where to cut a word that is longer than a line.
size_t CutOf(std::string_view word, int width) {
  const size_t most = PrefixWithin(word, width);
  const size_t nice = word.substr(0, most).find_last_of("/_,:;=)>-");
  return nice != std::string_view::npos && 2 * (nice + 1) >= most ? nice + 1 : most;
}

// The space or end after the word at `at`. A number and its percent sign are one word.
size_t EndOfWord(std::string_view text, size_t at) {
  const size_t end = std::min(text.find(' ', at), text.size());
  if (end == at || text.substr(end, 2) != " %") return end;
  return std::min(text.find(' ', end + 1), text.size());
}

}  // namespace

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = Decode(text, at);
    width += WidthOf(c.value);
    at += c.bytes;
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const CodePoint c = Decode(text, at);
    const bool control = c.value < 0x20 || (c.value >= 0x7f && c.value < 0xa0) ||
                         (c.value >= 0x2028 && c.value < 0x202f) ||
                         (c.value >= 0x2066 && c.value < 0x206a);
    if (c.valid && !control) {
      out.append(text.substr(at, c.bytes));
    } else {
      out += '?';
    }
    at += c.bytes;
  }
  return out;
}

std::vector<std::string> Wrap(std::string_view text, int width) {
  width = std::max(width, 1);
  std::vector<std::string> lines;
  std::string line;
  int used = 0;
  const auto flush = [&] {
    lines.push_back(line);
    line.clear();
    used = 0;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = EndOfWord(text, at);
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (used > 0 && used + 1 + DisplayWidth(word) > width) flush();
    while (DisplayWidth(word) > width) {
      const size_t cut = CutOf(word, width);
      if (cut == word.size()) break;  // one character wider than the line
      line = word.substr(0, cut);
      flush();
      word.remove_prefix(cut);
    }
    if (used > 0) line += ' ', ++used;
    line += word;
    used += DisplayWidth(word);
  }
  if (!line.empty() || lines.empty()) flush();
  return lines;
}

std::string ShortenMiddle(std::string_view text, int width, std::string_view ellipsis) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const int room = std::max(width - DisplayWidth(ellipsis), 2);
  const int tail = room / 2;
  std::string out(text.substr(0, PrefixWithin(text, room - tail)));
  out += ellipsis;
  out += text.substr(SuffixWithin(text, tail));
  return out;
}

std::string ShortenEnd(std::string_view text, int width, std::string_view ellipsis) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const int room = std::max(width - DisplayWidth(ellipsis), 1);
  std::string out(text.substr(0, PrefixWithin(text, room)));
  out.erase(out.find_last_not_of(' ') + 1);
  return out += ellipsis;
}

}  // namespace prof::report
