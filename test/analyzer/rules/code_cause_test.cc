// SPDX-License-Identifier: Apache-2.0
//
// Causes from the machine code of a kernel, where no counter has its accesses.
#include <string>

#include "lib/format/triage_metrics.h"
#include "test/analyzer/rules/kernels.h"
#include "test/analyzer/rules/pm_kernels.h"
#include "test/support/catch.h"

namespace prof::test::code_cause_test {
namespace {

using format::TriageRate;
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
  SetPm(&kernel, TriageUnit::kL1, 20);
  kernel.code = code;
  return kernel;
}

// Loads and stores of whole lines have 4 sectors in each request to L2.
KernelReport WithRequests(KernelReport kernel, double sectors) {
  SetPmRate(&kernel, TriageRate::kRequests, 0.2);
  SetPmRate(&kernel, TriageRate::kSectors, 0.2 * sectors);
  return kernel;
}

KernelCode OfAtomics() {
  KernelCode code;
  code.instructions = {100, 80};
  code.global_loads = {1, 1};
  code.global_stores = {1, 0};
  code.global_atomics = {4, 4};
  return code;
}

TEST_CASE("A loop of atomics that waits is named by its code, and what would prove it is said") {
  const Verdict verdict = Decide(WithRequests(WithCode(OfAtomics()), 2));
  CHECK(verdict.rule == "atomics");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(Doubts(verdict) == std::vector<std::string>{"waits-unknown", "code-alone"});
  CHECK(verdict.actions.front().id == "aggregate-atomics");
  CHECK(verdict.summary ==
        "4 of the 5 instructions in its loops that access memory are atomics or reductions.");
  CHECK(Mentions(verdict.evidence, "(its machine code)"));
  CHECK(verdict.missing.find("L2's sectors by operation") == 0);
}

TEST_CASE("Atomics in the code are no cause where nothing shows that they run") {
  const KernelReport kernel = WithCode(OfAtomics());
  CHECK(Decide(kernel).rule != "atomics");  // the requests to L2 were not read
  CHECK(Offers(Decide(kernel), "aggregate-atomics"));
  CHECK(Decide(WithRequests(kernel, 4)).rule != "atomics");
  KernelReport idle = kernel;  // few requests, and warps wait: atomics on one address
  for (const TriageUnit unit : {TriageUnit::kDram, TriageUnit::kDramRead, TriageUnit::kDramWrite}) {
    SetPm(&idle, unit, 0, 0.1);
  }
  CHECK(Decide(idle).rule == "atomics");
  KernelReport changed = WithRequests(kernel, 2);
  CHECK(Decide(changed).rule == "atomics");
  changed.code->shared_atomics = {4, 4};  // a histogram that is flushed once
  CHECK(Decide(changed).rule != "atomics");
  changed = WithRequests(kernel, 2);
  changed.code->global_atomics = {4, 0};  // once for each block
  CHECK(Decide(changed).rule != "atomics");
  changed = WithRequests(kernel, 2);
  SetPm(&changed, TriageUnit::kDram, 92);
  CHECK(Decide(changed).limiter == Limiter::kDram);
  changed = WithRequests(kernel, 2);
  SetGrid(&changed, 12, 1);
  CHECK(Decide(changed).rule == "small-grid");
}

TEST_CASE("A kernel whose code accesses memory by atomics alone requests nothing else") {
  KernelReport kernel = WithRequests(WithCode(OfAtomics()), 4);  // of whole lines
  CHECK(Decide(kernel).rule != "atomics");
  kernel.code->global_loads = kernel.code->global_stores = {};
  CHECK(Decide(kernel).rule != "atomics");  // texture fetches were not looked for
  Set(&kernel, "l1tex__f_wavefronts.avg.pct_of_peak_sustained_elapsed", 0);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "atomics");
  CHECK(verdict.summary ==
        "All 4 instructions in its loops that access memory are atomics or reductions.");
  CHECK(Mentions(verdict.evidence, "(its machine code)"));
  KernelReport other = kernel;
  other.code->async_copies = {1, 0};
  CHECK(Decide(other).rule != "atomics");
  other = kernel;
  Set(&other, "l1tex__f_wavefronts.avg.pct_of_peak_sustained_elapsed", 5);
  CHECK(Decide(other).rule != "atomics");
  other = WithCode(*kernel.code);  // the requests to L2 were not read
  CHECK(Decide(other).rule != "atomics");
}

