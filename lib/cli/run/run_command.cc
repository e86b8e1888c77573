// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/run_command.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>

#include "lib/cli/base/environment.h"
#include "lib/cli/base/help_format.h"
#include "lib/cli/base/html_output.h"
#include "lib/cli/base/inject_library.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/output_check.h"
#include "lib/cli/base/recording_file.h"
#include "lib/cli/base/suggestion.h"
#include "lib/cli/base/terminal.h"
#include "lib/cli/metrics/metrics_check.h"
#include "lib/cli/run/child_process.h"
#include "lib/cli/run/python_hooks.h"
#include "lib/cli/run/recording_flags.h"
#include "lib/cli/run/recordings.h"
#include "lib/cli/run/run_folder.h"
#include "lib/cli/run/run_list.h"
#include "lib/cli/run/verdict_share.h"
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
  std::string html;                  // not empty: the HTML report goes to this file
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

// A process that outlives the program, such as a daemon, goes on writing.
bool IsBeingWritten(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool locked = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (file >= 0) close(file);
  return locked;
}

// "prof: wrote x.prof (822 kB): verdicts for 96.5 % of the kernel time".
void PrintWritten(const std::string& path, uint64_t bytes, int64_t limit_ms) {
  std::cerr << "prof: wrote " << path << " (" << text::Bytes(static_cast<double>(bytes)) << ")";
  std::string share;
  if (bytes < kMostBytesToAnalyze && limit_ms > 0) share = VerdictShare(path, limit_ms);
  if (!share.empty()) std::cerr << ": " << share;
  if (IsBeingWritten(path)) std::cerr << ": a process of the program is still writing it";
  std::cerr << '\n';
}

uint64_t BytesOf(const std::string& path) {
  std::error_code failed;
  const uintmax_t bytes = std::filesystem::file_size(path, failed);
  return failed ? 0 : bytes;
}

void PrintAllWritten(const std::vector<std::string>& written, bool with_share) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + (with_share ? kMostTimeToAnalyze : Clock::duration::zero());
  for (const std::string& path : written) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    PrintWritten(path, BytesOf(path), left.count());
  }
}

// `status`: how the program ended, as waitpid gives it.
void PrintNothing(int status) {
  std::cerr << "prof: nothing was recorded: ";
  if (WIFSIGNALED(status)) {
    std::cerr << "signal " << WTERMSIG(status) << " (" << strsignal(WTERMSIG(status))
              << ") ended the program before anything was written, which takes up to a second, or ";
  }
  std::cerr << "no process started CUDA, or the recording could not end in time (a line above "
               "names it), or the program does not load preloaded libraries (setuid, "
               "statically linked), or it ran under a tool that keeps prof out (ncu, cuda-gdb): "
               "then run it without that tool\n";
}

// On stderr: stdout belongs to the program.
void PrintFiles(const std::vector<std::string>& written, const std::string& folder,
                const RunOptions& options) {
  // For somebody who looks on: a script should not wait for it.
  if (!folder.empty()) {
    std::cerr << "prof: " << written.size() << " processes were recorded, in " << folder << "/\n";
  }
  PrintAllWritten(written, isatty(STDERR_FILENO) == 1);
  if (!options.html.empty()) (void)WriteHtmlFiles(options.html, written);
  if (!options.report) {
    std::cerr << "prof: read " << (folder.empty() ? "it" : "one") << " with: prof report "
              << (written.size() == 1 ? written[0] : "FILE...") << '\n';
    return;
  }
  for (const std::string& path : written) {
    if (written.size() > 1) std::cerr << "\n==> " << path << " <==";
    std::cerr << '\n';
    WriteText(std::cerr, Analyze(Snapshot::FromFile(path)), OptionsFor(STDERR_FILENO));
  }
}

std::vector<std::string> Unlisted(const std::vector<std::string>& listed,
                                  std::vector<std::string> found) {
  const auto is_listed = [&](const std::string& path) {
    return std::find(listed.begin(), listed.end(), path) != listed.end();
  };
  found.erase(std::remove_if(found.begin(), found.end(), is_listed), found.end());
  return found;
}

// `listed`: what the processes of this run have named. `found`: what has such a name, is new, and
// is not listed. `status`: how the program ended, as waitpid gives it.
void PrintWhatIsLeft(const std::string& pattern, const std::vector<std::string>& listed,
                     const std::vector<std::string>& found, int status, const RunOptions& options) {
  std::vector<std::string> written;
  if (WantsFolder(pattern, listed)) written = MoveToFolder(FolderName(pattern), listed);
  const std::string folder = written.empty() ? "" : written[0].substr(0, written[0].rfind('/'));
  if (written.empty()) written = listed;
  written.insert(written.end(), found.begin(), found.end());
  std::sort(written.begin(), written.end());
  written.erase(std::unique(written.begin(), written.end()), written.end());
  if (written.empty()) return PrintNothing(status);
  PrintFiles(written, folder, options);
}

