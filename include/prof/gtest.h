// SPDX-License-Identifier: Apache-2.0
//
// Speed-of-light assertions for GoogleTest:
//   EXPECT_TRUE(prof::Meets(report.kernel("saxpy"), prof::ReachesDram(0.80)));
// A failing one prints the measured values. Negate the expectation (!prof::ReachesDram(0.80)), not
// the assertion: a value that was not measured must fail both ways.
#ifndef PROF_GTEST_H_
#define PROF_GTEST_H_

#include <gtest/gtest.h>

#include <string>

#include "prof/expect.h"
#include "prof/expect_run.h"

namespace prof {

/// `Subject` is a KernelReport or a Report with one kernel.
template <typename Subject>
testing::AssertionResult Meets(const Subject& subject, const Expectation& expectation) {
  const Evaluation evaluation = expectation.Evaluate(subject);
  const std::string text = expectation.Describe() + "\n" + evaluation.explanation;
  if (evaluation.outcome == Outcome::kMet) return testing::AssertionSuccess() << text;
  return testing::AssertionFailure() << text;
}

/// The same for an expectation on the whole report.
inline testing::AssertionResult Meets(const Report& report, const RunExpectation& expectation) {
  const Evaluation evaluation = expectation.Evaluate(report);
  const std::string text = expectation.Describe() + "\n" + evaluation.explanation;
  if (evaluation.outcome == Outcome::kMet) return testing::AssertionSuccess() << text;
  return testing::AssertionFailure() << text;
}

}  // namespace prof

/// Ends the test as skipped, with the reason, when this machine cannot measure: no GPU, no
/// permission for counters. With PROF_REQUIRE_MEASURED in the environment it fails instead.
#define PROF_SKIP_UNLESS_MEASURED(report)                                            \
  do {                                                                               \
    const std::string prof_reason = ::prof::WhyNotMeasured(report);                  \
    if (prof_reason.empty()) break;                                                  \
    if (::prof::MustBeMeasured()) FAIL() << ::prof::NotMeasuredFailure(prof_reason); \
    GTEST_SKIP() << "[skipped] " << prof_reason;                                     \
  } while (false)

#endif  // PROF_GTEST_H_
