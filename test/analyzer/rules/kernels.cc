// SPDX-License-Identifier: Apache-2.0
//
// The quiet kernel and its knobs.
#include "test/analyzer/rules/kernels.h"

#include <algorithm>
#include <cmath>

#include "lib/analyzer/continuous/pm_units.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/rules/verdict_rules.h"

namespace prof::test {
namespace {

constexpr uint32_t kSms = 132;
constexpr const char* kStallPrefix = "smsp__average_warps_issue_stalled_";
constexpr const char* kStallSuffix = "_per_issue_active.ratio";
constexpr const char* kLatency = "smsp__average_warp_latency_per_inst_issued.ratio";

constexpr const char* kQuietUnits[] = {"gpu__dram_throughput",
                                       "lts__t_sectors",
                                       "lts__lts2xbar_cycles_active",
                                       "l1tex__data_pipe_lsu_wavefronts",
                                       "l1tex__lsuin_requests",
                                       "l1tex__data_bank_reads",
                                       "sm__pipe_tensor_cycles_active",
                                       "sm__pipe_fma_cycles_active",
                                       "sm__pipe_fmaheavy_cycles_active",
                                       "sm__pipe_alu_cycles_active",
                                       "sm__pipe_fp64_cycles_active",
                                       "sm__inst_executed_pipe_xu",
                                       "sm__inst_executed_pipe_lsu",
                                       "sm__issue_active"};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

model::Device Gpu() {
  model::Device device;
  device.compute_major = 9;
  device.sm_count = kSms;
  device.warp_size = 32;
  device.max_threads_per_sm = 2048;
  return device;
}

KernelReport QuietKernel() {
  KernelReport kernel;
  kernel.name = "quiet";
  kernel.block = {256, 1, 1};
  kernel.cluster = {1, 1, 1};
  kernel.registers_per_thread = 32;
  kernel.launches = 20;
  kernel.duration_ns = {20, 100e3, 99e3, 101e3, 2000e3};
  kernel.samples_used = 5;
  SetGrid(&kernel, 40 * 8 * kSms, 8);
  kernel.occupancy.theoretical = 1;
  kernel.occupancy.achieved = 0.95;
  for (const char* unit : kQuietUnits) SetUse(&kernel, unit, 2);
  Set(&kernel, "gpu__time_duration.sum", 100e3);
  kernel.clock.sampled_ns = {5, 100e3, 100e3, 100e3, 500e3};
  Set(&kernel, "smsp__issue_active.avg.per_cycle_active", 0.1);
  Set(&kernel, "smsp__warps_eligible.avg.per_cycle_active", 0.2);
  Set(&kernel, "sm__warps_active.avg.pct_of_peak_sustained_active", 95);
  Set(&kernel, "sm__cycles_active.avg", 98'000);
  Set(&kernel, "sm__cycles_active.max", 100'000);
  Set(&kernel, "sm__cycles_elapsed.max", 101'000);
  Set(&kernel, "gpc__cycles_elapsed.avg.per_second", 1.7e9);
  Set(&kernel, "smsp__thread_inst_executed_per_inst_executed.ratio", 32);
  Set(&kernel, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 31);
  Set(&kernel, "smsp__inst_executed.sum", 1e6);
  // Four reasons with a quarter each: none stands out.
  for (const char* reason : {"selected", "wait", "barrier", "long_scoreboard"}) {
    SetStall(&kernel, reason, 1);
  }
  return kernel;
}

void Set(KernelReport* kernel, const std::string& metric, double value) {
  kernel->metrics[metric] = {5, value, value * 0.999, value * 1.001, 5 * value};
}

void SetUse(KernelReport* kernel, const std::string& unit, double pct) {
  Set(kernel, unit + ".avg.pct_of_peak_sustained_elapsed", pct);
}

void SetStall(KernelReport* kernel, const std::string& reason, double cycles) {
  Set(kernel, kStallPrefix + reason + kStallSuffix, cycles);
  double latency = 0;
  for (const auto& [name, value] : kernel->metrics) {
    if (name.rfind(kStallPrefix, 0) == 0) latency += value.median;
  }
  Set(kernel, kLatency, latency);
}

void Remove(KernelReport* kernel, const std::string& metric) { kernel->metrics.erase(metric); }

void SetGrid(KernelReport* kernel, uint32_t blocks, int blocks_per_sm) {
  kernel->grid = {blocks, 1, 1};
  Occupancy& occupancy = kernel->occupancy;
  occupancy.known = true;
  occupancy.blocks_per_sm = blocks_per_sm;
  occupancy.waves = static_cast<double>(blocks) / (static_cast<double>(blocks_per_sm) * kSms);
  const double whole = std::ceil(occupancy.waves);
  occupancy.tail_lost = (whole - occupancy.waves) / whole;
}

Verdict Decide(KernelReport kernel, const model::Device& device) {
  kernel.units = analyzer::FindUnits(kernel.metrics, analyzer::MayUseShared(kernel));
  analyzer::AddPmValues(&kernel);
  return analyzer::DecideKernel(kernel, &device);
}

bool HasNote(const Verdict& verdict, std::string_view id) {
  const std::string start = std::string(id) + ": ";
  return std::any_of(verdict.notes.begin(), verdict.notes.end(),
                     [&](const std::string& note) { return note.rfind(start, 0) == 0; });
}

std::vector<std::string> Doubts(const Verdict& verdict) {
  std::vector<std::string> ids;
  for (const Doubt& doubt : verdict.doubts) ids.push_back(doubt.id);
  return ids;
}

bool Mentions(const std::vector<std::string>& lines, std::string_view text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return Contains(line, text); });
}

bool Offers(const Verdict& verdict, std::string_view id) {
  return std::any_of(verdict.actions.begin(), verdict.actions.end(),
                     [&](const Action& action) { return action.id == id; });
}

bool AdvisesOccupancy(const Verdict& verdict) {
  if (verdict.limiter == Limiter::kOccupancy) return true;
  for (const char* word : {"occupancy", "Occupancy", "more warps", "resident", "launch_bounds"}) {
    if (Contains(verdict.action, word) || Contains(verdict.summary, word)) return true;
    if (Mentions(verdict.notes, word)) return true;
  }
  return false;
}

}  // namespace prof::test
