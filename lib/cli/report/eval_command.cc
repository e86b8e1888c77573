// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/report/eval_command.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/eval/calibration.h"
#include "lib/eval/describe.h"
#include "lib/eval/describe_timelines.h"
#include "lib/eval/evaluation_json.h"
#include "lib/eval/recorded_timelines.h"
#include "lib/eval/score.h"
#include "lib/eval/zoo.h"
#include "lib/text/numbers.h"

namespace prof::cli {
namespace {

struct EvalOptions {
  std::vector<std::string> folders;
  bool each = false;
  bool json = false;
};

void PrintKernels(const eval::Evaluation& evaluation) {
  for (const eval::Answer& answer : evaluation.answers) {
    const Verdict& verdict = answer.verdict;
    std::cout << (answer.first ? "  right  " : "  miss   ") << eval::NameOf(*answer.labelled)
              << ": " << ToString(verdict.limiter) << " (" << verdict.rule << ", "
              << ToString(verdict.confidence) << ")";
    for (const Action& action : verdict.actions) {
      std::cout << ", " << action.id;
      if (action.gain_at_most) std::cout << " " << *action.gain_at_most;
    }
    for (const prof::Doubt& doubt : verdict.doubts) std::cout << ", doubt " << doubt.id;
    std::cout << '\n';
  }
}

void EvaluateKernels(const std::string& folder, const eval::Zoo& zoo, bool print_each,
                     std::vector<eval::Evaluation>* evaluations) {
  if (zoo.kernels.empty()) return;
  std::cout << folder << ": " << zoo.kernels.size() << " labelled kernels\n\n";
  for (const eval::Form form : {eval::Form::kAll, eval::Form::kDefault}) {
    const eval::Evaluation& evaluation = evaluations->emplace_back(eval::Evaluate(zoo, form));
    std::cout << eval::Describe(evaluation);
    if (print_each) PrintKernels(evaluation);
    std::cout << '\n';
  }
}

void EvaluateTimelines(const std::string& folder, const eval::PlantedTimelines& planted,
                       bool print_each) {
  if (planted.timelines.empty()) return;
  std::cout << folder << ": "
            << text::Plural(static_cast<int64_t>(planted.timelines.size()), "planted timeline",
                            "planted timelines")
            << "\n\n"
            << eval::DescribeTimelines(planted);
  if (print_each) std::cout << "timelines:\n" << eval::ListTimelines(planted);
  std::cout << '\n';
}

int PrintJson(const EvalOptions& options) {
  std::deque<eval::Zoo> zoos;  // the evaluations point into them
  std::vector<eval::Evaluation> evaluations;
  for (const std::string& folder : options.folders) {
    const eval::Zoo& zoo = zoos.emplace_back(eval::ReadZoo(folder));
    if (!zoo.error.empty()) return Fail(zoo.error);
    if (zoo.kernels.empty()) return Fail("'" + folder + "' has no labelled kernels for --json");
    for (const eval::Form form : {eval::Form::kAll, eval::Form::kDefault}) {
      evaluations.push_back(eval::Evaluate(zoo, form));
    }
  }
  std::cout << eval::ToJson(evaluations);
  return 0;
}

int RunEval(const EvalOptions& options) {
  if (options.json) return PrintJson(options);
  std::deque<eval::Zoo> zoos;  // the evaluations point into them
  std::vector<eval::Evaluation> evaluations;
  for (const std::string& folder : options.folders) {
    const eval::Zoo& zoo = zoos.emplace_back(eval::ReadZoo(folder));
    if (!zoo.error.empty()) return Fail(zoo.error);
    const eval::PlantedTimelines planted = eval::ReadTimelines(folder);
    if (!planted.error.empty()) return Fail(planted.error);
    EvaluateKernels(folder, zoo, options.each, &evaluations);
    EvaluateTimelines(folder, planted, options.each);
  }
  if (!evaluations.empty()) std::cout << eval::Describe(eval::Calibrate(evaluations));
  return 0;
}

}  // namespace

Command AddEvalCommand(CLI::App* app) {
  const auto options = std::make_shared<EvalOptions>();
  CLI::App* parser =
      app->add_subcommand("eval", "Compare the answers with kernels and timelines that are known");
  parser->formatter(std::make_shared<HelpFormat>("prof eval [options] DIR..."));
  parser
      ->add_option("DIR", options->folders,
                   "Folders with *.json of labelled kernels and planted timelines")
      ->required()
      ->option_text(" ");
  CLI::Option* const each = parser->add_flag(
      "--kernels", options->each,
      "Print the verdict and the actions of each kernel, the findings of each timeline");
  parser
      ->add_flag("--json", options->json,
                 "Print the evaluation of the kernels as JSON: the counts, and each verdict; "
                 "timelines are not in it")
      ->excludes(each);
  return {parser, [options] { return RunEval(*options); }};
}

}  // namespace prof::cli
