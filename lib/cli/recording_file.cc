// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/recording_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "lib/cli/message.h"

namespace prof::cli {

std::string ReadProblem(const std::string& path) {
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
