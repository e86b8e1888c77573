// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_inputs.h"

#include <algorithm>
#include <cmath>

#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/continuous/pm_units.h"
#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/analyzer/rules/rule_code.h"
#include "lib/format/metric_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr std::string_view kWarpsActive = "sm__warps_active.avg.pct_of_peak_sustained_active";

bool IsKnown(const Measured& counters, Unit unit) {
  if (unit == Unit::kL1 && counters.Find(Unit::kShared) != nullptr) return true;
  return counters.Find(unit) != nullptr;
}

// Each instruction was issued, so a pipe that was not measured is not busy where the issue slots
// rest.
bool RestsByIssue(const RuleInputs& inputs, Unit unit) {
  const UnitUse* const issue = inputs.counters->Find(Unit::kIssue);
  return issue != nullptr && IsOneOf(unit, {Unit::kFma, Unit::kAlu, Unit::kFp64}) &&
         kSlowestPipe * inputs.WhileActive(Unit::kIssue, issue->at_most()) < kBusy;
}

void FindUnknown(RuleInputs* inputs) {
  for (const UnitName& name : kUnitNames) {
    if (!name.must_be_known || IsKnown(*inputs->counters, name.unit)) continue;
    (RestsByIssue(*inputs, name.unit) ? inputs->resting : inputs->unknown).push_back(name.heading);
  }
}

// All wavefronts of shared memory by its share of the data path, which moves one in a cycle and SM.
double SharedWavefronts(const RuleInputs& inputs) {
  const auto percent = inputs.Median(kSharedWavefronts);
  const auto elapsed = inputs.Median("sm__cycles_elapsed.max");
  return percent && elapsed ? *percent / 100 * *elapsed * inputs.sm_count : 0;
}

// A request of 16 bytes per lane takes four wavefronts: what it takes beyond that are conflicts.
void InferConflicts(RuleInputs* inputs) {
  const auto wavefronts = inputs->Median(kL1Wavefronts);
  const auto requests = inputs->Median(kL1Requests);
  if (!wavefronts || !requests || !(*requests > 0)) return;
  if (inputs->shared.share.value_or(0) < kSharedIsMost) return;
  if (*wavefronts <= kWavesOf16Bytes * *requests) return;
  inputs->conflicts = 1 - kWavesOf16Bytes * *requests / *wavefronts;
  // A request of 4 bytes per lane takes one wavefront, and all others are conflicts.
  inputs->conflicts_at_most = 1 - *requests / *wavefronts;
  inputs->conflicts_inferred = true;
}

void FindConflicts(RuleInputs* inputs) {
  double conflicts = 0, wavefronts = 0;
  bool complete = true;
  for (const char* op : {"ld", "st"}) {
    const std::string suffix = std::string("_mem_shared_op_") + op + ".sum";
    const auto of_op = inputs->Median("l1tex__data_bank_conflicts_pipe_lsu" + suffix);
    const auto all = inputs->Median("l1tex__data_pipe_lsu_wavefronts" + suffix);
    if (!of_op || !all) {
      complete = false;
      continue;
    }
    conflicts += *of_op;
    wavefronts += *all;
  }
  wavefronts = std::max(wavefronts, SharedWavefronts(*inputs));
  if (wavefronts > 0) {
    inputs->conflicts = std::min(1.0, conflicts / wavefronts);
    if (complete) inputs->conflicts_at_most = *inputs->conflicts;
  } else {
    InferConflicts(inputs);
  }
  if (inputs->sampled.conflicts && (!complete || inputs->conflicts_inferred)) {
    inputs->conflicts = inputs->sampled.conflicts->value;
    inputs->conflicts_at_most = inputs->sampled.conflicts->most;
    inputs->conflicts_inferred = false;
  }
}

void FindL2Hits(RuleInputs* inputs) {
  const auto hits = inputs->Median("lts__t_sectors_lookup_hit.sum");
  const auto misses = inputs->Median("lts__t_sectors_lookup_miss.sum");
  if (hits && misses && *hits + *misses > 0) inputs->l2_hits = *hits / (*hits + *misses);
}

