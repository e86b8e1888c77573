// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/report/eval_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/eval/describe.h"
#include "lib/eval/score.h"
#include "lib/eval/zoo.h"

namespace prof::cli {
namespace {

struct EvalOptions {
  std::string folder;
  bool kernels = false;
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
    std::cout << '\n';
  }
}

int RunEval(const EvalOptions& options) {
  const eval::Zoo zoo = eval::ReadZoo(options.folder);
  if (!zoo.error.empty()) return Fail(zoo.error);
  std::cout << zoo.kernels.size() << " labelled kernels\n";
  for (const eval::Form form : {eval::Form::kAll, eval::Form::kDefault}) {
    const eval::Evaluation evaluation = eval::Evaluate(zoo, form);
    std::cout << '\n' << eval::Describe(evaluation);
    if (options.kernels) PrintKernels(evaluation);
  }
  return 0;
}

}  // namespace

Command AddEvalCommand(CLI::App* app) {
  const auto options = std::make_shared<EvalOptions>();
  CLI::App* parser =
      app->add_subcommand("eval", "Compare the verdicts with kernels whose limit is known");
  parser->formatter(std::make_shared<HelpFormat>("prof eval [options] DIR"));
  parser->add_option("DIR", options->folder, "Folder with *.json of labelled kernels")
      ->required()
      ->option_text(" ");
  parser->add_flag("--kernels", options->kernels, "Print the verdict and the actions of each one");
  return {parser, [options] { return RunEval(*options); }};
}

}  // namespace prof::cli
