// SPDX-License-Identifier: Apache-2.0
#include "test/exit/child.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test {

Ended RunExitProgram(const std::string& how, const std::string& output) {
  const TempFolder folder;
  // exec: the shell does not stand between us and the signal.
  const int status = std::system(("exec " PROF_TEST_EXIT_PROGRAM " '" + how + "' '" + output +
                                  "' >'" + folder / "out" + "' 2>'" + folder / "err" + "'")
                                     .c_str());
  Ended ended;
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  ended.out = ReadFile(folder / "out");
  std::istringstream errors(ReadFile(folder / "err"));
  for (std::string line; std::getline(errors, line);) ended.errors.push_back(line);
  return ended;
}

model::Model ReadRecording(const std::string& path) {
  CHECK(std::system((PROF_PROGRAM " info '" + path + "' >/dev/null").c_str()) == 0);
  absl::StatusOr<model::Model> model = ReadSnapshot(Snapshot::FromFile(path));
  INFO(model.status());
  REQUIRE(model.ok());
  return *std::move(model);
}

}  // namespace prof::test
