// SPDX-License-Identifier: Apache-2.0
//
// The program `prof`: its commands, and the words that all of them understand.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/suggestion.h"
#include "lib/cli/compare/baseline_command.h"
#include "lib/cli/compare/check_command.h"
#include "lib/cli/compare/compare_command.h"
#include "lib/cli/compare/noise_command.h"
#include "lib/cli/doctor/doctor_command.h"
#include "lib/cli/help/completion_command.h"
#include "lib/cli/metrics/metrics_command.h"
#include "lib/cli/report/eval_command.h"
#include "lib/cli/report/export_command.h"
#include "lib/cli/report/info_command.h"
#include "lib/cli/report/ranks_command.h"
#include "lib/cli/report/report_command.h"
#include "lib/cli/run/ctl_command.h"
#include "lib/cli/run/run_command.h"

namespace prof::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  prof run -o app.prof -- ./app          record a program\n"
    "  prof run --report -- python train.py   record it, then print the report\n"
    "  prof report app.prof                   where the time went, and what to change\n"
    "  prof report app.prof --kernel gemm     everything about some kernels\n"
    "  prof compare before.prof after.prof    what became slower, and why\n"
    "  prof ranks folder/                     which rank of a job the others wait for, and why\n"
    "  prof export app.prof --to perfetto     a trace for ui.perfetto.dev\n"
    "  prof metrics                           what counters can measure, and what they cost\n"
    "  prof doctor                            what can be recorded here, and what to fix\n"
    "\n"
    "prof COMMAND --help explains a command, and man prof all of them.";

// "help run" is "run --help". A word behind it that is no command is named as one would be.
void TranslateHelp(std::vector<std::string>* arguments) {
  if (arguments->empty() || arguments->front() != "help") return;
  arguments->erase(arguments->begin());
  arguments->emplace_back("--help");
}

std::vector<std::string> NamesOf(const std::vector<Command>& commands) {
  std::vector<std::string> names{"help"};
  for (const Command& command : commands) names.push_back(command.parser->get_name());
  return names;
}

// For an option that is none: the nearest one of the command. Empty: none is near.
std::string NearestOption(const CLI::App& app, const std::vector<Command>& commands) {
  const CLI::App* parser = &app;
  for (const Command& command : commands) {
    if (command.parser->parsed()) parser = command.parser;
  }
  for (const std::string& word : parser->remaining(true)) {
    std::string suggestion = DidYouMeanOption(word, *parser);
    if (!suggestion.empty()) return suggestion;
  }
  return "";
}

bool IsCommand(const std::string& word, const std::vector<Command>& commands) {
  return std::any_of(commands.begin(), commands.end(),
                     [&](const Command& command) { return command.parser->get_name() == word; });
}

int Main(std::vector<std::string> arguments) {
  CLI::App app("prof shows where a CUDA program's time goes, what limits it, and what to change.",
               "prof");
  app.set_version_flag("--version", "prof " PROF_VERSION);
  app.formatter(std::make_shared<HelpFormat>("prof COMMAND [options]"));
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("prof: ") + error.what() + "\nprof COMMAND --help lists the options\n";
  });
  TranslateHelp(&arguments);
  std::vector<std::string> program = TakeProgram(&arguments);
  const std::vector<Command> commands = {AddRunCommand(&app, std::move(program)),
                                         AddReportCommand(&app),
                                         AddExportCommand(&app),
                                         AddRanksCommand(&app),
                                         AddInfoCommand(&app),
                                         AddMetricsCommand(&app),
                                         AddCompareCommand(&app),
                                         AddCheckCommand(&app),
                                         AddBaselineCommand(&app),
                                         AddNoiseCommand(&app),
                                         AddEvalCommand(&app),
                                         AddCtlCommand(&app),
                                         AddDoctorCommand(&app),
                                         AddCompletionCommand(&app),
                                         AddManCommand(&app)};
  for (const Command& command : commands) command.parser->group("Commands");
  app.footer(kExamples);
  if (arguments.empty()) {
    std::cerr << app.help();
    return kFailed;
  }
  const std::string& first = arguments.front();
  if (first.rfind('-', 0) != 0 && !IsCommand(first, commands)) {
    const std::string suggestion = DidYouMean(first, NamesOf(commands));
    return Fail("there is no command '" + first + "'" + (suggestion.empty() ? "." : suggestion) +
                " prof --help lists the commands");
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(arguments);
  } catch (const CLI::ExtrasError& error) {
    return Fail(error.what() + NearestOption(app, commands) +
                "\nprof COMMAND --help lists the options");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kFailed;
  }
  for (const Command& command : commands) {
    if (command.parser->parsed()) return command.run();
  }
  return Fail("no command. prof --help lists the commands");
}

}  // namespace
}  // namespace prof::cli

int main(int argc, char** argv) {
  try {
    return prof::cli::Main(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    return prof::cli::Fail(error.what());
  }
}
