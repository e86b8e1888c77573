// SPDX-License-Identifier: Apache-2.0
//
// Processes that end, or become others, in ways that no exit handler sees.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "test/processes/run.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::ends_test {
namespace {

using Clock = std::chrono::steady_clock;
using Names = std::vector<std::string>;

TEST_CASE("A process that ends by _exit, _Exit or quick_exit keeps its last second") {
  for (const char* how : {"_exit", "_Exit", "quick_exit", "_exit on many threads"}) {
    INFO(how);
    const Folder folder;
    CHECK(RunWay(folder, how).exit_code() == 7);
    const model::Model model = Read(folder, "run.prof");
    CHECK(model.ops.size() == 5);
    CHECK(model.stopped_in_order);
  }
}

TEST_CASE("A signal handler that calls _exit ends the program, and keeps the recording") {
  const Folder folder;
  const auto begin = Clock::now();
  CHECK(RunWay(folder, "_exit in a handler").exit_code() == 7);
  CHECK(Clock::now() - begin < std::chrono::seconds(8));
  CHECK(Read(folder, "run.prof").ops.size() == 5);
}

TEST_CASE("A process that ends by _exit while its GPU never goes idle leaves what had ended") {
  const Folder folder;
  const auto begin = Clock::now();
  CHECK(RunWay(folder, "_exit while the GPU hangs").exit_code() == 7);
  CHECK(Clock::now() - begin < std::chrono::seconds(8));
  const model::Model model = Read(folder, "run.prof");
  CHECK(model.ops.size() == 5);
  CHECK(model.stopped_in_order);
  CHECK(model.integrity.incomplete);
}

TEST_CASE("A process that ends by _exit waits two seconds for CUPTI when it hangs, no longer") {
  const Folder folder;
  const auto begin = Clock::now();
  CHECK(RunWay(folder, "_exit while CUPTI hangs").exit_code() == 7);
  CHECK(Clock::now() - begin < std::chrono::seconds(8));
  const model::Model model = Read(folder, "run.prof");
  CHECK(model.ops.size() == 5);
  CHECK_FALSE(model.stopped_in_order);
}

TEST_CASE("A process without a recording ends by _exit at once") {
  const Folder folder;
  CHECK(RunWay(folder, "_exit without CUDA").exit_code() == 7);
  CHECK(Recordings(folder).empty());
}

TEST_CASE("The _exit of a child that shares the memory does not end the recording") {
  const Folder folder;
  CHECK(RunWay(folder, "vfork").exit_code() == 7);
  const model::Model model = Read(folder, "run.prof");
  CHECK(model.ops.size() == 10);
  CHECK(model.stopped_in_order);
}

TEST_CASE(
    "A process that executes another program leaves what it recorded, and the other its own") {
  const Folder folder;
  const Ended ended = RunWay(folder, "exec");
  CHECK(ended.exit_code() == 7);
  const Names names = Recordings(folder);
  REQUIRE(names.size() == 2);  // the same process id, and two recordings
  size_t in_order = 0;
  for (const std::string& name : names) {
    const model::Model model = Read(folder, name);
    CHECK(model.ops.size() == 5);
    in_order += model.stopped_in_order ? 1 : 0;
  }
  CHECK(in_order == 1);
}

TEST_CASE("A preloaded process that executes another program does not overwrite its recording") {
  const Folder folder;
  CHECK(RunPreloaded(folder, "exec", "run.prof").exit_code() == 7);
  CHECK(Recordings(folder).size() == 2);
}

TEST_CASE("A program that is started by posix_spawn has a recording of its own") {
  const Folder folder;
  CHECK(RunWay(folder, "posix_spawn").exit_code() == 7);
  for (const std::string& name : Recordings(folder)) {
    const model::Model model = Read(folder, name);
    CHECK(model.ops.size() == 5);
    CHECK(model.stopped_in_order);
  }
  CHECK(Recordings(folder).size() == 2);
}

TEST_CASE("A daemon is recorded") {
  const Folder folder;
  CHECK(RunWay(folder, "daemon").exit_code() == 7);
  REQUIRE(Recordings(folder) == Names{"run.prof"});
  const model::Model model = Read(folder, "run.prof");
  CHECK(model.ops.size() == 5);
  CHECK(model.stopped_in_order);
}

TEST_CASE("A daemon that outlives the program is named as one that still writes") {
  const Folder folder;
  const Ended ended = RunWay(folder, "daemon that stays");
  CHECK(ended.exit_code() == 7);
  CHECK_THAT(ended.err, Contains("run.prof") && Contains("still writing it"));
  CHECK(Read(folder, "run.prof").ops.size() == 5);
}

TEST_CASE("A program that closes all descriptors keeps its own files clean") {
  const Folder folder;
  const Ended ended = RunWay(folder, "close descriptors");
  CHECK(ended.exit_code() == 7);
  CHECK(folder.Read("mine") == std::string(20, 'x'));
  CHECK_THAT(ended.err, Contains("the program has closed the file"));
  CHECK(Read(folder, "run.prof").ops.size() == 5);
}

TEST_CASE("A recording that the program deletes is said to be lost") {
  const Folder folder;
  const Ended ended = RunWay(folder, "delete the recording");
  CHECK(ended.exit_code() == 7);
  CHECK_THAT(ended.err, Contains("it was deleted or replaced while it was recorded"));
}

}  // namespace
}  // namespace prof::test::ends_test