// Packed half precision keeps the tensor pipe as busy as the FMA pipe on GH100. The counters of
// matrix instructions alone decide where they were read.
bool CountsHalfAsTensor(const RuleInputs& inputs) {
  const UnitUse* const tensor = inputs.counters->Find(Unit::kTensor);
  const UnitUse* const fma = inputs.counters->Find(Unit::kFma);
  if (tensor == nullptr || fma == nullptr || tensor->of_peak < kTensorKernel) return false;
  const auto matrix = inputs.Median(kMatrixCycles);
  const auto doubles = inputs.Median(kDoubleMatrixCycles);
  if (matrix && doubles) {
    return std::max(*matrix, *doubles) / 100 < kHalfOf * tensor->of_peak;
  }
  // Below that, with wide bounds, and in a region of several kernels both may be alike by chance.
  return inputs.kernel != nullptr && tensor->of_peak >= kBusy &&
         std::max(tensor->error, fma->error) <= kSureBound &&
         std::abs(tensor->of_peak - fma->of_peak) <= kSameCount + tensor->error + fma->error;
}

bool IsLeftOut(const RuleInputs& inputs, const UnitUse& use) {
  return inputs.half_on_fma && use.unit == Unit::kTensor;
}

// Issue slots lead only where no other unit explains them.
bool IssueLeads(double issue, double other) {
  return (issue >= kSaturated && other < kSaturated) ||
         (issue >= kIssueBusy && (other < kBusy || issue - other >= kMargin));
}

// The L1 path may be busy because wgmma reads its operands from shared memory.
bool MayFeedGroupMatrices(const RuleInputs& inputs, const UnitUse& use) {
  return use.unit != Unit::kIssue && Follows(use.unit, Unit::kTensor) && HasGroupMatrices(inputs);
}

// L1 is then as busy as the tensor pipe, or a little busier, because the pipe works.
bool FeedsGroupMatrices(const RuleInputs& inputs, const UnitUse* tensor, const UnitUse& use) {
  if (tensor == nullptr || IsLeftOut(inputs, *tensor)) return false;
  const auto at = [&](const UnitUse& of) { return inputs.Deciding(of.unit, of.of_peak); };
  return MayFeedGroupMatrices(inputs, use) && at(use) - at(*tensor) < kMargin;
}

const UnitUse* Leader(RuleInputs* all) {
  const RuleInputs& inputs = *all;
  const auto named = [&](const UnitUse& use) {
    return IsLeftOut(inputs, use) ? -1 : inputs.Deciding(use.unit, use.of_peak);
  };
  const UnitUse* const tensor = inputs.counters->Find(Unit::kTensor);
  const UnitUse* issue_slots = nullptr;
  const UnitUse* other = nullptr;
  const UnitUse* apart = nullptr;  // of the units that are not busy because the tensor pipe is
  const auto take = [&](const UnitUse& use, const UnitUse*& best) {
    if (named(use) >= 0 && (best == nullptr || named(use) > named(*best))) best = &use;
  };
  for (const UnitUse& use : inputs.units()) {
    take(use, use.unit == Unit::kIssue ? issue_slots : other);
    if (use.unit != Unit::kIssue && !FeedsGroupMatrices(inputs, tensor, use)) take(use, apart);
  }
  if (apart != nullptr && named(*apart) >= kBusy) other = apart;
  if (issue_slots != nullptr && other != nullptr) {
    const auto at = [&](const UnitUse& use, double of_peak) {
      return inputs.Deciding(use.unit, of_peak);
    };
    all->issue_or_pipe =
        IssueLeads(at(*issue_slots, issue_slots->at_least()), at(*other, other->at_most())) !=
        IssueLeads(at(*issue_slots, issue_slots->at_most()), at(*other, other->at_least()));
  }
  if (issue_slots != nullptr &&
      IssueLeads(named(*issue_slots), other == nullptr ? 0 : named(*other))) {
    return issue_slots;
  }
  if (other == nullptr) return nullptr;
  if (tensor == nullptr) return MayFeedGroupMatrices(inputs, *other) ? nullptr : other;
  // A saturated tensor pipe reads its operands through L1, which then is nearly as busy.
  const bool feeds_tensor = Follows(other->unit, Unit::kTensor) &&
                            inputs.WhileActive(tensor->unit, tensor->of_peak) >= kSaturated;
  return feeds_tensor ? tensor : other;
}

