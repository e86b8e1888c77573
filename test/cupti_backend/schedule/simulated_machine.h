// SPDX-License-Identifier: Apache-2.0
//
// A simulated machine runs a program under --counters auto: kernels with planted use of the units,
// a clock, and hardware that costs what was measured on an H200. Triage's schedule, its coverage,
// both budgets and the policy of counter ranges are prof's own. The turns on the hardware are as in
// TriageSampler and SamplerWorker, without threads.
#ifndef PROF_TEST_CUPTI_BACKEND_SCHEDULE_SIMULATED_MACHINE_H_
#define PROF_TEST_CUPTI_BACKEND_SCHEDULE_SIMULATED_MACHINE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "cupti_backend/sampling/sampling_budget.h"
#include "cupti_backend/schedule/sampling_policy.h"
#include "cupti_backend/schedule/triage_coverage.h"
#include "cupti_backend/schedule/triage_schedule.h"

namespace prof::cupti::test {

struct SimulatedKernel {
  std::string name;
  uintptr_t number = 0;
  int64_t duration_ns = 0;
  TriageUse use{};          // percent
  bool fills_link = false;  // to the host: CUPTI's calls take long beside it
  // What the simulation has done with it:
  std::vector<int> taken;  // samples by group
  double gpu_ns = 0;
  int samples = 0;  // of PM sampling, within launches

  KernelKey key() const { return KernelKeyOf(name.c_str(), {}, {}, 0); }
  // What its use leaves open.
  format::Needs needs() const;
};

// Limited by one unit in two of three cases. Durations are log-uniform.
SimulatedKernel RandomKernel(std::mt19937& random, int number, int64_t least_ns, int64_t most_ns);

class SimulatedMachine {
 public:
  explicit SimulatedMachine(uint32_t seed);

  // The launch waits for the GPU.
  void Run(SimulatedKernel& kernel, bool in_graph = false);
  // The GPU does nothing.
  void Idle(int64_t ns);

  int64_t now_ns() const { return now_ns_; }
  int64_t ranges_ns() const { return ranges_ns_; }  // that counters have cost the program
  int64_t triage_ns() const { return triage_ns_; }  // CPU time of triage's thread
  int turns() const { return turns_; }              // of ranges, on the hardware
  int bursts() const { return bursts_; }
  int link_opens() const { return link_opens_; }  // sessions opened beside a full link
  bool ranges_hold_hardware() const { return hardware_ == Hardware::kRanges; }
  SamplingPolicy& policy() { return policy_; }

  // The analyzer would have its use of the units: six samples within launches, or enough for
  // triage.
  bool Known(const SimulatedKernel& kernel) const {
    return kernel.samples >= 6 || known_.count(kernel.key()) != 0;
  }
  // And all that it leaves open was read.
  bool Decided(const SimulatedKernel& kernel) const;

 private:
  enum class Hardware { kTriage, kToRanges, kRanges };
  struct Piece {  // of the GPU's time
    int64_t begin_ns = 0, end_ns = 0;
    SimulatedKernel* kernel = nullptr;
  };

  void Launch(SimulatedKernel& kernel);
  void Spend(int64_t cost_ns);
  void Change(uint32_t group);
  SamplingPolicy::Hardware Facts() const;
  // What prof's threads do up to now.
  void Advance();
  void Collect();
  void LearnRecords();
  void TakeTurns();
  void ServeRanges();
  void ServeTriage();
  void Open(int64_t interval_ns);
  void EndBurst();
  TriageUse Sample(int64_t begin_ns, int64_t end_ns, bool* busy);

  SamplingPolicy policy_;
  SamplingBudget budget_;
  std::vector<NeedSchedule::Group> groups_;
  int64_t now_ns_, next_round_ns_ = 0, turned_ns_ = 0, changed_ns_ = 0, ranges_ns_ = 0;
  uint32_t correlation_ = 0;
  uint64_t launches_ = 0;
  int active_ = -1, changing_to_ = -1, turns_ = 0;
  size_t in_image_ = 0;
  Hardware hardware_ = Hardware::kTriage;

  // Triage's thread:
  TriageSchedule schedule_;
  TriageBudget triage_budget_;
  TriageCoverage coverage_;
  std::mt19937 random_;
  bool open_ = true;  // as it is prepared
  int64_t interval_ns_ = TriageSchedule::kShortestIntervalNs;
  int64_t free_ns_ = 0, look_ns_ = 0;        // when its work has ended, and when it looks again
  int64_t burst_ns_ = 0, burst_end_ns_ = 0;  // the burst that is under way; 0: none
  int64_t triage_ns_ = 0;
  double idle_share_ = 0;
  bool within_launch_ = false;
  int bursts_ = 0, link_opens_ = 0;
  bool link_is_full_ = false;
  std::deque<Piece> pieces_;   // that a burst may meet
  std::deque<Piece> records_;  // that CUPTI has not handed over
  std::unordered_set<KernelKey> known_;
};

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_SCHEDULE_SIMULATED_MACHINE_H_
