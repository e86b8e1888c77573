// SPDX-License-Identifier: Apache-2.0
//
// Expectations on a whole report, and the ones on kernels that read resources and memory counters.
#include "prof/expect_run.h"

#include <chrono>
#include <string>
#include <type_traits>

#include "prof/catch.h"
#include "test/compare/runs.h"
#include "test/expect/kernels.h"
#include "test/support/catch.h"

namespace prof::expect_run_test {
namespace {

using std::chrono::microseconds;
using test::Measured;

bool Has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// 900 us busy, 100 us idle, 80 of them behind waits; a range that was entered nine times.
Report Example() {
  Report report = test::Run({test::Kernel("saxpy", 9e3)}, 1);
  report.devices[0].busy_ns = 900e3;
  report.devices[0].idle_ns = 100e3;
  GapSummary gap;
  gap.cause = GapCause::kSync;
  gap.count = 8;
  gap.total_ns = 80e3;
  gap.where = "cudaStreamSynchronize";
  report.gaps.push_back(gap);
  RangeRow row;
  row.label = "step";
  row.instances = 9;
  row.time_ns = 900e3;
  row.dominant = "saxpy";
  report.rows.push_back(row);
  CopySummary copy;
  copy.direction = "host to device";
  copy.memory = "pageable to device";
  copy.count = 2;
  copy.bytes = 4096;
  report.copies.push_back(copy);
  return report;
}

TEST_CASE("A range is held to its time for each instance") {
  CHECK(RangeTakesAtMost("step", microseconds(100)).Check(Example()) == Outcome::kMet);
  CHECK(RangeTakesAtMost("step", microseconds(99)).Check(Example()) == Outcome::kNotMet);
  CHECK(Has(RangeTakesAtMost("step", microseconds(99)).Explain(Example()), "mean of 9"));
  const RunExpectation missing = RangeTakesAtMost("stop", microseconds(99));
  CHECK(missing.Check(Example()) == Outcome::kNotMeasured);
  CHECK(Has(missing.Explain(Example()), "step"));
}

TEST_CASE("Idle time is held to a share, in all and by cause") {
  CHECK(IdleAtMost(0.10).Check(Example()) == Outcome::kMet);
  CHECK(IdleAtMost(0.09).Check(Example()) == Outcome::kNotMet);
  CHECK(IdleAtMost(GapCause::kSync, 0.08).Check(Example()) == Outcome::kMet);
  CHECK(IdleAtMost(GapCause::kSync, 0.07).Check(Example()) == Outcome::kNotMet);
  CHECK(IdleAtMost(GapCause::kLaunch, 0.0).Check(Example()) == Outcome::kMet);
  CHECK(IdleAtMost(10.0).Check(Example()) == Outcome::kInvalid);
  CHECK(IdleAtMost(0.5).Check(Report{}) == Outcome::kNotMeasured);
  CHECK(Has(IdleAtMost(0.01).Explain(Example()), "sync: 80 us in 8 gaps"));
}

TEST_CASE("Copies are held to their bytes") {
  CHECK(CopiesAtMost("host to device", 4096).Check(Example()) == Outcome::kMet);
  CHECK(CopiesAtMost("", 4095).Check(Example()) == Outcome::kNotMet);
  CHECK(CopiesAtMost("device to host", 0).Check(Example()) == Outcome::kMet);
  CHECK(CopiesAtMost("", 0).Check(Report{}) == Outcome::kNotMeasured);
}

TEST_CASE("A finding that must not be there fails, and a withheld one is not measured") {
  Report report = Example();
  CHECK(HasNoFinding("pageable-copy").Check(report) == Outcome::kMet);
  Finding finding;
  finding.id = "pageable-copy";
  finding.title = "copies wait";
  report.findings.push_back(finding);
  CHECK(HasNoFinding("pageable-copy").Check(report) == Outcome::kNotMet);
  report.findings[0].withheld = true;
  CHECK(HasNoFinding("pageable-copy").Check(report) == Outcome::kNotMeasured);
  report.findings_missing = "too short";
  CHECK(HasNoFinding("sync-bound").Check(report) == Outcome::kNotMeasured);
}

TEST_CASE("A typo on a run is invalid whatever was measured, negated too") {
  struct Wrong {
    RunExpectation expectation;
    const char* way_out;
  };
  const Wrong wrong[] = {
      {CopiesAtMost("HtoD", 0), "\"HtoD\"; the directions are host to device, device to host"},
      {CopiesAtMost("", static_cast<uint64_t>(-1)), "-1 is no number of bytes"},
      {HasNoFinding("sync_bound"), "\"sync_bound\"; the ids are sync-bound, "},
      {HasNoFinding(""), "the ids are"},
      {RangeTakesAtMost("step", std::chrono::nanoseconds(-1)), "a duration above 0"},
      {IdleAtMost(5.0), "prof::Percent(5)"},
      {IdleAtMost(GapCause::kSync, 5.0), "prof::Percent(5)"},
      {EachKernel("gemm", RegistersAtMost(-1)), "from 1 to 255"},
      {NoSlowerThan(LoadBaseline("/nowhere")), "/nowhere"},
  };
  Report failed;
  failed.error = "no recording";
  for (const auto& [expectation, way_out] : wrong) {
    INFO(expectation.Describe());
    const RunExpectation negated = !expectation;
    for (const RunExpectation& each :
         {expectation, negated, expectation && IdleAtMost(0.2), IdleAtMost(0.2) || expectation}) {
      CHECK(each.Check(Example()) == Outcome::kInvalid);
      CHECK(each.Check(Report{}) == Outcome::kInvalid);
      CHECK(each.Check(failed) == Outcome::kInvalid);
      CHECK(Has(each.Explain(failed), way_out));
    }
  }
  CHECK(CopiesAtMost("peer to peer", 0).Check(Example()) == Outcome::kMet);
  CHECK(HasNoFinding("memory-growth").Check(Example()) == Outcome::kMet);
}

TEST_CASE("The description of a temporary outlives it") {
  static_assert(std::is_same_v<decltype(IdleAtMost(0.1).Describe()), std::string>);
  static_assert(std::is_same_v<decltype(ReachesDram(0.1).Describe()), std::string>);
  const std::string& description = IdleAtMost(0.1).Describe();
  CHECK(description == "idles for at most 10.0 %");
}

TEST_CASE("All kernels of a name must meet an expectation") {
  Report report = test::ReportOf(test::Saxpy());
  report.kernels.push_back(test::Saxpy());
  report.kernels[1].name = "saxpy_tail";
  report.kernels[1].registers_per_thread = 200;
  CHECK(EachKernel("saxpy", RegistersAtMost(255)).Check(report) == Outcome::kMet);
  CHECK(EachKernel("saxpy", RegistersAtMost(64)).Check(report) == Outcome::kNotMet);
  CHECK(Has(EachKernel("saxpy", RegistersAtMost(64)).Explain(report), "saxpy_tail"));
  CHECK(EachKernel("gemm", RegistersAtMost(64)).Check(report) == Outcome::kNotMeasured);
  CHECK(EachKernel("", DramBytesAtMost(1)).Check(report) == Outcome::kNotMeasured);
}

TEST_CASE("Expectations on a run combine, and what was not measured is not met under !") {
  CHECK((IdleAtMost(0.2) && CopiesAtMost("", 1)).Check(Example()) == Outcome::kNotMet);
  CHECK((IdleAtMost(0.2) || CopiesAtMost("", 1)).Check(Example()) == Outcome::kMet);
  CHECK((!IdleAtMost(0.01)).Check(Example()) == Outcome::kMet);
  CHECK((!IdleAtMost(0.2)).Check(Report{}) == Outcome::kNotMeasured);
  CHECK((!IdleAtMost(7.0)).Check(Example()) == Outcome::kInvalid);
}

TEST_CASE("Catch2 takes expectations on a run") {
  REQUIRE_THAT(Example(), IdleAtMost(0.2) && RangeTakesAtMost("step", microseconds(100)));
  CHECK_THAT(Example(), !IdleAtMost(0.01));
}

TEST_CASE("A run is held to a baseline, with the noise of each kernel") {
  RunSet runs = Collect(test::Runs(test::Around(100e3)));
  SetNoise(&runs);
  Baseline baseline;
  baseline.Update(runs);
  const auto check = [&](double time_ns) {
    return NoSlowerThan(baseline).Check(test::Run({test::Kernel("saxpy", time_ns)}, 77));
  };
  CHECK(check(100e3) == Outcome::kMet);
  CHECK(check(104e3) == Outcome::kMet);
  CHECK(check(106e3) == Outcome::kNotMet);
  CHECK(Has(NoSlowerThan(baseline).Explain(test::Run({test::Kernel("saxpy", 106e3)}, 77)),
            "saxpy: 100 us -> 106 us"));
  baseline.sets[0].kernels[0].noise = 0.03;
  CHECK(check(106e3) == Outcome::kMet);
  Report other = test::Run({test::Kernel("saxpy", 106e3)}, 77);
  other.nvidia_driver = "590";
  CHECK(NoSlowerThan(baseline).Check(other) == Outcome::kNotMeasured);
  CHECK(NoSlowerThan(LoadBaseline("/nowhere")).Check(other) == Outcome::kInvalid);
}

TEST_CASE("Registers are those of the launch") {
  KernelReport kernel = test::Saxpy();
  kernel.registers_per_thread = 40;
  CHECK(RegistersAtMost(40).Check(kernel) == Outcome::kMet);
  CHECK(RegistersAtMost(39).Check(kernel) == Outcome::kNotMet);
  kernel.resources_known = false;
  CHECK(RegistersAtMost(40).Check(kernel) == Outcome::kNotMeasured);
}

TEST_CASE("Bytes of DRAM are those read and written") {
  KernelReport kernel = test::Saxpy();
  CHECK(DramBytesAtMost(1e9).Check(kernel) == Outcome::kNotMeasured);
  kernel.metrics["dram__bytes_read.sum"] = Measured(600, 600, 600);
  kernel.metrics["dram__bytes_write.sum"] = Measured(400, 400, 400);
  CHECK(DramBytesAtMost(1000).Check(kernel) == Outcome::kMet);
  CHECK(DramBytesAtMost(999).Check(kernel) == Outcome::kNotMet);
}

TEST_CASE("Bank conflicts are a share of the wavefronts") {
  KernelReport kernel = test::Saxpy();
  CHECK(BankConflictsAtMost(0.1).Check(kernel) == Outcome::kNotMeasured);
  for (const char* op : {"ld", "st"}) {
    const std::string of = std::string("_mem_shared_op_") + op + ".sum";
    kernel.metrics["l1tex__data_bank_conflicts_pipe_lsu" + of] = Measured(30, 30, 30);
    kernel.metrics["l1tex__data_pipe_lsu_wavefronts" + of] = Measured(100, 100, 100);
  }
  CHECK(BankConflictsAtMost(0.30).Check(kernel) == Outcome::kMet);
  CHECK(BankConflictsAtMost(0.29).Check(kernel) == Outcome::kNotMet);
  CHECK(BankConflictsAtMost(30.0).Check(kernel) == Outcome::kInvalid);
}

TEST_CASE("Coalescing is the used part of a sector, of the worse of loads and stores") {
  KernelReport kernel = test::Saxpy();
  const std::string base = "smsp__sass_average_data_bytes_per_sector_mem_global_op_";
  CHECK(CoalescedAtLeast(0.5).Check(kernel) == Outcome::kNotMeasured);
  kernel.metrics[base + "ld.ratio"] = Measured(32, 32, 32);
  kernel.metrics[base + "st.ratio"] = Measured(0, 0, 0);  // it stores nothing
  CHECK(CoalescedAtLeast(1.0).Check(kernel) == Outcome::kMet);
  kernel.metrics[base + "st.ratio"] = Measured(8, 8, 8);
  CHECK(CoalescedAtLeast(0.25).Check(kernel) == Outcome::kMet);
  CHECK(CoalescedAtLeast(0.26).Check(kernel) == Outcome::kNotMet);
}

}  // namespace
}  // namespace prof::expect_run_test
