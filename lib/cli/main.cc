// SPDX-License-Identifier: Apache-2.0
//
// The program `prof`: the command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "lib/cli/commands.h"
#include "lib/options/name_filter.h"

namespace prof::cli {
namespace {

// Everything after the first "--" is the program to run, whatever it looks like.
std::vector<std::string> TakeCommand(std::vector<std::string>* arguments) {
  const auto dashes = std::find(arguments->begin(), arguments->end(), "--");
  if (dashes == arguments->end()) return {};
  std::vector<std::string> command(dashes + 1, arguments->end());
  arguments->erase(dashes, arguments->end());
  return command;
}

CLI::App* AddReport(CLI::App* app, ReportOptions* options) {
  CLI::App* report = app->add_subcommand("report", "Analyze recordings and print what they say");
  report->add_option("FILE", options->files, "Recordings (.prof)")->required();
  CLI::Option* json = report->add_flag("--json", options->json, "Everything, for programs");
  report->add_flag("--csv", options->csv, "The kernels, for spreadsheets")->excludes(json);
  report
      ->add_option("--kernel", options->kernel, "Everything about the kernels with NAME in theirs")
      ->type_name("NAME");
  report->add_option("--top", options->top, "Ranges and kernels shown")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  report->add_option("-o,--output", options->output, "Write to a file")->type_name("OUT");
  return report;
}

// The same text as the library's own complaint.
const CLI::Validator kExpression(
    [](const std::string& text) {
      const std::string problem = options::ExpressionProblem(text);
      return problem.empty() ? "" : text + " is not " + problem;
    },
    "");

const CLI::Validator kContinuous(
    [](const std::string& text) {
      int64_t number = -1;
      const bool good = text == "true" || (CLI::detail::lexical_cast(text, number) && number >= 0 &&
                                           number <= 1'000'000 && (number < 2 || number >= 20));
      return good ? "" : text + " is not an interval from 20 to 1000000 us";
    },
    "");

// Which launches and ranges are counted.
void AddSelection(CLI::App* run, RunOptions* options) {
  const CLI::Range launches(int64_t{0}, int64_t{1'000'000'000'000'000});
  run->add_option("--kernel", options->kernel,
                  "Counters for kernels with this regular expression in their demangled name only")
      ->check(kExpression)
      ->type_name("RE");
  run->add_option("--range", options->range,
                  "Counters for launches with this regular expression in their NVTX path only")
      ->check(kExpression)
      ->type_name("RE");
  run->add_option("--launch-skip", options->launch_skip, "Matching launches left alone first")
      ->check(launches)
      ->type_name("N");
  run->add_option("--launch-count", options->launch_count,
                  "Look at so many matching launches after those; 0: no limit")
      ->check(launches)
      ->type_name("N");
  run->add_option("--every", options->every, "Sample each Nth launch of a signature at most")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  run->add_option("--count-range", options->count_range,
                  "Count whole NVTX ranges with this regular expression in their path")
      ->check(kExpression)
      ->type_name("RE");
  run->add_flag("--continuous", options->continuous,
                "Counters of the whole GPU over time, every US microseconds (100): --continuous=US")
      ->check(kContinuous)
      ->type_name("US");
  run->add_option("--continuous-core", options->continuous_core,
                  "... for at most this % of one core; the interval grows where it takes more")
      ->check(CLI::Range(0.1, 100.0))
      ->type_name("PERCENT");
  run->add_option("--keep-last", options->keep_last,
                  "Keep the last S seconds only; they are written when the program ends")
      ->check(CLI::Range(1, 86'400))
      ->type_name("S");
  run->add_option(
         "--dump-signal", options->dump_signal,
         "With --keep-last: this signal, USR1 or USR2, writes a file, and recording goes on")
      ->check(CLI::IsMember({"USR1", "USR2"}))
      ->type_name("NAME");
  run->add_option("--replay", options->replay, "none, or kernel: run kernels again for each pass")
      ->check(CLI::IsMember({"none", "kernel"}))
      ->type_name("WAY");
}

CLI::App* AddRun(CLI::App* app, RunOptions* options) {
  CLI::App* run = app->add_subcommand(
      "run", "Run a program with prof in it: prof run [options] -- program [arguments]");
  run->add_option("-o,--output", options->output,
                  "Recording to write; %p: process id, %h: host, %r: rank. Default: prof-%p.prof")
      ->type_name("PATTERN");
  run->add_option("--counters", options->counters, "none, pulse, sol, stalls (default) or all")
      ->check(CLI::IsMember({"none", "pulse", "sol", "stalls", "all"}))
      ->type_name("LEVEL");
  run->add_option("--samples", options->samples, "Counter samples per kernel signature and pass")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  run->add_option("--budget", options->budget_percent, "Counters may cost this % of the run time")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PERCENT");
  run->add_option("--budget-seconds", options->budget_seconds, "... plus this many seconds")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("S");
  run->add_option("--metrics", options->metrics, "Further CUPTI metrics to sample: a,b,c")
      ->type_name("LIST");
  AddSelection(run, options);
  run->add_option("--graphs", options->graphs,
                  "CUDA graphs by their nodes (default), or whole: one record a launch")
      ->check(CLI::IsMember({"nodes", "whole"}))
      ->type_name("LEVEL");
  run->add_flag("--no-ranges", options->no_ranges, "Do not record NVTX ranges");
  run->add_flag("--unified-memory", options->unified_memory,
                "Record migrations and page faults of managed memory; each costs something");
  run->add_option("--inject", options->inject, "Where libprof_inject.so is")->type_name("LIBPATH");
  run->add_flag("--report", options->report, "Print the report on stderr at the end");
  run->prefix_command();  // prof run program works without "--", too
  return run;
}

CLI::App* AddMetrics(CLI::App* app, MetricsOptions* options) {
  CLI::App* metrics = app->add_subcommand(
      "metrics", "Which counters a GPU has, in how many passes, at what cost; needs no GPU");
  metrics->add_option("--chip", options->chip, "GH100, GB202, ...; default: the first GPU's")
      ->type_name("NAME");
  CLI::Option* tier =
      metrics->add_option("--tier", options->tier, "Only this one: pulse, T1, T2, T3, T4 or SOL")
          ->type_name("TIER");
  CLI::Option* search =
      metrics->add_option("--search", options->search, "Names that match a regular expression")
          ->type_name("RE");
  metrics->add_option("--metrics", options->metrics, "Passes and cost of a list of your own: a,b,c")
      ->type_name("LIST")
      ->excludes(tier)
      ->excludes(search);
  search->excludes(tier);
  metrics->add_option("--samples", options->samples, "For the cost: samples per signature and pass")
      ->check(CLI::Range(1, 100))
      ->type_name("N")
      ->capture_default_str();
  metrics->add_flag("--json", options->json, "Everything, for programs");
  return metrics;
}

int Main(std::vector<std::string> arguments) {
  CLI::App app("prof: where a CUDA program's time goes, what limits it, what to change", "prof");
  app.set_version_flag("--version", "prof " PROF_VERSION);
  app.require_subcommand(1);
  ReportOptions report_options;
  RunOptions run_options;
  MetricsOptions metrics_options;
  std::string info_file;
  const CLI::App* report = AddReport(&app, &report_options);
  const CLI::App* run = AddRun(&app, &run_options);
  const CLI::App* metrics = AddMetrics(&app, &metrics_options);
  CLI::App* info = app.add_subcommand("info", "What is in a recording, before any analysis");
  info->add_option("FILE", info_file, "Recording (.prof)")->required();

  const bool runs = !arguments.empty() && arguments[0] == "run";
  if (runs) run_options.command = TakeCommand(&arguments);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kFailed;
  }
  if (report->parsed()) return ReportCommand(report_options);
  if (info->parsed()) return InfoCommand(info_file);
  if (metrics->parsed()) return MetricsCommand(metrics_options);
  const std::vector<std::string> rest = run->remaining();
  if (run_options.command.empty()) {
    run_options.command = rest;
  } else if (!rest.empty()) {
    std::cerr << "prof: do not know '" << rest[0] << "' before --. prof run --help lists options\n";
    return kFailed;
  }
  return RunCommand(run_options);
}

}  // namespace
}  // namespace prof::cli

int main(int argc, char** argv) {
  try {
    return prof::cli::Main(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::cerr << "prof: " << error.what() << '\n';
    return prof::cli::kFailed;
  }
}
