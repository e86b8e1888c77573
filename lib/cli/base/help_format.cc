// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/help_format.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "lib/cli/base/terminal.h"
#include "lib/report/base/strings.h"
#include "lib/text/strings.h"

namespace prof::cli {
namespace {

constexpr int kNameColumns = 34;

}  // namespace

HelpFormat::HelpFormat(std::string usage) : usage_(std::move(usage)) {
  column_width(kNameColumns);
  label("Positionals", "Arguments");
}

// CLI11 writes two blank lines between sections.
std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
  const std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
  return CLI::detail::find_and_replace(help, "\n\n\n", "\n\n");
}

std::string HelpFormat::make_usage(const CLI::App* /*app*/, std::string /*name*/) const {
  return "\nUsage: " + usage_ + "\n";
}

// The name of the value, without CLI11's types, ranges and exclusions.
std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (!option->get_option_text().empty()) return option->get_option_text();
  const std::string type = option->get_type_name();  // "N:INT in [1 - 100]"
  return option->get_type_size() == 0 ? "" : " " + type.substr(0, type.find(':'));
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
  const int width = std::min(OptionsFor(STDOUT_FILENO).width, 120) - kNameColumns;
  return text::Join(report::Wrap(option->get_description(), width), "\n");
}

}  // namespace prof::cli
