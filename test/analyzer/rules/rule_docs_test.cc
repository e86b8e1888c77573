// SPDX-License-Identifier: Apache-2.0
//
// docs/guide/rules.md has the tables of the code, and each table has all that the code can name.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/findings/finding_rules.h"
#include "lib/analyzer/findings/finding_stretch.h"
#include "lib/analyzer/findings/finding_table.h"
#include "lib/analyzer/kernels/stalls.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_causes.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/rule_stalls.h"
#include "lib/analyzer/rules/rule_suspicions.h"
#include "lib/analyzer/rules/verdict_region.h"
#include "lib/analyzer/rules/verdict_table.h"
#include "lib/analyzer/timeline/gap_cause.h"
#include "test/analyzer/rules/rules_page.h"
#include "test/support/catch.h"

namespace prof::test::rule_docs_test {
namespace {

using Ids = std::set<std::string>;

Ids ToSet(const std::vector<std::string_view>& ids) { return {ids.begin(), ids.end()}; }

template <typename Rows>
std::vector<std::string_view> IdsOf(const Rows& rows) {
  std::vector<std::string_view> ids;
  for (const auto& row : rows) ids.push_back(row.id);
  return ids;
}

// The words in `code` of a text.
Ids InCode(std::string_view text) {
  Ids ids;
  std::istringstream parts{std::string(text)};
  bool is_code = false;
  for (std::string part; std::getline(parts, part, '`'); is_code = !is_code) {
    if (is_code) ids.insert(part);
  }
  return ids;
}

Ids ActionIds() { return ToSet(IdsOf(analyzer::ActionRows())); }

// build/.../write_rules_page writes it.
TEST_CASE("The page about rules holds each table of the code once") {
  const std::string page = ReadRulesPage(PROF_RULES_DOC);
  for (const PageTable& table : RuleTables()) {
    INFO(table.name);
    const std::string held =
        "<!-- begin " + table.name + " -->\n" + table.text + "<!-- end " + table.name + " -->";
    REQUIRE(page.find(held) != std::string::npos);
    CHECK(page.find(held) == page.rfind("<!-- begin " + table.name + " -->"));
  }
  CHECK(WithRuleTables(page) == page);
  CHECK(WithRuleTables("# Rules\n") == "# Rules\n");
}

TEST_CASE("Every table of the page about ids is made from the code") {
  std::istringstream page(ReadRulesPage(PROF_RULES_DOC));
  bool is_made = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("<!-- ", 0) == 0) is_made = line.rfind("<!-- begin ", 0) == 0;
    INFO(line);
    CHECK((is_made || line.rfind("| `", 0) != 0));
  }
}

TEST_CASE("Every stall reason that can lead has advice, and there is no advice on another one") {
  std::vector<std::string_view> advised;
  for (const analyzer::StallAdvice& row : analyzer::StallRows()) advised.push_back(row.reason);
  CHECK(ToSet(advised) == ToSet(analyzer::StallReasons()));
  CHECK(advised.size() == analyzer::StallReasons().size());
}

TEST_CASE("Every cause of a gap has one row") {
  const std::vector<analyzer::GapCauseRow> rows = analyzer::GapClassifier::Rows();
  for (int i = 0; i <= static_cast<int>(GapCause::kUnknown); ++i) {
    const auto cause = static_cast<GapCause>(i);
    INFO(ToString(cause));
    CHECK(std::count_if(rows.begin(), rows.end(),
                        [&](const analyzer::GapCauseRow& row) { return row.cause == cause; }) == 1);
  }
}

TEST_CASE("Every cause names an action of the table") {
  const Ids ids = ActionIds();
  for (const analyzer::CauseRow& row : analyzer::CauseRows()) {
    CHECK(ids.count(std::string(row.action)) == 1);
  }
}

TEST_CASE("Every action that a rule or a suspicion names is in the table of actions") {
  const Ids known = ActionIds();
  for (const auto* rules : {&analyzer::RulesBeforeCauses(), &analyzer::RulesAfterCauses()}) {
    for (const analyzer::VerdictRule& rule : *rules) {
      Ids named = InCode(rule.text.actions);
      for (const std::string_view id : analyzer::VerdictRuleIds()) named.erase(std::string(id));
      INFO(rule.text.id);
      CHECK(std::includes(known.begin(), known.end(), named.begin(), named.end()));
    }
  }
  for (const analyzer::SuspicionRow& row : analyzer::SuspicionRows()) {
    CHECK(known.count(std::string(row.action)) == 1);
  }
}

TEST_CASE("Every rule and every note has all of its texts") {
  std::vector<analyzer::VerdictRow> rows = analyzer::RegionRows();
  for (const auto* rules : {&analyzer::RulesBeforeCauses(), &analyzer::RulesAfterCauses()}) {
    for (const analyzer::VerdictRule& rule : *rules) rows.push_back(rule.text);
  }
  for (const analyzer::VerdictRow& row : rows) {
    INFO(row.id);
    for (const std::string_view text : {row.condition, row.evidence, row.actions, row.wrong}) {
      CHECK_FALSE(text.empty());
    }
  }
  for (const analyzer::NoteRow& row : analyzer::NoteRows()) {
    INFO(row.id);
    for (const std::string_view text : {row.condition, row.content, row.wrong}) {
      CHECK_FALSE(text.empty());
    }
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
       {analyzer::VerdictRuleIds(), IdsOf(analyzer::NoteRows()), IdsOf(analyzer::ActionRows()),
        IdsOf(analyzer::RegionRows()), analyzer::FindingIds()}) {
    CHECK(ToSet(ids).size() == ids.size());
  }
}

}  // namespace
}  // namespace prof::test::rule_docs_test
