// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/report/info_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>

#include "lib/analyzer/base/integrity.h"
#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/progress.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/terminal.h"
#include "lib/report/info.h"
#include "lib/snapshot/read/reader.h"

namespace prof::cli {
namespace {

struct InfoOptions {
  std::string file;
  bool strict = false;
};

int RunInfo(const InfoOptions& options) {
  std::string problem;
  const Snapshot snapshot = [&] {
    const Progress progress("reading " + options.file);
    return OpenRecording(options.file, &problem);
  }();
  if (!problem.empty()) return Fail(problem);
  const absl::StatusOr<model::Model> model = [&] {
    const Progress progress("reading " + options.file);
    return ReadSnapshot(snapshot);
  }();
  if (!model.ok()) {
    return Fail("cannot read " + (snapshot.path().empty() ? options.file + ": " : "") +
                std::string(model.status().message()));
  }
  const std::string incomplete = analyzer::WhyIncomplete(*model);
  WarnIfIncomplete(options.file, incomplete);
  struct stat state {};
  stat(snapshot.path().c_str(), &state);
  const uint64_t bytes =
      snapshot.path().empty() ? snapshot.bytes().size() : static_cast<uint64_t>(state.st_size);
  std::ostringstream out;
  WriteInfo(out, *model, bytes, OptionsFor(STDOUT_FILENO));
  if (!WriteOutput(out.str(), "")) return kFailed;
  return options.strict && !incomplete.empty() ? kIncomplete : 0;
}

}  // namespace

Command AddInfoCommand(CLI::App* app) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* parser = app->add_subcommand("info", "Print what a recording holds, without analysis");
  parser->formatter(std::make_shared<HelpFormat>("prof info [options] FILE"));
  parser->add_option("FILE", options->file, "Recording (.prof); - is standard input")
      ->required()
      ->option_text(" ");
  parser->add_flag("--strict", options->strict,
                   "Exit with status 3 when the recording is damaged, was not stopped in order, or "
                   "has something behind its end (otherwise: a warning)");
  return {parser, [options] { return RunInfo(*options); }};
}

}  // namespace prof::cli
