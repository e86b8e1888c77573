// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/run_list.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

namespace prof::cli {
namespace {

// A new, empty file with `begin` and six characters; empty where none can be made. `changed_ns`: by
// the clock of its file system.
std::string MakeFile(std::string begin, long long* changed_ns) {
  begin += "XXXXXX";
  const int file = mkstemp(begin.data());
  if (file < 0) return "";
  struct stat state {};
  if (fstat(file, &state) == 0) {
    *changed_ns = state.st_mtim.tv_sec * 1'000'000'000LL + state.st_mtim.tv_nsec;
  }
  close(file);
  return begin;
}

// The time in the folder of `pattern`: a file server's clock may differ from this machine's.
long long NowBeside(const std::string& pattern) {
  long long now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  const std::string folder = pattern.substr(0, pattern.rfind('/'));
  std::error_code failed;
  const bool is_device = std::filesystem::is_character_file(pattern, failed);
  const bool probes = !is_device && folder.find('%') == std::string::npos;
  const std::string probe = probes ? MakeFile(folder + "/.prof-run-", &now_ns) : "";
  if (!probe.empty()) unlink(probe.c_str());
  return now_ns;
}

}  // namespace

RunList::RunList(const std::string& shared, const std::string& pattern)
    : start_ns_(NowBeside(pattern)) {
  long long ignored = 0;
  path_ = MakeFile(shared + "/prof-run-", &ignored);
}

RunList::~RunList() {
  if (!path_.empty()) unlink(path_.c_str());
}

std::string RunList::variable() const { return std::to_string(start_ns_) + ":" + path_; }

std::vector<std::string> RunList::Read() const {
  std::set<std::string> paths;
  std::ifstream list(path_);
  std::error_code failed;
  for (std::string line; std::getline(list, line);) {
    if (std::filesystem::is_regular_file(line, failed)) paths.insert(line);
  }
  return {paths.begin(), paths.end()};
}

}  // namespace prof::cli
