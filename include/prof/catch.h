// SPDX-License-Identifier: Apache-2.0
//
// Speed-of-light assertions for Catch2 2 and 3:
//   REQUIRE_THAT(report.kernel("saxpy"), prof::ReachesDram(0.80) && prof::OccupancyAtLeast(0.5));
// A failing one prints the measured values. A value that was not measured fails, negated or not.
#ifndef PROF_CATCH_H_
#define PROF_CATCH_H_

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <cstdio>
#include <string>

#include "prof/expect.h"
#include "prof/expect_run.h"

namespace Catch {

template <>
struct StringMaker<prof::KernelReport> {
  static std::string convert(const prof::KernelReport& kernel) {
    if (kernel.launches == 0) return "no kernel";
    std::string text = "kernel " + kernel.name;
    if (!kernel.range.empty()) text += " in " + kernel.range;
    return text + " (" + std::to_string(kernel.launches) + " launches)";
  }
};

template <>
struct StringMaker<prof::Report> {
  static std::string convert(const prof::Report& report) {
    if (report.kernels.size() == 1) {
      return StringMaker<prof::KernelReport>::convert(report.kernels.front());
    }
    return "report of " + std::to_string(report.kernels.size()) + " kernels";
  }
};

}  // namespace Catch

/// Ends the test case as skipped, with the reason, when this machine cannot measure: no GPU, no
/// permission for counters. With PROF_REQUIRE_MEASURED in the environment it fails instead. CTest:
/// set SKIP_REGULAR_EXPRESSION to "\\[skipped\\]". For test functions that return void.
#define PROF_SKIP_UNLESS_MEASURED(report)                                        \
  do {                                                                           \
    const std::string prof_reason = ::prof::WhyNotMeasured(report);              \
    if (prof_reason.empty()) break;                                              \
    if (::prof::MustBeMeasured()) FAIL(::prof::NotMeasuredFailure(prof_reason)); \
    PROF_SKIP_(prof_reason);                                                     \
  } while (false)
#if defined(SKIP)  // Catch2 3.3 and later
#define PROF_SKIP_(reason) SKIP(std::string("[skipped] ") + (reason))
#else
#define PROF_SKIP_(reason)                         \
  std::printf("[skipped] %s\n", (reason).c_str()); \
  std::fflush(stdout);                             \
  return
#endif

#endif  // PROF_CATCH_H_
