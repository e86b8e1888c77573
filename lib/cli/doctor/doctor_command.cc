// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/doctor/doctor_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "lib/cli/base/environment.h"
#include "lib/cli/base/help_format.h"
#include "lib/cli/base/inject_library.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/terminal.h"
#include "lib/cli/doctor/doctor_checks.h"
#include "lib/cli/doctor/doctor_facts.h"
#include "lib/report/base/strings.h"
#include "lib/text/strings.h"

namespace prof::cli {
namespace {

constexpr int kLimitedStatus = 1;
constexpr size_t kSubjectColumns = 26, kHealthColumns = 9;

const char* HealthName(Health health) {
  return health == Health::kGood ? "ok" : health == Health::kLimited ? "limited" : "missing";
}

std::string PadRight(std::string text, size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

std::string Line(const Check& check, int width) {
  const std::string indent(kHealthColumns + kSubjectColumns, ' ');
  const int room = width - static_cast<int>(indent.size());
  std::string text = PadRight(HealthName(check.health), kHealthColumns) +
                     PadRight(check.subject, kSubjectColumns) +
                     text::Join(report::Wrap(check.finding, room), "\n" + indent) + "\n";
  if (check.fix.empty()) return text;
  return text + indent + text::Join(report::Wrap("to get it: " + check.fix, room), "\n" + indent) +
         "\n";
}

DoctorFacts Facts() {
  DoctorFacts facts;
  ReadFiles("", &facts);
  const Environment environment;
  ReadVariables([&](const std::string& name) { return environment.Get(name); }, &facts);
  AskLibraries(&facts);
  facts.inject =
      FindInjectLibrary(environment.Get("PROF_INJECT").value_or(""), &facts.inject_error);
  std::error_code failed;
  facts.folder = std::filesystem::current_path(failed).string();
  facts.folder_writable = access(".", W_OK) == 0;
  return facts;
}

int RunDoctor() {
  const DoctorFacts facts = Facts();
  const std::vector<Check> checks = ChecksOf(facts), parts = ExpectedParts(facts);
  const int width = OptionsFor(STDOUT_FILENO).width;
  std::string text;
  for (const Check& check : checks) text += Line(check, width);
  text += "\nWhat will work:\n";
  for (const Check& part : parts) text += Line(part, width);
  if (!WriteOutput(text, "")) return kFailed;
  switch (std::max(WorstOf(parts), WorstOf(checks))) {
    case Health::kGood:
      return 0;
    case Health::kLimited:
      return kLimitedStatus;
    case Health::kBad:
      return kFailed;
  }
  return kFailed;
}

constexpr const char* kDoctorFooter =
    "The exit status is 0 when all of it works, 1 when a recording lacks something, and 2 when\n"
    "nothing can be recorded here. It runs nothing on a GPU.";

}  // namespace

Command AddDoctorCommand(CLI::App* app) {
  CLI::App* parser =
      app->add_subcommand("doctor", "Print what can be recorded on this machine, and what to fix");
  parser->formatter(std::make_shared<HelpFormat>("prof doctor"));
  parser->footer(kDoctorFooter);
  return {parser, [] { return RunDoctor(); }};
}

}  // namespace prof::cli
