// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/report/report_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "lib/analyzer/analyzer.h"
#include "lib/analyzer/device_ceilings.h"
#include "lib/cli/base/help_format.h"
#include "lib/cli/base/html_output.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/output_check.h"
#include "lib/cli/base/progress.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/suggestion.h"
#include "lib/cli/base/terminal.h"
#include "lib/cli/report/report_conflicts.h"
#include "lib/options/name_filter.h"
#include "lib/report/csv.h"
#include "lib/report/json.h"
#include "lib/report/text/details/kernel_detail.h"
#include "lib/report/text/details/lines_detail.h"
#include "lib/report/text/details/range_detail.h"
#include "lib/report/text/details/source_detail.h"
#include "lib/report/text/sections/modules_section.h"
#include "lib/report/text/sections/steps_section.h"
#include "lib/report/text/sections/torch_section.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  bool json = false;
  bool csv = false;
  std::string kernel;  // not empty: everything about the kernels whose name it matches
  std::string range;   // not empty: everything about the ranges whose path it matches
  int top = 20;        // ranges and kernels shown
  bool details = false;
  bool instances = false;
  bool by_line = false;  // only the lines of source
  std::string source;    // not empty: only this file of source
  bool ops = false;      // the ops of PyTorch alone
  bool steps = false;    // the steps alone
  bool shapes = false;   // the ops of PyTorch by the shapes of their inputs alone
  bool modules = false;  // the modules of PyTorch alone
  SortBy sort = SortBy::kTime;
  Looks looks;
  bool no_pager = false;
  std::string output;  // empty: stdout
  std::string html;    // not empty: the HTML report goes to this file
  bool strict = false;
  std::string ceilings;  // not empty: a file of what the devices reached in a calibration
  std::vector<format::CeilingRow> ceiling_rows;  // of that file
};

constexpr size_t kMostListed = 400;  // characters of ranges' names in an error

enum class Written { kFailed, kIncomplete, kAll };

struct OrderName {
  const char* name;
  SortBy order;
};
constexpr OrderName kOrders[] = {{"time", SortBy::kTime},       {"calls", SortBy::kCalls},
                                 {"average", SortBy::kAverage}, {"gain", SortBy::kGain},
                                 {"name", SortBy::kName},       {"total", SortBy::kTotal},
                                 {"cpu", SortBy::kCpu},         {"cpu-total", SortBy::kCpuTotal}};

std::vector<std::string> OrderNames() {
  std::vector<std::string> names;
  for (const OrderName& known : kOrders) names.emplace_back(known.name);
  return names;
}

// `name` is one of OrderNames().
SortBy OrderNamed(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(kOrders), std::end(kOrders),
                   [&](const OrderName& known) { return name == known.name; });
  return found == std::end(kOrders) ? SortBy::kTime : found->order;
}

bool IsMatch(const options::NameFilter& filter, const std::string& name) {
  bool failed = false;
  return filter.Matches(name, &failed);
}

bool IsNamed(const KernelReport& kernel, const std::string& expression) {
  const options::NameFilter filter(expression);
  return IsMatch(filter, kernel.name) || IsMatch(filter, kernel.full_name);
}

// The kernels whose name `name` matches, all their signatures.
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

bool WriteRanges(std::ostream& out, const Report& report, const std::string& expression,
                 const TextOptions& text) {
  const options::NameFilter filter(expression);
  const auto matches = [&](const std::string& path) { return IsMatch(filter, path); };
  if (WriteRangeDetail(out, report, matches, text)) return true;
  std::string known;
  for (const RangeNode& range : report.ranges) {
    if (known.size() > kMostListed) break;
    known += (known.empty() ? ": " : ", ") + range.path;
  }
  Fail("no range matches '" + expression + "'" + (known.empty() ? "; there are none" : known));
  return false;
}

bool WriteLines(std::ostream& out, const Report& report, const TextOptions& text) {
  if (WriteLinesDetail(out, report, text)) return true;
  Fail(
      "the recording has no stacks: record with --python-stacks (the interpreter has to be one "
      "that "
      "prof reads), or with --native-stacks");
  return false;
}

