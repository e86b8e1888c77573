// SPDX-License-Identifier: Apache-2.0
#include "test/walls/source_tree.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace prof::walls {
namespace {

bool IsSource(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cc" || extension == ".cu";
}

std::string_view TrimLeft(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

}  // namespace

std::vector<SourceFile> ReadSources(const std::vector<std::string>& folders) {
  const std::filesystem::path root = PROF_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !IsSource(entry.path())) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      files.push_back({std::filesystem::relative(entry.path(), root).generic_string(),
                       std::string(std::istreambuf_iterator<char>(in), {})});
    }
  }
  return files;
}

std::string StripComments(std::string_view text) {
  std::string code;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n') ++i;
      if (i < text.size()) code += '\n';
    } else if (text.compare(i, 2, "/*") == 0) {
      for (i += 2; i < text.size() && text.compare(i, 2, "*/") != 0; ++i) {
        if (text[i] == '\n') code += '\n';
      }
      ++i;
    } else if (text[i] == '"') {
      code += "\"\"";
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else {
      code += text[i];
    }
  }
  return code;
}

std::vector<Include> IncludesOf(std::string_view text) {
  std::vector<Include> includes;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::string_view rest = TrimLeft(line);
    if (rest.substr(0, 1) != "#") continue;
    rest = TrimLeft(rest.substr(1));
    if (rest.substr(0, 7) != "include") continue;
    rest = TrimLeft(rest.substr(7));
    if (rest.empty()) continue;
    const size_t end = rest.find(rest[0] == '<' ? '>' : '"', 1);
    if (end == std::string_view::npos) continue;
    includes.push_back({std::string(rest.substr(1, end - 1)), rest[0] == '"'});
  }
  return includes;
}

std::vector<std::string> OutputOf(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  std::vector<std::string> result;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) result.push_back(line);
  return result;
}

}  // namespace prof::walls
