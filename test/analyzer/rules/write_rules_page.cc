// SPDX-License-Identifier: Apache-2.0
//
// Writes the tables of the code into the page about rules: run it after a change of one.
#include <fstream>
#include <iostream>

#include "test/analyzer/rules/rules_page.h"

int main() {
  const std::string page = prof::test::ReadRulesPage(PROF_RULES_DOC);
  std::ofstream file(PROF_RULES_DOC);
  file << prof::test::WithRuleTables(page) << std::flush;
  if (!file || page.empty()) {
    std::cerr << "cannot write " << PROF_RULES_DOC << '\n';
    return 1;
  }
  std::cout << "wrote " << PROF_RULES_DOC << '\n';
  return 0;
}