TEST_CASE("What was counted decides against the code") {
  KernelReport kernel = WithRequests(WithCode(OfAtomics()), 2);
  Set(&kernel, "lts__t_sectors.sum", 1e6);
  Set(&kernel, "lts__t_sectors_op_atom.sum", 10);
  Set(&kernel, "lts__t_sectors_op_red.sum", 10);
  CHECK(Decide(kernel).rule != "atomics");
}

TEST_CASE("Nobody suspects atomics or spills that cannot be in the code") {
  KernelReport kernel = WithCode(OfLoadsAndStores());
  kernel.local_bytes_per_thread = 16;  // for a function's frame
  CHECK_FALSE(Offers(Decide(kernel), "aggregate-atomics"));
  CHECK_FALSE(Offers(Decide(kernel), "remove-spills"));
  KernelReport other = kernel;
  other.code->calls_others = true;  // it may be in what it calls
  CHECK(Offers(Decide(other), "aggregate-atomics"));
  CHECK(Offers(Decide(other), "remove-spills"));
  other = kernel;
  other.code->bulk_copies = {1, 1};  // some are reductions
  CHECK(Offers(Decide(other), "aggregate-atomics"));
  other = kernel;
  other.code->generic_accesses = {1, 1};
  CHECK(Offers(Decide(other), "remove-spills"));
  other.code.reset();
  CHECK(Offers(Decide(other), "aggregate-atomics"));
}

TEST_CASE("Loops that do not fit into the instruction cache are suspected where warps wait") {
  KernelCode code = OfLoadsAndStores();
  code.instructions = {8'300, 8'192};
  CHECK_FALSE(Offers(Decide(WithCode(code)), "smaller-loop"));
  code.instructions = {8'300, 8'193};
  const Verdict verdict = Decide(WithCode(code));
  REQUIRE(Offers(verdict, "smaller-loop"));
  for (const Action& action : verdict.actions) {
    if (action.id != "smaller-loop") continue;
    CHECK_FALSE(action.gain_at_most);
    CHECK(action.floor ==
          "its loops have 8,193 instructions together, and whether warps wait for the instruction "
          "cache was "
          "not measured");
  }
  CHECK(verdict.confidence <= Confidence::kMedium);
}

TEST_CASE("A loop that mostly moves local memory is one of spills where L1 has work") {
  KernelCode code = OfLoadsAndStores();
  code.local_loads = {30, 20};
  code.local_stores = {30, 20};
  KernelReport kernel = WithCode(code);
  kernel.local_bytes_per_thread = 392;
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "spills");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(Doubts(verdict) == std::vector<std::string>{"waits-unknown", "code-alone"});
  CHECK(verdict.summary ==
        "40 of the 52 instructions in its loops that access memory are of local memory (392 B per "
        "thread): register spills, or arrays indexed at run time.");
  KernelReport other = kernel;
  other.code->bulk_copies = {1, 1};  // one instruction for many bytes
  CHECK(Decide(other).rule != "spills");
  other = kernel;
  for (const TriageUnit unit : {TriageUnit::kL1, TriageUnit::kL1Writeback}) {
    SetPm(&other, unit, 1);  // a path that is hardly taken
  }
  CHECK(Decide(other).rule != "spills");
  CHECK(Offers(Decide(other), "remove-spills"));
  other = kernel;
  SetPm(&other, TriageUnit::kDram, 92);
  CHECK(Decide(other).limiter == Limiter::kDram);
}

// Its loops access local memory alone: 4 loads, 2 stores, and 1 store of its result behind them.
KernelReport OfLocalLoops() {
  KernelCode code;
  code.instructions = {100, 80};
  code.local_loads = {4, 4};
  code.local_stores = {2, 2};
  code.global_stores = {1, 0};
  KernelReport kernel = WithCode(code);
  SetPm(&kernel, TriageUnit::kL2, 70);
  SetPm(&kernel, TriageUnit::kL1, 30);
  SetPm(&kernel, TriageUnit::kShared, 0, 0);
  SetGrid(&kernel, 8 * 132, 8);
  kernel.clock.run_hz = {9, 2e9, 2e9, 2e9, 18e9};
  return kernel;
}

TEST_CASE("Loops that access local memory alone make the work of L1, and explain a busy L2") {
  const KernelReport kernel = OfLocalLoops();
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "spills");
  CHECK(verdict.limiter == Limiter::kL2);
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(verdict.actions.front().id == "remove-spills");
  // 200,000 cycles of 132 SMs with 0.295 wavefronts; of them 32 for each of 8,448 warps.
  CHECK(
      verdict.summary ==
      "96.5 % or more of L1's work is on local memory, because no loop of the code accesses global "
      "memory: register spills, or arrays indexed at run time.");
  CHECK(verdict.missing.find("the sectors of local memory") == 0);
  CHECK(verdict.missing.find("how many of them L2 gets is not known") != std::string::npos);
}

