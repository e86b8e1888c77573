// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/report/ranks_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/integrity.h"
#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/output_check.h"
#include "lib/cli/base/progress.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/terminal.h"
#include "lib/cli/compare/compare_inputs.h"
#include "lib/ranks/job_json.h"
#include "lib/ranks/job_text.h"
#include "lib/ranks/read_ranks.h"
#include "lib/ranks/stragglers.h"
#include "lib/report/base/strings.h"
#include "lib/snapshot/read/reader.h"

namespace prof::cli {
namespace {

struct RanksFlags {
  std::vector<std::string> paths;
  std::string output;
  bool json = false, strict = false;
};

// The ranks of `file`. Sets `problem` where it cannot be read.
std::vector<ranks::Rank> ReadFile(const std::string& file, bool* is_complete,
                                  std::string* problem) {
  const Progress progress("reading " + file);
  const Snapshot snapshot = OpenRecording(file, problem);
  if (!problem->empty()) return {};
  const absl::StatusOr<model::Model> model = ReadSnapshot(snapshot);
  if (!model.ok()) {
    *problem = "cannot read " + (snapshot.path().empty() ? file + ": " : "") +
               std::string(model.status().message());
    return {};
  }
  const std::string incomplete = analyzer::WhyIncomplete(*model);
  WarnIfIncomplete(file, incomplete);
  *is_complete = *is_complete && incomplete.empty();
  return ranks::ReadRanks(*model, file);
}

int RunRanks(const RanksFlags& flags) {
  std::string problem = OutputProblem("-o", flags.output, flags.paths);
  if (!problem.empty()) return Fail(problem);
  const std::vector<std::string> files = RecordingsOf(flags.paths, &problem);
  if (!problem.empty()) return Fail(problem);
  std::vector<ranks::Rank> all;
  std::vector<std::string> without;
  bool are_complete = true;
  for (const std::string& file : files) {  // one at a time: only the ranks stay in memory
    std::vector<ranks::Rank> of_file = ReadFile(file, &are_complete, &problem);
    if (!problem.empty()) return Fail(problem);
    if (of_file.empty()) without.push_back(file);
    for (ranks::Rank& rank : of_file) all.push_back(std::move(rank));
  }
  ranks::Job job = ranks::FindStragglers(std::move(all));
  if (!job.problem.empty()) return Fail(report::Printable(job.problem));
  for (const std::string& file : without) {
    job.notes.push_back(file + " has no collective of NCCL: it is left out.");
  }
  std::ostringstream out;
  if (flags.json) {
    WriteJobJson(out, job);
  } else {
    WriteJobText(out, job, flags.output.empty() ? OptionsFor(STDOUT_FILENO).width : 120);
  }
  if (!WriteOutput(out.str(), flags.output)) return kFailed;
  return flags.strict && !are_complete ? kIncomplete : 0;
}

}  // namespace

Command AddRanksCommand(CLI::App* app) {
  const auto flags = std::make_shared<RanksFlags>();
  CLI::App* parser =
      app->add_subcommand("ranks", "Say which rank of a job the others wait for, and why");
  parser->formatter(std::make_shared<HelpFormat>("prof ranks [options] FILE|DIR..."));
  parser
      ->add_option("FILE", flags->paths,
                   "Recordings (.prof) of ranks that share a communicator, or folders of them")
      ->required()
      ->option_text(" ");
  parser->add_flag("--json", flags->json, "Print it as JSON");
  parser
      ->add_option("-o,--output", flags->output,
                   "File to write; - is standard output (default: standard output)")
      ->type_name("FILE");
  parser->add_flag("--strict", flags->strict,
                   "Exit with status 3 when a recording is damaged, was not stopped in order, or "
                   "has something behind its end (otherwise: a warning)");
  return {parser, [flags] { return RunRanks(*flags); }};
}

}  // namespace prof::cli
