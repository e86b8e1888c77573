// SPDX-License-Identifier: Apache-2.0
//
// Figures that a page quotes from a file of the repository.
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "test/docs/pages.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::docs::figures_test {
namespace {

std::string Read(const std::string& path) {
  const std::string text = test::ReadFile(PROF_SOURCE_DIR "/" + path);
  REQUIRE(!text.empty());
  return text;
}

TEST_CASE("The page has the instructions of the hot paths that CI holds") {
  const auto expected = nlohmann::json::parse(Read("test/instructions/expected.json"));
  const std::string page = Read("docs/measurements/platforms.md");
  const size_t begin = page.find("## Instructions of the hot paths");
  REQUIRE(begin != std::string::npos);
  const std::string section = page.substr(begin, page.find("\n## ", begin) - begin);
  CHECK(section.find("instructions (" + expected["build"].get<std::string>() + ")") !=
        std::string::npos);
  std::map<std::string, double> shown;
  const std::regex row("\\| `(\\w+)` \\| ([0-9.]+) \\|");
  for (std::sregex_iterator match(section.begin(), section.end(), row), end; match != end;
       ++match) {
    shown[(*match)[1]] = std::stod((*match)[2]);
  }
  CHECK(shown == expected["instructions"].get<std::map<std::string, double>>());
}

}  // namespace
}  // namespace prof::docs::figures_test
