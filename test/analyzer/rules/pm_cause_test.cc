// SPDX-License-Identifier: Apache-2.0
//
// Causes from PM samples alone: what the rates of triage show of a kernel's accesses.
#include <string>

#include "lib/format/triage_metrics.h"
#include "test/analyzer/rules/kernels.h"
#include "test/analyzer/rules/pm_kernels.h"
#include "test/support/catch.h"

namespace prof::test::pm_cause_test {
namespace {

using Catch::Contains;
using format::TriageRate;
using format::TriageUnit;

// Loads of whole lines, all of whose bytes are returned.
KernelReport ReadsLines(double dram) {
  KernelReport kernel = QuietByPmSamples();
  kernel.static_shared_bytes = kernel.dynamic_shared_bytes = 0;
  SetPm(&kernel, TriageUnit::kDram, dram);
  SetPmRate(&kernel, TriageRate::kReturns, 0.1);
  SetPmRate(&kernel, TriageRate::kTextureReturns, 0, 0);
  SetPmRate(&kernel, TriageRate::kFills, 0.4, 0.002);
  SetPmRate(&kernel, TriageRate::kRequests, 0.2);
  SetPmRate(&kernel, TriageRate::kSectors, 0.8);
  return kernel;
}

KernelReport UsesSharedMemory(double percent) {
  KernelReport kernel = QuietByPmSamples();
  kernel.static_shared_bytes = 32'768;
  SetPm(&kernel, TriageUnit::kL1, percent);
  SetPm(&kernel, TriageUnit::kShared, percent);
  return kernel;
}

TEST_CASE("Conflicts by PM samples decide where shared memory leads") {
  KernelReport kernel = UsesSharedMemory(96);
  SetPmRate(&kernel, TriageRate::kConflicts, 0.72);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "shared-bank-conflicts");
  CHECK(verdict.limiter == Limiter::kShared);
  CHECK(verdict.actions.front().id == "remove-bank-conflicts");
  // No more than the conflicts, at the upper end of both bounds: 0.721 / 0.955.
  CHECK(verdict.actions.front().gain_at_most.value_or(0) >= 0.75);
  CHECK(verdict.actions.front().gain_at_most.value_or(1) <= 0.77);
  CHECK(Mentions(verdict.evidence, "bank conflicts of shared memory's wavefronts 75.0 +-"));
}

TEST_CASE("Without conflicts by PM samples nobody suspects them") {
  KernelReport kernel = UsesSharedMemory(96);
  CHECK(Offers(Decide(kernel), "remove-bank-conflicts"));
  SetPmRate(&kernel, TriageRate::kConflicts, 0.01);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "shared-throughput");
  CHECK_FALSE(Offers(verdict, "remove-bank-conflicts"));
}

TEST_CASE("Loads that return less than L1 gets from L2 are uncoalesced") {
  KernelReport kernel = ReadsLines(91);
  CHECK(Decide(kernel).rule == "dram-throughput");
  SetPmRate(&kernel, TriageRate::kReturns, 0.05);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "uncoalesced");
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK_THAT(verdict.summary, Contains("sectors from L2 for each 128 bytes that it returns"));
  CHECK_THAT(verdict.missing, Contains("how many of the bytes are used"));
  CHECK(Offers(verdict, "coalesce"));
}

TEST_CASE("PM samples tell of unused bytes where sectors were counted and bytes were not") {
  KernelReport kernel = ReadsLines(91);
  SetPmRate(&kernel, TriageRate::kReturns, 0.05);
  // A stride of two words: fewer sectors than the widest accesses have.
  Set(&kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1e6);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 8e6);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0);
  CHECK(Decide(kernel).rule == "uncoalesced");
  // Loads of two words use all of them.
  Set(&kernel, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 32);
  CHECK(Decide(kernel).rule == "dram-throughput");
}

TEST_CASE("Textures return bytes, too") {
  KernelReport kernel = ReadsLines(91);
  SetPmRate(&kernel, TriageRate::kReturns, 0.02);
  SetPmRate(&kernel, TriageRate::kTextureReturns, 0.08);
  CHECK(Decide(kernel).rule == "dram-throughput");
}

TEST_CASE("A kernel that may copy to shared memory is not accused of what it does not return") {
  KernelReport kernel = ReadsLines(91);
  SetPmRate(&kernel, TriageRate::kReturns, 0.02);
  kernel.static_shared_bytes = 1024;
  CHECK(Decide(kernel).rule == "dram-throughput");
}

