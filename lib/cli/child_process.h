// SPDX-License-Identifier: Apache-2.0
//
// The profiled program as a child that behaves as if it had been started without us: it gets the
// signals that are sent to us, and we end as it ended.
#ifndef PROF_LIB_CLI_CHILD_PROCESS_H_
#define PROF_LIB_CLI_CHILD_PROCESS_H_

#include <string>
#include <vector>

namespace prof::cli {

struct ChildEnd {
  int start_error = 0;  // errno of the exec or fork that failed; 0: it ran
  int status = 0;       // as waitpid gives it
};

// Starts `command` (searched in PATH) with `environment` ("NAME=value") and waits for its end.
// Signals that other processes send to us go on to the child. Those of the terminal (Ctrl-C) reach
// it anyway, as it is in our process group, and are ignored here. Leaves those signals blocked.
ChildEnd RunChild(const std::vector<std::string>& command,
                  const std::vector<std::string>& environment);

// What a shell makes of `status`, for messages: 7; 128 + signal.
int ExitCode(int status);

// Ends this process as the child ended: with its exit status, or by the same signal (without a core
// dump of ours), so that callers see no difference. Returns the status to exit with otherwise.
int EndLike(int status);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_CHILD_PROCESS_H_
