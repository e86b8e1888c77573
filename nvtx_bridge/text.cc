// SPDX-License-Identifier: Apache-2.0
#include "nvtx_bridge/text.h"

#include <cstring>

namespace prof::nvtx {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

// Writes one code point; returns the bytes it took, 1 to 4.
size_t Encode(uint32_t code, char* out) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = kReplacement;
  if (code < 0x80) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  const size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = size - 1; i > 0; --i, code >>= 6U) {
    out[i] = static_cast<char>(0x80U | (code & 0x3FU));
  }
  constexpr uint32_t kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  out[0] = static_cast<char>(kLead[size] | code);
  return size;
}

}  // namespace

std::string_view FromNarrow(const char* text) noexcept {
  if (text == nullptr) return {};
  // One byte more than is kept, so that the cut is seen as one.
  return {text, strnlen(text, capture::kMaxNameBytes + 1)};
}

WideText::WideText(const wchar_t* text) noexcept {
  if (text == nullptr) return;
  for (; *text != L'\0'; ++text) {
    char encoded[4];
    const size_t size = Encode(static_cast<uint32_t>(*text), encoded);
    if (size_ + size > buffer_.size()) return;
    std::memcpy(buffer_.data() + size_, encoded, size);
    size_ += size;
  }
}

}  // namespace prof::nvtx
