// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/until_complete.h"

#include "test/support/catch.h"

namespace prof::capture::until_complete_test {
namespace {

TEST_CASE("A recording that is to end when counters are complete is asked until they are") {
  int asked = 0;
  CHECK(AwaitComplete([&] { return ++asked == 3; }, 10));
  CHECK(asked == 3);
}

TEST_CASE("A recording whose counters are never complete ends at its limit") {
  int asked = 0;
  CHECK_FALSE(AwaitComplete(
      [&] {
        ++asked;
        return false;
      },
      0.12));
  CHECK(asked >= 1);
}

}  // namespace
}  // namespace prof::capture::until_complete_test
