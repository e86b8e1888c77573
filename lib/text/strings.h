// SPDX-License-Identifier: Apache-2.0
//
// Small functions on strings.
#ifndef PROF_LIB_TEXT_STRINGS_H_
#define PROF_LIB_TEXT_STRINGS_H_

#include <string>
#include <string_view>
#include <vector>

namespace prof::text {

[[nodiscard]] inline bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

[[nodiscard]] inline bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

[[nodiscard]] inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "All of it" for "all of it".
[[nodiscard]] inline std::string Capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

// "a; b; c" for the separator "; ".
[[nodiscard]] std::string Join(const std::vector<std::string>& parts, std::string_view separator);

// "a, b and c".
[[nodiscard]] std::string Enumerate(const std::vector<std::string>& parts);
[[nodiscard]] std::string Enumerate(const std::vector<std::string_view>& parts);

}  // namespace prof::text

#endif  // PROF_LIB_TEXT_STRINGS_H_
