// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page about rules that are made from the tables of the code: rules, causes,
// stalls, notes, gaps, findings and what belongs to them.
#ifndef PROF_TEST_ANALYZER_RULES_RULES_PAGE_H_
#define PROF_TEST_ANALYZER_RULES_RULES_PAGE_H_

#include <string>
#include <vector>

namespace prof::test {

struct PageTable {
  std::string name;  // it stands between `<!-- begin NAME -->` and `<!-- end NAME -->`
  std::string text;
};

// In the order of the page.
std::vector<PageTable> RuleTables();

// `page` with these tables. One whose lines the page does not have is left out.
std::string WithRuleTables(const std::string& page);

// The content of `path`; empty: it cannot be read.
std::string ReadRulesPage(const std::string& path);

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_RULES_RULES_PAGE_H_
