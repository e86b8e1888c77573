// SPDX-License-Identifier: Apache-2.0
//
// The page of faults is held against the tests that it names.
#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "test/docs/pages.h"
#include "test/support/catch.h"

namespace prof::docs::faults_test {
namespace {

// The names of all test cases. A long name is a literal in pieces.
std::set<std::string> TestNames() {
  const std::regex joint("\"\\s*\n\\s*\""), test("TEST_CASE\\(\\s*\"([^\"]+)\"");
  std::set<std::string> names;
  for (const Page& file : ReadFiles({"test"}, {".cc"})) {
    const std::string text = std::regex_replace(file.text, joint, "");
    for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at) {
      names.insert((*at)[1]);
    }
  }
  return names;
}

TEST_CASE("Every fault on the page of faults has a test of the name that stands there") {
  const std::vector<Page> pages = ReadPages();
  const auto page = std::find_if(pages.begin(), pages.end(), [](const Page& candidate) {
    return candidate.path == "docs/internals/faults.md";
  });
  REQUIRE(page != pages.end());
  const std::set<std::string> tests = TestNames();
  const std::regex row("\\| [^|]+ \\| \"([^\"]+)\" \\|");
  std::vector<std::string> missing;
  size_t faults = 0;
  for (std::sregex_iterator at(page->text.begin(), page->text.end(), row), end; at != end; ++at) {
    ++faults;
    if (tests.count((*at)[1]) == 0) missing.push_back((*at)[1]);
  }
  CHECK(faults >= 60);
  CHECK(missing == std::vector<std::string>{});
}

}  // namespace
}  // namespace prof::docs::faults_test
