// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <utility>

#include "lib/cli/child_process.h"
#include "lib/cli/environment.h"
#include "lib/cli/help_format.h"
#include "lib/cli/message.h"
#include "lib/cli/recording_flags.h"
#include "lib/cli/recordings.h"
#include "lib/cli/terminal.h"
#include "lib/cli/verdict_share.h"
#include "lib/text/numbers.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;
// The limits of the analysis for the share of verdicts: the size of one recording, and the time for
// all of them together. The program has ended, and its user waits.
constexpr uint64_t kMostBytesToAnalyze = 64'000'000;
constexpr std::chrono::milliseconds kMostTimeToAnalyze{1000};

struct RunOptions {
  explicit RunOptions(CLI::App* parser) : recording(parser) {}

  RecordingFlags recording;
  std::string inject;  // empty: see FindInjectLibrary
  bool report = false;
  std::vector<std::string> program;  // and its arguments
};

int CannotStart(const std::string& program, int code) {
  if (code == ENOENT) {
    return Fail("cannot find the program '" + program + "': check its name, or PATH", kNotFound);
  }
  const char* way_out = code == EACCES ? ". Is it a file, and executable (chmod +x)?"
                        : code == ENOEXEC
                            ? ". Was it built for this machine? A script needs a first line with #!"
                            : "";
  return Fail("cannot run '" + program + "': " + std::strerror(code) + way_out, kNotExecutable);
}

// "prof: wrote x.prof (822 kB): verdicts for 96.5 % of the kernel time".
void PrintWritten(const std::string& path, uint64_t bytes, int64_t limit_ms) {
  std::cerr << "prof: wrote " << path << " (" << text::Bytes(static_cast<double>(bytes)) << ")";
  std::string share;
  if (bytes < kMostBytesToAnalyze && limit_ms > 0) share = VerdictShare(path, limit_ms);
  if (!share.empty()) std::cerr << ": " << share;
  std::cerr << '\n';
}

void PrintAllWritten(const std::vector<std::string>& written, const Files& files, bool with_share) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + (with_share ? kMostTimeToAnalyze : Clock::duration::zero());
  for (const std::string& path : written) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    PrintWritten(path, files.at(path).bytes, left.count());
  }
}

// On stderr: stdout belongs to the program.
void PrintFiles(const std::vector<std::string>& written, const Files& files, bool report) {
  if (written.empty()) {
    std::cerr
        << "prof: nothing was recorded: no process started CUDA, or the program does not "
           "load preloaded libraries (setuid, statically linked), or it ran under a tool that "
           "keeps prof out (ncu, cuda-gdb): then run it without that tool\n";
    return;
  }
  // For somebody who looks on: a script should not wait for it.
  PrintAllWritten(written, files, isatty(STDERR_FILENO) == 1);
  if (!report) {
    std::cerr << "prof: read it with: prof report "
              << (written.size() == 1 ? written[0] : "FILE...") << '\n';
    return;
  }
  for (const std::string& path : written) {
    if (written.size() > 1) std::cerr << "\n==> " << path << " <==";
    std::cerr << '\n';
    WriteText(std::cerr, Analyze(Snapshot::FromFile(path)), OptionsFor(STDERR_FILENO));
  }
}

// The words that are left without a "--": the program, unless the first is an option.
std::string TakeRest(const std::vector<std::string>& rest, std::vector<std::string>* program) {
  if (rest.empty()) return "";
  if (program->empty() && rest[0][0] != '-') {
    *program = rest;
    return "";
  }
  return "prof run does not know '" + rest[0] + "'. prof run --help lists the options";
}

int Run(const RunOptions& options) {
  if (options.program.empty()) {
    return Fail("no program to run. Usage: prof run [options] -- program [arguments]");
  }
  std::string error;
  const std::string library = FindInjectLibrary(options.inject, &error);
  if (library.empty()) return Fail(error);
  Environment environment;
  SessionOptions recording;
  if (const auto problem = options.recording.Apply(&environment, &recording)) {
    return Fail(*problem + ". prof run --help lists the options");
  }
  const std::string pattern = AbsolutePattern(recording.output);
  const std::string problem = PatternProblem(pattern);
  if (!problem.empty()) return Fail(problem);
  environment.Set("PROF_OUTPUT", pattern);
  Inject(library, &environment);

  const Files before = ListRecordings(pattern);
  const ChildEnd end = RunChild(options.program, environment.entries());
  if (end.start_error != 0) return CannotStart(options.program[0], end.start_error);

  const Files after = ListRecordings(pattern);
  PrintFiles(NewRecordings(before, after), after, options.report);
  return EndLike(end.status);
}

}  // namespace

std::vector<std::string> TakeProgram(std::vector<std::string>* arguments) {
  if (arguments->empty() || arguments->front() != "run") return {};
  const auto dashes = std::find(arguments->begin(), arguments->end(), "--");
  if (dashes == arguments->end()) return {};
  std::vector<std::string> program(dashes + 1, arguments->end());
  arguments->erase(dashes, arguments->end());
  return program;
}

Command AddRunCommand(CLI::App* app, std::vector<std::string> program) {
  CLI::App* parser = app->add_subcommand("run", "Run a program and record it");
  parser->formatter(
      std::make_shared<HelpFormat>("prof run [options] -- program [arguments of the program]"));
  const auto options = std::make_shared<RunOptions>(parser);
  options->program = std::move(program);
  parser->add_flag("--report", options->report, "Print the report on stderr at the end");
  parser
      ->add_option("--inject", options->inject,
                   "Path of libprof_inject.so (default: beside prof, or in its lib folder)")
      ->type_name("PATH");
  parser->footer(
      "Each recording option is also a variable, for programs that start without prof run, and a\n"
      "field of prof::SessionOptions.");
  parser->prefix_command();  // prof run program works without "--", too
  return {parser, [parser, options] {
            const std::string problem = TakeRest(parser->remaining(), &options->program);
            return problem.empty() ? Run(*options) : Fail(problem);
          }};
}

}  // namespace prof::cli
