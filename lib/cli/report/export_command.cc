// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/report/export_command.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/output_check.h"
#include "lib/cli/base/progress.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/suggestion.h"
#include "lib/text/numbers.h"
#include "prof/analyzer.h"
#include "prof/export.h"

namespace prof::cli {
namespace {

struct FormatName {
  const char* name;
  ExportFormat format;
  const char* extension;
};
constexpr FormatName kFormats[] = {
    {"perfetto", ExportFormat::kPerfetto, ".pftrace"},
    {"chrome", ExportFormat::kChrome, ".trace.json"},  // HTA reads .json and .gz only
    {"sqlite", ExportFormat::kSqlite, ".sqlite"},
    {"speedscope", ExportFormat::kSpeedscope, ".speedscope.json"},
    {"pprof", ExportFormat::kPprof, ".pb.gz"},
    {"folded", ExportFormat::kFolded, ".folded"},
    {"csv", ExportFormat::kCsv, ".csv"},
};
const std::map<std::string, ExportTable> kTables = {{"kernels", ExportTable::kKernels},
                                                    {"launches", ExportTable::kLaunches},
                                                    {"counters", ExportTable::kCounters},
                                                    {"ranges", ExportTable::kRanges},
                                                    {"calls", ExportTable::kCalls}};
constexpr const char* kUsualTable = "launches";

struct ExportFlags {
  std::string file, to, output, from, until;
  std::string table;  // empty: nobody chose one
  ExportOptions options;
  int64_t gpu = -1;
  bool no_verdicts = false;
  bool strict = false;
};

// Nanoseconds of "1.5s", "20ms", "300us", "12ns"; nothing where it is no time.
std::optional<int64_t> ParseTime(const std::string& text) {
  char* unit = nullptr;
  const double value = std::strtod(text.c_str(), &unit);
  const std::map<std::string, double> units = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
  const auto found = units.find(unit);
  constexpr double kMost = 9e18;  // below 2^63
  if (unit == text.c_str() || found == units.end() || !(value >= 0)) return std::nullopt;
  const double time_ns = value * found->second;
  return time_ns < kMost ? std::optional<int64_t>(std::llround(time_ns)) : std::nullopt;
}

const FormatName* FindFormat(const std::string& name) {
  for (const FormatName& format : kFormats) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

std::string FormatNames() {
  std::string names;
  for (const FormatName& format : kFormats)
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

std::string UnknownFormat(const std::string& name) {
  if (name == "parquet") {
    return "the Python package writes Parquet: pip install 'prof[parquet]', and then "
           "python -m prof export --to parquet. --to sqlite and --to csv have the same tables";
  }
  return "there is no format '" + name + "'. --to takes " + FormatNames();
}

std::string TableOf(const ExportFlags& flags) {
  return flags.table.empty() ? kUsualTable : flags.table;
}

// "app.pftrace" for "run/app.prof", in the working folder.
std::string DefaultOutput(const ExportFlags& flags, const FormatName& format) {
  const std::string stem =
      flags.file == "-" ? "prof" : std::filesystem::path(flags.file).stem().string();
  const std::string table = format.format == ExportFormat::kCsv ? "." + TableOf(flags) : "";
  return stem + table + format.extension;
}

// Why the flags make no export; empty: they do, and `options` has them.
std::string Resolve(const ExportFlags& flags, const FormatName& format, ExportOptions* options) {
  options->format = format.format;
  options->table = kTables.at(TableOf(flags));
  if (!flags.table.empty() && format.format != ExportFormat::kCsv) {
    return "--table " + flags.table + " has no effect with --to " + format.name +
           ": a table is for --to csv. --to sqlite has all tables in one file";
  }
  if (flags.gpu >= 0) options->gpu = static_cast<uint32_t>(flags.gpu);
  const auto time = [](const std::string& flag, const std::string& text,
                       std::optional<int64_t>* time_ns) -> std::string {
    if (text.empty()) return "";
    *time_ns = ParseTime(text);
    return *time_ns ? ""
                    : flag + " '" + text + "' is no time: give a number and a unit, 1.5s, 20ms";
  };
  const std::string problem = time("--from-time", flags.from, &options->from_ns);
  return problem.empty() ? time("--to-time", flags.until, &options->to_ns) : problem;
}

bool NeedsReport(const ExportFlags& flags, const ExportOptions& options) {
  switch (options.format) {
    case ExportFormat::kPerfetto:
    case ExportFormat::kChrome:
    case ExportFormat::kSqlite:
      return !flags.no_verdicts;
    case ExportFormat::kCsv:
      return options.table == ExportTable::kKernels;
    case ExportFormat::kSpeedscope:
    case ExportFormat::kPprof:
    case ExportFormat::kFolded:
      break;
  }
  return false;
}

// "54,000 operations; 480 left out", "3,060 rows".
std::string WrittenText(const ExportOptions& options, const ExportResult& result) {
  if (options.format == ExportFormat::kCsv && options.table != ExportTable::kLaunches) {
    return text::Plural(result.rows, "row", "rows");
  }
  std::string written = text::Plural(result.operations, "operation", "operations");
  if (result.operations_left_out == 0) return written;
  return written + "; " + text::Count(result.operations_left_out) + " left out";
}

int WriteExport(const ExportFlags& flags, const ExportOptions& options, const std::string& output,
                const Snapshot& snapshot) {
  const Report report = [&] {
    const Progress progress("analyzing " + flags.file);
    return NeedsReport(flags, options) ? Analyze(snapshot) : Report();
  }();
  // An error about a file has its name.
  const std::string cannot_read =
      "cannot read " + (snapshot.path().empty() ? flags.file + ": " : "");
  if (!report.error.empty()) return Fail(cannot_read + report.error);
  const Events events = [&] {
    const Progress progress("reading " + flags.file);
    return ReadEvents(snapshot);
  }();
  if (!events.error().empty()) return Fail(cannot_read + events.error());
  const std::string& incomplete =
      report.incomplete.empty() ? events.process().incomplete : report.incomplete;
  WarnIfIncomplete(flags.file, incomplete);
  const ExportResult result = [&] {
    if (IsStandardOutput(output)) return Export(events, report, options, std::cout);
    const Progress progress("writing " + output);
    return ExportToFile(events, report, options, output);
  }();
  if (!result.error.empty()) return Fail(result.error);
  for (const std::string& note : result.notes) {
    if (note != incomplete) std::cerr << "prof: " << note << '\n';
  }
  if (!IsStandardOutput(output)) {
    std::cerr << "prof: wrote " << output << " (" << WrittenText(options, result) << ")\n";
  }
  return flags.strict && !incomplete.empty() ? kIncomplete : 0;
}

int RunExport(const ExportFlags& flags) {
  const FormatName* const format = FindFormat(flags.to);
  if (format == nullptr) return Fail(UnknownFormat(flags.to));
  ExportOptions options = flags.options;
  const std::string unclear = Resolve(flags, *format, &options);
  if (!unclear.empty()) return Fail(unclear);
  const std::string output = flags.output.empty() ? DefaultOutput(flags, *format) : flags.output;
  const std::string unfit = OutputProblem("-o", output, {flags.file});
  if (!unfit.empty()) return Fail(unfit);
  std::string problem;
  const Snapshot snapshot = [&] {
    const Progress progress("reading " + flags.file);
    return OpenRecording(flags.file, &problem);
  }();
  if (!problem.empty()) return Fail(problem);
  return WriteExport(flags, options, output, snapshot);
}

}  // namespace

Command AddExportCommand(CLI::App* app) {
  const auto flags = std::make_shared<ExportFlags>();
  CLI::App* parser = app->add_subcommand("export", "Write a recording for other tools");
  parser->formatter(std::make_shared<HelpFormat>("prof export --to FORMAT [options] FILE"));
  parser->add_option("FILE", flags->file, "Recording (.prof); - is standard input")
      ->required()
      ->option_text(" ");
  parser->add_option("--to", flags->to, "Format: " + FormatNames())
      ->required()
      ->type_name("FORMAT");
  parser
      ->add_option("-o,--output", flags->output,
                   "File to write; - is standard output (default: the recording's name, with the "
                   "format's ending)")
      ->type_name("FILE");
  parser
      ->add_option("--table", flags->table,
                   "Table for csv: kernels, launches, counters, ranges, calls (default: launches)")
      ->check(OneOf({"kernels", "launches", "counters", "ranges", "calls"}))
      ->type_name("TABLE");
  parser
      ->add_option("--range", flags->options.range,
                   "Only what happened in NVTX ranges whose path matches this regular expression")
      ->type_name("RE");
  parser
      ->add_option("--keep", flags->options.keep,
                   "Only the N longest operations, and the N longest ranges (default: all)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->type_name("N");
  parser
      ->add_option("--from-time", flags->from,
                   "Only what happened after this time of the recording: 1.5s, 20ms")
      ->type_name("TIME");
  parser->add_option("--to-time", flags->until, "Only what happened before this time")
      ->type_name("TIME");
  parser->add_option("--gpu", flags->gpu, "Only operations of this GPU, and their calls")
      ->check(CLI::Range(0, 1'000'000))
      ->type_name("N");
  parser->add_flag("--no-verdicts", flags->no_verdicts,
                   "Leave out what limits each kernel: this saves the time of the analysis");
  parser->add_flag("--strict", flags->strict,
                   "Exit with status 3 when the recording is damaged, was not stopped in order, or "
                   "has something behind its end (otherwise: a warning)");
  return {parser, [flags] { return RunExport(*flags); }};
}

}  // namespace prof::cli
