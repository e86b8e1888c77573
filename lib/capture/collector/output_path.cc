// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/output_path.h"

#include <unistd.h>

#include <cstring>

#include "lib/capture/process/process_info.h"

namespace prof::capture {

std::string ExpandOutputPattern(std::string_view pattern, int rank) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] != '%' || std::strchr("phr%", next) == nullptr || next == '\0') {
      path += pattern[i];
      continue;
    }
    ++i;
    if (next == 'p') path += std::to_string(getpid());
    if (next == 'h') path += HostName();
    if (next == 'r') path += std::to_string(rank < 0 ? 0 : rank);
    if (next == '%') path += '%';
  }
  return path;
}

std::string DumpPath(std::string_view output, uint32_t number) {
  constexpr std::string_view kExtension = ".prof";
  std::string path = output.empty() ? "prof-" + std::to_string(getpid()) : std::string(output);
  if (output.size() > kExtension.size() &&
      output.substr(output.size() - kExtension.size()) == kExtension) {
    path.resize(path.size() - kExtension.size());
  }
  return path + ".dump" + std::to_string(number) + std::string(kExtension);
}

}  // namespace prof::capture