bool WriteOps(std::ostream& out, const Report& report, const TextOptions& text) {
  if (report::WriteTorchOps(out, report, text)) return true;
  Fail(
      "no op of PyTorch was recorded: record with prof run --torch ops; the recording has a notice "
      "if a PyTorch was there");
  return false;
}

bool WriteShapes(std::ostream& out, const Report& report, const TextOptions& text) {
  if (report::WriteTorchShapes(out, report, text)) return true;
  Fail(
      "no shapes of inputs were recorded: record with prof run --torch ops --torch-shapes; the "
      "recording has a notice if they could not be read");
  return false;
}

bool WriteSteps(std::ostream& out, const Report& report, const TextOptions& text) {
  if (!report.steps.missing.empty()) {
    Fail("there are no steps: " + report.steps.missing);
    return false;
  }
  report::WriteSteps(out, report, text);
  return true;
}

bool WriteModules(std::ostream& out, const Report& report, const TextOptions& text) {
  if (report::WriteModules(out, report, text)) return true;
  Fail(
      "no module of PyTorch was recorded: record with prof run --torch modules; the recording has "
      "a notice if a PyTorch was there");
  return false;
}

// The lines of a text file, with eight columns for a tab; nullopt: it cannot be read, or is none.
std::optional<std::vector<std::string>> ReadLines(const std::string& path) {
  constexpr std::uintmax_t kMostBytes = 64 << 20;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown) ||
      std::filesystem::file_size(path, unknown) > kMostBytes) {
    return std::nullopt;
  }
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::string& shown = lines.emplace_back();
    for (const char c : line) {
      if (c == '\t') {
        shown.append(8 - shown.size() % 8, ' ');
      } else {
        shown += c;
      }
    }
  }
  return lines;
}

bool WriteSource(std::ostream& out, const Report& report, const ReportOptions& options,
                 const std::string& recording, const TextOptions& text) {
  if (report.lines.within.empty()) return WriteLines(out, report, text);
  std::string problem;
  const std::string file = FindSource(report, options.source, &problem);
  if (file.empty()) {
    Fail(problem);
    return false;
  }
  // A file that the user names with its folder, or else as it was recorded.
  const bool with_folder = options.source.find('/') != std::string::npos;
  std::string path = with_folder ? options.source : file;
  std::optional<std::vector<std::string>> lines = ReadLines(path);
  if (!lines) lines = ReadLines(path = with_folder ? file : options.source);
  if (!lines) {
    Fail("cannot read " + file + ": name a copy of it, --source PATH/" +
         std::filesystem::path(file).filename().string());
    return false;
  }
  std::error_code unknown;
  const auto changed = std::filesystem::last_write_time(path, unknown);
  const auto recorded = std::filesystem::last_write_time(recording, unknown);
  if (!unknown && changed > recorded) {
    std::cerr << "prof: " << path
              << " was changed after the recording: its lines may be others now\n";
  }
  WriteSourceDetail(out, report, file, *lines, text);
  return true;
}

void KeepMatching(const std::string& name, Report* report) {
  std::vector<KernelReport>& kernels = report->kernels;
  kernels.erase(std::remove_if(kernels.begin(), kernels.end(),
                               [&](const KernelReport& kernel) { return !IsNamed(kernel, name); }),
                kernels.end());
}

