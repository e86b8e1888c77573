// SPDX-License-Identifier: Apache-2.0
//
// However a recorded program ends, its exit code is its own, nothing hangs, the file can be read.
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "test/exit/child.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::exit_test {
namespace {

#if defined(PROF_SANITIZED)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

void CheckEnd(const std::string& how, int exit_code, int signal, bool stopped_in_order) {
  INFO(how);
  const TempFolder folder;
  const Ended ended = RunExitProgram(how, folder / "a.prof");
  CHECK(ended.exit_code == exit_code);
  CHECK(ended.signal == signal);
  CHECK(ended.errors.empty());
  const model::Model model = ReadRecording(folder / "a.prof");
  CHECK(model.ops.size() > 50);
  // A program that is killed may be in the middle of writing the next block.
  if (stopped_in_order || model.truncation.find("the file ends after") == std::string::npos) {
    CHECK(model.truncation.empty());
  }
  CHECK(model.stopped_in_order == stopped_in_order);
}

TEST_CASE("A program that returns from main or calls exit() leaves a recording that was stopped") {
  for (const char* how : {"local", "leaked", "static", "exit", "exit on a thread"}) {
    CheckEnd(how, 7, 0, true);
  }
}

TEST_CASE("exit() on one thread while another stops and destroys the session leaves a recording") {
  for (int i = 0; i < 10; ++i) CheckEnd("exit while another thread stops", 7, 0, true);
}

TEST_CASE("A program that ends without exit handlers leaves what happened up to the last block") {
  CheckEnd("_exit", 7, 0, false);  // preloaded, prof sees it: test/processes
}

TEST_CASE("A program that calls quick_exit() leaves a recording that was stopped") {
  CheckEnd("quick_exit", 7, 0, true);
}

TEST_CASE("A program that dies by a signal leaves what happened up to the last block") {
  CheckEnd("abort", -1, SIGABRT, false);
  CheckEnd("SIGTERM", -1, SIGTERM, false);
  CheckEnd("SIGSEGV", -1, SIGSEGV, false);
  CheckEnd("SIGKILL", -1, SIGKILL, false);
}

TEST_CASE("exit() does not wait without end for a Stop that hangs on another thread") {
  const TempFolder folder;
  CHECK(RunExitProgram("exit while a stop hangs", folder / "a.prof").exit_code == 7);
  CHECK(ReadRecording(folder / "a.prof").ops.size() > 50);
}

TEST_CASE("exit() with a GPU that never goes idle leaves a recording with its trailer") {
  const TempFolder folder;
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = RunExitProgram("exit while the GPU never goes idle", folder / "a.prof");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(16));
  CHECK(ended.exit_code == 7);
  REQUIRE(ended.errors.size() == 1);
  CHECK(ended.errors[0].find("prof: the GPU did not finish its work within ") == 0);
  const model::Model model = ReadRecording(folder / "a.prof");
  CHECK(model.stopped_in_order);
  CHECK(model.integrity.incomplete);
  CHECK(model.ops.size() > 50);
}

TEST_CASE("exit() waits once for CUPTI when it hangs, whoever stops the recording meanwhile") {
  const TempFolder folder;
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended =
      RunExitProgram("exit while the stop of a static session hangs", folder / "a.prof");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(16));
  CHECK(ended.exit_code == 7);
  CHECK(ended.signal == 0);
  CHECK(ended.errors == std::vector<std::string>{"prof: the recording is still being stopped on "
                                                 "another thread, and is left incomplete"});
  CHECK(ReadRecording(folder / "a.prof").ops.size() > 50);
}

TEST_CASE("A stop that comes back after its static session is gone finds what it needs") {
  const TempFolder folder;
  const Ended ended =
      RunExitProgram("exit while the stop of a static session comes back late", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  CHECK(ended.signal == 0);
}

TEST_CASE("exit() in a signal handler that interrupts Stop does not wait without end") {
  const TempFolder folder;
  CHECK(RunExitProgram("exit in a handler while its thread stops", folder / "a.prof").exit_code ==
        7);
  CHECK(ReadRecording(folder / "a.prof").ops.size() > 50);
}

void CheckNoCountersNotice(const model::Model& model, size_t notices = 1) {
  REQUIRE(model.notices.size() == notices);
  CHECK(model.notices[0].what == "not permitted");
}

TEST_CASE("An injected recording reports at exit, and in its file, why it has no counters") {
  const TempFolder folder;
  const Ended ended = RunExitProgram("injected, without counters", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  CHECK(ended.errors == std::vector<std::string>{
                            "prof: no counters: not permitted; to get it: ask the administrator"});
  CheckNoCountersNotice(ReadRecording(folder / "a.prof"));
}

TEST_CASE("It reports that as well when the GPU hangs at exit") {
  const TempFolder folder;
  const Ended ended =
      RunExitProgram("injected, without counters, when the GPU hangs", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  REQUIRE(ended.errors.size() == 2);
  CHECK(ended.errors[0].find("prof: the GPU did not finish its work within ") == 0);
  CHECK(ended.errors[1] == "prof: no counters: not permitted; to get it: ask the administrator");
  const model::Model model = ReadRecording(folder / "a.prof");
  CheckNoCountersNotice(model, 2);
  CHECK(model.notices[1].what.find("the GPU did not finish its work within ") == 0);
}

TEST_CASE("Where the system has no thread for us the program goes on, and can record later") {
  if (kSanitized) PROF_SKIP("built with a sanitizer, which needs memory of its own");
  const TempFolder folder;
  CHECK(RunExitProgram("no thread", folder / "a.prof").exit_code == 7);
}

TEST_CASE("Out of memory on our own thread ends the recording, not the program") {
  const TempFolder folder;
  const Ended ended = RunExitProgram("out of memory", folder / "a.prof");
  CHECK(ended.exit_code == 7);
  CHECK(ended.signal == 0);
  REQUIRE(ended.errors.size() == 1);
  CHECK(ended.errors[0].find("prof: the recording ends here: ") == 0);
  const model::Model model = ReadRecording(folder / "a.prof");
  CHECK(model.ops.size() == 1);
  CHECK(model.integrity.incomplete);
}

}  // namespace
}  // namespace prof::test::exit_test
