// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/output_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "lib/capture/process/process_info.h"

namespace prof::capture {

namespace {

constexpr std::string_view kExtension = ".prof";

// "run.prof" without its extension; any other path as it is.
std::string_view Stem(std::string_view path) {
  const bool has =
      path.size() > kExtension.size() && path.substr(path.size() - kExtension.size()) == kExtension;
  return has ? path.substr(0, path.size() - kExtension.size()) : path;
}

// Whether one of `letters` follows a percent sign.
bool HasOneOf(std::string_view letters, std::string_view pattern) {
  for (size_t i = 0; i + 1 < pattern.size(); ++i) {
    if (pattern[i] == '%' && letters.find(pattern[++i]) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string ProcessLabel(int rank, int ranks) {
  std::string pid = std::to_string(getpid());
  if (rank < 0) return pid;
  std::string number = std::to_string(rank);
  const size_t digits = std::to_string(std::max(ranks - 1, rank)).size();
  number.insert(0, digits - number.size(), '0');
  return "r" + number + "-" + pid;
}

std::string ExpandOutputPattern(std::string_view pattern, int rank, int ranks) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] != '%' || std::strchr("phri%", next) == nullptr || next == '\0') {
      path += pattern[i];
      continue;
    }
    ++i;
    if (next == 'p') path += std::to_string(getpid());
    if (next == 'h') path += HostName();
    if (next == 'r') path += std::to_string(rank < 0 ? 0 : rank);
    if (next == 'i') path += ProcessLabel(rank, ranks);
    if (next == '%') path += '%';
  }
  return path;
}

bool NamesProcess(std::string_view pattern) { return HasOneOf("pi", pattern); }

bool NamesRank(std::string_view pattern) { return HasOneOf("pir", pattern); }

std::string OtherOutputPath(std::string_view path, std::string_view process, int number) {
  const std::string_view stem = Stem(path);
  std::string other(stem);
  if (!process.empty()) other.append(".").append(process);
  if (number != 0) other += "." + std::to_string(number);
  return other.append(path.substr(stem.size()));
}

std::string DumpPath(std::string_view output, uint32_t number) {
  const std::string path(output.empty() ? "prof-" + std::to_string(getpid())
                                        : std::string(Stem(output)));
  return path + ".dump" + std::to_string(number) + std::string(kExtension);
}

}  // namespace prof::capture
