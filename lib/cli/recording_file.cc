// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/recording_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <system_error>

#include "lib/cli/message.h"

namespace prof::cli {

namespace {

constexpr size_t kMostNamed = 64;

// "Name one of the recordings in it:" and their paths, a line each.
std::string RecordingsIn(const std::string& folder) {
  std::set<std::string> paths;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == ".prof") paths.insert(entry->path().string());
  }
  if (paths.empty()) return "There is no recording (.prof) in it";
  std::string text = "Name one of the recordings in it:";
  size_t named = 0;
  for (const std::string& path : paths) {
    if (named++ == kMostNamed) return text + "\n  and " + std::to_string(paths.size() - kMostNamed);
    text += "\n  " + path;
  }
  return text;
}

}  // namespace

std::string ReadProblem(const std::string& path) {
  struct stat state {};
  if (stat(path.c_str(), &state) != 0) {
    return "cannot read '" + path + "': " + std::strerror(errno) +
           ". Check the name; prof run -- program writes prof-<host>-<pid>.prof";
  }
  if (S_ISDIR(state.st_mode)) {
    return "cannot read '" + path + "': it is a folder. " + RecordingsIn(path);
  }
  if (access(path.c_str(), R_OK) != 0) {
    return "cannot read '" + path + "': " + std::strerror(errno) +
           ". Copy it as its owner, or chmod +r";
  }
  return "";
}

std::string OutputProblem(const std::string& output, const std::vector<std::string>& recordings) {
  std::error_code failed;
  if (std::filesystem::is_directory(output, failed)) {
    return "-o '" + output + "' is a folder. Name a file in it";
  }
  for (const std::string& recording : recordings) {
    if (output.empty() || !std::filesystem::equivalent(output, recording, failed)) continue;
    return "-o '" + output + "' is the recording itself, and a report would replace it. Choose " +
           "another file with -o";
  }
  return "";
}

bool WriteOutput(const std::string& text, const std::string& output) {
  if (output.empty()) {
    std::cout << text << std::flush;
    if (std::cout) return true;
    Fail(std::string("cannot write to standard output: ") + std::strerror(errno));
    return false;
  }
  std::ofstream file(output, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (file) return true;
  Fail("cannot write '" + output + "': " + std::strerror(errno) + ". Choose another file with -o");
  return false;
}

}  // namespace prof::cli
