// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/stalls.h"

#include <string>
#include <vector>

#include "prof/statistic.h"
#include "test/support/catch.h"

using prof::Metrics;
using prof::analyzer::FindStalls;
using prof::analyzer::Stall;

namespace {

void Set(Metrics* metrics, const std::string& name, double value) {
  (*metrics)[name] = {5, value, value, value, 5 * value};
}

void SetReason(Metrics* metrics, const std::string& reason, double cycles) {
  Set(metrics, "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio", cycles);
}

// 3.5 warps that issue 0.625 instructions a cycle: 5.6 cycles from one instruction to the next.
Metrics WarpsAndIssue() {
  Metrics metrics;
  Set(&metrics, "smsp__warps_active.avg.per_cycle_active", 3.5);
  Set(&metrics, "smsp__issue_active.avg.per_cycle_active", 0.625);
  return metrics;
}

}  // namespace

TEST_CASE("A stall's share is of a warp's whole latency, not of the reasons that were measured") {
  Metrics metrics = WarpsAndIssue();
  SetReason(&metrics, "long_scoreboard", 2.8);
  SetReason(&metrics, "drain", 0.28);
  SetReason(&metrics, "selected", 1);
  const std::vector<Stall> stalls = FindStalls(metrics);
  REQUIRE(stalls.size() == 2);
  CHECK(stalls[0].reason == "long_scoreboard");
  CHECK(stalls[0].share > 0.499);
  CHECK(stalls[0].share < 0.501);
  CHECK(stalls[1].share < 0.051);
}

TEST_CASE("Where a reason that was not measured may be the first one, there are no stalls") {
  Metrics metrics = WarpsAndIssue();
  SetReason(&metrics, "long_scoreboard", 1.1);  // 20 %: 79 % have no reason yet
  SetReason(&metrics, "drain", 0.05);
  CHECK(FindStalls(metrics).empty());
  SetReason(&metrics, "selected", 1);
  SetReason(&metrics, "wait", 1.6);
  CHECK(FindStalls(metrics).empty());  // 1.85 cycles are left
  SetReason(&metrics, "math_pipe_throttle", 1.5);
  REQUIRE(FindStalls(metrics).size() == 4);
  CHECK(FindStalls(metrics).front().reason == "wait");
}

TEST_CASE("Without a warp's latency there are no shares of it") {
  Metrics metrics;
  SetReason(&metrics, "long_scoreboard", 8);
  SetReason(&metrics, "selected", 1);
  CHECK(FindStalls(metrics).empty());
  Set(&metrics, "smsp__average_warp_latency_per_inst_issued.ratio", 10);
  CHECK(FindStalls(metrics).size() == 1);
}

TEST_CASE("Reasons that add up to more than the latency have shares of their sum") {
  Metrics metrics;
  Set(&metrics, "smsp__average_warp_latency_per_inst_issued.ratio", 8);
  SetReason(&metrics, "long_scoreboard", 9);
  SetReason(&metrics, "selected", 1);
  REQUIRE(FindStalls(metrics).size() == 1);
  CHECK(FindStalls(metrics).front().share == 0.9);
}
