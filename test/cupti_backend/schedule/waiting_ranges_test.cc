// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/waiting_ranges.h"

#include <string>

#include "lib/capture/threads/thread_recorder.h"
#include "test/support/catch.h"

namespace prof::cupti::test::waiting_ranges_test {
namespace {

uint32_t PathOf(const std::string& outer, const std::string& inner) {
  capture::PushRange({outer, {}});
  if (!inner.empty()) capture::PushRange({inner, {}});
  const uint32_t path = capture::CurrentPath();
  if (!inner.empty()) capture::PopRange({});
  capture::PopRange({});
  return path;
}

TEST_CASE("A range is known from its second instance on") {
  WaitingRanges ranges;
  const uint32_t path = PathOf("waiting_ranges step", "");
  CHECK_FALSE(ranges.Known(path));
  CHECK(ranges.Known(path));
  CHECK(ranges.Known(path));
}

TEST_CASE("A range around one in which a waiting kernel was launched waits") {
  WaitingRanges ranges;
  const uint32_t outer = PathOf("waiting_ranges outer", "");
  const uint32_t inner = PathOf("waiting_ranges outer", "inner");
  const uint32_t beside = PathOf("waiting_ranges outer", "beside");
  for (const uint32_t path : {outer, inner, beside}) CHECK_FALSE(ranges.Known(path));
  ranges.Add(inner);
  CHECK_FALSE(ranges.Known(inner));
  CHECK_FALSE(ranges.Known(outer));
  CHECK(ranges.Known(beside));
}

TEST_CASE("Without room every range waits") {
  WaitingRanges ranges;
  const uint32_t path = PathOf("waiting_ranges first", "");
  CHECK_FALSE(ranges.Known(path));
  CHECK(ranges.Known(path));
  for (size_t i = 0; i < WaitingRanges::kMost; ++i) {
    ranges.Add(PathOf("waiting_ranges " + std::string(1 + i / 26, 'x') + char('a' + i % 26), ""));
  }
  CHECK_FALSE(ranges.Known(path));
}

}  // namespace
}  // namespace prof::cupti::test::waiting_ranges_test
