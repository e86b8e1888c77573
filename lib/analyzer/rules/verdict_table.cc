// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_table.h"

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/rules/rule_causes.h"
#include "lib/analyzer/rules/verdict_latency.h"
#include "lib/analyzer/rules/verdict_other.h"
#include "lib/analyzer/rules/verdict_units.h"

namespace prof::analyzer {
namespace {

bool Always(const RuleInputs&) { return true; }

}  // namespace

const std::vector<VerdictRule>& RulesBeforeCauses() {
  static const auto* const rules = new std::vector<VerdictRule>{
      {{"communication", Limiter::kCommunication, "its name begins with `nccl` (nsys, hta)",
        "duration, three busiest units, grid", "`wait-less-for-ranks`",
        "\"more blocks\" for an all-reduce of 24 blocks that waits for another rank"},
       IsOfNccl,
       FillCommunication},
      {{"not-measured", Limiter::kNotMeasured,
        "no usable counter, no value from PM samples, and not launch-sized",
        "why the PM samples have no value; `missing` has the reason: rejected samples, CUDA graph, "
        "counters off; and the counters of its region",
        "–", "a class from the name or the arithmetic intensity alone"},
       NotMeasured,
       FillNotMeasured},
      {{"launch-sized", Limiter::kLaunchSized,
        "median duration < 5 us (own: ramp and drain dominate), whether a unit was measured or "
        "not; never a graph that was recorded as a whole",
        "duration, three busiest units, grid", "`merge-launches`; in a graph `merge-graph-nodes`",
        "\"latency-bound\" for a kernel that has no time to be anything else"},
       LaunchSized,
       FillLaunchSized},
  };
  return *rules;
}

const std::vector<VerdictRule>& RulesAfterCauses() {
  static const auto* const rules = new std::vector<VerdictRule>{
      {{"dram-throughput", Limiter::kDram,
        "DRAM leads at >= 80 % (ncu); or at >= 60 % and either 10 points before the rival or the "
        "rival below 60 %",
        "DRAM %, its ceiling, GB/s, bytes read and written, L2 hit rate, warps in use",
        "`dram-rate`, `fewer-bytes`; below 80 % with less than half of the warp slots in use (own) "
        "`more-blocks` where the grid leaves room for them, or else `raise-occupancy`",
        "\"raise occupancy\" for a kernel at 95 % of DRAM"},
       LimitedBy<Unit::kDram>,
       FillDram,
       true},
      {{"l2-throughput", Limiter::kL2, "as for DRAM, with L2", "L2 metric, hit rate, DRAM traffic",
        "`feed-unit`, `serve-from-l1`", "\"HBM-bound\" because the memory SOL is high"},
       LimitedBy<Unit::kL2>,
       FillL2,
       true},
      {{"l1-throughput", Limiter::kL1, "as for DRAM, with the L1 data path, mostly global",
        "metric, hit rates, useful bytes per sector", "`feed-unit`, `fewer-l1-accesses`",
        "\"compute-bound\" because sm__throughput is high"},
       LimitedBy<Unit::kL1>,
       FillL1,
       true},
      {{"shared-throughput", Limiter::kShared, "shared memory leads as for DRAM",
        "metric, shared part", "`feed-unit`, `fewer-shared-accesses`", "\"DRAM\" or \"compute\""},
       LimitedBy<Unit::kShared>,
       FillShared,
       true},
      {{"tensor-throughput", Limiter::kTensor,
        "the tensor pipe leads as for DRAM; on Hopper a kernel whose matrix products are all "
        "`mma.sync` is judged by its part of the 87 % that such a kernel reached (own; not with "
        "products in FP64)",
        "tensor %",
        "`feed-tensor`, `use-wgmma`, `smaller-type` or `less-tensor-work`; where the type of its "
        "matrices was not measured `read-operations` or `read-types`",
        "occupancy advice for a warp-specialised kernel; `math_pipe_throttle` as a defect"},
       LimitedBy<Unit::kTensor>,
       FillTensor,
       true},
      {{"fma-throughput", Limiter::kFma, "the FMA pipe leads as for DRAM",
        "FMA % (the busier of the pipe and its heavy half)",
        "`feed-unit`, `fewer-fma` or `fewer-half-fma`",
        "\"FP32-bound\" for IMAD: see note `integer-fma`"},
       LimitedBy<Unit::kFma>,
       FillFma,
       true},
      {{"alu-throughput", Limiter::kAlu, "the ALU pipe leads as for DRAM", "ALU %",
        "`feed-unit`, `fewer-integer`", "a roofline verdict: there are no FLOPs"},
       LimitedBy<Unit::kAlu>,
       FillAlu,
       true},
      {{"fp64-throughput", Limiter::kFp64, "the FP64 pipe leads as for DRAM", "FP64 %",
        "`feed-unit`, `fp32-for-fp64`", "\"FMA\""},
       LimitedBy<Unit::kFp64>,
       FillFp64,
       true},
      {{"sfu-throughput", Limiter::kSfu, "the special-function pipe leads as for DRAM",
        "XU % (by instructions)", "`feed-unit`, `fewer-special-functions`",
        "\"short_scoreboard latency\""},
       LimitedBy<Unit::kSfu>,
       FillSfu,
       true},
      {{"lsu-throughput", Limiter::kL1, "the load/store pipe's instruction rate leads as for DRAM",
        "LSU %, hit rates", "`feed-unit`, `fewer-load-instructions`", "\"compute-bound\"",
        "l1, or shared where that is most"},
       LimitedBy<Unit::kLsu>,
       FillLsu,
       true},
      {{"texture-throughput", Limiter::kL1, "the texture unit leads as for DRAM", "texture %",
        "`feed-unit`, `fewer-texture-fetches`",
        "\"warps wait for the queue of the texture unit\" at 97 % of it"},
       LimitedBy<Unit::kTexture>,
       FillTexture,
       true},
      {{"issue-throughput", Limiter::kIssue, "issue slots lead (see above)",
        "issue %, eligible warps", "`feed-unit`, `fewer-instructions`", "naming a pipe at 60 %"},
       LimitedBy<Unit::kIssue>,
       FillIssue,
       true},
      {{"mixed", Limiter::kMixed,
        "leader and rival >= 60 % (issue slots: 70 %), within 10 points, leader < 80 % (ncu: "
        "\"balanced\")",
        "both", "`feed-unit`, `relieve-both`", "one of them with high confidence"},
       Mixed,
       FillMixed,
       true},
      {{"write-back", Limiter::kDram,
        "no unit is busy; the bytes read, written and stored in L2 only (at most its size) are at "
        "80 % of DRAM's peak in a second (own)",
        "rate, traffic, stored sectors", "`fewer-bytes`",
        "\"more loads in flight\" for a kernel that moves 4 TB/s"},
       WritesLater,
       FillWritesLater},
      {{"occupancy-limited", Limiter::kOccupancy,
        "`latency-stall` matches with long_scoreboard, short_scoreboard or barrier on top; "
        "theoretical occupancy < 80 % (ncu); eligible warps < 1 (hw); waves > 1, so more blocks "
        "could be resident; tensor pipe < 10 % (own)",
        "stalls, limits by block slots, warps, registers, shared memory", "`raise-occupancy`",
        "occupancy advice at 80 % of any unit, or for a dependent chain (`wait`)"},
       OccupancyLimited,
       FillOccupancy},
      {{"latency-stall", Limiter::kLatency,
        "no unit is busy, fewer than 0.8 instructions per active cycle and scheduler (ncu), top "
        "stall >= 30 % (ncu)",
        "three top stalls in % and cycles, issue, eligible and resident warps",
        "by stall and level, below; and `more-blocks` where waves and warps in use are below a "
        "half "
        "(own), memory does not idle as behind a link, and the stall is long_scoreboard, "
        "short_scoreboard or wait",
        "`wait` called __syncthreads()"},
       Waiting,
       FillLatency},
      {{"partial-wave", Limiter::kLatency,
        "waves < 1, no unit is busy, no stall stands out or none was read", "as small-grid",
        "`more-blocks`: where stalls were read, or where waves and warps in use are below a half "
        "(own) and memory does not idle as behind a link; and [what nobody looked "
        "for](#suspicions)",
        "more blocks, where atomics on one address or the link to the host decide"},
       PartialWavePrimary,
       FillPartialWave},
      {{"no-unit-busy", Limiter::kLatency,
        "no unit is busy, and no stalls were read; confidence medium at most",
        "the highest three uses, SM activity, warps",
        "`read-stalls`, and [what nobody looked for](#suspicions)",
        "a stall reason that nobody measured"},
       NoUnitBusy,
       FillNoUnitBusy},
      {{"issue-slots", Limiter::kIssue,
        "issue slots at 60 to 70 %, and nothing above matched: no stall stands out",
        "as `issue-throughput`", "as `issue-throughput`", "\"unknown\" at 69 %"},
       MostlyIssues,
       FillMostlyIssues},
      {{"several-stalls", Limiter::kLatency,
        "no unit is busy, warps wait half of their time or more (own), and no stall stands out; "
        "confidence low",
        "three busiest units, stalls",
        "`raise-occupancy` where it is as low as for `occupancy-limited`", "one of the stalls"},
       WaitsForSeveral,
       FillSeveralStalls},
      {{"unknown", Limiter::kUnknown,
        "nothing else; `missing` names the units that were not measured, or PC samples",
        "three busiest units, stalls", "–", "a confident guess"},
       Always,
       FillUnknown},
  };
  return *rules;
}

std::vector<std::string_view> VerdictRuleIds() {
  std::vector<std::string_view> ids;
  for (const VerdictRule& rule : RulesBeforeCauses()) ids.push_back(rule.text.id);
  for (const CauseRow& row : CauseRows()) ids.push_back(row.id);
  for (const VerdictRule& rule : RulesAfterCauses()) ids.push_back(rule.text.id);
  return ids;
}

std::string VerdictTable(const std::vector<VerdictRow>& rows) {
  RuleTable table(
      {"id", "verdict", "condition (source)", "evidence", "actions", "a wrong answer would be"});
  for (const VerdictRow& row : rows) {
    table.Add({AsCode(row.id), row.verdict.empty() ? ToString(row.limiter) : row.verdict,
               row.condition, row.evidence, row.actions, row.wrong});
  }
  return table.text();
}

std::string VerdictTable(const std::vector<VerdictRule>& rules) {
  std::vector<VerdictRow> rows;
  rows.reserve(rules.size());
  for (const VerdictRule& rule : rules) rows.push_back(rule.text);
  return VerdictTable(rows);
}

}  // namespace prof::analyzer
