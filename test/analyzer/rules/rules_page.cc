// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/rules/rules_page.h"

#include <fstream>
#include <sstream>

#include "lib/analyzer/findings/finding_table.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_causes.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/rule_stalls.h"
#include "lib/analyzer/rules/rule_suspicions.h"
#include "lib/analyzer/rules/verdict_region.h"
#include "lib/analyzer/rules/verdict_table.h"
#include "lib/analyzer/timeline/gap_cause.h"

namespace prof::test {
namespace {

std::string Filled(std::string page, const PageTable& table) {
  const std::string begin = "<!-- begin " + table.name + " -->\n";
  const std::string end = "<!-- end " + table.name + " -->";
  const size_t from = page.find(begin);
  const size_t to = page.find(end);
  if (from == std::string::npos || to == std::string::npos) return page;
  return page.replace(from + begin.size(), to - from - begin.size(), table.text);
}

}  // namespace

std::vector<PageTable> RuleTables() {
  using namespace analyzer;
  return {{"doubts", DoubtTable()},
          {"region rules", VerdictTable(RegionRows())},
          {"first rules", VerdictTable(RulesBeforeCauses())},
          {"causes", CauseTable()},
          {"rules", VerdictTable(RulesAfterCauses())},
          {"suspicions", SuspicionTable()},
          {"stalls", StallTable()},
          {"actions", ActionTable()},
          {"notes", NoteTable()},
          {"gap causes", GapCauseTable()},
          {"findings", FindingTable()},
          {"memory findings", MemoryFindingTable()}};
}

std::string WithRuleTables(const std::string& page) {
  std::string filled = page;
  for (const PageTable& table : RuleTables()) filled = Filled(filled, table);
  return filled;
}

std::string ReadRulesPage(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace prof::test
