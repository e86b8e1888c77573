// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/help/completion_text.h"

#include "lib/text/strings.h"

namespace prof::cli {
namespace {

constexpr const char* kMade = "# Made by `prof completion`; do not edit.\n";

// The first sentence part of a help: a list of candidates has one line for each.
std::string Short(const std::string& help) {
  const size_t end = help.find_first_of(";(");
  std::string text = help.substr(0, end);
  while (!text.empty() && (text.back() == ' ' || text.back() == ':')) text.pop_back();
  return text;
}

// For a word in single quotes.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string NamesOfCommands(const std::vector<CommandWords>& commands) {
  std::string names = "help";
  for (const CommandWords& command : commands) {
    if (!command.name.empty()) names += " " + command.name;
  }
  return names;
}

std::string FlagsOf(const CommandWords& command) {
  std::vector<std::string> flags;
  for (const OptionWords& option : command.options) {
    if (option.is_argument) continue;
    for (const std::string& name : option.names) flags.push_back(name);
  }
  return text::Join(flags, " ");
}

std::string BashValues(const CommandWords& command) {
  std::string cases;
  for (const OptionWords& option : command.options) {
    if (option.values.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) {
      patterns.push_back("'" + command.name + " " + name + "'");
    }
    cases += "    " + text::Join(patterns, "|") + ") words='" + text::Join(option.values, " ") +
             "' ;;\n";
  }
  return cases;
}

// For _arguments, which gives brackets and colons a meaning.
std::string ZshText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ZshAction(const OptionWords& option) {
  if (option.values.empty()) return "_files";
  return "(" + text::Join(option.values, " ") + ")";
}

std::string ZshOption(const OptionWords& option, const std::string& name) {
  std::string spec = name;
  if (option.value_may_lack) spec += "=-";
  spec += "[" + ZshText(Short(option.help)) + "]";
  if (!option.value.empty()) {
    spec += (option.value_may_lack ? "::" : ":") + ZshText(option.value) + ":" + ZshAction(option);
  }
  return "        " + Quoted(spec);
}

std::string ZshCommand(const CommandWords& command) {
  std::vector<std::string> specs;
  for (const OptionWords& option : command.options) {
    if (option.is_argument) continue;
    for (const std::string& name : option.names) specs.push_back(ZshOption(option, name));
  }
  specs.emplace_back(command.name == "run" ? "        '*::program:_normal'"
                                           : "        '*:file:_files'");
  return "    " + command.name + ")\n      _arguments -s \\\n" + text::Join(specs, " \\\n") +
         "\n      ;;\n";
}

std::string FishOption(const CommandWords& command, const OptionWords& option) {
  std::string line = "complete -c prof -n ";
  line += command.name.empty() ? "__fish_use_subcommand"
                               : "'__fish_seen_subcommand_from " + command.name + "'";
  for (const std::string& name : option.names) {
    line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value.empty() && !option.value_may_lack)
    line += option.values.empty() ? " -r" : " -x";
  if (!option.values.empty()) line += " -a " + Quoted(text::Join(option.values, " "));
  return line + " -d " + Quoted(Short(option.help)) + "\n";
}

}  // namespace

std::string BashCompletion(const std::vector<CommandWords>& commands) {
  std::string flags, values;
  for (const CommandWords& command : commands) {
    flags += "    " + (command.name.empty() ? "'' | help" : command.name) + ") words='" +
             FlagsOf(command) + "' ;;\n";
    values += BashValues(command);
  }
  return std::string(kMade) +
         "_prof() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command=${COMP_WORDS[1]} words='' i\n"
         "  COMPREPLY=()\n"
         "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "    [[ $command == run && ${COMP_WORDS[i]} == -- ]] || continue\n"
         "    if declare -F _command_offset >/dev/null; then\n"
         "      _command_offset $((i + 1))\n"
         "    elif ((i + 1 == COMP_CWORD)); then\n"
         "      COMPREPLY=($(compgen -c -- \"$current\"))\n"
         "    fi\n"
         "    return\n"
         "  done\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    command='' words='" +
         NamesOfCommands(commands) +
         "'\n"
         "  elif [[ $command == help ]]; then\n"
         "    words='" +
         NamesOfCommands(commands) +
         "'\n"
         "  fi\n"
         "  case \"$command $before\" in\n" +
         values +
         "  esac\n"
         "  if [[ $current == -* ]]; then\n"
         "    case $command in\n" +
         flags +
         "    esac\n"
         "  fi\n"
         "  if [[ -n $words ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\")); fi\n"
         "}\n"
         "complete -o default -o bashdefault -F _prof prof\n";
}

std::string ZshCompletion(const std::vector<CommandWords>& commands) {
  std::string names, cases;
  for (const CommandWords& command : commands) {
    if (command.name.empty()) continue;
    names += "    " + Quoted(ZshText(command.name) + ":" + ZshText(command.help)) + "\n";
    cases += ZshCommand(command);
  }
  return "#compdef prof\n" + std::string(kMade) +
         "_prof() {\n"
         "  local -a commands=(\n"
         "    'help:Explain a command'\n" +
         names +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case $command in\n"
         "    help) _describe command commands ;;\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _prof ]]; then _prof \"$@\"; else compdef _prof prof; fi\n";
}

std::string FishCompletion(const std::vector<CommandWords>& commands) {
  std::string lines =
      std::string(kMade) +
      "complete -c prof -n __fish_use_subcommand -x -a help -d 'Explain a command'\n";
  for (const CommandWords& command : commands) {
    if (!command.name.empty()) {
      lines += "complete -c prof -n __fish_use_subcommand -x -a " + command.name + " -d " +
               Quoted(command.help) + "\n";
    }
    for (const OptionWords& option : command.options) {
      if (!option.is_argument) lines += FishOption(command, option);
    }
  }
  return lines;
}

}  // namespace prof::cli
