// SPDX-License-Identifier: Apache-2.0
//
// "At most" is an upper bound. Each case simulates kernels with a known trouble: what they cost is
// drawn, what is left without the trouble is known, and so is the most that its removal can gain.
// The bound of the action may not be below it. The seed is another one in each run; a failure
// prints it, and PROF_BOUNDS_SEED repeats it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "lib/format/triage_metrics.h"
#include "test/analyzer/rules/kernels.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"

namespace prof::test::bound_test {
namespace {

using format::TriageUnit;
using Random = std::mt19937_64;
using Uses = std::map<Unit, double>;  // of the time that the kernel takes, 0..1

constexpr int kKernels = Rounds(3'000, 600);
constexpr double kRounding = 1e-6;

uint64_t Seed() {
  static const uint64_t seed = [] {
    const char* const given = std::getenv("PROF_BOUNDS_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  }();
  return seed;
}

double Draw(Random* random, double least, double most) {
  return std::uniform_real_distribution<double>(least, most)(*random);
}

const std::map<Unit, std::string>& MetricOf() {
  static const std::map<Unit, std::string> metrics = {
      {Unit::kDram, "gpu__dram_throughput"},
      {Unit::kL2, "lts__t_sectors"},
      {Unit::kL1, "l1tex__data_pipe_lsu_wavefronts"},
      {Unit::kTensor, "sm__pipe_tensor_cycles_active"},
      {Unit::kFma, "sm__pipe_fma_cycles_active"},
      {Unit::kAlu, "sm__pipe_alu_cycles_active"},
      {Unit::kFp64, "sm__pipe_fp64_cycles_active"},
      {Unit::kSfu, "sm__inst_executed_pipe_xu"},
      {Unit::kLsu, "sm__inst_executed_pipe_lsu"},
      {Unit::kTexture, "l1tex__f_wavefronts"},
      {Unit::kIssue, "sm__issue_active"}};
  return metrics;
}

// A kernel's work on each unit: what has to stay, and what goes with the trouble.
struct Work {
  Uses stays, goes;

  double Use(Unit unit) const { return stays.at(unit) + goes.at(unit); }
  // The most that can be gained when the rest runs at the ceiling of the unit that needs longest.
  double MostGain() const {
    double time = 0;
    for (const auto& [unit, use] : stays) {
      time = std::max(time, unit == Unit::kDram ? use / 0.95 : use);
    }
    return 1 - time;
  }
  void WriteTo(KernelReport* kernel) const {
    for (auto& [metric, value] : kernel->metrics) {  // what the quiet kernel does
      if (metric.find("pct_of_peak_sustained_elapsed") != std::string::npos)
        value = {5, 0, 0, 0, 0};
    }
    for (const auto& [unit, metric] : MetricOf()) SetUse(kernel, metric, 100 * Use(unit));
  }
};

// Work on all units. `troubled` are those from which something goes. No unit is busy for longer
// than `busiest` of the time.
Work DrawWork(Random* random, const std::vector<Unit>& troubled, double busiest) {
  Work work;
  for (const auto& [unit, metric] : MetricOf()) {
    const bool goes = std::find(troubled.begin(), troubled.end(), unit) != troubled.end();
    const double use = busiest * std::pow(Draw(random, 0, 1), 2) + 0.001;
    const double part = goes ? Draw(random, 0, 1) : 0;
    work.stays[unit] = use * (1 - part);
    work.goes[unit] = use * part;
  }
  return work;
}

// Draws kernels, and holds the action's bound against the gain. `busiest` of the draw is any.
void HoldBounds(const std::vector<std::string>& actions, int least_seen,
                const std::function<double(Random*, KernelReport*)>& simulate) {
  Random random(Seed());
  INFO("PROF_BOUNDS_SEED=" << Seed());
  std::map<std::string, int> seen;
  for (int i = 0; i < kKernels; ++i) {
    KernelReport kernel = QuietKernel();
    const double gain = simulate(&random, &kernel);
    const Verdict verdict = Decide(kernel);
    for (const Action& action : verdict.actions) {
      if (std::find(actions.begin(), actions.end(), action.id) == actions.end()) continue;
      ++seen[action.id];
      if (!action.gain_at_most) continue;
      CAPTURE(i, verdict.rule, action.id, action.floor, gain);
      REQUIRE(*action.gain_at_most >= gain - kRounding);
    }
  }
  for (const std::string& id : actions) {
    CAPTURE(id);
    CHECK(seen[id] >= Rounds(least_seen, 1));  // not an empty property
  }
}

void SetSectors(KernelReport* kernel, const char* space, double loads, double stores) {
  const std::string prefix = std::string("l1tex__t_sectors_pipe_lsu_mem_") + space;
  Set(kernel, prefix + "_op_ld.sum", loads);
  Set(kernel, prefix + "_op_st.sum", stores);
}

TEST_CASE("Spills: whatever part of the traffic below L1 is theirs", "[long]") {
  HoldBounds({"remove-spills"}, 300, [](Random* random, KernelReport* kernel) {
    const Work work = DrawWork(
        random,
        {Unit::kDram, Unit::kL2, Unit::kL1, Unit::kLsu, Unit::kIssue, Unit::kAlu, Unit::kFma},
        Draw(random, 0.3, 0.94));
    work.WriteTo(kernel);
    kernel->local_bytes_per_thread = 64;
    SetSectors(kernel, "local", Draw(random, 0, 1e6), Draw(random, 0, 1e6));
    SetSectors(kernel, "global", Draw(random, 0, 1e6), Draw(random, 0, 1e6));
    SetStall(kernel, "long_scoreboard", Draw(random, 0, 60));
    return work.MostGain();
  });
}

// Loads that use a part of their sectors, beside others that use all. The sparse ones have one
// share of the sectors in L1, and others below it; each of their sectors brings up to 128 bytes
// with it.
double SparseLoads(Random* random, KernelReport* kernel) {
  const double useful = Draw(random, 1, 25), fetched = 32 * std::pow(2, (*random)() % 3);
  Work work = DrawWork(random, {}, Draw(random, 0.5, 0.94));
  for (const Unit unit : {Unit::kDram, Unit::kL2}) {
    const double use = Draw(random, 0.3, 0.94), waste = Draw(random, 0, 1) * (1 - useful / fetched);
    work.stays[unit] = use * (1 - waste);
    work.goes[unit] = use * waste;
  }
  const double wavefronts = work.Use(Unit::kL1), requests = wavefronts * Draw(random, 0.03, 1);
  work.stays[Unit::kL1] = requests;
  work.goes[Unit::kL1] = wavefronts - requests;
  work.WriteTo(kernel);
  SetUse(kernel, "l1tex__lsuin_requests", 100 * requests);
  SetSectors(kernel, "global", Draw(random, 1e5, 1e6), Draw(random, 0, 1e6));
  Set(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", Draw(random, 1e4, 1e6));
  Set(kernel, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", useful);
  Set(kernel, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio", 32);
  Set(kernel, "l1tex__t_sector_hit_rate.pct", Draw(random, 0, 80));
  return work.MostGain();
}

TEST_CASE("Coalescing: whatever part of the traffic below L1 is of the sparse loads", "[long]") {
  HoldBounds({"coalesce"}, 300, SparseLoads);
}

TEST_CASE("Bank conflicts: all that they cause in L1's data path goes with them", "[long]") {
  HoldBounds({"remove-bank-conflicts"}, 300, [](Random* random, KernelReport* kernel) {
    Work work = DrawWork(random, {}, 0.7);
    const double wavefronts = Draw(random, 0.3, 0.99), share = Draw(random, 0, 0.97);
    work.stays[Unit::kL1] = wavefronts * (1 - share);
    work.goes[Unit::kL1] = wavefronts * share;
    work.WriteTo(kernel);
    // Reads of the banks and the writeback are as many as the wavefronts.
    for (const char* metric : {"l1tex__data_bank_reads", "l1tex__lsu_writeback_active"}) {
      SetUse(kernel, metric, 100 * wavefronts);
    }
    SetUse(kernel, "l1tex__lsuin_requests", 100 * wavefronts * (1 - share) / 4);
    SetUse(kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared", 100 * wavefronts);
    kernel->static_shared_bytes = 16384;
    Set(kernel, "sm__cycles_elapsed.max", 1e5);
    const double all = wavefronts * 1e5 * 132;
    const double loads = Draw(random, 0, 1);
    for (const auto& [op, part] : {std::pair("ld", loads), std::pair("st", 1 - loads)}) {
      const std::string suffix = std::string("_mem_shared_op_") + op + ".sum";
      Set(kernel, "l1tex__data_pipe_lsu_wavefronts" + suffix, all * part);
      Set(kernel, "l1tex__data_bank_conflicts_pipe_lsu" + suffix, all * part * share);
    }
    SetStall(kernel, "mio_throttle", Draw(random, 0, 60));
    return work.MostGain();
  });
}

TEST_CASE("Atomics: the repeated arithmetic of those that lose goes with them", "[long]") {
  HoldBounds({"aggregate-atomics"}, 300, [](Random* random, KernelReport* kernel) {
    Work work = DrawWork(random,
                         {Unit::kL2, Unit::kL1, Unit::kLsu, Unit::kIssue, Unit::kAlu, Unit::kFma,
                          Unit::kFp64, Unit::kDram},
                         Draw(random, 0.2, 0.9));
    for (Uses* uses : {&work.stays, &work.goes}) (*uses)[Unit::kDram] *= 0.5;
    work.WriteTo(kernel);
    Set(kernel, "lts__t_sectors.sum", 1e6);
    Set(kernel, "lts__t_sectors_op_atom.sum", Draw(random, 0.1e6, 1e6));
    SetStall(kernel, "long_scoreboard", Draw(random, 0, 60));
    return work.MostGain();
  });
}

// Instructions of several kinds, each with lanes of its own. What the lanes have to do stays.
double Divergent(Random* random, KernelReport* kernel) {
  Work work = DrawWork(random, {}, 0.6);
  double instructions = 0, lanes = 0, left = 0;
  std::vector<std::pair<Unit, double>> kinds;
  for (const Unit unit :
       {Unit::kFma, Unit::kAlu, Unit::kFp64, Unit::kSfu, Unit::kLsu, Unit::kTexture}) {
    const double count = std::pow(Draw(random, 0, 1), 3), active = Draw(random, 0.04, 1);
    instructions += count;
    lanes += count * active;
    left += count * active;
    const double use = Draw(random, 0.1, 0.95) * count;
    work.stays[unit] = use * active;
    work.goes[unit] = use * (1 - active);
  }
  const double issue = Draw(random, 0.2, 0.97);
  work.stays[Unit::kIssue] = issue * left / instructions;
  work.goes[Unit::kIssue] = issue - work.stays[Unit::kIssue];
  work.WriteTo(kernel);
  const double average = 32 * lanes / instructions;
  Set(kernel, "smsp__thread_inst_executed_per_inst_executed.ratio", average);
  Set(kernel, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", average);
  return work.MostGain();
}

TEST_CASE("Divergence: the instructions of one pipe may have fewer lanes than the average",
          "[long]") {
  HoldBounds({"one-path-per-warp"}, 300, Divergent);
}

std::string PmMetric(TriageUnit unit) {
  for (const format::TriageMetric& metric : format::kTriageMetrics) {
    if (metric.unit == unit) {
      return std::string(metric.names[0]) + std::string(format::kTriageSuffix);
    }
  }
  return "";
}

// The mean of samples, off by no more than its error.
void SetPm(Random* random, KernelReport* kernel, TriageUnit unit, double use) {
  ContinuousValue value;
  value.error = Draw(random, 0, 2);
  value.value = std::max(0.0, 100 * use + Draw(random, -1, 1) * value.error);
  value.samples = 200;
  value.launches = 30;
  kernel->continuous[PmMetric(unit)] = value;
}

// Blocks on the slots of the SMs, in their order: each takes the slot that is free first.
struct Placed {
  double time = 0, warp_time = 0;  // warp_time: of the warp slots of all SMs, in the same unit
  double active = 0, active_most = 0;
};

Placed Place(const std::vector<double>& blocks, int per_sm, double warps_of_block) {
  constexpr int kSms = 132;
  using Slot = std::pair<double, int>;  // free at, SM
  std::priority_queue<Slot, std::vector<Slot>, std::greater<>> slots;
  for (int slot = 0; slot < per_sm * kSms; ++slot) slots.push({0, slot % kSms});
  Placed placed;
  std::array<double, kSms> busy_until{};
  for (const double length : blocks) {
    const auto [at, sm] = slots.top();
    slots.pop();
    slots.push({at + length, sm});
    double& until = busy_until[static_cast<size_t>(sm)];
    until = std::max(until, at + length);
    placed.time = std::max(placed.time, at + length);
    placed.warp_time += length * warps_of_block;
  }
  for (const double until : busy_until) {
    placed.active += until / kSms;
    placed.active_most = std::max(placed.active_most, until);
  }
  return placed;
}

// A grid whose blocks take different times. At best all warp slots have a warp all the time.
double UnevenGrid(Random* random, KernelReport* kernel) {
  const int per_sm = 1 + static_cast<int>((*random)() % 8);
  const double warps = std::floor(64.0 / per_sm * Draw(random, 0.3, 1));
  const auto count = static_cast<uint32_t>(Draw(random, 20, 132.0 * per_sm * 2.5));
  const double spread = Draw(random, 0, 1) < 0.3 ? 0 : Draw(random, 0, 1.5);
  std::lognormal_distribution<double> length(0, spread);
  std::vector<double> blocks(count);
  for (double& block : blocks) block = length(*random);
  if (Draw(random, 0, 1) < 0.3) blocks.back() = 8;  // a block that has far more to do
  const Placed placed = Place(blocks, per_sm, warps);
  const double packed = placed.warp_time / (132 * 64) / placed.time;
  // No unit is busier than its warps allow.
  const double active = placed.active / placed.time;
  Work work = DrawWork(random, {}, 0.9 * active);
  kernel->duration_ns = {20, 100e3, 99e3, 101e3, 2000e3};
  SetGrid(kernel, count, per_sm);
  kernel->occupancy.theoretical = per_sm * warps / 64;
  kernel->occupancy.limited_by = {"registers"};
  const double achieved = std::min(1.0, packed / active);
  kernel->occupancy.achieved = achieved;
  if ((*random)() % 2 == 0) {
    work.WriteTo(kernel);
    Set(kernel, "sm__warps_active.avg.pct_of_peak_sustained_active", 100 * achieved);
    Set(kernel, "sm__cycles_active.avg", 1e5 * active);
    Set(kernel, "sm__cycles_active.max", 1e5 * placed.active_most / placed.time);
    Set(kernel, "sm__cycles_elapsed.max", 1e5);
  } else {
    kernel->metrics.clear();
    kernel->samples_used = 0;
    for (const format::TriageMetric& metric : format::kTriageMetrics) {
      SetPm(random, kernel, metric.unit, 0);
    }
    SetPm(random, kernel, TriageUnit::kSmActive, active);
    SetPm(random, kernel, TriageUnit::kWarps, packed);
    for (const auto& [unit, read] :
         {std::pair(Unit::kFma, TriageUnit::kFma), std::pair(Unit::kL2, TriageUnit::kL2),
          std::pair(Unit::kDram, TriageUnit::kDram), std::pair(Unit::kIssue, TriageUnit::kIssue)}) {
      SetPm(random, kernel, read, work.Use(unit));
    }
    Work few;
    for (const auto& [unit, metric] : MetricOf()) few.stays[unit] = few.goes[unit] = 0;
    for (const Unit unit : {Unit::kFma, Unit::kL2, Unit::kDram, Unit::kIssue}) {
      few.stays[unit] = work.Use(unit);
    }
    work = few;
  }
  return std::min(1 - packed, work.MostGain());
}

TEST_CASE("Grids: blocks of different times leave more idle than waves and SM activity show",
          "[long]") {
  HoldBounds({"more-blocks", "whole-waves", "even-out-blocks"}, 30, UnevenGrid);
}

// Warps that wait; what an action of the wait may also make less of goes with it.
TEST_CASE("Waits: with the wait go the instructions that the remedy saves", "[long]") {
  const std::vector<Unit> loop = {Unit::kIssue, Unit::kAlu, Unit::kFma};
  const std::vector<Unit> access = {Unit::kIssue, Unit::kAlu, Unit::kFma,
                                    Unit::kL1,    Unit::kLsu, Unit::kTexture};
  std::vector<Unit> queue = access, tiles = access;
  queue.push_back(Unit::kSfu);
  tiles.insert(tiles.end(), {Unit::kL2, Unit::kDram});
  struct Case {
    const char* reason;
    const char* action;
    const std::vector<Unit>& saved;
  };
  const Case cases[] = {{"long_scoreboard", "more-loads-in-flight", access},
                        {"short_scoreboard", "more-shared-loads-in-flight", queue},
                        {"wait", "independent-instructions", loop},
                        {"mio_throttle", "fewer-shared-instructions", queue},
                        {"lg_throttle", "wider-global-accesses", access},
                        {"gmma", "deeper-matrix-pipeline", tiles},
                        {"drain", "fewer-final-stores", tiles},
                        {"branch_resolving", "fewer-branches", loop}};
  for (const Case& wait : cases) {
    HoldBounds({wait.action}, 300, [&](Random* random, KernelReport* kernel) {
      const Work work = DrawWork(random, wait.saved, 0.55);
      work.WriteTo(kernel);
      SetStall(kernel, wait.reason, Draw(random, 20, 200));
      return work.MostGain();
    });
  }
}

TEST_CASE("Occupancy: more warps gain no more than the slots that are free", "[long]") {
  HoldBounds({"raise-occupancy"}, 100, [](Random* random, KernelReport* kernel) {
    const Work work = DrawWork(random, {}, 0.55);
    work.WriteTo(kernel);
    const double theoretical = Draw(random, 0.1, 1), achieved = theoretical * Draw(random, 0.3, 1);
    const double active = Draw(random, 0.5, 1);
    kernel->occupancy.theoretical = theoretical;
    kernel->occupancy.achieved = achieved;
    kernel->occupancy.limited_by = {"registers"};
    Set(kernel, "sm__warps_active.avg.pct_of_peak_sustained_active", 100 * achieved);
    Set(kernel, "sm__cycles_active.avg", 1e5 * active);
    Set(kernel, "sm__cycles_active.max", 1e5 * active);
    Set(kernel, "sm__cycles_elapsed.max", 1e5);
    SetStall(kernel, "long_scoreboard", Draw(random, 20, 200));
    return std::min(1 - achieved * active, work.MostGain());
  });
}

TEST_CASE("Less work: what a remedy takes from other units as well is not their floor", "[long]") {
  struct Case {
    Unit leads;
    const char* action;
    std::vector<Unit> saved;
  };
  const Case cases[] = {
      {Unit::kL2,
       "serve-from-l1",
       {Unit::kL2, Unit::kDram, Unit::kL1, Unit::kLsu, Unit::kIssue, Unit::kAlu, Unit::kFma}},
      {Unit::kL1,
       "fewer-l1-accesses",
       {Unit::kL1, Unit::kL2, Unit::kDram, Unit::kLsu, Unit::kIssue, Unit::kAlu, Unit::kFma}},
      {Unit::kTexture,
       "fewer-texture-fetches",
       {Unit::kTexture, Unit::kL1, Unit::kL2, Unit::kDram, Unit::kIssue, Unit::kAlu, Unit::kFma}},
      {Unit::kAlu, "fewer-integer", {Unit::kAlu, Unit::kFma, Unit::kIssue}},
      {Unit::kIssue,
       "fewer-instructions",
       {Unit::kIssue, Unit::kAlu, Unit::kFma, Unit::kLsu, Unit::kL1}},
      {Unit::kFp64,
       "fp32-for-fp64",
       {Unit::kFp64, Unit::kAlu, Unit::kFma, Unit::kSfu, Unit::kIssue, Unit::kLsu}}};
  for (const Case& less : cases) {
    HoldBounds({less.action}, 300, [&](Random* random, KernelReport* kernel) {
      Work work = DrawWork(random, less.saved, 0.75);
      const double use = Draw(random, 0.86, 0.94), part = Draw(random, 0, 1);
      work.stays[less.leads] = use * (1 - part);
      work.goes[less.leads] = use * part;
      if (less.leads == Unit::kFp64) {  // the same numbers in half of the bytes
        for (const Unit unit : {Unit::kDram, Unit::kL2, Unit::kL1, Unit::kTensor}) {
          const double all = work.Use(unit);
          work.stays[unit] = work.goes[unit] = all / 2;
        }
      }
      work.WriteTo(kernel);
      return work.MostGain();
    });
  }
}

}  // namespace
}  // namespace prof::test::bound_test
