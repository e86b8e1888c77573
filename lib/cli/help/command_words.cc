// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/help/command_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string_view>
#include <variant>

#include "lib/cli/base/help_format.h"
#include "lib/options/option_table.h"

namespace prof::cli {
namespace {

template <typename Kind>
void AddNames(const Kind&, std::vector<std::string>*) {}

template <typename T>
void AddNames(const options::Choice<T>& choice, std::vector<std::string>* names) {
  for (const options::NamedValue<T>& named : choice) names->emplace_back(named.name);
}

// The names that an option of the table takes.
std::vector<std::string> ValuesOf(const OptionWords& words) {
  std::vector<std::string> values;
  for (const options::Option& option : options::kOptions) {
    const std::string flag = option.flag;
    const std::string longest =
        flag.substr(flag.find("--") == std::string::npos ? 0 : flag.find("--"));
    if (std::find(words.names.begin(), words.names.end(), longest) == words.names.end()) continue;
    std::visit([&](const auto& kind) { AddNames(kind, &values); }, option.kind);
  }
  return values;
}

std::string Trimmed(const std::string& text) {
  constexpr std::string_view kSpace = " \n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

OptionWords WordsOfOption(const CLI::Option& option, bool recording) {
  static const HelpFormat format("");
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  words.is_argument = option.get_positional();
  if (words.is_argument) words.names = {option.get_single_name()};
  words.value = Trimmed(format.make_option_opts(&option));  // "PATTERN", "[=US]"
  words.value_may_lack = words.value.rfind("[=", 0) == 0;
  if (words.value_may_lack) words.value = words.value.substr(2, words.value.size() - 3);
  words.help = option.get_description();
  words.group = option.get_group();
  if (recording) words.values = ValuesOf(words);
  return words;
}

CommandWords WordsOfCommand(const CLI::App& app, const std::string& name) {
  constexpr std::string_view kUsage = "Usage: ";
  CommandWords words;
  words.name = name;
  words.help = app.get_description();
  words.footer = app.get_footer();
  const auto format = std::dynamic_pointer_cast<CLI::Formatter>(app.get_formatter());
  const std::string usage = format == nullptr ? "" : Trimmed(format->make_usage(&app, ""));
  words.usage = usage.substr(std::min(kUsage.size(), usage.size()));
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    words.options.push_back(WordsOfOption(*option, name == "run"));
  }
  return words;
}

}  // namespace

std::vector<CommandWords> WordsOf(const CLI::App& app) {
  std::vector<CommandWords> all = {WordsOfCommand(app, "")};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) all.push_back(WordsOfCommand(*command, command->get_name()));
  }
  return all;
}

}  // namespace prof::cli
