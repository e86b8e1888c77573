// SPDX-License-Identifier: Apache-2.0
//
// Writes the results into the page about the evaluation: run it after a change of the rules.
#include <fstream>
#include <iostream>

#include "test/eval/evaluation_page.h"

int main() {
  const std::string page = prof::eval::ReadEvaluationPage(PROF_EVALUATION_PAGE);
  std::ofstream file(PROF_EVALUATION_PAGE);
  file << prof::eval::WithTodaysResults(page, PROF_TEST_DATA) << std::flush;
  if (!file || page.empty()) {
    std::cerr << "cannot write " << PROF_EVALUATION_PAGE << '\n';
    return 1;
  }
  std::cout << "wrote " << PROF_EVALUATION_PAGE << '\n';
  return 0;
}
