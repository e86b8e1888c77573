// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/thread_waits.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>

namespace prof::capture {
namespace {

using format::HostState;

// Of Linux 5.9; older headers do not have them.
constexpr long kCloseRange = 436;
constexpr unsigned kUnshare = 1U << 1;

constexpr long kLocks[] = {SYS_futex};
constexpr long kSleeps[] = {SYS_nanosleep, SYS_clock_nanosleep};
constexpr long kInputs[] = {
    SYS_read,     SYS_readv,     SYS_pread64,    SYS_preadv,  SYS_write,    SYS_writev,
    SYS_pwrite64, SYS_pwritev,   SYS_recvfrom,   SYS_recvmsg, SYS_sendto,   SYS_sendmsg,
    SYS_accept,   SYS_accept4,   SYS_connect,    SYS_ppoll,   SYS_pselect6, SYS_epoll_pwait,
    SYS_fsync,    SYS_fdatasync, SYS_sendfile,   SYS_openat,
#if defined(SYS_poll)
    SYS_poll,     SYS_select,    SYS_epoll_wait,
#endif
};

template <size_t kCount>
bool IsOf(const long (&calls)[kCount], long number) {
  return std::find(std::begin(calls), std::end(calls), number) != std::end(calls);
}

}  // namespace

HostState StateOfLine(std::string_view line) {
  constexpr std::string_view kRunning = "running";
  if (line.substr(0, kRunning.size()) == kRunning) return HostState::kRunning;
  long number = 0;
  const std::from_chars_result read =
      std::from_chars(line.data(), line.data() + line.size(), number);
  if (read.ec != std::errc() || read.ptr == line.data() + line.size()) return HostState::kUnknown;
  if (IsOf(kLocks, number)) return HostState::kLock;
  if (IsOf(kSleeps, number)) return HostState::kSleep;
  if (IsOf(kInputs, number)) return HostState::kInput;
  return HostState::kOther;
}

ThreadWaits::ThreadWaits() : own_files_(syscall(kCloseRange, 0U, ~0U, kUnshare) == 0) {}

HostState ThreadWaits::StateOf(uint32_t tid) const {
  if (!own_files_) return HostState::kUnknown;
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%u/syscall", tid);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return HostState::kUnknown;
  char line[256];
  const ssize_t length = read(file, line, sizeof(line));
  close(file);
  if (length <= 0) return HostState::kUnknown;
  return StateOfLine({line, static_cast<size_t>(length)});
}

}  // namespace prof::capture
