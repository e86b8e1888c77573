// SPDX-License-Identifier: Apache-2.0
//
// The pages are held against the tree: what they link to and what they name exists.
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "test/docs/pages.h"
#include "test/support/catch.h"

namespace prof::docs::links_test {
namespace {

using Strings = std::vector<std::string>;

std::map<std::string, Page> PagesByPath() {
  std::map<std::string, Page> pages;
  for (Page& page : ReadPages()) pages.emplace(page.path, page);
  return pages;
}

TEST_CASE("Every link of a page leads to a file, and every anchor to a heading") {
  const std::map<std::string, Page> pages = PagesByPath();
  REQUIRE(pages.size() > 20);
  Strings broken;
  for (const auto& [path, page] : pages) {
    for (const std::string& link : LocalLinks(page)) {
      const std::string target = Resolve(page, link);
      const size_t hash = link.find('#');
      const auto linked = pages.find(target);
      if (!Exists(target)) {
        broken.push_back(path + ": " + link);
      } else if (hash != std::string::npos && linked != pages.end() &&
                 Anchors(linked->second.text).count(link.substr(hash + 1)) == 0) {
        broken.push_back(path + ": " + link + " (no such heading)");
      }
    }
  }
  CHECK(broken == Strings{});
}

TEST_CASE("Every page can be reached from the README") {
  const std::map<std::string, Page> pages = PagesByPath();
  std::set<std::string> reached = {"README.md"};
  Strings to_visit = {"README.md"};
  while (!to_visit.empty()) {
    const Page& page = pages.at(to_visit.back());
    to_visit.pop_back();
    for (const std::string& link : LocalLinks(page)) {
      const std::string target = Resolve(page, link);
      if (pages.count(target) != 0 && reached.insert(target).second) to_visit.push_back(target);
    }
  }
  Strings unreached;
  for (const auto& [path, page] : pages) {
    if (reached.count(path) == 0) unreached.push_back(path);
  }
  CHECK(unreached == Strings{});
}

TEST_CASE("Every source file that a page names exists") {
  Strings missing;
  for (const Page& page : ReadPages()) {
    for (const std::string& file : NamedFiles(page)) {
      if (!Exists(file)) missing.push_back(page.path + ": " + file);
    }
  }
  CHECK(missing == Strings{});
}

TEST_CASE("Every page that a source file names exists") {
  Strings missing;
  for (const Page& file : ReadFiles({"include", "lib", "cupti_backend", "nvtx_bridge", "python",
                                     "examples", "bench", "cmake", "test"},
                                    {".h", ".cc", ".cu", ".proto", ".py", ".sh", ".cmake"})) {
    if (file.path.rfind("test/docs/", 0) == 0) continue;
    for (const std::string& page : NamedPages(file.text)) {
      if (!Exists(page)) missing.push_back(file.path + ": " + page);
    }
  }
  CHECK(missing == Strings{});
}

// The lines of the README's excerpt. "..." stands for lines that are left out.
Strings ReportInReadme() {
  const std::string readme = PagesByPath().at("README.md").text;
  const size_t begin = readme.find("<!-- begin readme_report -->");
  std::istringstream in(readme.substr(begin, readme.find("<!-- end readme_report -->") - begin));
  Strings lines;
  for (std::string line; std::getline(in, line);) {
    if (line != "..." && line != "```" && line.rfind("<!--", 0) != 0) lines.push_back(line);
  }
  return lines;
}

TEST_CASE("The report in the README is an excerpt of the example report") {
  const Strings excerpt = ReportInReadme();
  REQUIRE(excerpt.size() > 20);
  std::string report;
  for (const Page& page : ReadFiles({"docs/reports"}, {".txt"})) {
    if (page.path == "docs/reports/transformer_layer_1.txt") report = "\n" + page.text;
  }
  Strings changed;
  size_t at = 0;
  for (const std::string& line : excerpt) {
    const size_t found = report.find("\n" + line + "\n", at);
    if (found == std::string::npos) {
      changed.push_back(line);
    } else {
      at = found + 1;
    }
  }
  CHECK(changed == Strings{});
}

TEST_CASE("A broken link, a missing heading and a missing file are found") {
  const Page page = {"docs/guide/x.md",
                     "# What it is, in short\n[a](../none.md#b) [web](https://a.b/c)\n"
                     "```\n[code](none.md)\n```\nsee `lib/none.cc` and docs/none.md\n"};
  CHECK(LocalLinks(page) == Strings{"../none.md#b"});
  CHECK(Resolve(page, "../none.md#b") == "docs/none.md");
  CHECK(Resolve(page, "..") == "docs/README.md");
  CHECK_FALSE(Exists("docs/none.md"));
  CHECK(Exists("README.md"));
  CHECK(Anchors(page.text) == std::set<std::string>{"what-it-is-in-short"});
  CHECK(NamedFiles(page) == Strings{"lib/none.cc"});
  CHECK(NamedPages(page.text) == Strings{"docs/none.md"});
}

}  // namespace
}  // namespace prof::docs::links_test
