// SPDX-License-Identifier: Apache-2.0
#include "prof/report.h"

#include <set>
#include <string>

#include "test/support/catch.h"

namespace prof {
namespace {

using Catch::Contains;

KernelReport Named(const std::string& name, double total_ns) {
  KernelReport kernel;
  kernel.name = name;
  kernel.full_name = "void app::" + name + "<float>(float*)";
  kernel.launches = 1;
  kernel.total_ns = total_ns;
  return kernel;
}

TEST_CASE("A kernel is found by a part of its name, the one with most time first") {
  Report report;
  report.kernels = {Named("saxpy", 10), Named("saxpy_wide", 30), Named("reduce", 99)};
  CHECK(report.kernel("saxpy").name == "saxpy_wide");
  CHECK(report.kernel("reduce").name == "reduce");
  CHECK(report.kernel("saxpy<float>").name == "saxpy");
}

TEST_CASE("A kernel that is not there has no launches and lists those that exist") {
  Report report;
  report.kernels = {Named("saxpy", 10), Named("reduce", 5), Named("saxpy", 3)};
  const KernelReport& missing = report.kernel("gemm");
  CHECK(missing.launches == 0);
  CHECK_THAT(missing.verdict.missing, Contains("\"gemm\"") && Contains("saxpy, reduce"));
  CHECK_THAT(Report{}.kernel("x").verdict.missing, Contains("no kernel was recorded"));
  Report failed;
  failed.error = "x.prof: not found";
  CHECK_THAT(failed.kernel("x").verdict.missing, Contains("x.prof: not found"));
}

TEST_CASE("Every limiter, unit, confidence and cause has a name of its own") {
  std::set<std::string> limiters, units, causes;
  for (int i = 0; i < kUnitCount; ++i) {
    units.insert(ToString(static_cast<Unit>(i)));
  }
  CHECK(units.size() == static_cast<size_t>(kUnitCount));
  for (int i = 0; i <= static_cast<int>(Limiter::kLaunchSized); ++i) {
    limiters.insert(ToString(static_cast<Limiter>(i)));
  }
  CHECK(limiters.size() == static_cast<size_t>(Limiter::kLaunchSized) + 1);
  for (int i = 0; i <= static_cast<int>(GapCause::kUnknown); ++i) {
    causes.insert(ToString(static_cast<GapCause>(i)));
  }
  CHECK(causes.size() == static_cast<size_t>(GapCause::kUnknown) + 1);
  CHECK(std::string(ToString(Limiter::kSmallGrid)) == "small-grid");
  CHECK(std::string(ToString(Confidence::kMedium)) == "medium");
}

}  // namespace
}  // namespace prof
