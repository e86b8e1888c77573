// SPDX-License-Identifier: Apache-2.0
//
// A suggestion is the known word that a mistyped one most likely means.
#ifndef PROF_LIB_CLI_BASE_SUGGESTION_H_
#define PROF_LIB_CLI_BASE_SUGGESTION_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace prof::cli {

// ". Did you mean 'report'?" for the word of `known` that is nearest to `word`: at most a third of
// its letters have to be changed, added, left out or swapped. Empty: none is that near.
[[nodiscard]] std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

// For an option that takes one of `words`. Any other value gets an error with all of them, in this
// order, and the one that is near.
[[nodiscard]] CLI::Validator OneOf(std::vector<std::string> words);

// A suggestion for an option, "--jsno" or "--jsno=x", of the command `parser`.
[[nodiscard]] std::string DidYouMeanOption(std::string_view word, const CLI::App& parser);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_SUGGESTION_H_
