// SPDX-License-Identifier: Apache-2.0
//
// The inputs of the verdict rules: the units of a kernel or region ranked by use, stalls, activity
// and shape. Values that are missing or not finite are left out.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_INPUTS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_INPUTS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/continuous/pm_rates.h"
#include "lib/analyzer/kernels/stalls.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// The inputs for a kernel or for a counted region; the rules about units hold for both.
struct RuleInputs {
  const Measured* counters = nullptr;     // of the kernel or region
  const KernelReport* kernel = nullptr;   // nullptr: a region, which has no launch of its own
  bool measured = false;                  // any usable counter or PM sample
  Source source = Source::kNone;          // of these
  std::vector<std::string_view> unknown;  // units that a claim of "nothing is busy" would need
  std::vector<std::string_view> resting;  // of these, those that the issue slots show to be idle
  // The highest use, without a unit that is left out, and without issue slots below kIssueBusy.
  double busiest = 0;
  bool straddles = false;      // an error bound has both sides of BusyFrom(its unit)
  bool issue_or_pipe = false;  // which of the two leads is within the error bounds
  // True: the tensor pipe has only packed half precision instructions (HFMA2.MMA), as many as the
  // FMA pipe (HFMA2). It is then left out of all comparisons.
  bool half_on_fma = false;
  // What the tensor pipe can reach with the instructions of the kernel, of its peak.
  double tensor_ceiling = 1;
  std::optional<UnitUse> leader;  // the unit that a throughput verdict would name
  std::optional<UnitUse> rival;   // the highest that is not a consequence of the leader
  SharedShare shared;             // shared memory's part of L1's wavefronts

  std::vector<Stall> stalls;         // by share, descending; without selected and not_selected
  std::optional<double> issue;       // instructions per active cycle and scheduler, 0..1
  std::optional<double> eligible;    // warps per active cycle and scheduler
  std::optional<double> active;      // SM cycles active / elapsed, average over SMs
  std::optional<UnitUse> pm_active;  // the same by PM samples, where no counter has it
  // 1 - average / maximum of SM cycles active. By PM samples: at least 1 - `active`, less the time
  // to fill and to drain the GPU.
  std::optional<double> imbalance;
  double activity_samples = 0;  // of these
  // Share of the shared-memory wavefronts that are conflicts. wgmma's reads, which have none, are
  // among these.
  std::optional<double> conflicts;
  // True: not counted, but at least that from the wavefronts of a request.
  bool conflicts_inferred = false;
  // The largest share that they can have: 1 where those of loads or of stores were not counted.
  double conflicts_at_most = 1;
  PmRatios sampled;                          // by PM samples of a kernel
  std::optional<double> l2_hits;             // share of L2's sectors that it had
  std::optional<double> achieved_occupancy;  // of a kernel
  // Warps in use over the warp slots of all SMs, of the elapsed time, at the lower end of its error
  // bound, 0..1.
  std::optional<double> warps_used, warps_at_most;  // of all slots: the ends of the error bound

  int64_t runs = 0;                       // launches of the kernel, instances of the region
  double duration_ns = 0;                 // median; 0: unknown
  double blocks = 1;                      // in the grid
  double threads = 1;                     // per block
  uint32_t sm_count = 0;                  // 0: unknown
  const model::Device* device = nullptr;  // may be null
  std::vector<std::string> unstable;      // reasons to trust the counters less

  [[nodiscard]] const std::vector<UnitUse>& units() const { return counters->units; }
  [[nodiscard]] double UseOf(Unit unit) const;  // 0 where it was not measured
  // `of_peak` of a unit while the SMs were active or filling and draining, 0..1. It names the unit:
  // a pipe at 62 % of the elapsed time on SMs that were active for 65 % of it is at its limit. DRAM
  // and L2 serve the SMs that are left at the same rate, so that theirs is that of the elapsed
  // time.
  [[nodiscard]] double WhileActive(Unit unit, double of_peak) const;
  // The same of what the unit can reach. Units are compared, and called busy, by it.
  [[nodiscard]] double Deciding(Unit unit, double of_peak) const;
  // leader - rival by that. It decides; LeastMargin(), at the near ends of both error bounds,
  // makes the doubts.
  [[nodiscard]] double Margin() const;
  [[nodiscard]] double LeastMargin() const;
  // Of a metric by CUPTI name; null when it is absent, negative or not finite.
  [[nodiscard]] std::optional<double> Median(std::string_view metric) const;
  [[nodiscard]] double SamplesOf(std::string_view metric) const;
  // By PM samples: launches, because the samples of one launch are not independent.
  [[nodiscard]] double SamplesOf(const UnitUse& use) const;
};

// The use from which on a unit may limit a kernel.
[[nodiscard]] double BusyFrom(Unit unit);

[[nodiscard]] bool IsOneOf(Unit unit, std::initializer_list<Unit> units);

// True for DRAM and L2, which all SMs share.
[[nodiscard]] bool IsShared(Unit unit);

// True when `other` is busy because `leader` is: DRAM bytes pass through L2, tensor operands come
// through L1, and each instruction that a pipe executes was issued.
[[nodiscard]] bool Follows(Unit other, Unit leader);

// `device` may be null: rules that need its limits then do not match.
[[nodiscard]] RuleInputs GatherInputs(const KernelReport& kernel, const model::Device* device);
[[nodiscard]] RuleInputs GatherInputs(const RegionInstances& instances, const Measured& counters,
                                      const model::Device* device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_INPUTS_H_
