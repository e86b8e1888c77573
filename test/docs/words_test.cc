// SPDX-License-Identifier: Apache-2.0
//
// Plain English: the words that docs/style.md rejects are in no page, in no public header and in no
// example report.
#include <cctype>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "test/docs/pages.h"
#include "test/support/catch.h"

namespace prof::docs::words_test {
namespace {

// Whole words, without upper case. This is the one list of them.
constexpr std::string_view kRejected[] = {
    "anew", "are told",   "as the next", "for ever", "is told", "not to be had", "of which",
    "says", "so-manieth", "tells",       "tier",     "tiers",   "told of",       "wholes"};

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The rejected words in `line`. Names of code, between backquotes, may be anything.
std::vector<std::string> RejectedIn(std::string line) {
  static const std::regex code("`[^`]*`");
  line = std::regex_replace(line, code, "`");
  for (char& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::vector<std::string> found;
  for (const std::string_view word : kRejected) {
    for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
      const size_t end = at + word.size();
      const bool whole_word = (at == 0 || !IsWordCharacter(line[at - 1])) &&
                              (end == line.size() || !IsWordCharacter(line[end]));
      if (whole_word) found.emplace_back(word);
    }
  }
  return found;
}

// The style page shows rejected words in its table.
bool IsExample(const Page& page, const std::string& line) {
  return page.path == "docs/style.md" && line.rfind("| ", 0) == 0;
}

// A header's names are code, its comments are prose.
std::string ProseOf(const Page& page, const std::string& line) {
  if (page.path.rfind("include/", 0) != 0) return line;
  const size_t comment = line.find("//");
  return comment == std::string::npos ? "" : line.substr(comment);
}

std::vector<std::string> RejectedIn(const std::vector<Page>& pages) {
  std::vector<std::string> found;
  for (const Page& page : pages) {
    for (const std::string& line : ProseLines(page.text)) {
      if (IsExample(page, line)) continue;
      for (const std::string& word : RejectedIn(ProseOf(page, line))) {
        found.push_back(page.path + ": \"" + word + "\" in: " + line.substr(0, 100));
      }
    }
  }
  return found;
}

TEST_CASE("No page has a word that the style rejects") {
  CHECK(RejectedIn(ReadPages()) == std::vector<std::string>{});
}

TEST_CASE("No public header has a word that the style rejects") {
  CHECK(RejectedIn(ReadFiles({"include/prof"}, {".h", ".proto"})) == std::vector<std::string>{});
}

TEST_CASE("No example report has a word that the style rejects") {
  std::vector<Page> reports = ReadFiles({"docs/reports"}, {".txt"});
  CHECK(reports.size() >= 3);
  // The line about the occupancy has "waves, of which the partial last one loses 3.0 %".
  for (Page& report : reports) {
    report.text = std::regex_replace(report.text, std::regex("waves, of which"), "waves,");
  }
  CHECK(RejectedIn(reports) == std::vector<std::string>{});
}

TEST_CASE("A rejected word is found as a word, not as a part of one") {
  CHECK(RejectedIn(std::string("What it Says, anew.")) == std::vector<std::string>{"anew", "says"});
  CHECK(RejectedIn(std::string("essays of `tier` frontiers")) == std::vector<std::string>{});
}

}  // namespace
}  // namespace prof::docs::words_test
