// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/info_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>

#include "lib/cli/help_format.h"
#include "lib/cli/message.h"
#include "lib/cli/recording_file.h"
#include "lib/cli/terminal.h"
#include "lib/report/info.h"
#include "lib/snapshot/read/reader.h"

namespace prof::cli {
namespace {

int Run(const std::string& file) {
  const std::string problem = ReadProblem(file);
  if (!problem.empty()) return Fail(problem);
  const absl::StatusOr<model::Model> model = ReadSnapshotFile(file);
  if (!model.ok()) return Fail("cannot read " + std::string(model.status().message()));
  struct stat state {};
  stat(file.c_str(), &state);
  std::ostringstream out;
  WriteInfo(out, *model, static_cast<uint64_t>(state.st_size), OptionsFor(STDOUT_FILENO));
  return WriteOutput(out.str(), "") ? 0 : kFailed;
}

}  // namespace

Command AddInfoCommand(CLI::App* app) {
  const auto file = std::make_shared<std::string>();
  CLI::App* parser = app->add_subcommand("info", "Print what a recording holds, without analysis");
  parser->formatter(std::make_shared<HelpFormat>("prof info FILE"));
  parser->add_option("FILE", *file, "Recording (.prof)")->required()->option_text(" ");
  return {parser, [file] { return Run(*file); }};
}

}  // namespace prof::cli
