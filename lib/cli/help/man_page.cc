// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/help/man_page.h"

#include <sstream>

#include "lib/options/option_help.h"
#include "lib/options/option_table.h"
#include "lib/text/strings.h"

namespace prof::cli {
namespace {

// As text: a line that begins with a dot or a quote is a request to troff, and it would set a
// hyphen as a dash, which nobody can copy.
std::string Plain(const std::string& text) {
  std::string plain;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) plain += "\\&";
    if (c == '\\') {
      plain += "\\e";
    } else if (c == '-') {
      plain += "\\-";
    } else {
      plain += c;
    }
    at_start = c == '\n';
  }
  return plain;
}

std::string Section(const std::string& name) { return ".SH " + name + "\n"; }

std::string Item(const std::string& tag, const std::string& text) {
  return ".TP\n\\fB" + Plain(tag) + "\\fR\n" + Plain(text) + "\n";
}

std::string Literal(const std::string& lines) { return ".nf\n" + Plain(lines) + "\n.fi\n"; }

std::string TagOf(const OptionWords& option) {
  std::string tag = text::Join(option.names, ", ");
  if (option.value_may_lack) return tag + "[=" + option.value + "]";
  return option.value.empty() ? tag : tag + " " + option.value;
}

// Groups in the order of their first option.
std::string OptionsOf(const CommandWords& command) {
  std::vector<std::string> groups;
  for (const OptionWords& option : command.options) {
    bool known = false;
    for (const std::string& group : groups) known = known || group == option.group;
    if (!known) groups.push_back(option.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    if (groups.size() > 1) text += ".PP\n\\fI" + Plain(group) + "\\fR\n";
    for (const OptionWords& option : command.options) {
      if (option.group == group) text += Item(TagOf(option), option.help);
    }
  }
  return text;
}

std::string CommandText(const CommandWords& command) {
  std::string text =
      ".SS " + Plain(command.usage) + "\n" + Plain(command.help) + ".\n" + OptionsOf(command);
  if (!command.footer.empty()) text += ".PP\n" + Literal(command.footer);
  return text;
}

std::string VariablesSection() {
  std::string text;
  for (const options::Option& option : options::kOptions) {
    const std::string flag = option.flag;
    const std::string allowed = options::AllowedText(option);
    text += Item(option.variable, std::string(option.help) + " (" + allowed +
                                      (allowed.empty() ? "" : "; ") +
                                      "default: " + options::DefaultText(option) + ")" +
                                      (flag.empty() ? "" : "; " + options::FlagUsage(option)));
  }
  text += Item("PROF_INJECT", "Path of libprof_inject.so for prof run; \\-\\-inject");
  text += Item("PROF_CUPTI", "Path of libcupti, or its folder");
  return text + Item("NO_COLOR", "When set, no colors on a terminal");
}

}  // namespace

std::string ManPage(const std::vector<CommandWords>& commands) {
  std::ostringstream page;
  page << ".\\\" Made by `prof man`; do not edit.\n"
       << ".TH PROF 1 \"\" \"prof " PROF_VERSION "\" \"User Commands\"\n"
       << Section("NAME") << "prof \\- shows where a CUDA program's time goes\n"
       << Section("SYNOPSIS") << ".B prof\nCOMMAND [options]\n";
  for (const CommandWords& command : commands) {
    if (!command.name.empty()) page << ".br\n" << Plain(command.usage) << "\n";
  }
  page << Section("DESCRIPTION")
       << "prof records a CUDA program from inside: kernels, copies, calls, NVTX ranges and\n"
          "hardware counters. It replays nothing. Its report shows where the time went, what\n"
          "limits each kernel, and what to change.\n"
       << Section("COMMANDS");
  for (const CommandWords& command : commands) {
    if (!command.name.empty()) page << CommandText(command);
  }
  page << Section("ENVIRONMENT")
       << "Each recording option is also a variable, for programs that start without prof run.\n"
       << VariablesSection() << Section("EXIT STATUS")
       << Item("0", "All is well. prof run ends as its program ended.")
       << Item("1", "prof doctor: recording works in part. prof check: a regression.")
       << Item("2", "An error, with a line on stderr.")
       << Item("3", "With --strict: a recording is incomplete. prof check: no decision.")
       << Section("EXAMPLES");
  for (const CommandWords& command : commands) {
    if (command.name.empty()) page << Literal(command.footer);
  }
  return page.str();
}

}  // namespace prof::cli
