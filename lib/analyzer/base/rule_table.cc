// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/rule_table.h"

#include <cstddef>

namespace prof::analyzer {

RuleTable::RuleTable(std::initializer_list<std::string_view> heads) {
  Add(heads);
  text_ += "|";
  for (size_t i = 0; i < heads.size(); ++i) text_ += "---|";
  text_ += "\n";
}

void RuleTable::Add(std::initializer_list<std::string_view> cells) {
  text_ += "|";
  for (const std::string_view cell : cells) text_.append(" ").append(cell).append(" |");
  text_ += "\n";
}

std::string AsCode(std::string_view id) { return "`" + std::string(id) + "`"; }

}  // namespace prof::analyzer