TEST_CASE("Local memory in loops does not explain a busy L2 where other accesses may") {
  const auto rule = [](const KernelReport& kernel) { return Decide(kernel).rule; };
  REQUIRE(rule(OfLocalLoops()) == "spills");
  KernelReport kernel = OfLocalLoops();
  kernel.code->global_loads = {1, 1};
  CHECK(rule(kernel) == "l2-throughput");
  kernel = OfLocalLoops();
  kernel.code->bulk_copies = {1, 0};
  CHECK(rule(kernel) == "l2-throughput");
  kernel = OfLocalLoops();
  kernel.code->calls_others = true;
  CHECK(rule(kernel) == "l2-throughput");
  kernel = OfLocalLoops();
  kernel.code->local_loads.in_loops = kernel.code->local_stores.in_loops = 0;
  CHECK(rule(kernel) == "l2-throughput");
  kernel = OfLocalLoops();
  kernel.clock.run_hz = {};
  CHECK(rule(kernel) == "l2-throughput");
  kernel = OfLocalLoops();
  SetPm(&kernel, TriageUnit::kL1, 20);
  SetPm(&kernel, TriageUnit::kShared, 19.5);  // L1 works for shared memory
  CHECK(rule(kernel) == "l2-throughput");
  kernel = OfLocalLoops();
  kernel.code->global_stores = {20, 0};  // they may make two thirds of it
  CHECK(rule(kernel) == "l2-throughput");
}

// A busy tensor pipe, and mma.sync in the code.
KernelReport OfWarpMatrices() {
  KernelCode code = OfLoadsAndStores();
  code.warp_mma = {16, 16};
  KernelReport kernel = WithCode(code);
  SetPm(&kernel, TriageUnit::kTensor, 93);
  FlopCount count;
  count.kind = "bf16 tensor";
  count.per_launch = 1e12;
  count.of_peak = 0.6;
  kernel.flops = {count};
  return kernel;
}

TEST_CASE("The code tells mma.sync from wgmma for types whose operations do not") {
  KernelReport kernel = OfWarpMatrices();
  CHECK(Offers(Decide(kernel), "use-wgmma"));
  CHECK_FALSE(Offers(Decide(kernel), "smaller-type"));
  kernel.code->group_mma = {4, 4};
  CHECK_FALSE(Offers(Decide(kernel), "use-wgmma"));
  CHECK(Offers(Decide(kernel), "smaller-type"));
}

TEST_CASE("wgmma reads shared memory itself: L1 that is a little busier is no other limit") {
  KernelCode code = OfLoadsAndStores();
  code.group_mma = {4, 4};
  KernelReport kernel = WithCode(code);
  SetPm(&kernel, TriageUnit::kTensor, 76);
  SetPm(&kernel, TriageUnit::kL1, 84);
  SetPm(&kernel, TriageUnit::kShared, 84);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kTensor);
  CHECK(verdict.confidence == Confidence::kMedium);
  SECTION("ten points more are another limit") {
    SetPm(&kernel, TriageUnit::kL1, 88);
    SetPm(&kernel, TriageUnit::kShared, 88);
    CHECK(Decide(kernel).limiter == Limiter::kShared);
  }
  SECTION("where a warp loads the operands, its loads may be the limit") {
    kernel.code->group_mma = {};
    CHECK(Decide(kernel).limiter == Limiter::kShared);
  }
}

TEST_CASE("Shared memory that feeds wgmma does not balance L2: the tensor pipe stands for it") {
  KernelCode code = OfLoadsAndStores();
  code.group_mma = {4, 4};
  KernelReport kernel = WithCode(code);
  SetPm(&kernel, TriageUnit::kL2, 67);
  SetPm(&kernel, TriageUnit::kL1, 62);
  SetPm(&kernel, TriageUnit::kShared, 62);
  SetPm(&kernel, TriageUnit::kTensor, 56);
  CHECK(Decide(kernel).limiter == Limiter::kL2);
  SECTION("nor does it lead") {
    SetPm(&kernel, TriageUnit::kL2, 61);
    CHECK(Decide(kernel).limiter == Limiter::kL2);
  }
  SECTION("where the tensor pipe is as busy, both do") {
    SetPm(&kernel, TriageUnit::kTensor, 62);
    CHECK(Decide(kernel).limiter == Limiter::kMixed);
  }
  SECTION("where a warp loads the operands, its loads do") {
    kernel.code->group_mma = {};
    CHECK(Decide(kernel).limiter == Limiter::kMixed);
  }
}

