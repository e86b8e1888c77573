// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/text/strings.h"

namespace prof::cli {
namespace {

// The fewest letters to change, add, leave out or swap with their neighbour (optimal string
// alignment).
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 64;  // the distance costs the product of the lengths
  if (word.size() > kLongest) return "";
  const std::string* nearest = nullptr;
  size_t least = 0;
  for (const std::string& candidate : known) {
    const size_t distance = Distance(word, candidate);
    if (3 * distance > std::max(word.size(), candidate.size())) continue;
    if (nearest != nullptr && distance >= least) continue;
    nearest = &candidate;
    least = distance;
  }
  return nearest == nullptr ? "" : ". Did you mean '" + *nearest + "'?";
}

CLI::Validator OneOf(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& word) -> std::string {
    if (std::find(words.begin(), words.end(), word) != words.end()) return "";
    return "'" + word + "' is not one of " + text::Join(words, ", ") + DidYouMean(word, words);
  };
  return CLI::Validator(check, "");
}

std::string DidYouMeanOption(std::string_view word, const CLI::App& parser) {
  if (word.substr(0, 2) != "--") return "";
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return DidYouMean(word.substr(0, word.find('=')), names);
}

}  // namespace prof::cli
