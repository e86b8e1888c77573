// SPDX-License-Identifier: Apache-2.0
#include "test/options/options_page.h"

#include <fstream>
#include <sstream>
#include <string_view>

#include "lib/options/option_help.h"
#include "lib/options/option_text.h"

namespace prof::options {
namespace {

constexpr std::string_view kBegin = "<!-- begin option_tables -->\n";
constexpr std::string_view kEnd = "<!-- end option_tables -->";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string Code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

// "`-o`, `--output PATTERN`".
std::string FlagCell(const Option& option) {
  return Replaced(Code(FlagUsage(option)), ",", "`, `");
}

// A flag without a value sets the variable to what is not the default.
std::string VariableCell(const Option& option) {
  const bool plain = *option.value != '\0' || *option.flag == '\0';
  if (plain) return Code(option.variable);
  return Code(Assignment(option, DefaultText(option) == "on" ? "0" : "1", Naming::kVariable));
}

std::string FieldCell(const Option& option) { return Replaced(Code(option.field), ", ", "`, `"); }

void WriteRow(std::ostream& out, const Option& option) {
  out << "| " << FlagCell(option) << " | " << VariableCell(option) << " | " << FieldCell(option)
      << " | " << Replaced(option.help, "<output>.dump<n>.prof", "`<output>.dump<n>.prof`") << " | "
      << AllowedText(option) << " | "
      << Replaced(DefaultText(option), kDefaultOutput, Code(kDefaultOutput)) << " |\n";
}

}  // namespace

std::string OptionTables() {
  std::ostringstream out;
  std::string_view section;
  for (const Option& option : kOptions) {
    if (section != option.section) {
      section = option.section;
      out << "\n### " << section << "\n\n"
          << "| `prof run` | environment | field | means | values | default |\n"
          << "|---|---|---|---|---|---|\n";
    }
    WriteRow(out, option);
  }
  out << '\n';
  return out.str();
}

std::string WithOptionTables(const std::string& page) {
  const size_t begin = page.find(kBegin);
  const size_t end = page.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return page;
  return page.substr(0, begin + kBegin.size()) + OptionTables() + page.substr(end);
}

std::string ReadPage(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace prof::options
