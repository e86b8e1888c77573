// SPDX-License-Identifier: Apache-2.0
//
// The table of depth: what the use of the hardware units leaves open about a kernel, and which
// metrics answer it. The capture half reads only what decides; the analyzer half names what is
// missing by the same table.
#ifndef PROF_LIB_FORMAT_DEPTH_H_
#define PROF_LIB_FORMAT_DEPTH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/format/triage_metrics.h"

namespace prof::format {

// Thresholds that both halves compare with, as fractions of peak. Sources as in
// lib/analyzer/base/thresholds.h.
inline constexpr double kSaturated = 0.80;  // [ncu] SOLBottleneck: "high throughput"
inline constexpr double kBusy = 0.60;       // [ncu] SOLBottleneck: below it on all units: latency
inline constexpr double kMargin = 0.10;     // [ncu] SOLBottleneck: closer units are balanced
// [own] The same for the issue slots. In two kernels of the zoo, at 61 and 67 %, an instruction
// more hardly cost time, and warps limited them; at 70 % and more each instruction counted (H200).
inline constexpr double kIssueBusy = 0.70;
// [own] Below 3 null kernels: ramp and drain dominate, whatever the units do.
inline constexpr double kLaunchSizedNs = 5000;

// What is still to be read of a kernel: a set of questions, a bit each.
using Needs = uint32_t;
inline constexpr Needs kNeedsNothing = 0;
inline constexpr Needs kNeedsUse = 1U << 0;     // the use of the units: PM sampling did not give it
inline constexpr Needs kNeedsMemory = 1U << 1;  // sectors, requests, hit rates, local memory
inline constexpr Needs kNeedsShared = 1U << 2;  // bank conflicts of shared memory
inline constexpr Needs kNeedsStalls = 1U << 3;  // why warps wait, and how many could issue
inline constexpr Needs kNeedsOperations = 1U << 4;  // operations by type: on request only
inline constexpr Needs kNeedsRequested = 1U << 5;   // metrics that the user named
// What a kernel without any value of its units needs.
inline constexpr Needs kNeedsEverything =
    kNeedsUse | kNeedsMemory | kNeedsShared | kNeedsStalls | kNeedsRequested;

// The use of each unit by a kernel, as fractions of peak over elapsed cycles.
class UnitUse {
 public:
  constexpr void Set(TriageUnit unit, double of_peak) {
    use_[static_cast<size_t>(unit)] = of_peak;
    known_ |= 1U << static_cast<size_t>(unit);
  }
  [[nodiscard]] constexpr bool Knows(TriageUnit unit) const {
    return (known_ >> static_cast<size_t>(unit) & 1) != 0;
  }
  // 0 where it is unknown.
  [[nodiscard]] constexpr double Of(TriageUnit unit) const {
    return Knows(unit) ? use_[static_cast<size_t>(unit)] : 0;
  }

