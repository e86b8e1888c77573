// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/run_set.h"

#include <cmath>

#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::run_set_test {
namespace {

using test::Contains;
using test::Kernel;
using test::Run;
using test::Runs;

TEST_CASE("Runs become one set, with a value for each run") {
  std::vector<Report> reports = Runs({100, 110, 120});
  reports[1].kernels.clear();
  const RunSet set = Collect(reports);
  REQUIRE(set.error.empty());
  CHECK(set.runs == 3);
  CHECK(set.devices == "NVIDIA H200 (132 SMs)");
  REQUIRE(set.kernels.size() == 1);
  CHECK(set.kernels[0].time_ns[0] == 100);
  CHECK(std::isnan(set.kernels[0].time_ns[1]));
  CHECK(set.kernels[0].time_ns[2] == 120);
}

TEST_CASE("The same recording twice is refused: it is one observation") {
  std::vector<Report> reports = Runs({100, 110});
  reports.push_back(reports[0]);
  CHECK_THAT(Collect(reports).error, Contains("run 3 and run 1 are the same recording"));
}

TEST_CASE("Runs of several devices or drivers, and unreadable ones, are no set") {
  std::vector<Report> reports = Runs({100, 110});
  reports[1].devices[0].name = "NVIDIA A100";
  CHECK_THAT(Collect(reports).error, Contains("run 2 was made on NVIDIA A100 (132 SMs)"));
  reports = Runs({100, 110});
  reports[1].nvidia_driver = "590";
  CHECK_THAT(Collect(reports).error, Contains("driver 590"));
  reports[1].error = "no snapshot";
  CHECK_THAT(Collect(reports).error, Contains("run 2 cannot be read: no snapshot"));
  CHECK(Collect({}).error == "there is no run");
}

TEST_CASE("Ranks of one job are named as what they are") {
  std::vector<Report> reports = Runs({100, 110});
  reports[0].rank = 0;
  reports[1].rank = 1;
  REQUIRE(Collect(reports).notes.size() == 1);
  CHECK_THAT(Collect(reports).notes[0], Contains("several ranks"));
}

TEST_CASE(
    "The order of the runs is known where each run has a time, and a side more than one run") {
  const auto set = [](const std::vector<int64_t>& starts_ns) {
    RunSet runs;
    runs.start_ns = starts_ns;
    return runs;
  };
  using compare::OrderOf;
  CHECK(OrderOf(set({1, 3, 5}), set({2, 4, 6})) == RunOrder::kInterleaved);
  CHECK(OrderOf(set({2, 1}), set({4, 3})) == RunOrder::kBeforeFirst);
  CHECK(OrderOf(set({4, 3}), set({2, 1})) == RunOrder::kAfterFirst);
  CHECK(OrderOf(set({1, 2}), set({2, 3})) == RunOrder::kInterleaved);
  CHECK(OrderOf(set({0, 2}), set({3, 4})) == RunOrder::kUnknown);
  CHECK(OrderOf(set({1}), set({3, 4})) == RunOrder::kUnknown);
  CHECK(OrderOf(set({}), set({3, 4})) == RunOrder::kUnknown);
  std::vector<Report> reports = Runs({100, 110});
  reports[1].start_ns = 7;
  CHECK(Collect(reports).start_ns == std::vector<int64_t>{0, 7});
}

TEST_CASE("Noise needs three runs") {
  RunSet two = Collect(Runs({100, 110}));
  SetNoise(&two);
  CHECK_FALSE(two.kernels[0].noise.has_value());
  RunSet three = Collect(Runs({99, 100, 101}));
  SetNoise(&three);
  CHECK(*three.kernels[0].noise == Approx(0.0222).margin(0.0002));
  CHECK(three.kernels[0].noise_runs == 3);
}

TEST_CASE("The noise of the span is that of the same amount of work") {
  std::vector<Report> reports = Runs({100, 100, 100});
  for (size_t run = 0; run < 3; ++run) {
    reports[run].kernels[0].launches *= static_cast<int64_t>(run + 1);
    reports[run].undisturbed_ns *= static_cast<double>(run + 1);
  }
  RunSet set = Collect(reports);
  SetNoise(&set);
  CHECK(set.quantities[0].name == "span");
  CHECK(*set.quantities[0].noise == Approx(0).margin(1e-9));
}

TEST_CASE("Counters that are another signature's are not those of the kernel") {
  KernelReport kernel = test::With(Kernel("saxpy", 100), test::kInstructions, 5);
  kernel.counters_from = "the same kernel under `warmup`";
  CHECK(Collect({Run({kernel}, 1)}).kernels[0].metrics.empty());
}

TEST_CASE("The count of a family is no part of its name") {
  CHECK(compare::RangeName("layer */mlp (8 ranges)") == "layer */mlp");
  CHECK(compare::RangeName("step * (2000 instances)") == "step *");
  CHECK(compare::RangeName("forward (eval)") == "forward (eval)");
}

}  // namespace
}  // namespace prof::run_set_test
