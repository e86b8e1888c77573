// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/proto_writer.h"

#include <array>
#include <cstring>
#include <utility>

namespace prof::exporting {
namespace {

constexpr uint32_t kFixed64 = 1, kDelimited = 2;  // wire types

}  // namespace

void ProtoWriter::Double(uint32_t field, double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  Fixed64(field, bits);
}

void ProtoWriter::Fixed64(uint32_t field, uint64_t value) {
  Varint(uint64_t{field} << 3 | kFixed64);
  for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i));
}

void ProtoWriter::Text(uint32_t field, std::string_view text) {
  Varint(uint64_t{field} << 3 | kDelimited);
  Varint(text.size());
  bytes_ += text;
}

size_t ProtoWriter::Begin(uint32_t field) {
  Varint(uint64_t{field} << 3 | kDelimited);
  bytes_ += '\0';  // most messages are shorter than 128 bytes
  return bytes_.size();
}

void ProtoWriter::End(size_t begin) {
  size_t length = bytes_.size() - begin;
  std::array<char, 10> digits{};
  size_t count = 0;
  while (length >= 0x80) {
    digits[count++] = static_cast<char>(length | 0x80);
    length >>= 7;
  }
  bytes_[begin - 1] = count == 0 ? static_cast<char>(length) : digits[0];
  if (count == 0) return;
  digits[count] = static_cast<char>(length);
  bytes_.insert(begin, digits.data() + 1, count);
}

std::string ProtoWriter::Take() {
  const size_t room = bytes_.capacity();
  std::string taken = std::exchange(bytes_, std::string());
  bytes_.reserve(room);
  return taken;
}

}  // namespace prof::exporting
