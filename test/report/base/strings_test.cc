// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/strings.h"

#include "test/report/example_report.h"
#include "test/support/catch.h"

namespace prof::report::strings_test {
namespace {

TEST_CASE("Width counts what a terminal shows, not bytes") {
  CHECK(DisplayWidth("saxpy") == 5);
  CHECK(DisplayWidth("Schritt \u00fc") == 9);
  CHECK(DisplayWidth("\u2500\u2500") == 2);
  CHECK(DisplayWidth("e\u0301") == 1);
  CHECK(DisplayWidth("\u5b66\u7fd2") == 4);
  CHECK(DisplayWidth("\xff\xfe") == 2);
}

TEST_CASE("A name cannot send escapes to the terminal or break a line") {
  CHECK(Printable("a\033[31mb\n\tc\x7f") == "a?[31mb??c?");
  CHECK(Printable("\xc2\x9b"
                  "31m") == "?31m");  // CSI as one C1 character
  CHECK(Printable("\xe2\x80\xae"
                  "abc") == "?abc");  // right-to-left override
  CHECK(Printable("\xff"
                  "abc\xe2\x80") == "?abc??");  // not UTF-8, cut in the middle
  CHECK(Printable("\xc0\xaf") == "??");         // overlong
  CHECK(Printable("\u5b66\u7fd2 \u00fc") == "\u5b66\u7fd2 \u00fc");
}

TEST_CASE("Long text wraps at spaces and loses nothing") {
  CHECK(Wrap("", 10) == std::vector<std::string>{""});
  CHECK(Wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(Wrap("one  two", 20) == std::vector<std::string>{"one two"});
  CHECK(Wrap("a is 14 % now", 7) == std::vector<std::string>{"a is", "14 %", "now"});
  CHECK(Wrap("layer/attention/qkv", 12) == std::vector<std::string>{"layer/", "attention/", "qkv"});
  CHECK(Wrap("abcdefghij", 4) == std::vector<std::string>{"abcd", "efgh", "ij"});
  CHECK(Wrap("\u5b66\u7fd2", 1) == std::vector<std::string>{"\u5b66", "\u7fd2"});
}

TEST_CASE("No wrapped line is wider than asked, and all words are there") {
  const std::string text = test::kAwfulName;
  for (const int width : {8, 13, 40, 79}) {
    std::string glued;
    for (const std::string& line : Wrap(text, width)) {
      CHECK(DisplayWidth(line) <= width);
      for (const char c : line) {
        if (c != ' ') glued += c;
      }
    }
    std::string expected;
    for (const char c : text) {
      if (c != ' ') expected += c;
    }
    CHECK(glued == expected);
  }
}

TEST_CASE("A long name is shortened in the middle and keeps head and tail") {
  CHECK(ShortenMiddle("saxpy", 5, "...") == "saxpy");
  CHECK(ShortenMiddle("abcdefghij", 7, "...") == "ab...ij");
  const std::string name = ShortenMiddle(test::kAwfulName, 40, "...");
  CHECK(DisplayWidth(name) == 40);
  CHECK(name.rfind("cutlass::device_ke", 0) == 0);
  CHECK(name.substr(name.size() - 8) == "long>>>>");
}

TEST_CASE("A name is never cut inside of a character") {
  const std::string name = ShortenMiddle("\u5b66\u7fd2\u5b66\u7fd2\u5b66\u7fd2", 7, "\u2026");
  CHECK(Printable(name) == name);
  CHECK(DisplayWidth(name) <= 7);
}

}  // namespace
}  // namespace prof::report::strings_test
