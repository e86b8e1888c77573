// SPDX-License-Identifier: Apache-2.0
//
// The names that expectations take, held against those that a report can have.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/findings/finding_rules.h"
#include "lib/format/enums.h"
#include "lib/text/strings.h"
#include "prof/expect_run.h"

namespace prof::expect_detail {

std::string WhyNoFinding(const std::string& id) {
  const std::vector<std::string_view> ids = analyzer::FindingIds();
  if (std::find(ids.begin(), ids.end(), id) != ids.end()) return "";
  return "no finding has the id \"" + id + "\"; the ids are " + text::Enumerate(ids);
}

std::string WhyNoDirection(const std::string& direction) {
  const auto& names = format::kNames<format::CopyKind>;
  if (direction.empty() || std::find(names.begin(), names.end(), direction) != names.end()) {
    return "";
  }
  const std::vector<std::string_view> known(names.begin() + 1, names.end());  // the first: unknown
  return "no copy has the direction \"" + direction + "\"; the directions are " +
         text::Enumerate(known) + R"(, and "" is all)";
}

}  // namespace prof::expect_detail