void FindLeader(RuleInputs* inputs) {
  inputs->half_on_fma = CountsHalfAsTensor(*inputs);
  for (const UnitUse& use : inputs->units()) {
    const bool limits_nothing = use.unit == Unit::kIssue && use.of_peak < kIssueBusy;
    if (IsLeftOut(*inputs, use) || limits_nothing) continue;
    inputs->busiest = std::max(inputs->busiest, use.of_peak);
  }
  const UnitUse* const leader = Leader(inputs);
  if (leader == nullptr) return;
  inputs->leader = *leader;
  const UnitUse* const tensor = inputs->counters->Find(Unit::kTensor);
  double highest = -1;
  for (const UnitUse& use : inputs->units()) {
    const double named = inputs->Deciding(use.unit, use.of_peak);
    if (use.unit == leader->unit || Follows(use.unit, leader->unit)) continue;
    if (IsLeftOut(*inputs, use) || named <= highest) continue;
    if (FeedsGroupMatrices(*inputs, tensor, use)) continue;  // the tensor pipe stands for it
    highest = named;
    inputs->rival = use;
  }
}

double Spread(const Statistic* value) {
  if (value == nullptr || value->n < 2 || !(value->median > 0)) return 0;
  const double spread = (value->max - value->min) / value->median;
  return std::isfinite(spread) ? spread : 0;
}

// Samples are of one machine when their times or their cycles are the same: what waits for DRAM
// takes the same time at any clock, and all else the same cycles.
void FindUnsteadySamples(const KernelClock& clock, RuleInputs* inputs) {
  if (!clock.groups_differ.empty()) {
    inputs->unstable = clock.groups_differ;
    return;
  }
  double spread = Spread(&clock.sampled_ns);
  const bool in_cycles = clock.sampled_cycles.n == clock.sampled_ns.n;
  if (in_cycles) spread = std::min(spread, Spread(&clock.sampled_cycles));
  if (spread > kDurationSpread && spread * clock.sampled_ns.median > kRangeStartNs) {
    inputs->unstable.push_back("its " + std::string(in_cycles ? "cycles" : "duration") +
                               " varied by " + text::Percent(spread) + " among the samples");
  }
}

// Only samples whose launch is on the timeline are compared with the timeline: a counter window is
// 5 to 12 us longer than its launch. A leader by PM samples was measured in the run itself.
void FindInstability(const Statistic& timeline_ns, RuleInputs* inputs) {
  const KernelClock& clock = inputs->counters->clock;
  if (clock.sampled_ns.n == 0) {
    const double spread = Spread(FindUsable(inputs->counters->metrics, format::kSmClockMetric));
    if (spread <= kClockSpread) return;
    inputs->unstable.push_back("the SM clock varied by " + text::Percent(spread) +
                               " among the samples");
    return;
  }
  FindUnsteadySamples(clock, inputs);
  const bool of_run = inputs->leader && inputs->leader->source == Source::kPmSamples;
  if (timeline_ns.n == 0 || clock.explains || of_run) return;
  const double difference = std::abs(clock.sampled_ns.median - inputs->duration_ns);
  if (difference > kRangeStartNs && difference > kDurationSpread * inputs->duration_ns) {
    inputs->unstable.push_back("it took " + text::Time(clock.sampled_ns.median) +
                               " when sampled, " + text::Time(inputs->duration_ns) +
                               " otherwise, and no clock explains it");
  }
}

// A counter range has the time of each SM, PM samples the mean of all SMs over the launch. In the
// latter SMs are also idle while the launch fills and drains the GPU.
void FindPmActivity(const ContinuousValues& sampled, RuleInputs* inputs) {
  const std::optional<UnitUse> active = FindPmUse(sampled, format::TriageUnit::kSmActive);
  if (inputs->imbalance || inputs->active || !active || !(inputs->duration_ns > 0)) return;
  inputs->pm_active = active;
  inputs->active = std::min(1.0, active->of_peak);
  inputs->imbalance = std::max(0.0, 1 - active->at_most() - kFillAndDrainNs / inputs->duration_ns);
  inputs->activity_samples = inputs->SamplesOf(*active);
}

