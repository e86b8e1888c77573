// SPDX-License-Identifier: Apache-2.0
//
// prof run: the program with libprof_inject.so in it. Stdout belongs to the program.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "lib/cli/child_process.h"
#include "lib/cli/commands.h"
#include "lib/cli/environment.h"
#include "lib/cli/recordings.h"
#include "lib/cli/terminal.h"
#include "lib/report/base/units.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

constexpr const char* kDefaultOutput = "prof-%p.prof";  // as libprof's own
constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;

int Fail(const std::string& message, int status = kFailed) {
  std::cerr << "prof: " << message << '\n';
  return status;
}

void SetIfGiven(const char* name, const std::optional<std::string>& value,
                Environment* environment) {
  if (value) environment->Set(name, *value);
}

// Returns the output pattern.
std::string Configure(const RunOptions& options, Environment* environment) {
  SetIfGiven("PROF_COUNTERS", options.counters, environment);
  SetIfGiven("PROF_SAMPLES", options.samples, environment);
  SetIfGiven("PROF_BUDGET_PERCENT", options.budget_percent, environment);
  SetIfGiven("PROF_BUDGET_SECONDS", options.budget_seconds, environment);
  SetIfGiven("PROF_METRICS", options.metrics, environment);
  SetIfGiven("PROF_KERNEL", options.kernel, environment);
  SetIfGiven("PROF_RANGE_FILTER", options.range, environment);
  SetIfGiven("PROF_LAUNCH_SKIP", options.launch_skip, environment);
  SetIfGiven("PROF_LAUNCH_COUNT", options.launch_count, environment);
  SetIfGiven("PROF_SAMPLE_EVERY", options.every, environment);
  SetIfGiven("PROF_COUNTED_RANGES", options.count_range, environment);
  if (options.continuous) {
    environment->Set("PROF_CONTINUOUS", *options.continuous == "true" ? "1" : *options.continuous);
  }
  SetIfGiven("PROF_CONTINUOUS_CORE", options.continuous_core, environment);
  SetIfGiven("PROF_KEEP_SECONDS", options.keep_last, environment);
  SetIfGiven("PROF_DUMP_SIGNAL", options.dump_signal, environment);
  SetIfGiven("PROF_REPLAY", options.replay, environment);
  SetIfGiven("PROF_GRAPHS", options.graphs, environment);
  if (options.no_ranges) environment->Set("PROF_RANGES", "0");
  if (options.unified_memory) environment->Set("PROF_UNIFIED_MEMORY", "1");
  std::string pattern = options.output.value_or(environment->Get("PROF_OUTPUT").value_or(""));
  if (pattern.empty()) pattern = kDefaultOutput;
  pattern = AbsolutePattern(pattern);
  environment->Set("PROF_OUTPUT", pattern);
  return pattern;
}

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

void TellFiles(const std::vector<std::string>& written, const Files& files, bool report) {
  if (written.empty()) {
    std::cerr
        << "prof: nothing was recorded: no process started CUDA, or the program does not "
           "load preloaded libraries (setuid, statically linked), or it ran under a tool that "
           "keeps prof out (ncu, cuda-gdb): then run it without that tool\n";
    return;
  }
  for (const std::string& path : written) {
    std::cerr << "prof: wrote " << path << " ("
              << report::Bytes(static_cast<double>(files.at(path).bytes)) << ")\n";
  }
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

}  // namespace

int RunCommand(const RunOptions& options) {
  if (options.command.empty()) {
    return Fail("no program to run. Usage: prof run [options] -- program [arguments]");
  }
  std::string error;
  const std::string library = FindInjectLibrary(options.inject, &error);
  if (library.empty()) return Fail(error);
  Environment environment;
  const std::string pattern = Configure(options, &environment);
  const std::string problem = FolderProblem(pattern);
  if (!problem.empty()) return Fail(problem);
  Inject(library, &environment);

  const Files before = ListRecordings(pattern);
  const ChildEnd end = RunChild(options.command, environment.entries());
  if (end.start_error != 0) return CannotStart(options.command[0], end.start_error);

  const Files after = ListRecordings(pattern);
  TellFiles(NewRecordings(before, after), after, options.report);
  return EndLike(end.status);
}

}  // namespace prof::cli
