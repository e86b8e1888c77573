// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/complain.h"

#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>

namespace prof::capture {
namespace {

// A pipe that has room takes this many bytes in one piece.
constexpr size_t kMostBytes = PIPE_BUF;

bool HasRoom() {
  pollfd place = {STDERR_FILENO, POLLOUT, 0};
  return poll(&place, 1, 0) == 1 && (place.revents & POLLOUT) != 0 &&
         (place.revents & (POLLERR | POLLNVAL)) == 0;
}

// SIGPIPE of the write, where the reader goes away meanwhile, does not reach the program. One that
// was there before stays.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    is_blocked_ = pthread_sigmask(SIG_BLOCK, &pipe_, &before_) == 0;
  }
  ~WithoutSigpipe() {
    if (!is_blocked_) return;
    const timespec at_once = {0, 0};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false, is_blocked_ = false;
};

}  // namespace

void Complain(const char* format, ...) noexcept {
  const int error = errno;
  char line[kMostBytes];
  va_list arguments;
  va_start(arguments, format);
  const int wanted = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (wanted > 0 && HasRoom()) {
    const WithoutSigpipe guard;
    (void)!write(STDERR_FILENO, line,
                 std::min<size_t>(static_cast<size_t>(wanted), sizeof line - 1));
  }
  errno = error;
}

}  // namespace prof::capture
