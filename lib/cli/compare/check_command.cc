// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/compare/check_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/output_check.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/suggestion.h"
#include "lib/cli/base/terminal.h"
#include "lib/cli/compare/compare_inputs.h"
#include "lib/cli/compare/compare_options.h"
#include "lib/compare/check.h"
#include "prof/compare.h"

namespace prof::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> recordings;
  std::string baseline, junit;
  std::string fail_on = "time";
  ComparePercents percents;
  CompareOptions compare;
  bool github = false, all = false, allow_inconclusive = false;
};

// The comparison; its error is for the user where the baseline has nothing of this device.
Comparison CompareWith(const Baseline& baseline, const RunSet& after, const CheckOptions& options) {
  const RunSet* const before = baseline.Find(after.devices, after.driver);
  if (before != nullptr) {
    return Compare(*before, after, WithPercents(options.compare, options.percents));
  }
  Comparison comparison;
  comparison.error = options.baseline + " has no runs on " + after.devices + " with driver " +
                     after.driver + ": prof baseline update " + options.baseline +
                     " RECORDING... adds them";
  return comparison;
}

compare::FailOn FailOnOf(const std::string& word) { return {word != "work", word != "time"}; }

int RunCheck(const CheckOptions& options) {
  std::vector<std::string> inputs = options.recordings;
  inputs.push_back(options.baseline);
  const std::string problem = OutputProblem("--junit", options.junit, inputs);
  if (!problem.empty()) return Fail(problem);
  const compare::FailOn fail_on = FailOnOf(options.fail_on);
  const Baseline baseline = LoadBaseline(options.baseline);
  if (!baseline.error.empty()) return Fail(baseline.error);
  const RunSet after = CollectRuns(options.recordings);
  if (!after.error.empty()) return Fail(after.error);
  const Comparison comparison = CompareWith(baseline, after, options);
  if (!options.junit.empty()) {
    std::ostringstream junit;
    compare::WriteJunit(junit, comparison, fail_on);
    if (!ReplaceFile(options.junit, junit.str())) return kFailed;
  }
  std::ostringstream out;
  if (options.github) compare::WriteGithub(out, comparison, fail_on);
  if (comparison.error.empty()) {
    WriteComparison(out, comparison, OptionsFor(STDOUT_FILENO).width, options.all);
  } else {
    Fail(comparison.error);
  }
  if (!WriteOutput(out.str(), "")) return kFailed;
  const int status = compare::StatusOf(comparison, fail_on);
  return status == compare::kOpen && options.allow_inconclusive ? compare::kFine : status;
}

}  // namespace

Command AddCheckCommand(CLI::App* app) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* parser = app->add_subcommand("check", "Compare runs with a baseline, for CI");
  parser->formatter(
      std::make_shared<HelpFormat>("prof check [options] --baseline FILE RECORDING..."));
  parser
      ->add_option("RECORDING", options->recordings,
                   "Recordings (.prof) and folders of the runs to check")
      ->required()
      ->option_text(" ");
  parser->add_option("--baseline", options->baseline, "The baseline (prof baseline write)")
      ->required()
      ->type_name("FILE");
  AddCompareOptions(parser, &options->percents, &options->compare);
  parser->add_option("--junit", options->junit, "Write the result as JUnit XML, too")
      ->type_name("FILE");
  parser->add_flag("--github", options->github, "Print annotations for GitHub's workflows, too");
  parser
      ->add_option("--fail-on", options->fail_on,
                   "What fails: time (default): a kernel or a time of the run is slower; work: a "
                   "kernel does more work by its exact counters, whatever its time; any: both")
      ->check(OneOf({"time", "work", "any"}))
      ->type_name("WHAT");
  parser->add_flag("--allow-inconclusive", options->allow_inconclusive,
                   "Exit with status 0, not 3, when nothing fails but not all is decided");
  parser->add_flag("--all", options->all, "Show kernels that are the same, too");
  parser->footer(
      "Exit status: 0 nothing fails, 1 something is slower (or does more work: --fail-on), 2 "
      "wrong\n"
      "options or unreadable files, 3 not enough runs to decide, or work that was not measured.");
  return {parser, [options] { return RunCheck(*options); }};
}

}  // namespace prof::cli
