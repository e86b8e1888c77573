// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/process_info.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "lib/capture/process/clock.h"

namespace prof::capture {
namespace {

constexpr size_t kMaxBytes = 4096;

// The first kMaxBytes of a file of /proc or /sys; empty when it cannot be read.
std::string ReadStart(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text(kMaxBytes, '\0');
  const ssize_t bytes = read(fd, text.data(), text.size());
  close(fd);
  text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
  return text;
}

}  // namespace

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "host";
}

std::string CommandLine() {
  std::string command = ReadStart("/proc/self/cmdline");
  while (!command.empty() && command.back() == '\0') command.pop_back();
  for (char& c : command) {
    if (c == '\0') c = ' ';
  }
  return command;
}

int64_t ProcessStartNs() {
  // The 22nd field, behind the program's name in brackets: clock ticks since the machine began.
  const std::string state = ReadStart("/proc/self/stat");
  const size_t name_end = state.rfind(')');
  if (name_end == std::string::npos) return RealtimeNs();
  size_t at = name_end;
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = state.find(' ', at + 1);
  const int64_t ticks_per_second = sysconf(_SC_CLK_TCK);
  if (at == std::string::npos || ticks_per_second <= 0) return RealtimeNs();
  const int64_t ticks = std::strtoll(state.c_str() + at, nullptr, 10);
  const int64_t machine_start_ns = RealtimeNs() - ReadClock(CLOCK_BOOTTIME);
  return machine_start_ns + ticks * (1'000'000'000 / ticks_per_second);
}

std::string NvidiaDriverVersion() {
  std::string version = ReadStart("/sys/module/nvidia/version");
  while (!version.empty() && (version.back() == '\n' || version.back() == ' ')) version.pop_back();
  return version;
}

}  // namespace prof::capture
