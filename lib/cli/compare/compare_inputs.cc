// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/compare/compare_inputs.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "lib/cli/base/message.h"
#include "lib/cli/base/progress.h"
#include "lib/cli/base/recording_file.h"
#include "lib/compare/program.h"
#include "lib/text/numbers.h"
#include "prof/analyzer.h"

namespace prof::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> RecordingsIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".prof") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

RunSet Failed(std::string why) {
  RunSet runs;
  runs.error = std::move(why);
  return runs;
}

// " (run 1 is a.prof, run 2 b.prof)".
std::string NamesOf(const std::vector<std::string>& files) {
  std::string names;
  for (size_t i = 0; i < files.size(); ++i) {
    names += (i == 0 ? " (run 1 is " : ", run " + std::to_string(i + 1) + " ") + files[i];
  }
  return names.empty() ? names : names + ")";
}

// The reports of `files`. Sets `problem`, which names the file, where one cannot be read.
std::vector<Report> ReportsOf(const std::vector<std::string>& files, std::string* problem) {
  std::vector<Report> reports;
  for (const std::string& file : files) {
    const Snapshot snapshot = OpenRecording(file, problem);
    if (!problem->empty()) return reports;
    {
      const Progress progress("analyzing " + file + " (" + std::to_string(reports.size() + 1) +
                              " of " + std::to_string(files.size()) + ")");
      reports.push_back(Analyze(snapshot));
    }
    const std::string& error = reports.back().error;
    if (!error.empty()) {
      *problem = "cannot read ";
      if (snapshot.path().empty()) *problem += file + ": ";  // the error does not name a pipe
      *problem += error;
      return reports;
    }
    WarnIfIncomplete(file, reports.back().incomplete);
  }
  return reports;
}

RunSet CollectReports(const std::vector<std::string>& paths, bool are_equal, bool* all_complete) {
  std::string problem;
  const std::vector<std::string> files = RecordingsOf(paths, &problem);
  if (!problem.empty()) return Failed(problem);
  const std::vector<Report> reports = ReportsOf(files, &problem);
  if (!problem.empty()) return Failed(problem);
  for (const Report& report : reports) {
    if (all_complete != nullptr && !report.incomplete.empty()) *all_complete = false;
  }
  RunSet runs = Collect(reports);
  if (!runs.error.empty()) return Failed(runs.error + NamesOf(files));
  std::vector<std::string> commands;
  commands.reserve(reports.size());
  for (const Report& report : reports) commands.push_back(report.command);
  const std::string why_not = are_equal ? compare::WhyOtherProgram(commands) : "";
  return why_not.empty() ? runs : Failed(why_not + NamesOf(files));
}

}  // namespace

std::vector<std::string> RecordingsOf(const std::vector<std::string>& paths, std::string* problem) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> inside = RecordingsIn(path);
    if (inside.empty()) *problem = "the folder " + path + " has no recording (*.prof)";
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

RunSet CollectRuns(const std::vector<std::string>& paths, bool* all_complete) {
  return CollectReports(paths, false, all_complete);
}

RunSet CollectEqualRuns(const std::vector<std::string>& paths) {
  return CollectReports(paths, true, nullptr);
}

bool ReplaceFile(const std::string& path, const std::string& text) {
  std::error_code failed;
  if (fs::exists(path, failed) && !fs::is_regular_file(path, failed)) {
    return WriteOutput(text, path);
  }
  const std::string temporary = path + ".new";
  if (!WriteOutput(text, temporary)) return false;
  fs::rename(temporary, path, failed);
  if (!failed) return true;
  std::remove(temporary.c_str());
  Fail("cannot write " + path + ": " + failed.message());
  return false;
}

}  // namespace prof::cli