// Counters have the warps of active SMs, PM samples those of the elapsed time.
void FindWarps(const ContinuousValues& sampled, RuleInputs* inputs) {
  const auto of_active = inputs->Median(kWarpsActive);
  if (of_active && inputs->active && !inputs->pm_active) {
    inputs->warps_used = std::clamp(*of_active / 100 * *inputs->active, 0.0, 1.0);
    inputs->warps_at_most = inputs->warps_used;
  } else if (const auto warps = FindPmUse(sampled, format::TriageUnit::kWarps)) {
    inputs->warps_used = std::clamp(warps->at_least(), 0.0, 1.0);
    inputs->warps_at_most = std::clamp(warps->at_most(), 0.0, 1.0);
  }
}

void FindSource(RuleInputs* inputs) {
  const auto has = [&](Source source) {
    return std::any_of(inputs->units().begin(), inputs->units().end(),
                       [&](const UnitUse& use) { return use.source == source; });
  };
  const bool counters = has(Source::kCounters) || !inputs->stalls.empty();
  const bool samples = has(Source::kPmSamples);
  inputs->measured = counters || samples;
  inputs->source = counters && samples ? Source::kBoth
                   : counters          ? Source::kCounters
                   : samples           ? Source::kPmSamples
                                       : Source::kNone;
}

void FindActivity(RuleInputs* inputs) {
  inputs->issue = inputs->Median("smsp__issue_active.avg.per_cycle_active");
  if (inputs->issue) inputs->issue = std::min(1.0, *inputs->issue);
  inputs->eligible = inputs->Median("smsp__warps_eligible.avg.per_cycle_active");
  const auto average = inputs->Median("sm__cycles_active.avg");
  const auto maximum = inputs->Median("sm__cycles_active.max");
  const auto elapsed = inputs->Median("sm__cycles_elapsed.max");
  if (average && elapsed && *elapsed > 0) inputs->active = std::min(1.0, *average / *elapsed);
  if (average && maximum && *maximum > 0) {
    inputs->imbalance = std::max(0.0, 1 - *average / *maximum);
  }
  inputs->activity_samples = inputs->SamplesOf("sm__cycles_active.avg");
}

// A value of several kernels at a time is less than one of this kernel.
void FindBeside(const KernelReport& kernel, RuleInputs* inputs) {
  for (const UnitUse& use : kernel.units) {
    const auto value = kernel.continuous.find(use.metric);
    if (use.source != Source::kPmSamples || value == kernel.continuous.end()) continue;
    if (value->second.beside.empty()) continue;
    inputs->unstable.push_back("PM samples are of all that ran with it, most of it " +
                               value->second.beside);
    return;
  }
}

void FindStraddling(RuleInputs* inputs) {
  for (const UnitUse& use : inputs->units()) {
    const double ceiling = use.unit == Unit::kTensor ? inputs->tensor_ceiling : 1;
    const double busy = BusyFrom(use.unit) * ceiling;
    inputs->straddles |= use.at_least() < busy && use.at_most() >= busy && use.error > 0;
  }
}

RuleInputs Gather(const Measured& counters, bool may_use_shared, int64_t runs,
                  const Statistic& timeline_ns, const model::Device* device,
                  const ContinuousValues& sampled, const KernelReport* kernel) {
  RuleInputs inputs;
  inputs.counters = &counters;
  inputs.kernel = kernel;
  inputs.runs = runs;
  const bool timed =
      timeline_ns.n > 0 && timeline_ns.median > 0 && std::isfinite(timeline_ns.median);
  inputs.duration_ns =
      timed ? timeline_ns.median : inputs.Median(format::kWindowMetric).value_or(0);
  inputs.device = device;
  if (device != nullptr) inputs.sm_count = device->sm_count;
  inputs.stalls = FindStalls(counters.metrics);
  inputs.shared = FindSharedShare(counters.metrics, may_use_shared);
  if (const std::optional<double> share = FindPmSharedShare(sampled);
      share && inputs.shared.IsDoubtful()) {
    inputs.shared = {share, false};
  }
  FindSource(&inputs);
  FindActivity(&inputs);
  FindPmActivity(sampled, &inputs);
  FindWarps(sampled, &inputs);
  inputs.sampled = FindPmRatios(sampled);
  FindConflicts(&inputs);
  FindL2Hits(&inputs);
  FindUnknown(&inputs);
  inputs.tensor_ceiling = TensorCeiling(inputs);
  FindStraddling(&inputs);
  FindLeader(&inputs);
  FindInstability(timeline_ns, &inputs);
  return inputs;
}

}  // namespace

