// SPDX-License-Identifier: Apache-2.0
#include "lib/html/column.h"

#include <cstdint>
#include <string>

#include "lib/html/packed.h"
#include "test/support/catch.h"

namespace prof::html::column_test {
namespace {

TEST_CASE("a value takes a byte for each 7 bits, low bits first") {
  Column column;
  for (const uint64_t value : {0, 127, 128, 300}) column.Add(value);
  CHECK(column.bytes() == std::string("\x00\x7f\x80\x01\xac\x02", 6));
}

TEST_CASE("small values of both signs take one byte") {
  Column column;
  for (const int64_t value : {0, -1, 1, -64}) column.AddSigned(value);
  CHECK(column.bytes() == std::string("\x00\x01\x02\x7f", 4));
}

TEST_CASE("base64 has the digits of RFC 4648") {
  CHECK(Base64("").empty());
  CHECK(Base64("f") == "Zg==");
  CHECK(Base64("fo") == "Zm8=");
  CHECK(Base64("foobar") == "Zm9vYmFy");
  CHECK(Base64("\xff\xfb") == "//s=");
}

TEST_CASE("packed bytes are smaller where they repeat") {
  CHECK(Packed(std::string(10'000, 'a')).size() < 100);
}

}  // namespace
}  // namespace prof::html::column_test
