// SPDX-License-Identifier: Apache-2.0
//
// Children of a recorded program behave as they do without us, and do not harm the parent's file.
#include <algorithm>
#include <string>

#include "test/exit/child.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::fork_exec_test {
namespace {

bool HasPath(const model::Model& model, const std::string& full) {
  return std::any_of(model.paths.begin(), model.paths.end(),
                     [&](const model::RangePath& path) { return path.full == full; });
}

TEST_CASE("Forked children end with their own exit code, and the parent's file is whole") {
  const TempFolder folder;
  const Ended ended = RunExitProgram("fork", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  CHECK(ended.errors.empty());
  const model::Model model = ReadRecording(folder / "a.prof");
  CHECK(model.stopped_in_order);
  CHECK(model.truncation.empty());
  CHECK(HasPath(model, "open at the fork"));
  CHECK(HasPath(model, "a thread's"));
  CHECK_FALSE(HasPath(model, "open at the fork/child 5b1e"));
}

TEST_CASE("vfork, posix_spawn and system() do not end the parent's recording") {
  const TempFolder folder;
  const Ended ended = RunExitProgram("spawn", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  CHECK(ended.errors.empty());
  const model::Model model = ReadRecording(folder / "a.prof");
  CHECK(model.stopped_in_order);
  CHECK(HasPath(model, "open at the spawn"));
  CHECK(HasPath(model, "after the spawns"));
}

}  // namespace
}  // namespace prof::test::fork_exec_test
