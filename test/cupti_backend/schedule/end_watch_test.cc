// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/end_watch.h"

#include "test/support/catch.h"

namespace prof::cupti::test::end_watch_test {
namespace {

TEST_CASE("The latest launch whose record has come is known for each context") {
  EndWatch watch;
  CHECK(watch.Last(1) == 0);
  watch.Add(1, 10);
  watch.Add(2, 99);
  watch.Add(1, 8);  // records come in any order
  CHECK(watch.Last(1) == 10);
  CHECK(watch.Last(2) == 99);
}

TEST_CASE("Two contexts that share a place do not answer for each other") {
  EndWatch watch;
  watch.Add(1, 10);
  watch.Add(17, 50);
  CHECK(watch.Last(1) == 10);
  CHECK(watch.Last(17) == 0);
}

TEST_CASE("Numbers that have wrapped around are later") {
  EndWatch watch;
  watch.Add(1, 0xFFFF'FFF0);
  watch.Add(1, 5);
  CHECK(watch.Last(1) == 5);
}

}  // namespace
}  // namespace prof::cupti::test::end_watch_test
