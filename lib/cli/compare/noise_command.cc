// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/compare/noise_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/output_check.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/terminal.h"
#include "lib/cli/compare/compare_inputs.h"
#include "lib/compare/baseline.h"
#include "prof/compare.h"

namespace prof::cli {
namespace {

struct NoiseOptions {
  std::vector<std::string> files;
  std::string store;
  int top = 40;
};

constexpr int64_t kFewest = 3;  // SetNoise() needs as many

// Puts the runs and their noise into the baseline, which may not exist yet.
bool Store(const std::string& path, RunSet runs) {
  Baseline baseline;
  if (std::filesystem::exists(path)) baseline = LoadBaseline(path);
  if (!baseline.error.empty()) {
    Fail(baseline.error);
    return false;
  }
  baseline.Update(std::move(runs));
  std::ostringstream text;
  WriteBaseline(text, baseline);
  return ReplaceFile(path, text.str());
}

int RunNoise(const NoiseOptions& options) {
  const std::string problem = OutputProblem("--store", options.store, options.files);
  if (!problem.empty()) return Fail(problem);
  RunSet runs = CollectEqualRuns(options.files);
  if (!runs.error.empty()) return Fail(runs.error);
  if (runs.runs < kFewest) {
    return Fail("noise needs " + std::to_string(kFewest) +
                " runs of the same program or more; these are " + std::to_string(runs.runs));
  }
  SetNoise(&runs);
  Baseline shown;
  shown.sets.push_back(runs);
  std::ostringstream out;
  compare::WriteBaselineText(out, shown, OptionsFor(STDOUT_FILENO).width, options.top);
  if (!WriteOutput(out.str(), "")) return kFailed;
  return options.store.empty() || Store(options.store, std::move(runs)) ? 0 : kFailed;
}

}  // namespace

Command AddNoiseCommand(CLI::App* app) {
  const auto options = std::make_shared<NoiseOptions>();
  CLI::App* parser = app->add_subcommand("noise", "Measure what equal runs of a program differ by");
  parser->formatter(std::make_shared<HelpFormat>("prof noise [options] FILE..."));
  parser
      ->add_option("FILE", options->files,
                   "Recordings (.prof) and folders of runs that should be equal, three or more")
      ->required()
      ->option_text(" ");
  parser
      ->add_option("--store", options->store,
                   "Baseline to put the runs and their noise into; made where it does not exist")
      ->type_name("FILE");
  parser->add_option("--top", options->top, "Kernels to show (default: 40)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  return {parser, [options] { return RunNoise(*options); }};
}

}  // namespace prof::cli
