// SPDX-License-Identifier: Apache-2.0
//
// Tests of programs that keep their last seconds: a signal writes them, and so does the end.
#include <filesystem>
#include <string>

#include "test/exit/child.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::dump_test {
namespace {

TEST_CASE("A signal writes what is kept, again and again, and the end writes it as well") {
  const TempFolder folder;
  const Ended ended = RunExitProgram("dump", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  REQUIRE_FALSE(ended.errors.empty());
  CHECK(ended.errors[0] == "prof: wrote " + folder / "a.dump1.prof");
  for (const char* name : {"a.dump1.prof", "a.dump2.prof", "a.prof"}) {
    INFO(name);
    const model::Model model = ReadRecording(folder / name);
    CHECK(model.ops.size() > 50);
    CHECK(model.stopped_in_order);
    CHECK(model.truncation.empty());
  }
}

TEST_CASE("exit() in a signal handler that interrupts Dump leaves a recording that was stopped") {
  const TempFolder folder;
  for (int i = 0; i < 5; ++i) {
    const Ended ended = RunExitProgram("exit in a handler that interrupts Dump", folder / "a.prof");
    CHECK(ended.exit_code == 7);
    const model::Model model = ReadRecording(folder / "a.prof");
    CHECK(model.stopped_in_order);
    CHECK(model.ops.size() > 50);
    std::filesystem::remove(folder / "a.prof");
  }
}

TEST_CASE("A dump signal that comes after the recording has ended does nothing") {
  const TempFolder folder;
  const Ended ended = RunExitProgram("dump signal after the end", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  CHECK_FALSE(std::filesystem::exists(folder / "a.dump1.prof"));
}

TEST_CASE("In a forked child the dump signal does what it did before us") {
  const TempFolder folder;
  CHECK(RunExitProgram("dump signal in a forked child", folder / "a.prof").exit_code == 7);
  CHECK_FALSE(std::filesystem::exists(folder / "a.dump1.prof"));
}

TEST_CASE("A signal that the program handles itself stays with it") {
  const TempFolder folder;
  const Ended ended = RunExitProgram("dump signal of the program", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  REQUIRE(ended.errors.size() == 1);
  CHECK(ended.errors[0].find("the program has an action of its own for it") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "a.dump1.prof"));
  CHECK(ReadRecording(folder / "a.prof").ops.size() > 50);
}

}  // namespace
}  // namespace prof::test::dump_test
