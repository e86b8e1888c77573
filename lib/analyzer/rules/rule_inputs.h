// SPDX-License-Identifier: Apache-2.0
//
// What the verdict rules look at: a kernel's counters as fractions of each unit's peak, ranked,
// with everything that is missing or not finite left out.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_INPUTS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_INPUTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

enum class Unit : uint8_t {
  kDram,
  kL2,
  kL1,      // L1's data path, used mostly for global memory
  kShared,  // the same data path, used mostly for shared memory
  kTensor,
  kFma,
  kAlu,
  kFp64,
  kSfu,
  kLsu,  // instruction rate of the load/store pipe
  kIssue
};

struct UnitUse {
  Unit unit = Unit::kDram;
  double use = 0;           // fraction of peak
  std::string_view metric;  // the constituent that is highest
};

struct Stall {
  std::string_view reason;  // "long_scoreboard"
  double share = 0;         // of a warp's latency per instruction
  double cycles = 0;        // per issued instruction
};

struct Facts {
  const KernelReport* kernel = nullptr;
  bool measured = false;                  // any usable counter
  std::vector<UnitUse> units;             // measured ones, by use, descending
  std::vector<std::string_view> unknown;  // units that a claim of "nothing is busy" would need
  double busiest = 0;                     // the highest use of all: the speed of light
  std::optional<UnitUse> leader;          // the unit that a throughput verdict would name
  std::optional<UnitUse> rival;           // the highest that is not a consequence of the leader
  std::optional<double> shared_share;     // of L1's wavefronts
  bool shared_inferred = false;           // from stalls, not measured

  std::vector<Stall> stalls;        // by share, descending; without selected and not_selected
  std::optional<double> issue;      // instructions per active cycle and scheduler, 0..1
  std::optional<double> eligible;   // warps per active cycle and scheduler
  std::optional<double> active;     // SM cycles active / elapsed, average over SMs
  std::optional<double> imbalance;  // 1 - average / maximum of SM cycles active
  std::optional<double>
      conflicts;  // shared-memory wavefronts that are conflicts, worse of ld and st

  double duration_ns = 0;             // median; 0: unknown
  double blocks = 0;                  // in the grid
  double threads = 0;                 // per block
  uint32_t sm_count = 0;              // 0: unknown
  std::vector<std::string> unstable;  // reasons to trust the counters less

  double UseOf(Unit unit) const;  // 0 where it was not measured
  double Margin() const;          // leader - rival
};

// A metric by CUPTI name; null when absent, without samples, negative or not finite.
const Statistic* FindMetric(const KernelReport& kernel, std::string_view metric);
std::optional<double> Median(const KernelReport& kernel, std::string_view metric);

Facts GatherFacts(const KernelReport& kernel, const model::Device* device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_INPUTS_H_
