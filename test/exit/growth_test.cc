// SPDX-License-Identifier: Apache-2.0
//
// A program that records again and again does not grow.
#include <sstream>

#include "test/exit/child.h"
#include "test/support/catch.h"
#include "test/support/temp_folder.h"

namespace prof::test::growth_test {
namespace {

#if defined(PROF_SANITIZED)
constexpr bool kSanitized = true;  // freed memory is kept back
#else
constexpr bool kSanitized = false;
#endif

struct Resources {
  long resident_kib = 0, threads = 0, files = 0;
  int exit_handlers = 0, fork_handlers = 0;
};

void CheckGrowth(const std::string& output) {
  const Ended ended = RunExitProgram("start and stop often", output);
  REQUIRE(ended.exit_code == 7);
  std::istringstream numbers(ended.out);
  Resources early, late;  // after 100 and after 1,000 recordings
  for (Resources* r : {&early, &late}) {
    numbers >> r->resident_kib >> r->threads >> r->files >> r->exit_handlers >> r->fork_handlers;
  }
  REQUIRE(numbers);
  CHECK(early.resident_kib > 0);
  if (!kSanitized) CHECK(late.resident_kib < early.resident_kib + 1024);
  CHECK(late.threads == early.threads);
  CHECK(late.files == early.files);
  CHECK(late.exit_handlers == early.exit_handlers);
  // Before the first one, and when its libraries are loaded. A sanitizer may have one more.
  if (!kSanitized) CHECK(late.exit_handlers == 2);
  CHECK(late.fork_handlers == 1);
}

TEST_CASE("A thousand recordings in memory leave no memory, thread, file or handler behind") {
  CheckGrowth("");
}

TEST_CASE("A thousand recordings to a file leave no memory, thread, file or handler behind") {
  const TempFolder folder;
  CheckGrowth(folder / "a.prof");
}

}  // namespace
}  // namespace prof::test::growth_test
