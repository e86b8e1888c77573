// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/proto_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace prof::exporting {

void ProtoWriter::Double(uint32_t field, double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  Fixed64(field, bits);
}

void ProtoWriter::Fixed64(uint32_t field, uint64_t value) {
  constexpr uint32_t kFixed64 = 1;  // a wire type
  Varint(uint64_t{field} << 3 | kFixed64);
  char* const at = Room(sizeof value);
  for (size_t i = 0; i < sizeof value; ++i) at[i] = static_cast<char>(value >> (8 * i));
  size_ += sizeof value;
}

void ProtoWriter::Text(uint32_t field, std::string_view text) {
  Varint(uint64_t{field} << 3 | kDelimited);
  Varint(text.size());
  Raw(text);
}

// Makes room for the further bytes of the length.
void ProtoWriter::EndLong(size_t begin, size_t length) {
  size_t more = 0;
  for (size_t rest = length >> 7; rest != 0; rest >>= 7) ++more;
  Room(more);
  char* at = buffer_.data() + begin;
  std::memmove(at + more, at, length);
  size_ += more;
  for (--at; length >= 0x80; length >>= 7) *at++ = static_cast<char>(length | 0x80);
  *at = static_cast<char>(length);
}

std::string ProtoWriter::Take() {
  std::string taken = std::exchange(buffer_, std::string(buffer_.size(), '\0'));
  taken.resize(std::exchange(size_, 0));
  return taken;
}

void ProtoWriter::Grow(size_t bytes) {
  constexpr size_t kLeast = 64;
  buffer_.resize(std::max({2 * buffer_.size(), size_ + bytes, kLeast}));
}

}  // namespace prof::exporting
