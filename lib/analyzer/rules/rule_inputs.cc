// SPDX-License-Identifier: Apache-2.0
//
// From CUPTI's metric names to units. Percentages are of elapsed cycles unless said otherwise.
#include "lib/analyzer/rules/rule_inputs.h"

#include <algorithm>
#include <cmath>

#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/rules/thresholds.h"

namespace prof::analyzer {
namespace {

struct Constituent {
  Unit unit;
  std::string_view metric;
};

constexpr std::string_view kWavefronts =
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kSharedWavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed";

// Unit::kL1 stands for L1's data path here; it becomes kShared when shared memory is most of it.
constexpr Constituent kConstituents[] = {
    {Unit::kDram, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL2, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL2, "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL2, "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL2, "lts__d_sectors.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL2, "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL2, "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL1, kWavefronts},
    {Unit::kL1, "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL1, "l1tex__lsu_writeback_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL1, "l1tex__lsu_writeback_active_mem_lgds.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL1, "l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL1, "l1tex__data_bank_writes.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kL1, "l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kTensor, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kFma, "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kFma, "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kAlu, "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kFp64, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kSfu, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kLsu, "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed"},
    {Unit::kIssue, "sm__issue_active.avg.pct_of_peak_sustained_elapsed"},
};

// Without these nobody can say that no unit is busy.
constexpr Constituent kNeeded[] = {{Unit::kDram, "DRAM"},      {Unit::kL2, "L2"},
                                   {Unit::kL1, "L1"},          {Unit::kTensor, "tensor pipe"},
                                   {Unit::kFma, "FMA pipe"},   {Unit::kAlu, "ALU pipe"},
                                   {Unit::kFp64, "FP64 pipe"}, {Unit::kIssue, "issue slots"}};

constexpr std::string_view kStallReasons[] = {"barrier",
                                              "branch_resolving",
                                              "dispatch_stall",
                                              "drain",
                                              "gmma",
                                              "imc_miss",
                                              "lg_throttle",
                                              "long_scoreboard",
                                              "membar",
                                              "misc",
                                              "math_pipe_throttle",
                                              "mio_throttle",
                                              "no_instruction",
                                              "not_selected",
                                              "selected",
                                              "short_scoreboard",
                                              "sleeping",
                                              "tex_throttle",
                                              "wait"};

// True when `other` is busy because `leader` is: DRAM bytes pass through L2, tensor operands come
// through L1, and whatever a pipe executes was issued.
bool Follows(Unit other, Unit leader) {
  const auto memory_path = [](Unit unit) {
    return unit == Unit::kL1 || unit == Unit::kShared || unit == Unit::kLsu;
  };
  if (other == Unit::kIssue) return true;
  if (leader == Unit::kIssue) return other != Unit::kDram && other != Unit::kL2;
  if (leader == Unit::kDram) return other == Unit::kL2;
  if (leader == Unit::kTensor || memory_path(leader)) return memory_path(other);
  return false;
}

void AddUse(std::vector<UnitUse>* units, Unit unit, double use, std::string_view metric) {
  for (UnitUse& known : *units) {
    if (known.unit != unit) continue;
    if (use > known.use) known = {unit, use, metric};
    return;
  }
  units->push_back({unit, use, metric});
}

double ShareOf(const std::vector<Stall>& stalls, std::string_view reason) {
  for (const Stall& stall : stalls) {
    if (stall.reason == reason) return stall.share;
  }
  return 0;
}

void FindStalls(Facts* facts) {
  const KernelReport& kernel = *facts->kernel;
  double sum = 0;
  for (const std::string_view reason : kStallReasons) {
    const auto cycles = Median(kernel, "smsp__average_warps_issue_stalled_" + std::string(reason) +
                                           "_per_issue_active.ratio");
    if (!cycles) continue;
    sum += *cycles;
    facts->stalls.push_back({reason, 0, *cycles});
  }
  // The reasons come from other passes than the latency; their sum can exceed it a little.
  const double latency =
      std::max(sum, Median(kernel, "smsp__average_warp_latency_per_inst_issued.ratio").value_or(0));
  if (!(latency > 0)) facts->stalls.clear();
  for (Stall& stall : facts->stalls) stall.share = stall.cycles / latency;
  auto& stalls = facts->stalls;
  stalls.erase(std::remove_if(stalls.begin(), stalls.end(),
                              [](const Stall& stall) {
                                return stall.reason == "selected" || stall.reason == "not_selected";
                              }),
               stalls.end());
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const Stall& a, const Stall& b) { return a.share > b.share; });
}

void FindSharedShare(Facts* facts) {
  const KernelReport& kernel = *facts->kernel;
  const auto all = Median(kernel, kWavefronts);
  const auto shared = Median(kernel, kSharedWavefronts);
  if (all && shared && *all > 0) {
    facts->shared_share = std::min(1.0, *shared / *all);
  } else if (kernel.static_shared_bytes + kernel.dynamic_shared_bytes == 0) {
    facts->shared_share = 0;
  } else {
    const double on_shared =
        ShareOf(facts->stalls, "short_scoreboard") + ShareOf(facts->stalls, "mio_throttle");
    const double on_global =
        ShareOf(facts->stalls, "long_scoreboard") + ShareOf(facts->stalls, "lg_throttle");
    if (on_shared + on_global <= kMargin) return;
    facts->shared_share = on_shared / (on_shared + on_global);
    facts->shared_inferred = true;
  }
}

void FindConflicts(Facts* facts) {
  for (const char* op : {"ld", "st"}) {
    const auto conflicts =
        Median(*facts->kernel,
               std::string("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_") + op + ".sum");
    const auto wavefronts =
        Median(*facts->kernel,
               std::string("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_") + op + ".sum");
    if (!conflicts || !wavefronts || !(*wavefronts > 0)) continue;
    const double share = std::min(1.0, *conflicts / *wavefronts);
    facts->conflicts = std::max(share, facts->conflicts.value_or(0));
  }
}

void FindUnits(Facts* facts) {
  const bool shared = facts->shared_share.value_or(0) >= kSharedIsMost;
  for (const Constituent& constituent : kConstituents) {
    const auto pct = Median(*facts->kernel, constituent.metric);
    if (!pct) continue;
    const Unit unit = constituent.unit == Unit::kL1 && shared ? Unit::kShared : constituent.unit;
    AddUse(&facts->units, unit, *pct / 100, constituent.metric);
  }
  std::stable_sort(facts->units.begin(), facts->units.end(),
                   [](const UnitUse& a, const UnitUse& b) { return a.use > b.use; });
  if (!facts->units.empty()) facts->busiest = facts->units.front().use;
  for (const Constituent& needed : kNeeded) {
    const bool known =
        std::any_of(facts->units.begin(), facts->units.end(), [&](const UnitUse& measured) {
          return measured.unit == needed.unit ||
                 (measured.unit == Unit::kShared && needed.unit == Unit::kL1);
        });
    if (!known) facts->unknown.push_back(needed.metric);
  }
}

// Issue slots lead only where no pipe explains them.
void FindLeader(Facts* facts) {
  double without_issue = 0;
  for (const UnitUse& use : facts->units) {
    if (use.unit != Unit::kIssue) without_issue = std::max(without_issue, use.use);
  }
  const double issue = facts->UseOf(Unit::kIssue);
  const bool issue_leads = (issue >= kSaturated && without_issue < kSaturated) ||
                           (issue >= kBusy && issue - without_issue >= kMargin);
  for (const UnitUse& use : facts->units) {
    if ((use.unit == Unit::kIssue) != issue_leads) continue;
    facts->leader = use;
    break;
  }
  // A saturated tensor pipe reads its operands through L1, which then is nearly as busy.
  if (facts->leader && facts->UseOf(Unit::kTensor) >= kSaturated &&
      Follows(facts->leader->unit, Unit::kTensor)) {
    facts->leader = *std::find_if(facts->units.begin(), facts->units.end(),
                                  [](const UnitUse& use) { return use.unit == Unit::kTensor; });
  }
  if (!facts->leader) return;
  for (const UnitUse& use : facts->units) {
    if (use.unit == facts->leader->unit || Follows(use.unit, facts->leader->unit)) continue;
    facts->rival = use;
    break;
  }
}

double Spread(const Statistic* value) {
  if (value == nullptr || value->n < 2 || !(value->median > 0)) return 0;
  const double spread = (value->max - value->min) / value->median;
  return std::isfinite(spread) ? spread : 0;
}

void FindInstability(Facts* facts) {
  const KernelReport& kernel = *facts->kernel;
  const double clock = Spread(FindMetric(kernel, "gpc__cycles_elapsed.avg.per_second"));
  if (clock > kClockSpread) {
    facts->unstable.push_back("the SM clock varied by " + Percent(clock) + " among the samples");
  }
  const Statistic* sampled = FindMetric(kernel, "gpu__time_duration.sum");
  if (sampled == nullptr) return;
  const double duration = Spread(sampled);
  if (duration > kDurationSpread && duration * sampled->median > kRangeStartNs) {
    facts->unstable.push_back("the duration varied by " + Percent(duration) + " among the samples");
  }
  const double difference = std::abs(sampled->median - facts->duration_ns);
  if (kernel.duration_ns.n > 0 && difference > kRangeStartNs &&
      difference > kDurationSpread * facts->duration_ns) {
    facts->unstable.push_back("it took " + FormatNs(sampled->median) + " when sampled, " +
                              FormatNs(facts->duration_ns) + " otherwise");
  }
}

void FindLaunch(const model::Device* device, Facts* facts) {
  const KernelReport& kernel = *facts->kernel;
  const auto sampled = Median(kernel, "gpu__time_duration.sum");
  const bool timed = kernel.duration_ns.n > 0 && kernel.duration_ns.median > 0 &&
                     std::isfinite(kernel.duration_ns.median);
  facts->duration_ns = timed ? kernel.duration_ns.median : sampled.value_or(0);
  facts->blocks = facts->threads = 1;
  for (const uint32_t size : kernel.grid) facts->blocks *= std::max(1U, size);
  for (const uint32_t size : kernel.block) facts->threads *= std::max(1U, size);
  if (device != nullptr) facts->sm_count = device->sm_count;
}

void FindActivity(Facts* facts) {
  const KernelReport& kernel = *facts->kernel;
  facts->issue = Median(kernel, "smsp__issue_active.avg.per_cycle_active");
  if (facts->issue) facts->issue = std::min(1.0, *facts->issue);
  facts->eligible = Median(kernel, "smsp__warps_eligible.avg.per_cycle_active");
  const auto average = Median(kernel, "sm__cycles_active.avg");
  const auto maximum = Median(kernel, "sm__cycles_active.max");
  const auto elapsed = Median(kernel, "sm__cycles_elapsed.max");
  if (average && elapsed && *elapsed > 0) facts->active = std::min(1.0, *average / *elapsed);
  if (average && maximum && *maximum > 0) {
    facts->imbalance = std::max(0.0, 1 - *average / *maximum);
  }
}

}  // namespace

double Facts::UseOf(Unit unit) const {
  for (const UnitUse& known : units) {
    if (known.unit == unit) return known.use;
  }
  return 0;
}

double Facts::Margin() const { return (leader ? leader->use : 0) - (rival ? rival->use : 0); }

const Statistic* FindMetric(const KernelReport& kernel, std::string_view metric) {
  const Statistic* const value = kernel.Find(metric);
  const bool usable = value != nullptr && std::isfinite(value->median) && value->median >= 0;
  return usable ? value : nullptr;
}

std::optional<double> Median(const KernelReport& kernel, std::string_view metric) {
  const Statistic* value = FindMetric(kernel, metric);
  return value != nullptr ? std::optional<double>(value->median) : std::nullopt;
}

Facts GatherFacts(const KernelReport& kernel, const model::Device* device) {
  Facts facts;
  facts.kernel = &kernel;
  FindLaunch(device, &facts);
  FindActivity(&facts);
  FindStalls(&facts);
  FindSharedShare(&facts);
  FindConflicts(&facts);
  FindUnits(&facts);
  FindLeader(&facts);
  FindInstability(&facts);
  facts.measured = !facts.units.empty() || !facts.stalls.empty();
  return facts;
}

}  // namespace prof::analyzer
