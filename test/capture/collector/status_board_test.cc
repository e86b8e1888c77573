// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/status_board.h"

#include <memory>

#include "test/capture/collector/fake_source.h"
#include "test/support/catch.h"

namespace prof::capture::test::status_board_test {
namespace {

TEST_CASE("A problem becomes one notice, and another one when it changes") {
  FakeGpu gpu;
  const std::unique_ptr<GpuSource> source = MakeGpuSource();
  StatusBoard board(source.get(), /*ranges=*/true);
  CHECK(board.NewProblems().empty());
  gpu.counters = {State::kUnavailable, 35, "not permitted", "ask the administrator"};
  const std::vector<NoticeEvent> problems = board.NewProblems();
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].severity == Severity::kError);
  CHECK(problems[0].subsystem == Subsystem::kCounters);
  CHECK(problems[0].what == "not permitted");
  CHECK(board.NewProblems().empty());
  gpu.counters.what = "another program has them";
  CHECK(board.NewProblems().size() == 1);
}

TEST_CASE("The board keeps a failure of the output when it asks the sources again") {
  const FakeGpu gpu;
  const std::unique_ptr<GpuSource> source = MakeGpuSource();
  StatusBoard board(source.get(), /*ranges=*/true);
  CHECK(board.ReportOutput({State::kUnavailable, 28, "no space left", ""}));
  CHECK_FALSE(board.ReportOutput({State::kUnavailable, 28, "no space left", ""}));
  board.Update();
  CHECK(board.status().output.what == "no space left");
  CHECK(board.status().ranges.state == State::kWorking);
}

TEST_CASE("Notices wait for the next round, as far as there is room") {
  const FakeGpu gpu;
  const std::unique_ptr<GpuSource> source = MakeGpuSource();
  StatusBoard board(source.get(), /*ranges=*/true);
  for (int i = 0; i < 300; ++i) board.AddNotice({Severity::kInfo, Subsystem::kUnknown, 0, "x", ""});
  CHECK(board.TakeNotices().size() == 256);
  CHECK(board.TakeNotices().empty());
}

}  // namespace
}  // namespace prof::capture::test::status_board_test
