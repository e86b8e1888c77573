// SPDX-License-Identifier: Apache-2.0
//
// The control client asks recordings in other processes: see lib/options/control_socket.h.
#ifndef PROF_LIB_CLI_RUN_CONTROL_CLIENT_H_
#define PROF_LIB_CLI_RUN_CONTROL_CLIENT_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace prof::cli {

struct ControlReply {
  bool ok = false;
  std::string text;  // for people, without its last line end; of a failure with the way out
};

// Sends one request to the recording in process `pid`. Waits for the answer, 30 s at most.
[[nodiscard]] ControlReply AskRecording(pid_t pid, const std::string& request);

// The processes whose recordings can be controlled, of any user, in their order. `sockets`: the
// file that the system lists Unix sockets in.
[[nodiscard]] std::vector<pid_t> ControlledProcesses(const std::string& sockets = "/proc/net/unix");

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_CONTROL_CLIENT_H_