// The words that are left without a "--": the program, unless the first is an option.
std::string TakeRest(const CLI::App& parser, std::vector<std::string>* program) {
  const std::vector<std::string> rest = parser.remaining();
  if (rest.empty()) return "";
  if (program->empty() && rest[0][0] != '-') {
    *program = rest;
    return "";
  }
  const std::string suggestion = DidYouMeanOption(rest[0], parser);
  return "prof run does not know '" + rest[0] + "'" + (suggestion.empty() ? "." : suggestion) +
         " prof run --help lists the options";
}

// Why the page cannot go to the file `html`; empty: it can.
std::string PageProblem(const std::string& html, const std::string& pattern) {
  if (html.empty()) return "";
  if (!MayBeRecordedTo(pattern, html)) return OutputProblem("--html", html, {});
  return "--html '" + html + "' is a name of the recording, which the page would replace. Name " +
         "another file";
}

// Why the metrics that the user typed cannot be read; empty: they can, or nobody knows, which is a
// line on stderr then.
std::string MetricsProblem(const RecordingFlags& flags, const std::vector<std::string>& metrics) {
  if (!flags.IsGiven("--metrics") || metrics.empty()) return "";
  const MetricsCheck check = CheckMetrics(metrics);
  if (!check.not_checked.empty()) {
    std::cerr << "prof: the names of --metrics were not checked: " << check.not_checked << '\n';
  }
  if (check.problem.empty()) return "";
  return "--metrics: " + check.problem + ". prof metrics --search RE lists the names";
}

int RunProgram(const RunOptions& options) {
  if (options.program.empty()) {
    return Fail("no program to run. Usage: prof run [options] -- program [arguments]");
  }
  if (IsStandardOutput(options.html)) {
    return Fail("--html -: standard output belongs to the program. Name a file");
  }
  Environment environment;
  std::string error;
  const std::string chosen =
      options.inject.empty() ? environment.Get("PROF_INJECT").value_or("") : options.inject;
  const std::string library = FindInjectLibrary(chosen, &error);
  if (library.empty()) return Fail(error);
  SessionOptions recording;
  if (const auto problem = options.recording.Apply(&environment, &recording)) {
    return Fail(*problem + ". prof run --help lists the options");
  }
  const std::string pattern = AbsolutePattern(recording.output);
  std::string problem = PatternProblem(pattern);
  if (problem.empty()) problem = PageProblem(options.html, pattern);
  if (problem.empty()) problem = MetricsProblem(options.recording, recording.metrics);
  if (!problem.empty()) return Fail(problem);
  environment.Set("PROF_OUTPUT", pattern);
  Inject(library, &environment);
  if (recording.torch == Torch::kModules) {
    const std::string hooks = FindPythonHooks(library, &error);
    if (hooks.empty()) return Fail(error);
    AddPythonHooks(hooks, &environment);
  }

  ChildEnd end;
  {
    const RunList list(environment.Get("XDG_RUNTIME_DIR").value_or("/tmp"), pattern);
    environment.Set("PROF_RUN", list.variable());
    const Files before = ListRecordings(pattern), beside = ListOtherNames(pattern);
    end = RunChild(options.program, environment.entries());
    if (end.start_error != 0) return CannotStart(options.program[0], end.start_error);
    const std::vector<std::string> listed = list.Read();
    std::vector<std::string> found =
        Unlisted(listed, NewRecordings(before, ListRecordings(pattern)));
    // No process could reach the list, as in a container. Otherwise a file may be of another run.
    if (listed.empty() && !found.empty()) {
      const std::vector<std::string> others =
          MadeSince(list.start_ns(), beside, ListOtherNames(pattern));
      found.insert(found.end(), others.begin(), others.end());
    }
    PrintWhatIsLeft(pattern, listed, found, end.status, options);
  }  // the list is gone: the next line may not return
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
      ->add_option("--html", options->html,
                   "Write the HTML report to FILE at the end: one file for a browser")
      ->type_name("FILE");
  parser
      ->add_option("--inject", options->inject,
                   "Path of libprof_inject.so (default: beside prof, or in its lib folder)")
      ->type_name("PATH");
  parser->footer(
      "Each recording option is also a variable, for programs that start without prof run, and a\n"
      "field of prof::SessionOptions.");
  parser->prefix_command();  // prof run program works without "--", too
  return {parser, [parser, options] {
            const std::string problem = TakeRest(*parser, &options->program);
            return problem.empty() ? RunProgram(*options) : Fail(problem);
          }};
}

}  // namespace prof::cli
