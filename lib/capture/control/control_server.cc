// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/control/control_server.h"

#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/options/control_socket.h"

namespace prof::capture {
namespace {

constexpr int kPatienceSeconds = 2;
constexpr int kBacklog = 8;

std::atomic<int> listening{-1};
std::atomic<pid_t> listening_process{0};

// Whether `fd` is still the socket that we bound: the program may have closed all descriptors, as a
// daemon does, and this number may be a socket of its own.
bool IsOurs(int fd) {
  const options::ControlAddress ours = options::ControlAddressOf(listening_process.load());
  sockaddr_un address{};
  socklen_t bytes = sizeof(address);
  return getsockname(fd, reinterpret_cast<sockaddr*>(&address), &bytes) == 0 &&
         bytes == ours.bytes && std::memcmp(&address, &ours.address, bytes) == 0;
}

// The child has no thread that would answer, and would keep the name after its parent's end.
void CloseSocketInForkedChild() {
  const int fd = listening.exchange(-1);
  if (fd >= 0 && IsOurs(fd)) close(fd);
}

void Serve(int connection, const ControlAnswer& answer) {
  const options::Peer peer = options::PeerOf(connection);
  if (peer.uid != geteuid() && peer.uid != 0) return;
  options::LimitWaits(connection, kPatienceSeconds);
  std::string request = options::ReceiveText(connection, /*whole_line=*/true);
  const size_t end = request.find('\n');
  if (end == std::string::npos) return;  // too slow, or too long
  request.resize(end);
  (void)options::SendText(connection, answer(request));
}

void ServeAll(int fd, const ControlAnswer& answer) {
  while (IsOurs(fd)) {
    const int connection = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
      usleep(100'000);  // the program has no descriptor left
      continue;
    }
    try {
      Serve(connection, answer);
    } catch (const std::exception&) {  // out of memory: this client gets no answer
    }
    close(connection);
  }
}

std::string Problem(const char* action) {
  return std::string(action) + ": " + std::strerror(errno);
}

}  // namespace

std::string StartControlServer(ControlAnswer answer) {
  const pid_t process = getpid();
  const options::ControlAddress ours = options::ControlAddressOf(process);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Problem("socket");
  listening_process.store(process);
  std::string problem;
  if (bind(fd, reinterpret_cast<const sockaddr*>(&ours.address), ours.bytes) != 0) {
    problem = Problem("bind");
  } else if (listen(fd, kBacklog) != 0) {
    problem = Problem("listen");
  }
  if (!problem.empty()) {
    close(fd);
    return problem;
  }
  RunInForkedChild(ForkHook::kControlSocket, &CloseSocketInForkedChild);
  listening.store(fd);
  try {
    StartQuietThread("prof-ctl", [fd, answer = std::move(answer)] {
      ServeAll(fd, answer);
    }).detach();
  } catch (const std::exception& error) {
    if (listening.exchange(-1) == fd) close(fd);
    return error.what();
  }
  return "";
}

}  // namespace prof::capture
