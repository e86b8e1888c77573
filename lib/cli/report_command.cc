// SPDX-License-Identifier: Apache-2.0
//
// prof report and prof info: from a snapshot file to text, JSON or CSV.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "lib/cli/commands.h"
#include "lib/cli/terminal.h"
#include "lib/report/csv.h"
#include "lib/report/info.h"
#include "lib/report/json.h"
#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

void Tell(const std::string& message) { std::cerr << "prof: " << message << '\n'; }

// What keeps `path` from being opened, with the way out; empty: it can be. Damaged content is the
// reader's to describe.
std::string CannotOpen(const std::string& path) {
  struct stat state {};
  if (stat(path.c_str(), &state) != 0) {
    return "cannot read '" + path + "': " + std::strerror(errno) +
           ". Check the name; prof run -- program writes prof-<pid>.prof";
  }
  if (S_ISDIR(state.st_mode)) {
    return "cannot read '" + path + "': it is a folder. Name the .prof file in it";
  }
  if (access(path.c_str(), R_OK) != 0) {
    return "cannot read '" + path + "': " + std::strerror(errno) +
           ". Copy it as its owner, or chmod +r";
  }
  return "";
}

// True when all of `text` arrived.
bool Deliver(const std::string& text, const std::string& output) {
  if (output.empty()) {
    std::cout << text << std::flush;
    if (std::cout) return true;
    Tell(std::string("cannot write to standard output: ") + std::strerror(errno));
    return false;
  }
  std::ofstream file(output, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (file) return true;
  Tell("cannot write '" + output + "': " + std::strerror(errno) + ". Choose another file with -o");
  return false;
}

// The kernels whose name contains `name`, all their signatures.
bool WriteMatching(std::ostream& out, const Report& report, const std::string& name,
                   const TextOptions& text) {
  int shown = 0, matching = 0;
  for (const KernelReport& kernel : report.kernels) {
    const bool matches = kernel.name.find(name) != std::string::npos ||
                         kernel.full_name.find(name) != std::string::npos;
    if (!matches) continue;
    if (++matching > text.max_rows) continue;
    if (shown++ > 0) out << "\n----\n\n";
    WriteKernelDetail(out, kernel, text);
  }
  if (matching > shown)
    out << "\nand " << matching - shown << " more signatures; --top shows more\n";
  if (matching == 0) Tell(report.kernel(name).verdict.missing);
  return matching > 0;
}

void KeepMatching(const std::string& name, Report* report) {
  std::vector<KernelReport>& kernels = report->kernels;
  kernels.erase(std::remove_if(kernels.begin(), kernels.end(),
                               [&](const KernelReport& kernel) {
                                 return kernel.name.find(name) == std::string::npos &&
                                        kernel.full_name.find(name) == std::string::npos;
                               }),
                kernels.end());
}

// One file's report into `out`; false after a message.
bool WriteFile(std::ostream& out, const std::string& path, const ReportOptions& options,
               const TextOptions& text) {
  const std::string problem = CannotOpen(path);
  if (!problem.empty()) {
    Tell(problem);
    return false;
  }
  Report report = Analyze(Snapshot::FromFile(path));
  if (!report.error.empty()) {
    Tell("cannot read " + report.error);
    return false;
  }
  if (!options.json && !options.csv) {
    if (!options.kernel.empty()) return WriteMatching(out, report, options.kernel, text);
    WriteText(out, report, text);
    return true;
  }
  if (!options.kernel.empty()) {
    const std::string missing = report.kernel(options.kernel).verdict.missing;
    KeepMatching(options.kernel, &report);
    if (report.kernels.empty()) {
      Tell(missing);
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

}  // namespace

int ReportCommand(const ReportOptions& options) {
  if ((options.json || options.csv) && options.files.size() > 1) {
    Tell("--json and --csv take one file at a time: call prof report once for each");
    return kFailed;
  }
  TextOptions text = options.output.empty() ? OptionsFor(STDOUT_FILENO) : TextOptions{};
  text.max_rows = options.top;
  std::ostringstream out;
  bool all_well = true;
  for (const std::string& path : options.files) {
    if (options.files.size() > 1) out << "==> " << path << " <==\n";
    all_well &= WriteFile(out, path, options, text);
    if (options.files.size() > 1) out << '\n';
  }
  if (!out.str().empty()) all_well &= Deliver(out.str(), options.output);
  return all_well ? 0 : kFailed;
}

int InfoCommand(const std::string& file) {
  const std::string problem = CannotOpen(file);
  if (!problem.empty()) {
    Tell(problem);
    return kFailed;
  }
  const absl::StatusOr<model::Model> model = ReadSnapshotFile(file);
  if (!model.ok()) {
    Tell("cannot read " + std::string(model.status().message()));
    return kFailed;
  }
  struct stat state {};
  stat(file.c_str(), &state);
  std::ostringstream out;
  WriteInfo(out, *model, static_cast<uint64_t>(state.st_size), OptionsFor(STDOUT_FILENO));
  return Deliver(out.str(), "") ? 0 : kFailed;
}

}  // namespace prof::cli
