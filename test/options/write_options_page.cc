// SPDX-License-Identifier: Apache-2.0
//
// Writes the option table into the page about options: run it after a change of the table.
#include <fstream>
#include <iostream>

#include "test/options/options_page.h"

int main() {
  const std::string page = prof::options::ReadPage(PROF_OPTIONS_PAGE);
  std::ofstream file(PROF_OPTIONS_PAGE);
  file << prof::options::WithOptionTables(page) << std::flush;
  if (!file || page.empty()) {
    std::cerr << "cannot write " << PROF_OPTIONS_PAGE << '\n';
    return 1;
  }
  std::cout << "wrote " << PROF_OPTIONS_PAGE << '\n';
  return 0;
}
