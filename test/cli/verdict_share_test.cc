// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/run/verdict_share.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>

#include "test/cli/program.h"
#include "test/support/catch.h"

namespace prof::test::verdict_share_test {
namespace {

TEST_CASE("An analysis that takes longer than its limit is ended, and leaves nothing behind") {
  const Folder folder;
  const std::string pipe = folder.File("pipe");  // nobody writes to it: its reader waits
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const auto start = std::chrono::steady_clock::now();
  CHECK(cli::VerdictShare(pipe, 100).empty());
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(took >= std::chrono::milliseconds(100));
  CHECK(took < std::chrono::seconds(10));
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);  // no child
}

TEST_CASE("A file that does not exist has no share of verdicts") {
  CHECK(cli::VerdictShare(Folder().File("missing"), 10'000).empty());
}

}  // namespace
}  // namespace prof::test::verdict_share_test
