// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/json_text.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "test/support/catch.h"

namespace prof::exporting::json_text_test {
namespace {

std::string RandomBytes(std::mt19937* random, size_t size) {
  std::string bytes;
  // Half of them from those that JSON and UTF-8 treat specially.
  constexpr std::string_view kSpecial =
      "\"\\\n\r\t\x01\x1f\x7f\x80\xbf\xc0\xc2\xc3\xa9\xe0\xed\xf0\xf4\xff";
  while (bytes.size() < size) {
    const uint32_t number = (*random)();
    bytes +=
        number % 2 == 0 ? kSpecial[number / 2 % kSpecial.size()] : static_cast<char>(number >> 8);
  }
  return bytes;
}

TEST_CASE("Any bytes become a JSON string that a JSON library reads") {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = RandomBytes(&random, random() % 12);
    const nlohmann::json value = nlohmann::json::parse(JsonString(bytes), nullptr, false);
    REQUIRE(value.is_string());
    CHECK(value.get<std::string>() == ValidUtf8(bytes));
  }
}

TEST_CASE("Valid UTF-8 stays as it is, and each byte that is none is replaced") {
  const std::string valid = "a \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x94\xA5 \xF4\x8F\xBF\xBF";
  CHECK(ValidUtf8(valid) == valid);
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(ValidUtf8("a\xFFz") == "a" + bad + "z");
  CHECK(ValidUtf8("\xC0\x80") == bad + bad);                      // overlong
  CHECK(ValidUtf8("\xED\xA0\x80") == bad + bad + bad);            // a surrogate
  CHECK(ValidUtf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // beyond U+10FFFF
  CHECK(ValidUtf8("\xE2\x82") == bad + bad);                      // cut off
}

TEST_CASE("Times have three decimals, and numbers read back as they were") {
  const auto text = [](int64_t ns) {
    std::string out;
    AppendMicroseconds(ns, &out);
    return out;
  };
  CHECK(text(1'234'567) == "1234.567");
  CHECK(text(5) == "0.005");
  CHECK(text(-1'000) == "-1.000");
  CHECK(text(std::numeric_limits<int64_t>::min()) == "-9223372036854775.808");
  CHECK(JsonNumber(0.1) == "0.1");
  CHECK(JsonNumber(std::nan("")) == "null");
}

}  // namespace
}  // namespace prof::exporting::json_text_test