// One report into `out`; false after a message. `path`: of the recording.
bool WriteOut(std::ostream& out, Report report, const std::string& path,
              const ReportOptions& options, const TextOptions& text) {
  if (!options.json && !options.csv) {
    if (!options.kernel.empty()) return WriteMatching(out, report, options.kernel, text);
    if (!options.range.empty()) return WriteRanges(out, report, options.range, text);
    if (options.by_line) return WriteLines(out, report, text);
    if (!options.source.empty()) return WriteSource(out, report, options, path, text);
    if (options.ops) return WriteOps(out, report, text);
    if (options.shapes) return WriteShapes(out, report, text);
    if (options.modules) return WriteModules(out, report, text);
    if (options.steps) return WriteSteps(out, report, text);
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
  int ceilings_used = 0;
  Report report = [&] {
    const Progress progress("analyzing " + path);
    AnalyzeOptions wanted;
    wanted.steps = options.steps;
    const auto amend = [&](model::Model* model) {
      ceilings_used = analyzer::AddCeilings(options.ceiling_rows, model);
    };
    return AnalyzeAmended(snapshot, amend, wanted);
  }();
  if (!report.error.empty()) {
    Fail("cannot read " + (snapshot.path().empty() ? path + ": " : "") + report.error);
    return Written::kFailed;
  }
  if (ceilings_used == 0 && !options.ceilings.empty()) {
    std::cerr << "prof: " << options.ceilings << " has no ceilings of the devices of " << path
              << ": measure them on that machine\n";
  }
  const std::string incomplete = report.incomplete;
  WarnIfIncomplete(path, incomplete);
  if (!options.html.empty()) {
    if (!WriteHtmlFile(options.html, snapshot, report)) return Written::kFailed;
  } else if (!WriteOut(out, std::move(report), path, options, text)) {
    return Written::kFailed;
  }
  return incomplete.empty() ? Written::kAll : Written::kIncomplete;
}

// Why the file of ceilings cannot be used; empty: there is none, or it was read.
std::string ReadCeilings(ReportOptions* options) {
  if (options->ceilings.empty()) return "";
  constexpr const char* kWayOut =
      ". A file of ceilings is the CSV that examples/ceilings prints on the machine with the GPU: "
      "ceilings > gpu.csv";
  errno = 0;
  std::ifstream file(options->ceilings);
  if (!file) {
    return "cannot open the file of ceilings " + options->ceilings + ": " + std::strerror(errno) +
           kWayOut;
  }
  std::ostringstream text;
  text << file.rdbuf();
  format::CeilingsCsv ceilings = format::ParseCeilings(text.str());
  if (!ceilings.error.empty()) {
    return options->ceilings + " is no file of ceilings: " + ceilings.error + kWayOut;
  }
  options->ceiling_rows = std::move(ceilings.rows);
  return "";
}

// Why the options cannot be used; empty: they can.
std::string ProblemOf(const ReportOptions& options) {
  for (const auto& [flag, expression] :
       {std::pair("--kernel", options.kernel), std::pair("--range", options.range)}) {
    if (expression.empty()) continue;
    const std::string problem = options::ExpressionProblem(expression);
    if (problem.empty()) continue;
    std::string text = flag;
    for (const std::string_view part :
         {" '", expression.c_str(), "' is not ", problem.c_str(),
          ". A backslash before ( ) [ ] * + ? . takes the character itself"}) {
      text += part;
    }
    return text;
  }
  std::vector<std::string> inputs = options.files;
  inputs.insert(inputs.end(), {options.ceilings, options.source});
  const std::string problem = OutputProblem("-o", options.output, inputs);
  return problem.empty() ? OutputProblem("--html", options.html, inputs) : problem;
}

TextOptions TextOf(const ReportOptions& options) {
  const int fd = options.output.empty() ? STDOUT_FILENO : -1;
  TextOptions text = OptionsFor(fd, options.looks);
  text.max_rows = options.top;
  text.details = options.details;
  text.instances = options.instances;
  text.sort = options.sort;
  return text;
}

bool WriteOut(const std::string& text, const ReportOptions& options) {
  const bool data = options.json || options.csv;
  const bool paged = options.output.empty() && !data && !options.no_pager && ShowInPager(text);
  return paged || WriteOutput(text, options.output);
}

// "--output" for -o.
std::vector<std::string> GivenOptions(const CLI::App& parser) {
  std::vector<std::string> given;
  for (const CLI::Option* option : parser.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    given.push_back("--" + option->get_lnames().front());
  }
  return given;
}

int RunReport(ReportOptions options) {
  if (IsStandardOutput(options.output)) options.output.clear();
  if ((options.json || options.csv) && options.files.size() > 1) {
    return Fail("--json and --csv take one file at a time: call prof report once for each");
  }
  if (!options.html.empty() && options.files.size() > 1) {
    return Fail("--html takes one file at a time: call prof report once for each");
  }
  std::string problem = ProblemOf(options);
  if (problem.empty()) problem = ReadCeilings(&options);
  if (!problem.empty()) return Fail(problem);
  const TextOptions text = TextOf(options);
  std::ostringstream out;
  bool all_well = true, all_complete = true;
  for (const std::string& path : options.files) {
    if (options.files.size() > 1) out << "==> " << path << " <==\n";
    const Written written = WriteFile(out, path, options, text);
    all_well &= written != Written::kFailed;
    all_complete &= written != Written::kIncomplete;
    if (options.files.size() > 1) out << '\n';
  }
  if (!out.str().empty()) all_well &= WriteOut(out.str(), options);
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
  parser->add_flag("--json", options->json, "Print everything as JSON");
  parser->add_flag("--csv", options->csv, "Print the kernels as CSV");
  parser
      ->add_option("--kernel", options->kernel,
                   "Print everything about the kernels whose name matches RE, a regular "
                   "expression (plain text finds names that contain it)")
      ->type_name("RE");
  parser
      ->add_option("--range", options->range,
                   "Print everything about the NVTX ranges whose path matches RE")
      ->type_name("RE");
  parser->add_flag("--ops", options->ops,
                   "Print the ops of PyTorch: their time on the host and the GPU, forward and "
                   "backward");
  parser->add_flag("--shapes", options->shapes,
                   "Print the ops of PyTorch with a line for each list of shapes of their inputs");
  parser->add_flag("--modules", options->modules,
                   "Print the modules of PyTorch as a tree: their time on the host and the GPU, "
                   "forward and backward");
  parser->add_flag("--steps", options->steps,
                   "Print the steps of the run: their times, their parts, and what was on their "
                   "critical paths; with --json, add them");
  parser->add_flag("--details", options->details,
                   "Also print signatures, evidence, and samples over time");
  parser->add_flag("--instances", options->instances,
                   "List the ranges that differ in numbers only one by one");
  parser->add_flag("--by-line", options->by_line,
                   "Print the GPU's time by line of source, and nothing else");
  parser
      ->add_option("--source", options->source,
                   "Print FILE, a source of the program, with the GPU's time beside its lines")
      ->type_name("FILE");
  parser
      ->add_option_function<std::string>(
          "--sort", [options](const std::string& name) { options->sort = OrderNamed(name); },
          "Order of ranges, kernels, ops and modules: time, calls, average, gain, name; of "
          "ops also total, cpu, cpu-total (default: time)")
      ->check(OneOf(OrderNames()))
      ->type_name("KEY");
  parser
      ->add_option("--width", options->looks.width,
                   "Columns of the text (default: the terminal's, 120 elsewhere)")
      ->check(CLI::Range(80, 1'000))
      ->type_name("N");
  parser
      ->add_option("--color", options->looks.color,
                   "Color: auto, always, never (default: auto; NO_COLOR turns it off)")
      ->check(OneOf({"auto", "always", "never"}))
      ->type_name("WHEN");
  parser->add_flag("--no-pager", options->no_pager,
                   "Do not show a long report in a pager (PAGER, otherwise less)");
  parser
      ->add_option("--top", options->top,
                   "Ranges and kernels to show (default: " + std::to_string(options->top) + ")")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  parser
      ->add_option("-o,--output", options->output,
                   "File to write; - is standard output (default: standard output)")
      ->type_name("FILE");
  parser
      ->add_option("--html", options->html,
                   "Write the HTML report to FILE: one file for a browser, with the timeline; - is "
                   "standard output")
      ->type_name("FILE");
  parser
      ->add_option("--ceilings", options->ceilings,
                   "Use the rates in FILE, which examples/ceilings measured on the same GPU, as "
                   "ceilings of the roofline")
      ->type_name("FILE");
  parser->add_flag("--strict", options->strict,
                   "Exit with status 3 when a recording is damaged, was not stopped in order, or "
                   "has something behind its end (otherwise: a warning)");
  return {parser, [parser, options] {
            const std::string conflict = ReportConflict(GivenOptions(*parser));
            return conflict.empty() ? RunReport(*options) : Fail(conflict);
          }};
}

}  // namespace prof::cli
