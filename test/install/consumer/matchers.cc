// SPDX-License-Identifier: Apache-2.0
//
// prof::catch: what was not measured is not met, negated or not.
#if !__has_include(<catch2/catch_test_macros.hpp>)
#define CATCH_CONFIG_MAIN
#endif
#include "prof/catch.h"

TEST_CASE("A kernel that never ran reaches nothing") {
  const prof::Report report;
  const prof::Expectation fast = prof::ReachesDram(0.8);
  CHECK_FALSE(fast.match(report.kernel("saxpy")));
  CHECK_FALSE((!fast).match(report.kernel("saxpy")));
}
