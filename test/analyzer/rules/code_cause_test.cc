// SPDX-License-Identifier: Apache-2.0
//
// Causes from the machine code of a kernel, where no counter has its accesses.
#include <string>

#include "lib/format/triage_metrics.h"
#include "test/analyzer/rules/kernels.h"
#include "test/analyzer/rules/pm_kernels.h"
#include "test/support/catch.h"

namespace prof::test {
namespace {

using format::TriageUnit;

// A loop of 10 loads and 2 stores, and nothing in front of it.
KernelCode OfLoadsAndStores() {
  KernelCode code;
  code.instructions = {100, 80};
  code.global_loads = {10, 10};
  code.global_stores = {2, 2};
  return code;
}

KernelReport WithCode(const KernelCode& code) {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kL2, 3);
  kernel.code = code;
  return kernel;
}

TEST_CASE("A loop of atomics that waits is named by its code, and what would prove it is said") {
  KernelCode code = OfLoadsAndStores();
  code.global_loads = {1, 1};
  code.global_stores = {1, 0};
  code.global_atomics = {4, 4};
  const Verdict verdict = Decide(WithCode(code));
  CHECK(verdict.rule == "atomics");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(verdict.actions.front().id == "aggregate-atomics");
  CHECK(verdict.summary ==
        "4 of the 5 instructions in its loops that access memory are atomics or reductions.");
  CHECK(Mentions(verdict.evidence, "(its machine code)"));
  CHECK(verdict.missing.find("L2's sectors by operation") == 0);
}

TEST_CASE("Atomics outside of the loops are no cause, and a DRAM-bound kernel has another one") {
  KernelCode code = OfLoadsAndStores();
  code.global_atomics = {40, 0};
  CHECK(Decide(WithCode(code)).rule != "atomics");
  code.global_atomics = {40, 40};
  KernelReport kernel = WithCode(code);
  CHECK(Decide(kernel).rule == "atomics");
  SetPm(&kernel, TriageUnit::kDram, 92);
  CHECK(Decide(kernel).limiter == Limiter::kDram);
}

TEST_CASE("Counted sectors decide against the code") {
  KernelCode code = OfLoadsAndStores();
  code.global_atomics = {40, 40};
  KernelReport kernel = WithCode(code);
  Set(&kernel, "lts__t_sectors.sum", 1e6);
  Set(&kernel, "lts__t_sectors_op_atom.sum", 10);
  Set(&kernel, "lts__t_sectors_op_red.sum", 10);
  CHECK(Decide(kernel).rule != "atomics");
}

TEST_CASE("Nobody suspects atomics or spills that are not in the code") {
  KernelReport kernel = WithCode(OfLoadsAndStores());
  kernel.local_bytes_per_thread = 16;  // for a function's frame
  CHECK_FALSE(Offers(Decide(kernel), "aggregate-atomics"));
  CHECK_FALSE(Offers(Decide(kernel), "remove-spills"));
  kernel.code->calls_others = true;  // it may be in what it calls
  CHECK(Offers(Decide(kernel), "aggregate-atomics"));
  CHECK(Offers(Decide(kernel), "remove-spills"));
  kernel.code.reset();
  CHECK(Offers(Decide(kernel), "aggregate-atomics"));
}

TEST_CASE("A loop that mostly moves local memory is one of spills") {
  KernelCode code = OfLoadsAndStores();
  code.local_loads = {30, 20};
  code.local_stores = {30, 20};
  KernelReport kernel = WithCode(code);
  kernel.local_bytes_per_thread = 392;
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "spills");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(verdict.summary ==
        "40 of the 52 instructions in its loops that access memory are of local memory (392 B per "
        "thread): register spills, or arrays indexed at run time.");
  kernel.code->bulk_copies = {1, 1};  // one instruction for many bytes
  CHECK(Decide(kernel).rule != "spills");
}

TEST_CASE("mma.sync is seen in the code where a tensor pipe is busy on Hopper") {
  KernelCode code = OfLoadsAndStores();
  code.warp_mma = {16, 16};
  KernelReport kernel = WithCode(code);
  SetPm(&kernel, TriageUnit::kTensor, 93);
  CHECK(Offers(Decide(kernel), "use-wgmma"));
  kernel.code->group_mma = {4, 4};
  CHECK_FALSE(Offers(Decide(kernel), "use-wgmma"));
  kernel.code->group_mma = {};
  kernel.code->warp_mma = {};
  kernel.code->double_mma = {16, 16};
  CHECK_FALSE(Offers(Decide(kernel), "use-wgmma"));
}

}  // namespace
}  // namespace prof::test
