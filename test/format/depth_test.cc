// SPDX-License-Identifier: Apache-2.0
#include "lib/format/depth.h"

#include <initializer_list>
#include <utility>

#include "test/support/catch.h"

namespace prof::format::test::depth_test {
namespace {

// A kernel that uses the named units so much, and each other unit by 10 %.
Needs NeedsWith(std::initializer_list<std::pair<TriageUnit, double>> units) {
  UnitUse use;
  for (size_t i = 0; i < kTriageUnits; ++i) use.Set(static_cast<TriageUnit>(i), 0.1);
  for (const auto& [unit, of_peak] : units) use.Set(unit, of_peak);
  return NeedsOf(use);
}

TEST_CASE("A kernel that a compute unit limits needs nothing") {
  CHECK(NeedsWith({{TriageUnit::kTensor, 0.9}}) == kNeedsNothing);
  CHECK(NeedsWith({{TriageUnit::kFma, 0.65}}) == kNeedsNothing);
  CHECK(NeedsWith({{TriageUnit::kIssue, 0.85}, {TriageUnit::kAlu, 0.82}}) == kNeedsNothing);
}

TEST_CASE("A kernel that memory limits needs the detail of it") {
  CHECK(NeedsWith({{TriageUnit::kDram, 0.9}}) == kNeedsMemory);
  CHECK(NeedsWith({{TriageUnit::kL2, 0.7}, {TriageUnit::kIssue, 0.3}}) == kNeedsMemory);
  CHECK(NeedsWith({{TriageUnit::kL1, 0.7}, {TriageUnit::kShared, 0.2}}) == kNeedsMemory);
}

TEST_CASE("Where L1 is busy with shared memory, its conflicts are open") {
  CHECK(NeedsWith({{TriageUnit::kL1, 0.95}, {TriageUnit::kShared, 0.93}}) == kNeedsShared);
  CHECK(
      NeedsWith({{TriageUnit::kDram, 0.9}, {TriageUnit::kShared, 0.88}, {TriageUnit::kL1, 0.9}}) ==
      (kNeedsShared | kNeedsMemory));
}

TEST_CASE("What no unit explains needs the stall reasons") {
  CHECK(NeedsWith({}) == kNeedsStalls);
  CHECK(NeedsWith({{TriageUnit::kDram, 0.59}}) == kNeedsStalls);
  CHECK(NeedsWith({{TriageUnit::kSmActive, 0.99}, {TriageUnit::kWarps, 0.99}}) == kNeedsStalls);
}

TEST_CASE("Two units in balance, none of them saturated, need the stall reasons beside") {
  CHECK(NeedsWith({{TriageUnit::kDram, 0.7}, {TriageUnit::kFma, 0.65}}) ==
        (kNeedsMemory | kNeedsStalls));
  CHECK(NeedsWith({{TriageUnit::kDram, 0.9}, {TriageUnit::kFma, 0.85}}) == kNeedsMemory);
}

TEST_CASE("Where a deciding unit is unknown and none is busy, everything is open") {
  UnitUse use;
  use.Set(TriageUnit::kDram, 0.2);
  CHECK(NeedsOf(use) == kNeedsEverything);
  use.Set(TriageUnit::kDram, 0.9);
  CHECK(NeedsOf(use) == kNeedsMemory);
}

TEST_CASE("A metric answers one question") {
  CHECK(AnswersOf("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio") == kNeedsStalls);
  CHECK(AnswersOf("smsp__warps_eligible.avg.per_cycle_active") == kNeedsStalls);
  CHECK(AnswersOf("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == kNeedsMemory);
  CHECK(AnswersOf("lts__t_sectors_lookup_hit.sum") == kNeedsMemory);
  CHECK(AnswersOf("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") == kNeedsShared);
  CHECK(AnswersOf("sm__ops_path_tensor_src_int8.sum") == kNeedsOperations);
  CHECK(AnswersOf("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed") == kNeedsUse);
  CHECK(AnswersOf("gpu__time_duration.sum") == kNeedsNothing);
}

TEST_CASE("The level for what is open is the lowest that answers all of it") {
  CHECK(LevelFor(kNeedsNothing).empty());
  CHECK(LevelFor(kNeedsUse) == "sol");
  CHECK(LevelFor(kNeedsUse | kNeedsStalls) == "stalls");
  CHECK(LevelFor(kNeedsStalls | kNeedsMemory) == "all");
  CHECK(LevelFor(kNeedsShared) == "all");
  CHECK(LevelFor(kNeedsEverything) == "all");
}

}  // namespace
}  // namespace prof::format::test::depth_test
