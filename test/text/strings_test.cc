// SPDX-License-Identifier: Apache-2.0
#include "lib/text/strings.h"

#include "test/support/catch.h"

namespace prof::text::strings_test {
namespace {

TEST_CASE("Prefixes and suffixes are found, also of texts that are shorter") {
  CHECK(StartsWith("cudaLaunchKernel", "cuda"));
  CHECK_FALSE(StartsWith("cu", "cuda"));
  CHECK(EndsWith("dram__bytes.sum.per_second", ".per_second"));
  CHECK_FALSE(EndsWith("pct", ".pct"));
  CHECK(Contains("a.pct_of_peak", "pct"));
}

TEST_CASE("Lists are joined by a separator, or as in a sentence") {
  CHECK(Join({"a", "b", "c"}, "; ") == "a; b; c");
  CHECK(Join({}, "; ").empty());
  CHECK(Enumerate(std::vector<std::string>{"a", "b", "c"}) == "a, b and c");
  CHECK(Enumerate(std::vector<std::string>{"a"}) == "a");
}

}  // namespace
}  // namespace prof::text::strings_test