 private:
  std::array<double, kTriageUnits> use_{};
  uint32_t known_ = 0;
};

// Which question a unit that leads leaves open. Occupancy and the parts of other units lead
// nothing.
enum class UnitKind : uint8_t { kNone, kMemory, kShared, kCompute };

[[nodiscard]] constexpr UnitKind KindOf(TriageUnit unit) {
  switch (unit) {
    case TriageUnit::kDram:
    case TriageUnit::kL2:
    case TriageUnit::kL1:
    case TriageUnit::kL1Writeback:
      return UnitKind::kMemory;
    case TriageUnit::kShared:
      return UnitKind::kShared;
    case TriageUnit::kTensor:
    case TriageUnit::kFma:
    case TriageUnit::kFmaHeavy:
    case TriageUnit::kAlu:
    case TriageUnit::kFp64:
    case TriageUnit::kXu:
    case TriageUnit::kIssue:
      return UnitKind::kCompute;
    case TriageUnit::kSmActive:
    case TriageUnit::kWarps:
    case TriageUnit::kDramRead:
    case TriageUnit::kDramWrite:
      break;
  }
  return UnitKind::kNone;
}

// The highest use among the units of a kind, without issue slots that limit nothing.
[[nodiscard]] constexpr double HighestUse(const UnitUse& use, UnitKind kind) {
  double highest = 0;
  for (size_t i = 0; i < kTriageUnits; ++i) {
    const TriageUnit unit = static_cast<TriageUnit>(i);
    if (unit == TriageUnit::kIssue && use.Of(unit) < kIssueBusy) continue;
    if (KindOf(unit) == kind && use.Of(unit) > highest) highest = use.Of(unit);
  }
  return highest;
}

// DRAM, L2 and the issue slots are known: enough to say that nothing is busy, with any pipe.
[[nodiscard]] constexpr bool Decides(const UnitUse& use) {
  return use.Knows(TriageUnit::kDram) && use.Knows(TriageUnit::kL2) &&
         use.Knows(TriageUnit::kIssue) && use.Knows(TriageUnit::kTensor);
}

// What is still to be read of a kernel with this use. A unit at 80 %, or at 60 % (the issue slots:
// at 70 %) with its rival 10 points below, limits the kernel: of a compute unit nothing is open, of
// memory its detail, of shared memory its conflicts. Where no unit does, the stall reasons decide.
// Launches of less than kLaunchSizedNs need nothing.
[[nodiscard]] constexpr Needs NeedsOf(const UnitUse& use) {
  const double memory = HighestUse(use, UnitKind::kMemory);
  // The path of shared memory is a part of L1's.
  const double shared = HighestUse(use, UnitKind::kShared);
  const double compute = HighestUse(use, UnitKind::kCompute);
  const double on_chip = shared > compute ? shared : compute;
  const double top = memory > on_chip ? memory : on_chip;
  if (top < kBusy) return Decides(use) ? kNeedsStalls : kNeedsEverything;
  const auto leads = [top](double of_peak) { return of_peak >= kBusy && top - of_peak < kMargin; };
  Needs needs = kNeedsNothing;
  if (leads(shared)) needs |= kNeedsShared;
  // L1 at the height of its shared part is shared memory.
  const bool beyond_shared = !leads(shared) || memory - shared >= kMargin ||
                             leads(use.Of(TriageUnit::kDram)) || leads(use.Of(TriageUnit::kL2));
  if (leads(memory) && beyond_shared) needs |= kNeedsMemory;
  // Memory and a compute unit in balance, none of them saturated.
  const bool balanced = leads(compute) && (leads(memory) || leads(shared)) && top < kSaturated;
  return balanced ? needs | kNeedsStalls : needs;
}

// The questions that a metric answers, by how CUPTI names it.
struct DepthMetric {
  std::string_view part;  // of the name
  Needs answers;
};

// The first row that fits counts. What none fits is the use of a unit.
inline constexpr DepthMetric kDepthMetrics[] = {
    {"smsp__average_warp", kNeedsStalls},
    {"smsp__issue_active.", kNeedsStalls},
    {"smsp__warps_active.", kNeedsStalls},
    {"smsp__warps_eligible.", kNeedsStalls},
    {"smsp__inst_executed.", kNeedsStalls},
    {"smsp__thread_inst_executed_p", kNeedsStalls},
    {"inst_executed_op_ldsm", kNeedsShared},
    {"_mem_shared", kNeedsShared},
    {"_op_shared", kNeedsShared},
    {"data_bytes_per_sector_mem_global", kNeedsMemory},
    {"l1tex__t_", kNeedsMemory},
    {"lts__t_sectors_op_", kNeedsMemory},
    {"lts__t_sectors_lookup_", kNeedsMemory},
    {"lts__t_sectors.sum", kNeedsMemory},
    {"ops_path_tensor", kNeedsOperations},
    {"smsp__sass_thread_inst_executed_op_", kNeedsOperations},
};

// The lowest level of --counters that answers all of `needs`; empty: nothing is open.
[[nodiscard]] constexpr std::string_view LevelFor(Needs needs) {
  if ((needs & (kNeedsMemory | kNeedsShared | kNeedsOperations)) != 0) return "all";
  if ((needs & kNeedsStalls) != 0) return "stalls";
  return (needs & kNeedsUse) != 0 ? "sol" : "";
}

// `metric` as CUPTI evaluates it; the window that each group reads answers nothing.
[[nodiscard]] constexpr Needs AnswersOf(std::string_view metric) {
  if (metric.substr(0, 19) == "gpu__time_duration.") return kNeedsNothing;
  for (const DepthMetric& row : kDepthMetrics) {
    if (metric.find(row.part) != std::string_view::npos) return row.answers;
  }
  return kNeedsUse;
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_DEPTH_H_
