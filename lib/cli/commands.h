// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program `prof`. Each returns the exit status: 0, or 2 with a message on
// stderr that names the thing, the cause and the way out.
#ifndef PROF_LIB_CLI_COMMANDS_H_
#define PROF_LIB_CLI_COMMANDS_H_

#include <optional>
#include <string>
#include <vector>

namespace prof::cli {

constexpr int kFailed = 2;

struct ReportOptions {
  std::vector<std::string> files;
  bool json = false;
  bool csv = false;
  std::string kernel;  // not empty: everything about the kernels whose name contains it
  int top = 20;        // ranges and kernels shown
  std::string output;  // empty: stdout
};
int ReportCommand(const ReportOptions& options);

int InfoCommand(const std::string& file);

// What is not set here comes from the environment, or is libprof's default.
struct RunOptions {
  std::optional<std::string> output;  // pattern
  std::optional<std::string> counters, samples, budget_percent, budget_seconds, metrics;
  std::optional<std::string> kernel, range, launch_skip, launch_count, every;
  std::optional<std::string> keep_last, dump_signal;
  std::optional<std::string> count_range, continuous, continuous_core, replay, graphs;
  bool no_ranges = false;
  bool unified_memory = false;
  bool report = false;
  std::string inject;  // empty: see FindInjectLibrary
  std::vector<std::string> command;
};
// Returns the program's exit status, or does not return when a signal ended it. 127: the program
// was not found, 126: it cannot be executed.
int RunCommand(const RunOptions& options);

struct MetricsOptions {
  std::string chip;     // empty: the first GPU's
  std::string tier;     // empty: an overview of all of them
  std::string search;   // not empty: a regular expression for names
  std::string metrics;  // not empty: "a,b,c", planned as `prof run --metrics` would
  int samples = 3;      // per kernel signature and pass
  bool json = false;
};
int MetricsCommand(const MetricsOptions& options);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_COMMANDS_H_
