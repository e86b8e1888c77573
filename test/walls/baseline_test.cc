// SPDX-License-Identifier: Apache-2.0
//
// The oldest glibc and libstdc++ with which what we build starts: those that docs/guide/install.md
// names.
#include <features.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/catch.h"
#include "test/support/temp_folder.h"
#include "test/walls/source_tree.h"

namespace prof::walls::baseline_test {
namespace {

using Version = std::vector<int>;

Version Parse(const std::string& text) {
  Version version;
  std::istringstream numbers(text);
  for (std::string number; std::getline(numbers, number, '.');)
    version.push_back(std::stoi(number));
  return version;
}

// What install.md says between `before` and the next character that is no part of a version.
Version Documented(const std::string& before) {
  const std::string page = test::ReadFile(PROF_SOURCE_DIR "/docs/guide/install.md");
  std::smatch found;
  const bool named = std::regex_search(page, found, std::regex(before + "([0-9]+(\\.[0-9]+)+)"));
  REQUIRE(named);
  return Parse(found[1]);
}

// The newest version of `library`'s symbols (GLIBC, GLIBCXX) that `file` needs; empty: none.
Version NewestNeeded(const std::string& file, const std::string& library) {
  const std::regex name("Name: " + library + "_([0-9.]+) ");
  Version newest;
  for (const std::string& line : OutputOf("readelf -W --version-info '" + file + "'")) {
    std::smatch found;
    if (std::regex_search(line, found, name)) newest = std::max(newest, Parse(found[1]));
  }
  return newest;
}

// The linker binds to the newest version of a symbol that it finds, so a build on a newer system
// needs that system's glibc.
bool BuiltOnNewerSystem() { return __GLIBC_MINOR__ > 36; }

TEST_CASE("What is built on Debian 12 needs no newer glibc and libstdc++ than install.md says") {
  if (BuiltOnNewerSystem()) PROF_SKIP("built on a newer glibc than 2.36");
  const Version glibc = Documented("glibc ");
  const Version libstdcxx = Documented("GLIBCXX_");
  REQUIRE(glibc.size() == 2);
  std::istringstream files(PROF_BASELINE_FILES);
  for (std::string file; files >> file;) {
    INFO(file);
    REQUIRE(!NewestNeeded(file, "GLIBC").empty());
    CHECK(NewestNeeded(file, "GLIBC") <= glibc);
    CHECK(NewestNeeded(file, "GLIBCXX") <= libstdcxx);
  }
}

}  // namespace
}  // namespace prof::walls::baseline_test
