// SPDX-License-Identifier: Apache-2.0
#include "test/options/options_page.h"

#include "test/support/catch.h"

namespace prof::options {
namespace {

// build/.../write_options_page writes it.
TEST_CASE("The page about options holds the option table as it is") {
  const std::string page = ReadPage(PROF_OPTIONS_PAGE);
  REQUIRE(page.find(OptionTables()) != std::string::npos);
  CHECK(WithOptionTables(page) == page);
}

TEST_CASE("A page without marks is left as it is") {
  CHECK(WithOptionTables("# Options\n") == "# Options\n");
}

}  // namespace
}  // namespace prof::options