double BusyFrom(Unit unit) { return unit == Unit::kIssue ? kIssueBusy : kBusy; }

bool IsShared(Unit unit) { return unit == Unit::kDram || unit == Unit::kL2; }

bool IsOneOf(Unit unit, std::initializer_list<Unit> units) {
  return std::find(units.begin(), units.end(), unit) != units.end();
}

bool Follows(Unit other, Unit leader) {
  const auto memory_path = [](Unit unit) {
    return unit == Unit::kL1 || unit == Unit::kShared || unit == Unit::kLsu ||
           unit == Unit::kTexture;
  };
  if (other == Unit::kIssue) return true;
  if (leader == Unit::kIssue) return other != Unit::kDram && other != Unit::kL2;
  if (leader == Unit::kDram) return other == Unit::kL2;
  if (leader == Unit::kTensor || memory_path(leader)) return memory_path(other);
  return false;
}

double RuleInputs::WhileActive(Unit unit, double of_peak) const {
  if (IsShared(unit) || !active || *active < kLeastActive) return of_peak;
  // SMs without work at both ends of a launch are no idle SMs.
  const double ramp = duration_ns > 0 ? kFillAndDrainNs / duration_ns : 0;
  return std::min(1.0, of_peak / std::min(1.0, *active + ramp));
}

double RuleInputs::Deciding(Unit unit, double of_peak) const {
  const double ceiling = unit == Unit::kTensor ? tensor_ceiling : 1;
  return std::min(1.0, WhileActive(unit, of_peak) / ceiling);
}

double RuleInputs::UseOf(Unit unit) const {
  const UnitUse* const use = counters->Find(unit);
  return use == nullptr ? 0 : use->of_peak;
}

double RuleInputs::Margin() const {
  return (leader ? Deciding(leader->unit, leader->of_peak) : 0) -
         (rival ? Deciding(rival->unit, rival->of_peak) : 0);
}

double RuleInputs::LeastMargin() const {
  return (leader ? Deciding(leader->unit, leader->at_least()) : 0) -
         (rival ? Deciding(rival->unit, rival->at_most()) : 0);
}

std::optional<double> RuleInputs::Median(std::string_view metric) const {
  return UsableMedian(counters->metrics, metric);
}

double RuleInputs::SamplesOf(std::string_view metric) const {
  const Statistic* const value = FindUsable(counters->metrics, metric);
  return value == nullptr ? 0 : static_cast<double>(value->n);
}

double RuleInputs::SamplesOf(const UnitUse& use) const {
  return use.source == Source::kPmSamples ? static_cast<double>(use.launches)
                                          : SamplesOf(use.metric);
}

RuleInputs GatherInputs(const KernelReport& kernel, const model::Device* device) {
  RuleInputs inputs = Gather(kernel, MayUseShared(kernel), kernel.launches, kernel.duration_ns,
                             device, kernel.continuous, &kernel);
  inputs.achieved_occupancy = kernel.occupancy.achieved;
  FindBeside(kernel, &inputs);
  for (const uint32_t size : kernel.grid) inputs.blocks *= std::max(1U, size);
  for (const uint32_t size : kernel.block) inputs.threads *= std::max(1U, size);
  return inputs;
}

RuleInputs GatherInputs(const RegionInstances& instances, const Measured& counters,
                        const model::Device* device) {
  // Nothing records whether the kernels of a region use shared memory.
  return Gather(counters, true, instances.instances, instances.duration_ns, device, {}, nullptr);
}

}  // namespace prof::analyzer
