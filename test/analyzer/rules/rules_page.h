// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page about rules that are made from the tables of causes, actions and
// findings.
#ifndef PROF_TEST_ANALYZER_RULES_RULES_PAGE_H_
#define PROF_TEST_ANALYZER_RULES_RULES_PAGE_H_

#include <string>

namespace prof::test {

// `page` with the tables between `<!-- begin NAME -->` and `<!-- end NAME -->`, for the names
// `causes`, `actions`, `findings` and `memory findings`. A page without these lines is left as it
// is.
std::string WithRuleTables(const std::string& page);

// The content of `path`; empty: it cannot be read.
std::string ReadRulesPage(const std::string& path);

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_RULES_RULES_PAGE_H_
