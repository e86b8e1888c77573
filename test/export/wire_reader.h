// SPDX-License-Identifier: Apache-2.0
//
// Reads protobuf's wire format without a schema, and without the code that wrote it.
#ifndef PROF_TEST_EXPORT_WIRE_READER_H_
#define PROF_TEST_EXPORT_WIRE_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::test {

struct WireField {
  uint32_t number = 0;
  uint64_t integer = 0;  // varint; the bits of a fixed64
  std::string bytes;     // of a message or text

  double real() const;
};

// The fields of a message, in their order; fails the test where the bytes are none.
std::vector<WireField> FieldsOf(std::string_view message);

// The first field with this number.
std::optional<WireField> Find(std::string_view message, uint32_t number);
// What it holds, along a path of numbers: 0 and "" where there is none.
uint64_t IntegerAt(std::string_view message, std::vector<uint32_t> path);
std::string TextAt(std::string_view message, std::vector<uint32_t> path);

// zlib's and gzip's bytes, unpacked.
std::string Inflate(std::string_view bytes);

}  // namespace prof::test

#endif  // PROF_TEST_EXPORT_WIRE_READER_H_
