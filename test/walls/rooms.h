// SPDX-License-Identifier: Apache-2.0
//
// The rooms of each part of the product, and their order: a file includes nothing from a room above
// its own. The same order is drawn in docs/internals/architecture.md.
#ifndef PROF_TEST_WALLS_ROOMS_H_
#define PROF_TEST_WALLS_ROOMS_H_

#include <string>
#include <string_view>
#include <vector>

namespace prof::walls {

struct Part {
  std::string_view folder;              // "lib/capture"
  std::vector<std::string_view> rooms;  // its sub-folders, lowest first
};

const std::vector<Part>& Parts();

// The order of a part's rooms as the documentation writes it: "process < events < threads".
std::string OrderOf(const Part& part);

// Why the file at `path` must not include `include`; empty when it may, and when the two are not of
// the same part. Both are paths from the source root.
std::string RoomViolation(std::string_view path, std::string_view include);

}  // namespace prof::walls

#endif  // PROF_TEST_WALLS_ROOMS_H_
