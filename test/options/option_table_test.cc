// SPDX-License-Identifier: Apache-2.0
#include "lib/options/option_table.h"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "lib/options/option_text.h"
#include "test/options/options_page.h"
#include "test/support/catch.h"

namespace prof::options::option_table_test {
namespace {

// The names of SessionOptions' fields, as the header declares them.
std::set<std::string> DeclaredFields() {
  const std::string header = ReadPage(PROF_SESSION_HEADER);
  const size_t begin = header.find("struct SessionOptions {");
  const std::string body = header.substr(begin, header.find("\n};", begin) - begin);
  const std::regex declaration("\n  [A-Za-z_:<>0-9]+ ([a-z_]+)( = [^;]+)?;");
  std::set<std::string> fields;
  for (std::sregex_iterator it(body.begin(), body.end(), declaration), end; it != end; ++it) {
    fields.insert((*it)[1]);
  }
  return fields;
}

std::set<std::string> FieldsOfTable() {
  std::set<std::string> fields;
  for (const Option& option : kOptions) {
    std::istringstream names(option.field);
    for (std::string name; std::getline(names >> std::ws, name, ',');) {
      CHECK(fields.insert(name).second);
    }
  }
  return fields;
}

TEST_CASE("Every field of SessionOptions has a row, and every row a field") {
  CHECK(DeclaredFields().size() > 20);
  CHECK(FieldsOfTable() == DeclaredFields());
}

TEST_CASE("No two options have the same flag or variable") {
  std::set<std::string> names;
  for (const Option& option : kOptions) {
    INFO(option.variable);
    CHECK(names.insert(option.variable).second);
    CHECK(std::string(option.variable).rfind("PROF_", 0) == 0);
    if (*option.flag != '\0') CHECK(names.insert(NameOf(option, Naming::kFlag)).second);
  }
}

TEST_CASE("Options of one section stand together") {
  std::set<std::string> sections;
  std::string section;
  for (const Option& option : kOptions) {
    if (section == option.section) continue;
    section = option.section;
    CHECK(sections.insert(section).second);
  }
}

TEST_CASE("Each help text is one short line") {
  for (const Option& option : kOptions) {
    const std::string help = option.help;
    INFO(help);
    CHECK_FALSE(help.empty());
    CHECK(help.size() <= 90);
    CHECK(help.back() != '.');
  }
}

}  // namespace
}  // namespace prof::options::option_table_test
