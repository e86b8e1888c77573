// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/rules/rules_page.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "lib/analyzer/findings/finding_table.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_causes.h"

namespace prof::test {
namespace {

std::string Filled(std::string page, const std::string& name, const std::string& table) {
  const std::string begin = "<!-- begin " + name + " -->\n", end = "<!-- end " + name + " -->";
  const size_t from = page.find(begin);
  const size_t to = page.find(end);
  if (from == std::string::npos || to == std::string::npos) return page;
  return page.replace(from + begin.size(), to - from - begin.size(), table);
}

}  // namespace

std::string WithRuleTables(const std::string& page) {
  std::string filled = page;
  for (const auto& [name, table] :
       {std::pair("causes", analyzer::CauseTable()), std::pair("actions", analyzer::ActionTable()),
        std::pair("findings", analyzer::FindingTable()),
        std::pair("memory findings", analyzer::MemoryFindingTable())}) {
    filled = Filled(filled, name, table);
  }
  return filled;
}

std::string ReadRulesPage(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace prof::test
