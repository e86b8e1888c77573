// SPDX-License-Identifier: Apache-2.0
//
// docs/guide/rules.md and the code name the same rules and thresholds.
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/findings/finding_rules.h"
#include "lib/analyzer/findings/finding_stretch.h"
#include "lib/analyzer/findings/finding_table.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_causes.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/verdict_rules.h"
#include "test/analyzer/rules/rules_page.h"
#include "test/support/catch.h"

namespace prof::test::rule_docs_test {
namespace {

using Ids = std::set<std::string>;

// The first cells of the tables under the heading `section`: "| `id` | ...".
Ids DocumentedIds(const std::string& section) {
  std::ifstream file(PROF_RULES_DOC);
  Ids ids;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## " + section;
    if (!inside || line.rfind("| `", 0) != 0) continue;
    ids.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return ids;
}

Ids ToSet(const std::vector<std::string_view>& ids) { return {ids.begin(), ids.end()}; }

TEST_CASE("Every verdict rule is documented, and every documented one exists") {
  CHECK(DocumentedIds("Verdicts on a kernel") == ToSet(analyzer::VerdictRuleIds()));
}

TEST_CASE("Every note is documented, and every documented one exists") {
  CHECK(DocumentedIds("Notes beside a verdict") == ToSet(analyzer::NoteIds()));
}

TEST_CASE("Every finding is documented, and every documented one exists") {
  CHECK(DocumentedIds("Findings about a run") == ToSet(analyzer::FindingIds()));
}

// build/.../write_rules_page writes it.
TEST_CASE("The page about rules holds the tables of causes, actions, findings and doubts") {
  const std::string page = ReadRulesPage(PROF_RULES_DOC);
  REQUIRE(page.find(analyzer::CauseTable()) != std::string::npos);
  REQUIRE(page.find(analyzer::ActionTable()) != std::string::npos);
  REQUIRE(page.find(analyzer::FindingTable()) != std::string::npos);
  REQUIRE(page.find(analyzer::MemoryFindingTable()) != std::string::npos);
  REQUIRE(page.find(analyzer::DoubtTable()) != std::string::npos);
  CHECK(WithRuleTables(page) == page);
  CHECK(WithRuleTables("# Rules\n") == "# Rules\n");
}

TEST_CASE("Every cause names an action of the table") {
  Ids ids;
  for (const analyzer::ActionRow& row : analyzer::ActionRows()) ids.insert(std::string(row.id));
  for (const analyzer::CauseRow& row : analyzer::CauseRows()) {
    CHECK(ids.count(std::string(row.action)) == 1);
  }
}

TEST_CASE("Every finding has all of its texts, and a gain has a time that it is a part of") {
  for (const analyzer::FindingRule& rule : analyzer::FindingRules()) {
    INFO(rule.text.id);
    for (const std::string_view text : {rule.text.condition, rule.text.evidence, rule.text.action,
                                        rule.text.gain, rule.text.rests, rule.text.wrong}) {
      CHECK_FALSE(text.empty());
    }
    Finding finding;
    finding.id = rule.text.id;
    CHECK(analyzer::FindingTimeOf(finding) == &rule.time);
  }
}

TEST_CASE("A stretch draws from the time that the finding about the whole run draws from") {
  for (const analyzer::StretchCause& known : analyzer::kStretchCauses) {
    Finding stretch, whole;
    stretch.id = analyzer::kStretchFinding;
    stretch.stretch = IdleStretch{known.cause, 0, 1};
    whole.id = known.whole_run;
    INFO(known.whole_run);
    REQUIRE(analyzer::FindingTimeOf(stretch) != nullptr);
    CHECK(analyzer::FindingTimeOf(stretch) == analyzer::FindingTimeOf(whole));
  }
}

TEST_CASE("No id is used twice") {
  for (const auto& ids :
       {analyzer::VerdictRuleIds(), analyzer::NoteIds(), analyzer::FindingIds()}) {
    CHECK(ToSet(ids).size() == ids.size());
  }
}

}  // namespace
}  // namespace prof::test::rule_docs_test
