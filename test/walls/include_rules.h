// SPDX-License-Identifier: Apache-2.0
//
// Who may include what. docs/internals/architecture.md explains why; this table is what is
// enforced.
#ifndef PROF_TEST_WALLS_INCLUDE_RULES_H_
#define PROF_TEST_WALLS_INCLUDE_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "test/walls/source_tree.h"

namespace prof::walls {

// Where an include leads: one of our folders ("lib/capture"), a vendor ("cupti"), "std" for the C++
// library, "system" for C headers of the platform, "beside" for a header named without its folder;
// empty: nothing known.
std::string GroupOf(const Include& include);

// The rules as rows of the table in docs/internals/architecture.md: "| `lib/text/` | `system` |".
std::vector<std::string> WallRows();

// One sentence for each include in `text` that a file at `path` may not have.
std::vector<std::string> Violations(std::string_view path, std::string_view text);

}  // namespace prof::walls

#endif  // PROF_TEST_WALLS_INCLUDE_RULES_H_
