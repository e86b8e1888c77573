// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/report_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/cli/help_format.h"
#include "lib/cli/message.h"
#include "lib/cli/progress.h"
#include "lib/cli/recording_file.h"
#include "lib/cli/terminal.h"
#include "lib/report/csv.h"
#include "lib/report/json.h"
#include "lib/report/text/kernel_detail.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  bool json = false;
  bool csv = false;
  std::string kernel;  // not empty: everything about the kernels whose name contains it
  int top = 20;        // ranges and kernels shown
  std::string output;  // empty: stdout
  bool strict = false;
};

enum class Written { kFailed, kIncomplete, kAll };

bool IsNamed(const KernelReport& kernel, const std::string& name) {
  return kernel.name.find(name) != std::string::npos ||
         kernel.full_name.find(name) != std::string::npos;
}

// The kernels whose name contains `name`, all their signatures.
bool WriteMatching(std::ostream& out, const Report& report, const std::string& name,
                   const TextOptions& text) {
  int shown = 0, matching = 0;
  for (const KernelReport& kernel : report.kernels) {
    if (!IsNamed(kernel, name)) continue;
    if (++matching > text.max_rows) continue;
    if (shown++ > 0) out << "\n----\n\n";
    WriteKernelDetail(out, kernel, text);
  }
  if (matching > shown) {
    out << "\nand " << matching - shown << " more signatures; --top shows more\n";
  }
  if (matching == 0) Fail(report.kernel(name).verdict.missing);
  return matching > 0;
}

void KeepMatching(const std::string& name, Report* report) {
  std::vector<KernelReport>& kernels = report->kernels;
  kernels.erase(std::remove_if(kernels.begin(), kernels.end(),
                               [&](const KernelReport& kernel) { return !IsNamed(kernel, name); }),
                kernels.end());
}

// One report into `out`; false after a message.
bool WriteReport(std::ostream& out, Report report, const ReportOptions& options,
                 const TextOptions& text) {
  if (!options.json && !options.csv) {
    if (!options.kernel.empty()) return WriteMatching(out, report, options.kernel, text);
    WriteText(out, report, text);
    return true;
  }
  if (!options.kernel.empty()) {
    const std::string missing = report.kernel(options.kernel).verdict.missing;
    KeepMatching(options.kernel, &report);
    if (report.kernels.empty()) {
      Fail(missing);
      return false;
    }
  }
  if (options.json) {
    WriteJson(out, report);
  } else {
    WriteCsv(out, report);
  }
  return true;
}

// One file's report into `out`, and what is wrong with the file on stderr.
Written WriteFile(std::ostream& out, const std::string& path, const ReportOptions& options,
                  const TextOptions& text) {
  std::string problem;
  const Snapshot snapshot = [&] {
    const Progress progress("reading " + path);
    return OpenRecording(path, &problem);
  }();
  if (!problem.empty()) {
    Fail(problem);
    return Written::kFailed;
  }
  Report report = [&] {
    const Progress progress("analyzing " + path);
    return Analyze(snapshot);
  }();
  if (!report.error.empty()) {
    Fail("cannot read " + (snapshot.path().empty() ? path + ": " : "") + report.error);
    return Written::kFailed;
  }
  const std::string incomplete = report.incomplete;
  WarnIfIncomplete(path, incomplete);
  if (!WriteReport(out, std::move(report), options, text)) return Written::kFailed;
  return incomplete.empty() ? Written::kAll : Written::kIncomplete;
}

int Run(const ReportOptions& options) {
  if ((options.json || options.csv) && options.files.size() > 1) {
    return Fail("--json and --csv take one file at a time: call prof report once for each");
  }
  const std::string problem = OutputProblem(options.output, options.files);
  if (!problem.empty()) return Fail(problem);
  TextOptions text = options.output.empty() ? OptionsFor(STDOUT_FILENO) : TextOptions{};
  text.max_rows = options.top;
  std::ostringstream out;
  bool all_well = true, all_complete = true;
  for (const std::string& path : options.files) {
    if (options.files.size() > 1) out << "==> " << path << " <==\n";
    const Written written = WriteFile(out, path, options, text);
    all_well &= written != Written::kFailed;
    all_complete &= written != Written::kIncomplete;
    if (options.files.size() > 1) out << '\n';
  }
  if (!out.str().empty()) all_well &= WriteOutput(out.str(), options.output);
  if (!all_well) return kFailed;
  return options.strict && !all_complete ? kIncomplete : 0;
}

}  // namespace

Command AddReportCommand(CLI::App* app) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* parser =
      app->add_subcommand("report", "Analyze recordings and print where the time went");
  parser->formatter(std::make_shared<HelpFormat>("prof report [options] FILE..."));
  parser->add_option("FILE", options->files, "Recordings (.prof); - is standard input")
      ->required()
      ->option_text(" ");
  CLI::Option* json = parser->add_flag("--json", options->json, "Print everything as JSON");
  CLI::Option* csv =
      parser->add_flag("--csv", options->csv, "Print the kernels as CSV")->excludes(json);
  parser
      ->add_option("--kernel", options->kernel,
                   "Print everything about the kernels whose name contains TEXT (plain text, no "
                   "regular expression)")
      ->type_name("TEXT");
  parser
      ->add_option("--top", options->top,
                   "Ranges and kernels to show (default: " + std::to_string(options->top) + ")")
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(json)  // these have all rows
      ->excludes(csv)
      ->type_name("N");
  parser->add_option("-o,--output", options->output, "File to write (default: standard output)")
      ->type_name("FILE");
  parser->add_flag("--strict", options->strict,
                   "Exit with status 3 when a recording is damaged, was not stopped in order, or "
                   "has something behind its end (otherwise: a warning)");
  return {parser, [options] { return Run(*options); }};
}

}  // namespace prof::cli