TEST_CASE("Shared memory that wgmma reads is no verdict while nobody knows the tensor pipe's use") {
  KernelCode code = OfLoadsAndStores();
  code.group_mma = {4, 4};
  KernelReport kernel = WithCode(code);
  kernel.continuous.erase(Metric(TriageUnit::kTensor));
  SetPm(&kernel, TriageUnit::kL1, 66);
  SetPm(&kernel, TriageUnit::kShared, 66);
  CHECK(Decide(kernel).limiter == Limiter::kUnknown);
  SECTION("a busy L2 is balanced with what feeds it, or with the pipe") {
    SetPm(&kernel, TriageUnit::kL2, 70);
    CHECK(Decide(kernel).limiter == Limiter::kMixed);
  }
  SECTION("where a warp loads the operands, its loads are the limit") {
    kernel.code->group_mma = {};
    CHECK(Decide(kernel).limiter == Limiter::kShared);
  }
}

TEST_CASE("Products of a warp are judged by what they reach of the tensor pipe on Hopper") {
  KernelCode code = OfLoadsAndStores();
  code.warp_mma = {16, 16};
  KernelReport kernel = WithCode(code);
  SetPm(&kernel, TriageUnit::kTensor, 55);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "tensor-throughput");
  CHECK_THAT(verdict.summary, Catch::Contains("55.0 +-0.5 % of its peak; a kernel of mma.sync "
                                              "alone reached 87.0 %"));
  CHECK(verdict.notes.empty());  // "its matrices are small" would contradict it
  CHECK(Offers(verdict, "use-wgmma"));
  model::Device blackwell = Gpu();
  blackwell.compute_major = 10;
  CHECK(Decide(kernel, blackwell).rule != "tensor-throughput");
  SetPm(&kernel, TriageUnit::kTensor, 52);
  CHECK(Decide(kernel).rule != "tensor-throughput");
  // Full shared memory holds it back, as it does below the ceiling of other instructions.
  SetPm(&kernel, TriageUnit::kTensor, 72);
  SetPm(&kernel, TriageUnit::kShared, 97);
  SetPm(&kernel, TriageUnit::kL1, 97);
  CHECK(Decide(kernel).limiter == Limiter::kShared);
  SetPm(&kernel, TriageUnit::kShared, 5);
  SetPm(&kernel, TriageUnit::kL1, 5);
  SetPm(&kernel, TriageUnit::kTensor, 55);
  kernel.code->group_mma = {4, 4};
  CHECK(Decide(kernel).rule != "tensor-throughput");
  kernel.code->group_mma = {};
  kernel.code->double_mma = {4, 4};
  CHECK(Decide(kernel).rule != "tensor-throughput");
}

TEST_CASE("Beside the advice to use wgmma stands what both instructions reached on this GPU") {
  KernelReport kernel = OfWarpMatrices();
  model::Device device = Gpu();
  device.ceilings = {{"flops bf16 tensor", 896e12, 11, 890e12, 900e12, 0}};
  const auto says = [&] {
    const Verdict verdict = Decide(kernel, device);
    return std::any_of(verdict.evidence.begin(), verdict.evidence.end(), [](const auto& text) {
      return text ==
             "here mma.sync reaches 620 Tflop/s and wgmma 896 Tflop/s (bf16 tensor, "
             "measured)";
    });
  };
  CHECK_FALSE(says());
  device.ceilings.push_back({"flops bf16 tensor mma.sync", 620e12, 11, 610e12, 625e12, 0});
  CHECK(says());
}

TEST_CASE("mma.sync is seen in the code where a tensor pipe is busy on Hopper") {
  KernelCode code = OfLoadsAndStores();
  code.warp_mma = {16, 16};
  KernelReport kernel = WithCode(code);
  SetPm(&kernel, TriageUnit::kTensor, 93);
  CHECK(Offers(Decide(kernel), "use-wgmma"));
  CHECK(Offers(Decide(kernel), "read-operations"));
  kernel.code->group_mma = {4, 4};
  CHECK_FALSE(Offers(Decide(kernel), "use-wgmma"));
  CHECK(Offers(Decide(kernel), "read-types"));  // wgmma is there
  kernel.code->group_mma = {};
  kernel.code->warp_mma = {};
  kernel.code->double_mma = {16, 16};
  CHECK_FALSE(Offers(Decide(kernel), "use-wgmma"));
}

}  // namespace
}  // namespace prof::test::code_cause_test
