// SPDX-License-Identifier: Apache-2.0
#include "lib/format/metric_purpose.h"

#include <string>

#include "test/support/catch.h"

namespace prof::format::test::metric_purpose_test {
namespace {

TEST_CASE("A metric that triage reads has the name of its unit, on every chip") {
  for (const TriageMetric& metric : kTriageMetrics) {
    for (const std::string_view name : metric.names) {
      if (name.empty()) break;
      const std::string full = std::string(name) + std::string(kTriageSuffix);
      CHECK(PurposeOf(full) == metric.name);
      CHECK(WithPurpose(full) == std::string(metric.name) + " (" + full + ")");
    }
  }
}

TEST_CASE("A metric of depth has the question that it answers") {
  CHECK(PurposeOf("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio") ==
        "why warps wait");
  CHECK(PurposeOf("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == "sectors and hit rates");
  CHECK(PurposeOf("smsp__inst_executed_op_ldsm.sum") == "bank conflicts");
  CHECK(PurposeOf("sm__ops_path_tensor_src_fp64.sum") == "operations by type");
}

TEST_CASE("Another metric of a unit has the name of the unit, and one that nobody knows has none") {
  CHECK(PurposeOf("dram__bytes_read.sum") == "DRAM");
  CHECK(PurposeOf("dram__bytes_op_read.sum") == "DRAM");
  CHECK(PurposeOf("lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed") == "L2");
  CHECK(PurposeOf("l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed") == "L1");
  CHECK(PurposeOf("l1tex__f_wavefronts.avg.pct_of_peak_sustained_elapsed") == "texture");
  CHECK(PurposeOf("sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed") == "load/store");
  CHECK(PurposeOf("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed") ==
        "memory throughput");
  CHECK(PurposeOf("gpc__cycles_elapsed.avg.per_second") == "SM clock");
  CHECK(PurposeOf("no_such.sum").empty());
  CHECK(WithPurpose("no_such.sum") == "no_such.sum");
}

}  // namespace
}  // namespace prof::format::test::metric_purpose_test
