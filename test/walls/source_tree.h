// SPDX-License-Identifier: Apache-2.0
//
// Our own source files as text, and what they include: the material of the architecture tests.
#ifndef PROF_TEST_WALLS_SOURCE_TREE_H_
#define PROF_TEST_WALLS_SOURCE_TREE_H_

#include <string>
#include <string_view>
#include <vector>

namespace prof::walls {

struct SourceFile {
  std::string path;  // from the source root: "lib/capture/events/events.h"
  std::string text;
};

// All .h, .cc and .cu files below the given folders of the source tree.
std::vector<SourceFile> ReadSources(const std::vector<std::string>& folders);

// The text without comments and without the content of string literals. Line breaks stay.
std::string StripComments(std::string_view text);

struct Include {
  std::string path;     // as written
  bool quoted = false;  // "..." and not <...>
};

std::vector<Include> IncludesOf(std::string_view text);

// The output of a command, line by line. Throws when the command fails.
std::vector<std::string> OutputOf(const std::string& command);

}  // namespace prof::walls

#endif  // PROF_TEST_WALLS_SOURCE_TREE_H_
