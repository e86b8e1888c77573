// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/control_client.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "lib/options/control_socket.h"

namespace prof::cli {
namespace {

// Pausing waits for the GPU, 5 s at most, then for the collector.
constexpr int kPatienceSeconds = 30;
constexpr std::string_view kOkAnswer = "ok\n", kFailedAnswer = "failed\n";

class Socket {
 public:
  Socket() : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

std::string NotReached(pid_t pid, int error) {
  const std::string process = "process " + std::to_string(pid);
  if (kill(pid, 0) != 0 && errno == ESRCH) return "there is no " + process;
  if (error != ECONNREFUSED) return "cannot reach " + process + ": " + std::strerror(error);
  return process +
         " cannot be controlled: it is not recorded by prof, has not used CUDA yet, was started "
         "with --no-control, or is in another container. Start it with prof run; prof ctl without "
         "arguments lists the processes that can be";
}

}  // namespace

ControlReply AskRecording(pid_t pid, const std::string& request) {
  const Socket socket;
  const options::ControlAddress at = options::ControlAddressOf(pid);
  if (socket.fd() < 0 ||
      connect(socket.fd(), reinterpret_cast<const sockaddr*>(&at.address), at.bytes) != 0) {
    return {false, NotReached(pid, errno)};
  }
  // Anybody may have taken the name.
  const options::Peer peer = options::PeerOf(socket.fd());
  if (peer.pid != pid || (geteuid() != 0 && peer.uid != geteuid() && peer.uid != 0)) {
    return {false, "what answers for process " + std::to_string(pid) +
                       " belongs to another process or user: control it as its user, or as root"};
  }
  options::LimitWaits(socket.fd(), kPatienceSeconds);
  if (!options::SendText(socket.fd(), request + "\n")) {
    return {false, "process " + std::to_string(pid) + " takes no request: is it stopped?"};
  }
  std::string answer = options::ReceiveText(socket.fd(), /*whole_line=*/false);
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  if (answer.rfind(kOkAnswer, 0) == 0) return {true, answer.substr(kOkAnswer.size())};
  if (answer.rfind(kFailedAnswer, 0) == 0) return {false, answer.substr(kFailedAnswer.size())};
  return {false, "process " + std::to_string(pid) +
                     " did not answer: it belongs to another user, or is stopped"};
}

std::vector<pid_t> ControlledProcesses(const std::string& sockets) {
  constexpr std::string_view kName = "@prof-ctl-";
  std::vector<pid_t> processes;
  std::ifstream in(sockets);
  for (std::string line; std::getline(in, line);) {
    const size_t name = line.find(kName);
    if (name == std::string::npos) continue;
    const long pid = std::strtol(line.c_str() + name + kName.size(), nullptr, 10);
    if (pid > 0) processes.push_back(static_cast<pid_t>(pid));
  }
  std::sort(processes.begin(), processes.end());
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  return processes;
}

}  // namespace prof::cli
