// SPDX-License-Identifier: Apache-2.0
//
// prof::gtest: what was not measured is not met, negated or not.
#include "prof/gtest.h"

TEST(Assertions, AKernelThatNeverRanReachesNothing) {
  const prof::Report report;
  EXPECT_FALSE(prof::Meets(report.kernel("saxpy"), prof::ReachesDram(0.8)));
  EXPECT_FALSE(prof::Meets(report.kernel("saxpy"), !prof::ReachesDram(0.8)));
}
