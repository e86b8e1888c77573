// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/compare/compare_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/html_output.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/output_check.h"
#include "lib/cli/base/progress.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/terminal.h"
#include "lib/cli/compare/compare_inputs.h"
#include "lib/cli/compare/compare_options.h"
#include "prof/compare.h"

namespace prof::cli {
namespace {

struct CompareFlags {
  std::vector<std::string> pair, before, after;
  std::string noise, output, html;
  ComparePercents percents;
  CompareOptions compare;
  bool json = false, all = false, strict = false;
};

constexpr const char* kUsage =
    "give two recordings or folders (prof compare BEFORE AFTER), or several runs of each side "
    "(prof compare --before A1 A2 --after B1 B2)";

// Takes the sides from either form; false after a message.
bool TakeSides(CompareFlags* options) {
  const bool are_named = !options->before.empty() && !options->after.empty();
  if (options->pair.size() == 2 && options->before.empty() && options->after.empty()) {
    options->before = {options->pair[0]};
    options->after = {options->pair[1]};
    return true;
  }
  if (are_named && options->pair.empty()) return true;
  Fail(kUsage);
  return false;
}

// The noise of equal runs, from a baseline of the same device and driver, goes to `runs`.
bool TakeNoise(const std::string& path, RunSet* runs) {
  if (path.empty() || !runs->error.empty()) return true;
  const Baseline baseline = LoadBaseline(path);
  if (!baseline.error.empty()) {
    Fail(baseline.error);
    return false;
  }
  const RunSet* const known = baseline.Find(runs->devices, runs->driver);
  if (known == nullptr) {
    Fail(path + " has no runs on " + runs->devices + " with driver " + runs->driver +
         ": prof noise --store " + path + " RECORDING... adds them");
    return false;
  }
  Baseline kept;
  kept.sets.push_back(*known);
  kept.Update(std::move(*runs));
  *runs = std::move(kept.sets.front());
  return true;
}

// Why the files to write do not fit the others; empty: they do.
std::string OutputsProblem(const CompareFlags& options) {
  if (!options.html.empty() && (options.json || options.all || !options.output.empty())) {
    return "--html writes a page of its own to its own file: leave out --json, --all and --output";
  }
  std::vector<std::string> inputs = options.before;
  inputs.insert(inputs.end(), options.after.begin(), options.after.end());
  inputs.push_back(options.noise);
  const std::string problem = OutputProblem("-o", options.output, inputs);
  return problem.empty() ? OutputProblem("--html", options.html, inputs) : problem;
}

int RunCompare(CompareFlags options) {
  if (!TakeSides(&options)) return kFailed;
  const std::string problem = OutputsProblem(options);
  if (!problem.empty()) return Fail(problem);
  bool all_complete = true;
  RunSet before = CollectRuns(options.before, &all_complete);
  const RunSet after = CollectRuns(options.after, &all_complete);
  if (!TakeNoise(options.noise, &before)) return kFailed;
  const Comparison comparison = [&] {
    const Progress progress("comparing");
    return Compare(before, after, WithPercents(options.compare, options.percents));
  }();
  if (!comparison.error.empty()) return Fail(comparison.error);
  const int status = options.strict && !all_complete ? kIncomplete : 0;
  if (!options.html.empty()) {
    return WriteComparisonFile(options.html, comparison) ? status : kFailed;
  }
  std::ostringstream out;
  if (options.json) {
    WriteComparisonJson(out, comparison);
  } else {
    const int width = options.output.empty() ? OptionsFor(STDOUT_FILENO).width : 120;
    WriteComparison(out, comparison, width, options.all);
  }
  return WriteOutput(out.str(), options.output) ? status : kFailed;
}

}  // namespace

Command AddCompareCommand(CLI::App* app) {
  const auto options = std::make_shared<CompareFlags>();
  CLI::App* parser =
      app->add_subcommand("compare", "Compare runs before a change with runs after it");
  parser->formatter(
      std::make_shared<HelpFormat>("prof compare [options] BEFORE AFTER\n"
                                   "       prof compare [options] --before A... --after B..."));
  parser->add_option("SIDES", options->pair, "A recording (.prof), or a folder of them, each side")
      ->expected(0, 2)
      ->option_text(" ");
  parser
      ->add_option("--before", options->before,
                   "Recordings and folders of the runs before the change: each process is one "
                   "observation")
      ->expected(1, 100'000)
      ->type_name("FILE...");
  parser
      ->add_option("--after", options->after, "Recordings and folders of the runs after the change")
      ->expected(1, 100'000)
      ->type_name("FILE...");
  parser
      ->add_option("--noise", options->noise,
                   "Baseline with the noise of each kernel (prof noise, prof baseline)")
      ->type_name("FILE");
  AddCompareOptions(parser, &options->percents, &options->compare);
  parser->add_flag("--across", options->compare.across,
                   "Compare runs of different devices or drivers");
  parser->add_flag("--all", options->all, "Show kernels that are the same, too");
  parser->add_flag("--json", options->json, "Print everything as JSON");
  parser
      ->add_option("--html", options->html,
                   "Write the comparison to FILE: one file for a browser, with a page for each "
                   "kernel")
      ->type_name("FILE");
  parser->add_option("-o,--output", options->output, "File to write (default: standard output)")
      ->type_name("FILE");
  parser->add_flag("--strict", options->strict,
                   "Exit with status 3 when a recording is damaged, was not stopped in order, or "
                   "has something behind its end (otherwise: a warning)");
  return {parser, [options] { return RunCompare(*options); }};
}

}  // namespace prof::cli
