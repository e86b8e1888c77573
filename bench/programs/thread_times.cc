// SPDX-License-Identifier: Apache-2.0
#include "thread_times.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

constexpr int kFieldsBeforeTimes = 11;  // of /proc/*/stat, between the name and utime

std::string FirstLine(const std::filesystem::path& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

double CpuSeconds(const std::string& stat) {
  const size_t name_end = stat.rfind(')');  // a name may hold spaces
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < kFieldsBeforeTimes; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

void PrintProfThreadTimes(const char* tag) {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const std::string name = FirstLine(task.path() / "comm");
    if (name.rfind("prof-", 0) != 0) continue;
    std::printf("[%s] %s cpu_s %.2f\n", tag, name.c_str(),
                CpuSeconds(FirstLine(task.path() / "stat")));
  }
}
