// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "test/cupti_backend/api/layouts.h"
#include "test/support/catch.h"

namespace prof::cupti::test::layout_test {
namespace {

struct Expected {
  long long at = 0, size = 0;
  unsigned since = 0;
};

std::map<std::string, Expected> Table() {
  std::ifstream file(PROF_TEST_LAYOUTS);
  REQUIRE(file);
  std::map<std::string, Expected> table;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name;
    Expected expected;
    REQUIRE(words >> name >> expected.at >> expected.size >> expected.since);
    REQUIRE(table.emplace(name, expected).second);
  }
  return table;
}

TEST_CASE("The toolkit has what prof reads of CUPTI where every other version has it") {
  std::map<std::string, Expected> table = Table();
  for (const Layout& layout : Layouts()) {
    INFO(layout.name);
    const auto expected = table.find(layout.name);
    REQUIRE(expected != table.end());
    CHECK(layout.at == expected->second.at);
    CHECK(layout.size == expected->second.size);
    table.erase(expected);
  }
  for (const auto& [name, expected] : table) {
    INFO(name);
    CHECK(expected.since > CUPTI_API_VERSION);  // this toolkit is older than the field
  }
}

}  // namespace
}  // namespace prof::cupti::test::layout_test