TEST_CASE("Requests of single sectors are scattered accesses, of loads and of stores") {
  KernelReport kernel = ReadsLines(91);
  SetPmRate(&kernel, TriageRate::kRequests, 0.75);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "uncoalesced");
  CHECK_THAT(verdict.summary, Contains("a request to L2 has 1.1 sectors, of the 4 of a line"));
  CHECK(Mentions(verdict.evidence, "sectors in a request to L2 1.1 +-0.0 of 4 (PM samples: 212"));
  // An error bound that reaches up to half of a line says nothing.
  SetPmRate(&kernel, TriageRate::kSectors, 0.8, 0.8);
  CHECK(Decide(kernel).rule == "dram-throughput");
}

TEST_CASE("Scattered accesses explain a unit at half of its peak, and nothing that is idle") {
  KernelReport kernel = ReadsLines(56);
  SetPmRate(&kernel, TriageRate::kRequests, 0.75);
  CHECK(Decide(kernel).rule == "uncoalesced");
  SetPm(&kernel, TriageUnit::kDram, 30);
  CHECK(Decide(kernel).rule == "no-unit-busy");
}

TEST_CASE("Loads of whole lines are not suspected, and need no further look") {
  KernelReport kernel = ReadsLines(91);
  const Verdict whole = Decide(kernel);
  CHECK_FALSE(Offers(whole, "coalesce"));
  CHECK(whole.missing.empty());
  kernel.continuous.erase(Metric(TriageUnit::kDram));
  SetPm(&kernel, TriageUnit::kDram, 91);
  SetPmRate(&kernel, TriageRate::kRequests, 0.2, 0.2);  // too uncertain
  const Verdict unknown = Decide(kernel);
  CHECK(Offers(unknown, "coalesce"));
  CHECK_THAT(unknown.missing, Contains("sectors per request"));
}

TEST_CASE("DRAM's reads that no SM asked for show stores of parts of sectors") {
  KernelReport kernel = ReadsLines(85);
  SetPm(&kernel, TriageUnit::kDramRead, 42);
  SetPm(&kernel, TriageUnit::kDramWrite, 43);
  CHECK(Decide(kernel).rule == "dram-throughput");  // its loads want them
  SetPmRate(&kernel, TriageRate::kFills, 0);
  SetPmRate(&kernel, TriageRate::kReturns, 0);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "uncoalesced");
  CHECK_THAT(verdict.summary, Contains("49.4 % of DRAM's traffic is reads that no SM asked for"));
  // So do atomics, whose requests have fewer sectors.
  SetPmRate(&kernel, TriageRate::kSectors, 0.52);
  CHECK(Decide(kernel).rule == "dram-throughput");
}

TEST_CASE("L2's sectors of other memory name the link to the host") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kL2, 1.5);
  SetPm(&kernel, TriageUnit::kDram, 0.1);
  SetPmRate(&kernel, TriageRate::kOtherSectors, 0.48);
  SetPmRate(&kernel, TriageRate::kDeviceSectors, 0.02);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "host-memory");
  CHECK(verdict.actions.front().id == "move-to-device");
  CHECK_THAT(verdict.summary, Contains("96.0 % of L2's sectors are not of this GPU's memory"));
  SetPmRate(&kernel, TriageRate::kOtherSectors, 0.45, 0.15);  // still more than half
  CHECK(Decide(kernel).rule == "host-memory");
  SetPmRate(&kernel, TriageRate::kDeviceSectors, 0.9);
  CHECK(Decide(kernel).rule == "no-unit-busy");
}

TEST_CASE("Lanes without work are divergence, by PM samples as by counters") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kIssue, 90, 0.5);
  SetPmRate(&kernel, TriageRate::kThreads, 0.9 * 4 * 8, 0.1);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "divergence");
  CHECK(Mentions(verdict.evidence, "threads that execute an instruction 8.0 +-0.1 of 32"));
  SetPmRate(&kernel, TriageRate::kThreads, 0.9 * 4 * 31, 0.1);
  CHECK(Decide(kernel).rule == "issue-throughput");
}

TEST_CASE("Rates of a unit that hardly works tell nothing") {
  KernelReport kernel = ReadsLines(91);
  SetPmRate(&kernel, TriageRate::kRequests, 0.004, 0);
  SetPmRate(&kernel, TriageRate::kSectors, 0.004, 0);
  SetPmRate(&kernel, TriageRate::kReturns, 0.001, 0);
  CHECK(Decide(kernel).rule == "dram-throughput");
}

}  // namespace
}  // namespace prof::test::pm_cause_test
