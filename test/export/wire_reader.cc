// SPDX-License-Identifier: Apache-2.0
#include "test/export/wire_reader.h"

#include <zlib.h>

#include <cstring>

#include "test/support/catch.h"

namespace prof::test {
namespace {

uint64_t TakeVarint(std::string_view* rest) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    REQUIRE_FALSE(rest->empty());
    REQUIRE(shift < 64);
    const auto byte = static_cast<unsigned char>(rest->front());
    rest->remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

double WireField::real() const {
  double value = 0;
  std::memcpy(&value, &integer, sizeof value);
  return value;
}

std::vector<WireField> FieldsOf(std::string_view message) {
  std::vector<WireField> fields;
  while (!message.empty()) {
    const uint64_t tag = TakeVarint(&message);
    WireField field;
    field.number = static_cast<uint32_t>(tag >> 3);
    if ((tag & 7U) == 0) {
      field.integer = TakeVarint(&message);
    } else if ((tag & 7U) == 1) {
      REQUIRE(message.size() >= 8);
      std::memcpy(&field.integer, message.data(), 8);
      message.remove_prefix(8);
    } else {
      REQUIRE((tag & 7U) == 2);
      const uint64_t size = TakeVarint(&message);
      REQUIRE(size <= message.size());
      field.bytes = message.substr(0, size);
      message.remove_prefix(size);
    }
    fields.push_back(field);
  }
  return fields;
}

std::optional<WireField> Find(std::string_view message, uint32_t number) {
  for (const WireField& field : FieldsOf(message)) {
    if (field.number == number) return field;
  }
  return std::nullopt;
}

namespace {

std::optional<WireField> At(std::string_view message, const std::vector<uint32_t>& path) {
  std::optional<WireField> field;
  for (const uint32_t number : path) {
    field = Find(field ? std::string_view(field->bytes) : message, number);
    if (!field) return std::nullopt;
  }
  return field;
}

}  // namespace

uint64_t IntegerAt(std::string_view message, std::vector<uint32_t> path) {
  const std::optional<WireField> field = At(message, path);
  return field ? field->integer : 0;
}

std::string TextAt(std::string_view message, std::vector<uint32_t> path) {
  const std::optional<WireField> field = At(message, path);
  return field ? field->bytes : "";
}

std::string Inflate(std::string_view bytes) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, MAX_WBITS + 32) == Z_OK);  // finds out which of both it is
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    std::string piece(1 << 16, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  REQUIRE(result == Z_STREAM_END);
  return out;
}

}  // namespace prof::test
