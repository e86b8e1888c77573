// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/ctl_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "lib/cli/base/help_format.h"
#include "lib/cli/base/message.h"
#include "lib/cli/base/suggestion.h"
#include "lib/cli/run/control_client.h"

namespace prof::cli {
namespace {

const std::vector<std::string>& Actions() {
  static const std::vector<std::string> actions = {"start", "stop",   "end",
                                                   "dump",  "status", "counters"};
  return actions;
}

struct CtlOptions {
  int pid = 0;
  std::string action, file;
};

std::string ProgramName(pid_t pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
  return name;
}

int List() {
  const std::vector<pid_t> processes = ControlledProcesses();
  if (processes.empty()) {
    return Fail("no process here can be controlled: start one with prof run");
  }
  for (const pid_t pid : processes) std::cout << pid << "  " << ProgramName(pid) << '\n';
  return 0;
}

std::string RequestOf(const CtlOptions& options) {
  if (options.action != "dump") return options.action;
  const std::string file =
      options.file.empty() ? "prof-" + std::to_string(options.pid) + ".dump.prof" : options.file;
  std::error_code failed;  // the process may be in another folder
  return "dump " + std::filesystem::absolute(file, failed).string();
}

int RunCtl(const CtlOptions& options) {
  if (options.pid == 0) return List();
  if (options.action.empty()) {
    return Fail("what should process " + std::to_string(options.pid) +
                " do? prof ctl PID start|stop|end|dump|status|counters");
  }
  if (std::find(Actions().begin(), Actions().end(), options.action) == Actions().end()) {
    const std::string suggestion = DidYouMean(options.action, Actions());
    return Fail("prof ctl does not know '" + options.action + "'" +
                (suggestion.empty() ? "." : suggestion) + " prof ctl --help lists the actions");
  }
  if (!options.file.empty() && options.action != "dump") {
    return Fail("a FILE belongs to dump only: prof ctl PID dump FILE");
  }
  const ControlReply reply = AskRecording(options.pid, RequestOf(options));
  if (!reply.ok) return Fail(reply.text);
  std::cout << reply.text << '\n';
  return 0;
}

constexpr const char* kCtlFooter =
    "Actions:\n"
    "  start      record, or go on; from then on windows (--window, ...) decide nothing\n"
    "  stop       pause, once the GPU has done its work\n"
    "  end        end the recording; with --leave the program is rid of prof\n"
    "  dump       with --keep-last: write the last seconds to FILE\n"
    "  status     what is recorded, and what does not work\n"
    "  counters   whether kernels have their counters\n"
    "\n"
    "Without arguments: the processes that can be controlled. A process answers its own user and\n"
    "root. It must run under prof run, in the same container.";

}  // namespace

Command AddCtlCommand(CLI::App* app) {
  const auto options = std::make_shared<CtlOptions>();
  CLI::App* parser = app->add_subcommand("ctl", "Control a recording in another process");
  parser->formatter(std::make_shared<HelpFormat>("prof ctl [PID ACTION [FILE]]"));
  parser->add_option("PID", options->pid, "Process id")
      ->check(CLI::Range(1, 1 << 30))
      ->option_text(" ");
  parser->add_option("ACTION", options->action, "start, stop, end, dump, status or counters")
      ->option_text(" ");
  parser
      ->add_option("FILE", options->file,
                   "File for dump (default: prof-PID.dump.prof in this folder)")
      ->option_text(" ");
  parser->footer(kCtlFooter);
  return {parser, [options] { return RunCtl(*options); }};
}

}  // namespace prof::cli
