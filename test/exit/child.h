// SPDX-License-Identifier: Apache-2.0
//
// Runs test/exit/program.cc until its end and keeps what it left.
#ifndef PROF_TEST_EXIT_CHILD_H_
#define PROF_TEST_EXIT_CHILD_H_

#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::test {

struct Ended {
  int exit_code = -1;  // -1: a signal ended it
  int signal = 0;      // SIGALRM: it hung, and its own alarm ended it
  std::string out;
  std::vector<std::string> errors;  // the lines of stderr
};

// The program in the way `how`, with a recording to `output` (empty: memory).
Ended RunExitProgram(const std::string& how, const std::string& output);

// The recording in `path`; fails the test when the reader or `prof info` refuses it.
model::Model ReadRecording(const std::string& path);

}  // namespace prof::test

#endif  // PROF_TEST_EXIT_CHILD_H_
