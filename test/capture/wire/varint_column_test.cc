// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/varint_column.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <cstdint>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::capture::varint_column_test {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;

// Round the places where a number gets longer.
std::vector<uint64_t> Numbers() {
  std::vector<uint64_t> numbers = {0};
  for (int bit = 0; bit < 64; ++bit) {
    const uint64_t power = uint64_t{1} << bit;
    numbers.insert(numbers.end(), {power - 1, power, power + 1, ~power});
  }
  return numbers;
}

std::string AsProtobufWrites(uint64_t number) {
  uint8_t bytes[10];
  const uint8_t* const end = CodedOutputStream::WriteVarint64ToArray(number, bytes);
  return std::string(static_cast<const uint8_t*>(bytes), end);
}

TEST_CASE("Numbers of every length are as protobuf writes them, also in memory that was used") {
  VarintColumn column;
  CHECK(column.empty());
  CHECK(column.bytes().empty());
  for (int round = 0; round < 2; ++round) {
    std::string expected;
    for (int repetition = 0; repetition < 20; ++repetition) {
      for (const uint64_t number : Numbers()) {
        column.Add(number);
        expected += AsProtobufWrites(number);
      }
    }
    CHECK(column.bytes() == expected);
    CHECK_FALSE(column.empty());
    column.Clear();
    CHECK(column.empty());
  }
}

TEST_CASE("Signed numbers are zigzag coded") {
  VarintColumn column;
  std::string expected;
  for (const uint64_t number : Numbers()) {
    column.AddSigned(static_cast<int64_t>(number));
    expected += AsProtobufWrites(WireFormatLite::ZigZagEncode64(static_cast<int64_t>(number)));
  }
  CHECK(column.bytes() == expected);
}

}  // namespace
}  // namespace prof::capture::varint_column_test
