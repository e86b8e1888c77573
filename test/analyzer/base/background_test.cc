// SPDX-License-Identifier: Apache-2.0
//
// These tests check where a stage of the analysis runs, and that its result and its errors arrive.
#include "lib/analyzer/base/background.h"

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "test/support/catch.h"

namespace prof::analyzer {
namespace {

TEST_CASE("A stage over few rows runs where its result is asked for") {
  std::future<std::thread::id> ran_on =
      InBackground(kManyRows - 1, [] { return std::this_thread::get_id(); });
  CHECK(ran_on.get() == std::this_thread::get_id());
}

TEST_CASE("A stage over many rows runs beside the thread that began it") {
  std::promise<void> goes_on;
  std::future<bool> met = InBackground(kManyRows, [told = goes_on.get_future()] {
    return told.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  });
  goes_on.set_value();
  CHECK(met.get());
}

TEST_CASE("What a stage throws arrives where its result is asked for") {
  for (const size_t rows : {size_t{0}, kManyRows}) {
    std::future<int> failed = InBackground(rows, []() -> int { throw std::runtime_error("full"); });
    CHECK_THROWS_AS(failed.get(), std::runtime_error);
  }
}

}  // namespace
}  // namespace prof::analyzer
