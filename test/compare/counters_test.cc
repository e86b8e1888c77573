// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/counters.h"

#include <string>

#include "test/compare/runs.h"
#include "test/support/catch.h"

namespace prof::compare::counters_test {
namespace {

using test::Kernel;
using test::Run;
using test::With;

// The counter of one run of each side, of five launches.
CounterChange Change(double before, double after, const std::string& metric) {
  const RunSet one = Collect({Run({With(Kernel("k", 1), metric, before)}, 1)});
  const RunSet other = Collect({Run({With(Kernel("k", 1), metric, after)}, 2)});
  const auto counters = CompareCounters(one.kernels[0], other.kernels[0]);
  const CounterChange* const change = FindCounter(counters, metric);
  REQUIRE(change != nullptr);
  return *change;
}

TEST_CASE("A counter moves where it leaves its own spread and its class") {
  CHECK(Change(1e6, 1.002e6, test::kInstructions).moved);
  CHECK_FALSE(Change(1e6, 1.0005e6, test::kInstructions).moved);
  CHECK(Change(1e9, 1.05e9, test::kDramRead).moved);
  CHECK_FALSE(Change(1e9, 1.02e9, test::kDramRead).moved);
}

TEST_CASE("The weight of a change is a part of all instructions or sectors") {
  const auto with = [](double factor) {
    KernelReport kernel = With(Kernel("k", 1), test::kInstructions, 1e6);
    kernel = With(kernel, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 3.2e6 * factor);
    kernel = With(kernel, test::kLoadSectors, 1e6);
    return With(kernel, test::kDramRead, 1.6e6 * factor);
  };
  const RunSet one = Collect({Run({with(1)}, 1)}), other = Collect({Run({with(3)}, 2)});
  const auto counters = CompareCounters(one.kernels[0], other.kernels[0]);
  const auto weight = [&](const char* metric) { return FindCounter(counters, metric)->weight; };
  CHECK(weight("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum") == Approx(0.2));
  CHECK(weight(test::kDramRead) == Approx(0.1));
  CHECK(weight(test::kInstructions) == 0);
}

TEST_CASE("More wavefronts than instructions do not make a change of the instructions small") {
  const auto with = [](double instructions) {
    const KernelReport kernel = With(Kernel("k", 1), test::kInstructions, instructions);
    return With(kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1e7);
  };
  const RunSet one = Collect({Run({with(1e6)}, 1)}), other = Collect({Run({with(1.1e6)}, 2)});
  const auto counters = CompareCounters(one.kernels[0], other.kernels[0]);
  CHECK(FindCounter(counters, test::kInstructions)->weight == Approx(0.1 / 1.1));
}

TEST_CASE("Operations of the tensor cores are exact, whatever the chip calls them") {
  const CounterChange change = Change(1e9, 2e9, "sm__ops_path_tensor_op_hgmma_src_fp16.sum");
  CHECK(change.exact);
  CHECK(CounterText(change) ==
        "tensor operations (op hgmma src fp16): 1,000,000,000 -> 2,000,000,000 (2.00 times)");
  CHECK(WorkKindOf(change.metric) == WorkKind::kTensor);
  CHECK(WorkKindOf("sm__ops_path_tensor_op_hgmma_src_fp16.sum.peak_sustained") == WorkKind::kNone);
}

TEST_CASE("The spread of a counter is that of the runs, and of the launches where one run has it") {
  KernelReport kernel = With(Kernel("k", 1), test::kInstructions, 100);
  kernel.metrics[test::kInstructions].max = 103;
  const RunSet one = Collect({Run({kernel}, 1)});
  const auto spread_of = [](const RunSet& before, const RunSet& after) {
    const auto counters = CompareCounters(before.kernels[0], after.kernels[0]);
    const CounterChange* const change = FindCounter(counters, test::kInstructions);
    REQUIRE(change != nullptr);
    return std::pair<double, int64_t>{change->spread, change->values};
  };
  CHECK(spread_of(one, one) == std::pair<double, int64_t>{0.03, 5});
  const RunSet two = Collect({Run({kernel}, 1), Run({kernel}, 2)});
  CHECK(spread_of(two, two) == std::pair<double, int64_t>{0, 2});
}

}  // namespace
}  // namespace prof::compare::counters_test
