// SPDX-License-Identifier: Apache-2.0
#include "torch_bridge/torch_version.h"

#include <cctype>
#include <cstddef>
#include <fstream>

namespace prof::torch {
namespace {

constexpr int kMajor = 2, kFirstMinor = 5, kLastMinor = 13;
constexpr int kMostLines = 100;

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Reads digits from `at` on; -1: there are none.
int ReadNumber(const std::string& text, size_t* at) {
  if (*at >= text.size() || !IsDigit(text[*at])) return -1;
  int number = 0;
  for (; *at < text.size() && IsDigit(text[*at]) && number < 1000; ++*at) {
    number = number * 10 + (text[*at] - '0');
  }
  return number;
}

std::string Folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

TorchVersion ReadFrom(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < kMostLines && std::getline(file, line); ++i) {
    TorchVersion version = ParseTorchVersion(line);
    if (!version.text.empty()) return version;
  }
  return {};
}

}  // namespace

TorchVersion ParseTorchVersion(const std::string& line) {
  std::string text = line;
  if (line.rfind("__version__", 0) == 0) {
    const size_t open = line.find_first_of("'\"");
    const size_t close = open == std::string::npos ? open : line.find(line[open], open + 1);
    if (close == std::string::npos) return {};
    text = line.substr(open + 1, close - open - 1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.pop_back();
  }
  size_t at = 0;
  TorchVersion version;
  version.major = ReadNumber(text, &at);
  if (version.major < 0 || at >= text.size() || text[at] != '.') return {};
  ++at;
  version.minor = ReadNumber(text, &at);
  if (version.minor < 0 || at >= text.size() || text[at] != '.') return {};
  version.text = text;
  return version;
}

TorchVersion ReadTorchVersion(const std::string& library) {
  const std::string root = Folder(Folder(library));
  TorchVersion version = ReadFrom(root + "/version.py");
  return version.text.empty() ? ReadFrom(root + "/build-version") : version;
}

bool IsKnownVersion(const TorchVersion& version) {
  return version.major == kMajor && version.minor >= kFirstMinor && version.minor <= kLastMinor;
}

}  // namespace prof::torch
