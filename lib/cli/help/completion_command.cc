// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/help/completion_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/help/command_words.h"
#include "lib/cli/help/completion_text.h"
#include "lib/cli/help/man_page.h"

namespace prof::cli {
namespace {

int Print(const std::string& text) { return WriteOutput(text, "") ? 0 : kFailed; }

int PrintCompletion(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return Print(BashCompletion(WordsOf(app)));
  if (shell == "zsh") return Print(ZshCompletion(WordsOf(app)));
  if (shell == "fish") return Print(FishCompletion(WordsOf(app)));
  return Fail("prof completes for bash, zsh and fish, not for '" + shell + "'");
}

constexpr const char* kCompletionFooter =
    "An installation has these files where the shells look for them. Otherwise:\n"
    "  bash   eval \"$(prof completion bash)\" in ~/.bashrc\n"
    "  zsh    eval \"$(prof completion zsh)\" in ~/.zshrc, after compinit\n"
    "  fish   prof completion fish > ~/.config/fish/completions/prof.fish";

}  // namespace

Command AddCompletionCommand(CLI::App* app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* parser = app->add_subcommand("completion", "Print the completion for a shell");
  parser->formatter(std::make_shared<HelpFormat>("prof completion bash|zsh|fish"));
  parser->add_option("SHELL", *shell, "bash, zsh or fish")->required()->option_text(" ");
  parser->footer(kCompletionFooter);
  return {parser, [app, shell] { return PrintCompletion(*app, *shell); }};
}

Command AddManCommand(CLI::App* app) {
  CLI::App* parser = app->add_subcommand("man", "Print the man page, for man -l -");
  parser->formatter(std::make_shared<HelpFormat>("prof man"));
  return {parser, [app] { return Print(ManPage(WordsOf(*app))); }};
}

}  // namespace prof::cli
