// SPDX-License-Identifier: Apache-2.0
//
// RunChild() starts the program as a child that behaves as if it had been started without prof: it
// gets the signals that are sent to prof, and prof ends as the child ended.
#ifndef PROF_LIB_CLI_RUN_CHILD_PROCESS_H_
#define PROF_LIB_CLI_RUN_CHILD_PROCESS_H_

#include <string>
#include <vector>

namespace prof::cli {

struct ChildEnd {
  int start_error = 0;  // errno of the exec or fork that failed; 0: the program ran
  int status = 0;       // as waitpid gives it
};

// Starts `command` (searched in PATH) with `environment` ("NAME=value") and waits for its end.
// Signals that other processes send to prof go on to the child. Signals of the terminal (Ctrl-C)
// reach the child without prof, because it is in the same process group: prof ignores them. Leaves
// all these signals blocked.
[[nodiscard]] ChildEnd RunChild(const std::vector<std::string>& command,
                                const std::vector<std::string>& environment);

// The exit code that a shell shows for `status`: 7; 128 + signal.
[[nodiscard]] int ExitCode(int status);

// Ends this process by the signal that ended the child, without a core dump of prof. Where no
// signal did, returns the status to exit with: callers see no difference in either case.
[[nodiscard]] int EndLike(int status);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_CHILD_PROCESS_H_
