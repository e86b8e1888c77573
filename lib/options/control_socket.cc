// SPDX-License-Identifier: Apache-2.0
#include "lib/options/control_socket.h"

#include <sys/time.h>
#include <sys/types.h>

#include <cerrno>
#include <cstring>

namespace prof::options {

ControlAddress ControlAddressOf(pid_t pid) {
  ControlAddress result;
  const std::string name = "prof-ctl-" + std::to_string(pid);
  result.address.sun_family = AF_UNIX;
  std::memcpy(result.address.sun_path + 1, name.data(), name.size());  // after a zero: abstract
  result.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return result;
}

Peer PeerOf(int socket) {
  ucred who{};
  socklen_t size = sizeof(who);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return {};
  return {who.pid, who.uid};
}

std::string ReceiveText(int socket, bool whole_line) {
  std::string text;
  char part[1024];
  while (text.size() < kMostControlBytes) {
    const ssize_t got = recv(socket, part, sizeof(part), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part, static_cast<size_t>(got));
    if (whole_line && text.find('\n') != std::string::npos) break;
  }
  return text;
}

bool SendText(int socket, const std::string& text) {
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t now = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return false;
    sent += static_cast<size_t>(now);
  }
  return true;
}

void LimitWaits(int socket, int seconds) {
  const timeval limit = {seconds, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

}  // namespace prof::options
