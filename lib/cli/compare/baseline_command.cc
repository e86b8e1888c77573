// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/compare/baseline_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
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
#include "lib/compare/program.h"
#include "prof/compare.h"

namespace prof::cli {
namespace {

struct BaselineOptions {
  std::string file;
  std::vector<std::string> recordings;
  int top = 40;
};

// A file of something else must not be lost: only a baseline is replaced.
bool WriteOrUpdate(const BaselineOptions& options, bool is_update) {
  const std::string problem = OutputProblem("the baseline", options.file, options.recordings);
  if (!problem.empty()) {
    Fail(problem);
    return false;
  }
  Baseline baseline;
  if (std::filesystem::exists(options.file)) {
    baseline = LoadBaseline(options.file);
    if (!baseline.error.empty()) {
      Fail(baseline.error + ". It is left as it is");
      return false;
    }
  } else if (is_update) {
    Fail("there is no " + options.file + ": prof baseline write makes it");
    return false;
  }
  if (!is_update) baseline.sets.clear();
  RunSet runs = CollectEqualRuns(options.recordings);
  if (!runs.error.empty()) {
    Fail(runs.error);
    return false;
  }
  const RunSet* const stored = baseline.Find(runs.devices, runs.driver);
  if (stored != nullptr) {
    const std::string other = compare::WhyOtherProgram({stored->command, runs.command});
    if (!other.empty()) {
      Fail(options.file + " has another program on this device: " + other +
           ". Give this program a baseline of its own: prof baseline write");
      return false;
    }
  }
  SetNoise(&runs);
  const int64_t count = runs.runs;
  baseline.Update(std::move(runs));
  std::ostringstream text;
  WriteBaseline(text, baseline);
  if (!ReplaceFile(options.file, text.str())) return false;
  std::cerr << "prof: wrote " << options.file << " (" << count
            << (count == 1 ? " run)\n" : " runs)\n");
  return true;
}

int Show(const BaselineOptions& options) {
  const Baseline baseline = LoadBaseline(options.file);
  if (!baseline.error.empty()) return Fail(baseline.error);
  std::ostringstream out;
  compare::WriteBaselineText(out, baseline, OptionsFor(STDOUT_FILENO).width, options.top);
  return WriteOutput(out.str(), "") ? 0 : kFailed;
}

CLI::App* AddPart(CLI::App* parent, const char* name, const char* usage, const char* what,
                  BaselineOptions* options) {
  CLI::App* part = parent->add_subcommand(name, what);
  part->formatter(std::make_shared<HelpFormat>(usage));
  part->add_option("BASELINE", options->file, "The baseline (JSON)")->required()->option_text(" ");
  return part;
}

void AddRecordings(CLI::App* part, BaselineOptions* options) {
  part->add_option("RECORDING", options->recordings, "Recordings (.prof) and folders of equal runs")
      ->required()
      ->option_text(" ");
}

}  // namespace

Command AddBaselineCommand(CLI::App* app) {
  const auto options = std::make_shared<BaselineOptions>();
  CLI::App* parser = app->add_subcommand("baseline", "Keep runs that later ones are compared with");
  parser->formatter(
      std::make_shared<HelpFormat>("prof baseline write|update BASELINE RECORDING...\n"
                                   "       prof baseline show BASELINE"));
  parser->require_subcommand(1);
  CLI::App* write = AddPart(parser, "write", "prof baseline write BASELINE RECORDING...",
                            "Write a baseline of these runs alone", options.get());
  CLI::App* update =
      AddPart(parser, "update", "prof baseline update BASELINE RECORDING...",
              "Replace the runs of the same device and driver, and keep the others", options.get());
  CLI::App* show = AddPart(parser, "show", "prof baseline show [options] BASELINE",
                           "Print the runs with their noise", options.get());
  AddRecordings(write, options.get());
  AddRecordings(update, options.get());
  show->add_option("--top", options->top, "Kernels to show (default: 40)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  return {parser, [options, update, show] {
            if (show->parsed()) return Show(*options);
            return WriteOrUpdate(*options, update->parsed()) ? 0 : kFailed;
          }};
}

}  // namespace prof::cli
