// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/line_table.h"

#include <random>
#include <string>

#include "test/support/catch.h"

namespace prof::python::test::line_table_test {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

uint32_t Of310(const std::string& table, uint32_t first, int64_t offset) {
  return LineAt(LineFormat::kPython310, table, first, offset);
}
uint32_t Of311(const std::string& table, uint32_t first, int64_t offset) {
  return LineAt(LineFormat::kPython311, table, first, offset);
}

TEST_CASE("The 3.10 table gives the line of each range of bytes") {
  // The example of Objects/lnotab_notes.txt: 0..6 line 1, 6..50 line 2, 50..350 line 7,
  // 350..360 no line, 360..376 line 8, 376..380 line 8.
  const std::string table = Bytes({6, 0, 44, 1, 254, 5, 46, 0, 10, -128, 0, 1, 16, 0, 4, 0});
  CHECK(Of310(table, 1, 0) == 1);
  CHECK(Of310(table, 1, 5) == 1);
  CHECK(Of310(table, 1, 6) == 2);
  CHECK(Of310(table, 1, 49) == 2);
  CHECK(Of310(table, 1, 50) == 7);
  CHECK(Of310(table, 1, 303) == 7);
  CHECK(Of310(table, 1, 349) == 7);
  CHECK(Of310(table, 1, 350) == 0);
  CHECK(Of310(table, 1, 360) == 8);
  CHECK(Of310(table, 1, 379) == 8);
  CHECK(Of310(table, 1, 380) == 0);
  CHECK(Of310(table, 9, -2) == 9);
}

TEST_CASE("The 3.11 table gives the line of each entry") {
  // One line of 2 units, no columns +300 (1 unit), none (1), long -300 with three varints (1).
  const std::string table = Bytes({0x80 | 11 << 3 | 1, 5, 6,                     // one line, +1
                                   0x80 | 13 << 3, 0x40 | (600 & 63), 600 >> 6,  // +300
                                   0x80 | 15 << 3,                               // none
                                   0x80 | 14 << 3, 0x40 | (601 & 63), 601 >> 6, 0, 1, 1});
  CHECK(Of311(table, 10, -2) == 10);
  CHECK(Of311(table, 10, 0) == 11);
  CHECK(Of311(table, 10, 3) == 11);
  CHECK(Of311(table, 10, 4) == 311);
  CHECK(Of311(table, 10, 6) == 0);
  CHECK(Of311(table, 10, 8) == 11);
  CHECK(Of311(table, 10, 10) == 0);
}

TEST_CASE("A damaged line table gives no line, and no crash") {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string table(random() % 40, '\0');
    for (char& byte : table) byte = static_cast<char>(random());
    const auto offset = static_cast<int64_t>(random() % 200);
    for (const LineFormat format : {LineFormat::kPython310, LineFormat::kPython311}) {
      CHECK(LineAt(format, table, 1 + random() % 100, offset) <= INT32_MAX);
    }
  }
  CHECK(Of311("abc", 5, 0) == 0);
  CHECK(Of311("", 5, 0) == 0);
  CHECK(Of310("", 5, 0) == 0);
}

}  // namespace
}  // namespace prof::python::test::line_table_test
