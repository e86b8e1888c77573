// SPDX-License-Identifier: Apache-2.0
#include "lib/text/strings.h"

namespace prof::text {
namespace {

template <typename Parts>
std::string EnumerateAll(const Parts& parts) {
  std::string joined;
  size_t left = parts.size();
  for (const auto& part : parts) {
    joined += part;
    --left;
    if (left > 0) joined += left == 1 ? " and " : ", ";
  }
  return joined;
}

}  // namespace

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string Enumerate(const std::vector<std::string>& parts) { return EnumerateAll(parts); }

std::string Enumerate(const std::vector<std::string_view>& parts) { return EnumerateAll(parts); }

}  // namespace prof::text
