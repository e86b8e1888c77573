// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/utf8.h"

#include <string>

#include "test/support/catch.h"

namespace prof::capture::utf8_test {
namespace {

TEST_CASE("Well-formed UTF-8 stays as it is") {
  for (const std::string text : {"", "plain", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
                                 "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
                                 "\xf4\x8f\xbf\xbf", "gr\xc3\xbc\xc3\x9f \xf0\x9f\x9a\x80"}) {
    CHECK(SanitizeUtf8(text) == text);
  }
  CHECK(SanitizeUtf8(std::string("a\0b", 3)) == std::string("a\0b", 3));
}

TEST_CASE("Each byte that is not part of well-formed UTF-8 becomes a question mark") {
  CHECK(SanitizeUtf8("\x80") == "?");                 // a continuation by itself
  CHECK(SanitizeUtf8("\xc0\xaf") == "??");            // overlong
  CHECK(SanitizeUtf8("\xc1\xbf") == "??");            // overlong
  CHECK(SanitizeUtf8("\xe0\x9f\xbf") == "???");       // overlong
  CHECK(SanitizeUtf8("\xf0\x8f\xbf\xbf") == "????");  // overlong
  CHECK(SanitizeUtf8("\xed\xa0\x80") == "???");       // a surrogate
  CHECK(SanitizeUtf8("\xf4\x90\x80\x80") == "????");  // above U+10FFFF
  CHECK(SanitizeUtf8("\xf5\x80\x80\x80") == "????");  // above U+10FFFF
  CHECK(SanitizeUtf8("\xff\xfe") == "??");            // never a lead
  CHECK(SanitizeUtf8("a\xe2\x82") == "a??");          // cut
  CHECK(SanitizeUtf8("\xc3(") == "?(");               // the next character survives
  CHECK(SanitizeUtf8("\xe2\x82\xac\xe2\x82z") == "\xe2\x82\xac??z");
}

}  // namespace
}  // namespace prof::capture::utf8_test
