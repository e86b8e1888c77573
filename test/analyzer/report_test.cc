// SPDX-License-Identifier: Apache-2.0
#include "prof/report.h"

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "prof/snapshot.h"
#include "test/support/catch.h"

namespace prof::report_test {
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

TEST_CASE("A name that is not found never changes an earlier answer, nor does a copy that goes") {
  Report report;
  report.kernels = {Named("saxpy", 10)};
  const KernelReport& first = report.kernel("nope1");
  const KernelReport& second = report.kernel("nope2");
  CHECK(&first != &second);
  CHECK_THAT(first.verdict.missing, Contains("\"nope1\""));
  CHECK(&report.kernel("nope1") == &first);
  {
    const Report copy = report;
    (void)copy.kernel("nope3");
  }
  const Report moved = std::move(report);
  CHECK(&moved.kernel("nope1") == &first);
  CHECK_THAT(first.verdict.missing, Contains("\"nope1\""));
}

TEST_CASE("Threads that ask one report for kernels that are not there get their own answers") {
  const Report report;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&report, &wrong, t] {
      for (int i = 0; i < 200; ++i) {
        const std::string name = std::to_string(t) + "." + std::to_string(i % 20);
        if (report.kernel(name).name != name) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("Every signature of a name is there, by time, and an exact name matches nothing else") {
  Report report;
  report.kernels = {Named("saxpy", 10), Named("saxpy_wide", 30), Named("saxpy", 20)};
  const auto names = [](const std::vector<const KernelReport*>& kernels) {
    std::string text;
    for (const KernelReport* kernel : kernels) {
      text += kernel->name + ' ' + std::to_string(static_cast<int>(kernel->total_ns)) + ' ';
    }
    return text;
  };
  CHECK(names(report.kernels_named("saxpy")) == "saxpy_wide 30 saxpy 20 saxpy 10 ");
  CHECK(names(report.kernels_named("saxpy", Match::kExact)) == "saxpy 20 saxpy 10 ");
  CHECK(report.kernel("saxpy", Match::kExact).total_ns == 20);
  CHECK(report.kernel("void app::saxpy_wide<float>(float*)", Match::kExact).total_ns == 30);
  const KernelReport& part = report.kernel("axpy", Match::kExact);
  CHECK(part.launches == 0);
  CHECK_THAT(part.verdict.missing, Contains("no kernel has the name \"axpy\""));
  CHECK(report.kernels_named("gemm").empty());
}

TEST_CASE("An empty name is no kernel's, not that of the kernel with most time") {
  Report report;
  report.kernels = {Named("saxpy", 10)};
  CHECK(report.kernel("").launches == 0);
  CHECK_THAT(report.kernel("").verdict.missing, Contains("an empty name"));
  CHECK(report.kernels_named("").empty());
}

RangeRow RowOf(const std::string& label, RangeRow::Kind kind = RangeRow::Kind::kRange) {
  RangeRow row;
  row.kind = kind;
  row.label = label;
  return row;
}

TEST_CASE("A row is found by its range, also when the range is one of a family") {
  Report report;
  report.rows = {RowOf("layer/qkv_proj"), RowOf("layer */mlp (8 ranges)"), RowOf("step (1 of 2)"),
                 RowOf("(no range)", RangeRow::Kind::kOutside),
                 RowOf("gaps", RangeRow::Kind::kGap)};
  CHECK(report.row("layer/qkv_proj") == &report.rows[0]);
  CHECK(report.row("layer */mlp (8 ranges)") == &report.rows[1]);
  CHECK(report.row("layer */mlp") == &report.rows[1]);
  CHECK(report.row("layer 3/mlp") == &report.rows[1]);
  CHECK(report.row("layer 17/mlp") == &report.rows[1]);
  CHECK(report.row("step (1 of 2)") == &report.rows[2]);
  for (const char* none : {"layer", "layer x/mlp", "layer 3/mlp/x", "", "gaps", "(no range)"}) {
    INFO(none);
    CHECK(report.row(none) == nullptr);
  }
}

TEST_CASE("Kernels are found by their range, and a range's name is no kernel's") {
  Report report;
  report.kernels = {Named("gemm", 10), Named("gemm", 30), Named("norm", 5)};
  report.kernels[0].range = "layer */mlp (8 ranges)";
  report.kernels[1].range = "layer/qkv_proj";
  report.rows = {RowOf("layer/qkv_proj")};
  REQUIRE(report.kernels_in("layer/qkv_proj").size() == 1);
  CHECK(report.kernels_in("layer/qkv_proj").front() == &report.kernels[1]);
  CHECK(report.kernels_in("layer 3/mlp").front() == &report.kernels[0]);
  CHECK(report.kernels_in("").size() == 1);  // outside of all ranges
  CHECK_THAT(report.kernel("qkv").verdict.missing, Contains("row(\"layer/qkv_proj\")"));
}

template <typename R, typename = void>
struct GivesPointers : std::false_type {};
template <typename R>
struct GivesPointers<R, std::void_t<decltype(std::declval<R>().row("")),
                                    decltype(std::declval<R>().kernels_named("")),
                                    decltype(std::declval<R>().kernels_in(""))>> : std::true_type {
};
template <typename K, typename = void>
struct Finds : std::false_type {};
template <typename K>
struct Finds<K, std::void_t<decltype(std::declval<K>().Find("")),
                            decltype(std::declval<K>().Find(Unit::kDram))>> : std::true_type {};

TEST_CASE("What points into a temporary does not compile, and values outlive it") {
  static_assert(GivesPointers<const Report&>::value && !GivesPointers<Report>::value);
  static_assert(Finds<const KernelReport&>::value && !Finds<KernelReport>::value);
  static_assert(std::is_same_v<decltype(std::declval<Report>().kernel("")), KernelReport>);
  static_assert(std::is_same_v<decltype(std::declval<Snapshot>().path()), std::string>);
  static_assert(std::is_same_v<decltype(std::declval<Snapshot>().bytes()), std::string>);
  static_assert(std::is_same_v<decltype(std::declval<Snapshot>().integrity()), Integrity>);
  CHECK(Snapshot::FromBytes("abc").bytes() == "abc");
  CHECK(Snapshot::FromFile("a.prof").path() == "a.prof");
}

TEST_CASE("A file that nobody has read, and no recording at all, is never complete") {
  CHECK_FALSE(Snapshot::FromFile("no_recording.txt").integrity().complete());
  CHECK_FALSE(Snapshot::FromBytes("no recording").integrity().complete());
  CHECK_FALSE(Snapshot().integrity().complete());
  CHECK(Snapshot::FromFile("a.prof", Integrity{}).integrity().complete());
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
}  // namespace prof::report_test
