// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/table.h"

#include <sstream>
#include <string>

#include "lib/report/base/strings.h"
#include "test/support/catch.h"

namespace prof::report::table_test {
namespace {

std::string Written(const Table& table, int width, bool utf8 = false) {
  std::ostringstream out;
  WriteTable(out, table, width, utf8);
  return out.str();
}

TEST_CASE("Columns are as wide as their widest cell and numbers stand on the right") {
  Table table;
  table.columns = {{"name"}, {"time", Align::kRight}};
  table.rows = {{{"saxpy", "1"}}, {{"b", "1,000"}}};
  table.rows.back().line_before = true;
  CHECK(Written(table, 80) ==
        "name    time\n"
        "------------\n"
        "saxpy      1\n"
        "------------\n"
        "b      1,000\n");
}

TEST_CASE("A cell that does not fit wraps inside of its column") {
  Table table;
  table.columns = {{"range", Align::kLeft, 6}, {"verdict", Align::kLeft, 8}, {"us", Align::kRight}};
  table.rows = {{{"step/attention", "move fewer bytes", "12"}}};
  CHECK(Written(table, 24) ==
        "range      verdict    us\n"
        "------------------------\n"
        "step/      move       12\n"
        "attention  fewer\n"
        "           bytes\n");
}

TEST_CASE("A column without content is left out, its neighbours stay where they belong") {
  Table table;
  table.columns = {{"a"}, {"each"}, {"b"}};
  table.rows = {{{"1", "", "2"}}, {{"3"}}};
  CHECK(Written(table, 80) == "a  b\n----\n1  2\n3\n");
}

TEST_CASE("Titles wrap to the width of their cells") {
  Table table;
  table.columns = {{"grid x block"}, {"at most", Align::kRight}};
  table.rows = {{{"16 x 512", "1"}}};
  CHECK(Written(table, 80) ==
        "grid x      at\n"
        "block     most\n"
        "--------------\n"
        "16 x 512     1\n");
}

TEST_CASE("What can be done without is left out where there is no room") {
  Table table;
  table.columns = {{"name"}, {"waves", Align::kRight, 0, 2}, {"n", Align::kRight, 0, 1}};
  table.rows = {{{"saxpy", "1.0", "3"}}};
  CHECK(Written(table, 15) == "name   waves  n\n---------------\nsaxpy    1.0  3\n");
  CHECK(Written(table, 14) == "name   n\n--------\nsaxpy  3\n");
  CHECK(Written(table, 7) == "name\n-----\nsaxpy\n");
}

TEST_CASE("Notes stand under their row and use the whole width") {
  Table table;
  table.columns = {{"a"}};
  table.rows = {{{"1"}, false, {"one two three four five six"}}};
  CHECK(Written(table, 26) == "a\n-\n1\n      one two three four\n      five six\n");
}

TEST_CASE("Lines of a table align in columns, not in bytes") {
  Table table;
  table.columns = {{"range"}, {"us", Align::kRight}};
  table.rows = {{{"\u5b66\u7fd2", "1"}}, {{"abcd", "2"}}};
  const std::string text = Written(table, 80, true);
  CHECK(text.find("\u5b66\u7fd2    1\n") != std::string::npos);
  CHECK(text.find("abcd    2\n") != std::string::npos);
  CHECK(text.find("\u2500") != std::string::npos);
}

}  // namespace
}  // namespace prof::report::table_test
