// SPDX-License-Identifier: Apache-2.0
//
// A child that was forked before CUDA was used is recorded, as any other process. One that was
// forked after is not, and learns why.
#include <string>

#include "test/processes/run.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::forks_test {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("A child that was forked before CUDA was used is recorded") {
  const Folder folder;
  const Ended ended = RunWay(folder, "fork");
  CHECK(ended.exit_code() == 7);
  CHECK_THAT(ended.err, !Contains("not recording"));
  REQUIRE(Recordings(folder) == Names{"run.prof"});
  const model::Model model = Read(folder, "run.prof");
  CHECK(model.ops.size() == 5);
  CHECK(model.stopped_in_order);
}

TEST_CASE("A range that is open at a fork is open in the child, and in its recording") {
  const Folder folder;
  CHECK(RunWay(folder, "fork in a range").exit_code() == 7);
  const model::Model model = Read(folder, "run.prof");
  CHECK(HasPath(model, "server/request"));
  CHECK(model.integrity.range_ends_unmatched == 1);  // the pop too many
  REQUIRE(model.threads.size() == 2);                // the first is none
  CHECK(model.threads[1].tid == model.process.pid);
}

TEST_CASE("Rings of the parent's threads are free for the threads of a forked child") {
  const Folder folder;
  CHECK(RunWay(folder, "fork beside threads").exit_code() == 7);
  const model::Model model = Read(folder, "run.prof");
  CHECK(HasPath(model, "a thread of the child"));
  CHECK_FALSE(HasPath(model, "a thread of the parent/a thread of the child"));
  CHECK(model.integrity.range_events_dropped == 0);
}

TEST_CASE("A Session in a child that was forked before CUDA was used records") {
  const Folder folder;
  CHECK(RunWay(folder, "session in a child").exit_code() == 7);
}

TEST_CASE("A child that was forked after CUDA was used records nothing, and names the reason") {
  const Folder folder;
  const Ended ended = RunWay(folder, "fork after CUDA");
  CHECK(ended.exit_code() == 7);
  CHECK_THAT(ended.err, Contains("this process was forked after prof had begun to record"));
  REQUIRE(Recordings(folder) == Names{"run.prof"});
  const model::Model model = Read(folder, "run.prof");
  CHECK(model.ops.size() == 5);
  CHECK(model.stopped_in_order);
  CHECK(HasPath(model, "the parent's"));
}

TEST_CASE("A program that a recorded process executes in a child has a recording of its own") {
  const Folder folder;
  CHECK(RunWay(folder, "exec in a child").exit_code() == 7);
  CHECK(Recordings(folder).size() == 2);
}

}  // namespace
}  // namespace prof::test::forks_test
