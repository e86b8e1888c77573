// SPDX-License-Identifier: Apache-2.0
#include "test/options/options_page.h"

#include <set>
#include <string>

#include "lib/options/option_checks.h"
#include "test/options/sample_values.h"
#include "test/support/catch.h"

namespace prof::options::options_page_test {
namespace {

// What FindConflicts() finds where any two options have any two values.
std::set<std::string> OptionsWithoutEffect() {
  std::set<std::string> names;
  for (const Option& one : kOptions) {
    for (const std::string& its_value : SampleValues(one)) {
      for (const Option& other : kOptions) {
        for (const std::string& value : SampleValues(other)) {
          SessionOptions values;
          CHECK_FALSE(SetValue(one, its_value, &values));
          CHECK_FALSE(SetValue(other, value, &values));
          for (const Conflict& conflict : FindConflicts(values, Naming::kFlag)) {
            names.insert(NameOf(*conflict.option, Naming::kFlag));
          }
        }
      }
    }
  }
  return names;
}

TEST_CASE("The page has each option that another one can leave without effect") {
  const std::string page = ReadPage(PROF_OPTIONS_PAGE);
  const size_t begin = page.find("## Values that cannot be used");
  REQUIRE(begin != std::string::npos);
  const std::string section = page.substr(begin, page.find("\n## ", begin) - begin);
  const std::set<std::string> names = OptionsWithoutEffect();
  CHECK(names.size() > 20);
  for (const std::string& name : names) {
    INFO(name);
    const bool alone = section.find("`" + name + "`") != std::string::npos;
    CHECK((alone || section.find("`" + name + " ") != std::string::npos));
  }
}

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
}  // namespace prof::options::options_page_test
