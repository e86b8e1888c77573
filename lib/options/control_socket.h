// SPDX-License-Identifier: Apache-2.0
//
// The control socket is how `prof ctl` reaches a recording in another process: an abstract Unix
// socket of the process, one request and one answer for each connection. The request is a line,
// "dump /tmp/x.prof\n"; the answer is text, whose first line is "ok" or "failed". An abstract
// socket leaves no file behind, and goes with the process, also after SIGKILL. Its name protects
// nothing: each side asks the kernel who the other one is.
#ifndef PROF_LIB_OPTIONS_CONTROL_SOCKET_H_
#define PROF_LIB_OPTIONS_CONTROL_SOCKET_H_

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <string>

namespace prof::options {

constexpr size_t kMostControlBytes = 8192;  // of a request, and of an answer

struct ControlAddress {
  sockaddr_un address{};
  socklen_t bytes = 0;
};

// Of the process `pid`, in its network namespace.
[[nodiscard]] ControlAddress ControlAddressOf(pid_t pid);

struct Peer {
  pid_t pid = 0;  // 0: unknown
  uid_t uid = static_cast<uid_t>(-1);
};

// Who listens at, or has connected to, the other end of `socket`.
[[nodiscard]] Peer PeerOf(int socket);

// Reads until a line ends (`whole_line`), or until the other side has said all; at most
// kMostControlBytes. What the socket's time limits leave out is missing.
[[nodiscard]] std::string ReceiveText(int socket, bool whole_line);
// False when the other side does not take it in time.
[[nodiscard]] bool SendText(int socket, const std::string& text);
// Neither side waits for longer than this.
void LimitWaits(int socket, int seconds);

}  // namespace prof::options

#endif  // PROF_LIB_OPTIONS_CONTROL_SOCKET_H_
