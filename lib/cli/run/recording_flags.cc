// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/recording_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <variant>
#include <vector>

#include "lib/options/option_checks.h"
#include "lib/options/option_help.h"
#include "lib/options/option_text.h"
#include "lib/text/strings.h"

namespace prof::cli {
namespace {

using options::Naming;
using options::Option;

bool TakesNoValue(const Option& option) { return *option.value == '\0'; }

// "Counter samples for each signature and pass group (1 to 100; default: 5)".
std::string Description(const Option& option) {
  if (TakesNoValue(option)) return option.help;
  const std::string allowed = options::AllowedText(option);
  return std::string(option.help) + " (" + allowed + (allowed.empty() ? "" : "; ") +
         "default: " + options::DefaultText(option) + ")";
}

bool ValueMayLack(const Option& option) {
  return std::holds_alternative<options::Interval>(option.kind);
}

}  // namespace

RecordingFlags::RecordingFlags(CLI::App* parser) {
  for (const Option& option : options::kOptions) {
    if (*option.flag == '\0') continue;
    Flag& flag = flags_.emplace_back(Flag{&option});
    const std::string help = Description(option);
    flag.parsed = TakesNoValue(option) || ValueMayLack(option)
                      ? parser->add_flag(option.flag, flag.text, help)
                      : parser->add_option(option.flag, flag.text, help);
    const std::string usage = options::FlagUsage(option);
    flag.parsed->option_text(usage.substr(std::string(option.flag).size()))->group(option.section);
  }
}

// A flag without a value means the opposite of the default. CLI11 gives it the text "true".
std::string RecordingFlags::ValueOf(const Flag& flag) {
  if (flag.text != "true") return flag.text;
  if (ValueMayLack(*flag.option)) return "1";
  if (!TakesNoValue(*flag.option)) return flag.text;
  return options::ValueText(*flag.option, SessionOptions()) == "0" ? "1" : "0";
}

bool RecordingFlags::IsGiven(std::string_view flag) const {
  return std::any_of(flags_.begin(), flags_.end(), [&](const Flag& known) {
    return known.option->flag == flag && known.parsed->count() > 0;
  });
}

std::optional<std::string> RecordingFlags::Apply(Environment* environment,
                                                 SessionOptions* options) const {
  SessionOptions given;
  std::vector<std::string> problems;
  for (const Flag& flag : flags_) {
    if (flag.parsed->count() == 0) continue;
    const std::string value = ValueOf(flag);
    if (const auto expected = options::SetValue(*flag.option, value, &given)) {
      problems.push_back(options::Assignment(*flag.option, value, Naming::kFlag) + " is not " +
                         *expected);
      continue;
    }
    environment->Set(flag.option->variable, options::ValueText(*flag.option, given));
  }
  if (!problems.empty()) return text::Join(problems, "; ");
  *options = options::ReadVariables(
      [&](const char* name) { return environment->Get(name).value_or(""); }, &problems);
  // A variable may be set for the whole machine: only what was typed is refused. The recorder has a
  // line about the others.
  for (const options::Conflict& conflict : options::FindConflicts(*options, Naming::kFlag)) {
    if (IsGiven(conflict.option->flag)) problems.push_back(conflict.text);
  }
  if (problems.empty()) return std::nullopt;
  return text::Join(problems, "; ");
}

}  // namespace prof::cli
