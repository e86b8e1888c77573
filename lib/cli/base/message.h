// SPDX-License-Identifier: Apache-2.0
//
// Messages of the program `prof` to its user.
#ifndef PROF_LIB_CLI_BASE_MESSAGE_H_
#define PROF_LIB_CLI_BASE_MESSAGE_H_

#include <iostream>
#include <string>

namespace prof::cli {

constexpr int kFailed = 2;      // the exit status of every error of prof's own
constexpr int kIncomplete = 3;  // with --strict: a recording is damaged, or its end is missing

// Prints one line on stderr and returns `status`. The message names the thing, the cause and the
// way out.
inline int Fail(const std::string& message, int status = kFailed) {
  std::cerr << "prof: " << message << '\n';
  return status;
}

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_MESSAGE_H_
