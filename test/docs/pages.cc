// SPDX-License-Identifier: Apache-2.0
#include "test/docs/pages.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace prof::docs {
namespace {

namespace fs = std::filesystem;

const fs::path& Root() {
  static const fs::path root = PROF_SOURCE_DIR;
  return root;
}

std::string ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::vector<std::string> FirstGroups(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

}  // namespace

std::vector<Page> ReadFiles(const std::vector<std::string>& folders,
                            const std::set<std::string>& extensions) {
  std::vector<Page> files;
  const auto add = [&](const fs::directory_entry& entry) {
    if (!entry.is_regular_file() || extensions.count(entry.path().extension().string()) == 0) {
      return;
    }
    files.push_back({fs::relative(entry.path(), Root()).generic_string(), ReadText(entry.path())});
  };
  for (const auto& entry : fs::directory_iterator(Root())) add(entry);
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(Root() / folder)) add(entry);
  }
  return files;
}

std::vector<Page> ReadPages() { return ReadFiles({"docs", "examples", "bench"}, {".md"}); }

std::vector<std::string> ProseLines(std::string_view text) {
  std::vector<std::string> prose;
  bool in_code = false, in_filled_place = false;
  for (std::string& line : Lines(text)) {
    if (StartsWith(line, "<!-- begin ")) in_filled_place = true;
    if (StartsWith(line, "<!-- end ")) in_filled_place = false;
    if (StartsWith(line, "```")) in_code = !in_code;
    if (!in_code && !in_filled_place) prose.push_back(std::move(line));
  }
  return prose;
}

std::vector<std::string> LocalLinks(const Page& page) {
  static const std::regex link("\\]\\(([^)\\s]+)\\)");
  std::vector<std::string> links;
  for (const std::string& line : ProseLines(page.text)) {
    for (std::string& target : FirstGroups(line, link)) {
      if (target.find("://") == std::string::npos) links.push_back(std::move(target));
    }
  }
  return links;
}

std::set<std::string> Anchors(std::string_view text) {
  std::set<std::string> anchors;
  for (const std::string& line : ProseLines(text)) {
    if (!StartsWith(line, "#")) continue;
    std::string anchor;
    for (const char c : line.substr(line.find_first_not_of("# "))) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (c == ' ') {
        anchor += '-';
      }
    }
    anchors.insert(anchor);
  }
  return anchors;
}

std::vector<std::string> NamedFiles(const Page& page) {
  static const std::regex file(
      "`((?:include|lib|cupti_backend|nvtx_bridge|python|examples|test|bench|docs|cmake|\\.ci)/"
      "[A-Za-z0-9_./-]+)`");
  std::vector<std::string> files;
  for (const std::string& line : ProseLines(page.text)) {
    for (std::string& path : FirstGroups(line, file)) files.push_back(std::move(path));
  }
  return files;
}

std::vector<std::string> NamedPages(std::string_view text) {
  static const std::regex page("(docs/[A-Za-z0-9_/-]+\\.md)");
  return FirstGroups(std::string(text), page);
}

std::string Resolve(const Page& page, const std::string& target) {
  const std::string link = target.substr(0, target.find('#'));
  if (link.empty()) return page.path;
  const fs::path path = (fs::path(page.path).parent_path() / link).lexically_normal();
  const bool is_page = fs::exists(Root() / path / "README.md");
  return (is_page ? path / "README.md" : path).generic_string();
}

bool Exists(const std::string& path) { return fs::exists(Root() / path); }

}  // namespace prof::docs
