// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_access.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/rules/rule_code.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr const char* kThreadsPerInstruction = "smsp__thread_inst_executed_per_inst_executed.ratio";
constexpr const char* kActivePerInstruction =
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio";
constexpr const char* kAtomicUnit =
    "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed";

std::string Sectors(const char* space, const char* op) {
  return std::string("l1tex__t_sectors_pipe_lsu_mem_") + space + "_op_" + op + ".sum";
}

// [own] lts__t_sectors has one sector for 64 bytes that L2 exchanges with DRAM, beside those that
// L1 asks for (H200: four kernels with known sectors, within 1 %).
constexpr double kDramBytesOfSector = 64;

double SectorsOfDram(const RuleInputs& inputs) {
  const double bytes = inputs.Median("dram__bytes_read.sum").value_or(0) +
                       inputs.Median("dram__bytes_write.sum").value_or(0);
  return bytes / kDramBytesOfSector;
}

// Bytes that TMA moved do not pass the LSU, so its metrics do not count them.
bool TmaMovesMost(const RuleInputs& inputs) {
  const auto l2 = inputs.Median("lts__t_sectors.sum");
  const auto loads = inputs.Median(Sectors("global", "ld"));
  const auto stores = inputs.Median(Sectors("global", "st"));
  if (!l2 || !loads) return false;
  const double asked = *l2 - std::min(SectorsOfDram(inputs), *l2);
  return *loads + stores.value_or(0) < kLsuShareOfL2 * asked;
}

// Of the loads or the stores.
struct Access {
  double sectors = 0;
  double per_request = 0;  // 0: not counted
  double useful = 0;       // bytes of a sector; 0: not counted
  bool many = false;       // more sectors than the widest accesses need
  bool sparse = false;     // bytes that are not used
};

Access FindAccess(const RuleInputs& inputs, const char* op) {
  const std::string suffix = std::string("_mem_global_op_") + op;
  Access access;
  access.sectors = inputs.Median(Sectors("global", op)).value_or(0);
  const auto requests = inputs.Median("l1tex__t_requests_pipe_lsu" + suffix + ".sum");
  if (requests && *requests > 0) access.per_request = access.sectors / *requests;
  // 0 comes from patched counters that did not run, not from sectors without a use.
  access.useful =
      inputs.Median("smsp__sass_average_data_bytes_per_sector" + suffix + ".ratio").value_or(0);
  access.many = access.per_request > kWidestSectors;
  access.sparse = access.useful > 0 && access.useful < kUsefulBytesPerSector;
  return access;
}

double WasteOf(const Access& access, double uses_of_sector) {
  if (access.sparse) {
    return std::max(0.0, 1 - access.useful * uses_of_sector / kSectorBytes);
  }
  return access.many ? 1 - kWidestSectors / access.per_request : 0;
}

std::string DescribeAccess(const char* what, const Access& access) {
  std::string text = std::string("global ") + what;
  if (access.per_request > 0) {
    text += " touch " + text::Fixed(access.per_request, 1) + " sectors per request";
  }
  if (access.sparse) {
    text += std::string(access.per_request > 0 ? " and" : "") + " use " +
            text::Fixed(access.useful, 1) + " of 32 bytes per sector";
  }
  return text;
}

// Copies from global to shared memory (cp.async, TMA) get sectors and return nothing.
bool MayCopyToShared(const RuleInputs& inputs) {
  return inputs.kernel == nullptr || MayUseShared(*inputs.kernel);
}

bool ReturnsLess(const RuleInputs& inputs) {
  const std::optional<PmRatio>& ratio = inputs.sampled.sectors_per_return;
  return ratio && ratio->least > kMoreThanReturned * kSectorsOfLine && !MayCopyToShared(inputs);
}

bool IsScattered(const RuleInputs& inputs) {
  const std::optional<PmRatio>& ratio = inputs.sampled.sectors_per_request;
  return ratio && ratio->most < kScatteredSectors;
}

bool StoresInParts(const RuleInputs& inputs) {
  const std::optional<PmRatio>& requested = inputs.sampled.sectors_per_request;
  return inputs.sampled.reads_for_stores && requested && requested->least > kSectorsOfStore;
}

bool CountsBytes(const RuleInputs& inputs) {
  return FindAccess(inputs, "ld").useful > 0 || FindAccess(inputs, "st").useful > 0;
}

// No byte was counted, so all that goes on below L1 may be waste.
std::optional<SectorWaste> FindSampledWaste(const RuleInputs& inputs) {
  SectorWaste waste;
  if (ReturnsLess(inputs)) {
    const double sectors = inputs.sampled.sectors_per_return->least;
    waste.in_l1 = waste.below_l1 = 1 - kSectorsOfLine / sectors;
    waste.text = "L1 gets " + text::Fixed(sectors, 1) +
                 " sectors from L2 for each 128 bytes that it returns, which are 4 sectors";
  }
  if (IsScattered(inputs)) {
    const PmRatio& ratio = *inputs.sampled.sectors_per_request;
    waste.below_l1 = std::max(waste.below_l1, 1 - ratio.most / kSectorsOfLine);
    waste.text += (waste.text.empty() ? "" : "; ") + std::string("a request to L2 has ") +
                  text::Fixed(ratio.value, 1) + " sectors, of the 4 of a line";
  }
  if (StoresInParts(inputs)) {
    const double reads = inputs.sampled.reads_for_stores->value;
    waste.below_l1 = std::max(waste.below_l1, reads);
    waste.text += (waste.text.empty() ? "" : "; ") + text::Percent(reads) +
                  " of DRAM's traffic is reads that no SM asked for: stores cover their sectors in "
                  "part";
  }
  if (waste.text.empty()) return std::nullopt;
  waste.at_most = waste.most_below_l1 = 1;
  waste.missing = std::string(KnowsSectors(inputs) ? "" : "sectors and ") + "bytes by operation (" +
                  WayTo(inputs, format::kNeedsMemory) + "): how many of the bytes are used";
  return waste;
}

}  // namespace

bool KnowsSectors(const RuleInputs& inputs) {
  return inputs.Median("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum").has_value();
}

bool SampledAsCoalesced(const RuleInputs& inputs) {
  const std::optional<PmRatio>& returned = inputs.sampled.sectors_per_return;
  const std::optional<PmRatio>& requested = inputs.sampled.sectors_per_request;
  return returned && requested && !MayCopyToShared(inputs) &&
         returned->most <= kMoreThanReturned * kSectorsOfLine &&
         requested->least >= kScatteredSectors && !inputs.sampled.reads_for_stores;
}

std::optional<SectorWaste> FindSectorWaste(const RuleInputs& inputs) {
  if (!KnowsSectors(inputs)) return FindSampledWaste(inputs);
  if (TmaMovesMost(inputs)) return std::nullopt;
  const std::pair<const char*, Access> accesses[] = {{"loads", FindAccess(inputs, "ld")},
                                                     {"stores", FindAccess(inputs, "st")}};
  double all = 0;
  for (const auto& [what, access] : accesses) all += access.sectors;
  // Only loads are known to hit.
  const double hits =
      std::clamp(inputs.Median("l1tex__t_sector_hit_rate.pct").value_or(0) / 100, 0.0, 0.99);
  SectorWaste waste;
  for (const auto& [what, access] : accesses) {
    if (!access.many && !access.sparse) continue;
    const double part = all > 0 ? access.sectors / all : 1;
    if (part < kSectorsOfOp) continue;
    const double once = WasteOf(access, 1);
    const bool loads = what == accesses[0].first;
    waste.in_l1 += part * once;
    waste.below_l1 += part * (loads ? WasteOf(access, 1 / (1 - hits)) : once);
    waste.at_most += part * (access.sparse ? once : 1);
    waste.most_below_l1 =
        std::max(waste.most_below_l1, access.sparse ? 1 - access.useful / kFetchBytes : 1);
    waste.text += (waste.text.empty() ? "" : "; ") + DescribeAccess(what, access);
  }
  if (!waste.text.empty()) return waste;
  // Sectors for each request do not show unused bytes: 8 are a stride of 2 words, or loads of two.
  return CountsBytes(inputs) ? std::nullopt : FindSampledWaste(inputs);
}

std::optional<double> LocalShare(const RuleInputs& inputs) {
  const auto sum = [&](const char* space) -> std::optional<double> {
    const auto loads = inputs.Median(Sectors(space, "ld"));
    const auto stores = inputs.Median(Sectors(space, "st"));
    if (!loads || !stores) return std::nullopt;
    return *loads + *stores;
  };
  // Where the driver was not asked the sectors decide alone.
  const bool has_none = inputs.kernel->local_known && inputs.kernel->local_bytes_per_thread == 0;
  const std::optional<double> local = sum("local"), global = sum("global");
  if (has_none || !local || !global || !(*local + *global > 0)) return std::nullopt;
  return *local / (*local + *global);
}

bool LoadsNothing(const RuleInputs& inputs) {
  return inputs.Median("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum").value_or(1) == 0 &&
         inputs.Median(Sectors("local", "ld")).value_or(0) == 0;
}

std::optional<double> StoreOnlyRate(const RuleInputs& inputs) {
  const auto stored = inputs.Median(Sectors("global", "st"));
  const auto atomics = inputs.Median("lts__t_sectors_op_atom.sum");
  const auto reductions = inputs.Median("lts__t_sectors_op_red.sum");
  if (!stored || !atomics || !reductions || !(inputs.duration_ns > 0)) return std::nullopt;
  if (!LoadsNothing(inputs) || *atomics + *reductions > 0 || TmaMovesMost(inputs)) {
    return std::nullopt;
  }
  return *stored * kSectorBytes / (inputs.duration_ns * 1e-9);
}

namespace {

std::optional<double> CountedAtomicShare(const RuleInputs& inputs) {
  const auto all = inputs.Median("lts__t_sectors.sum");
  const auto atomics = inputs.Median("lts__t_sectors_op_atom.sum");
  const auto reductions = inputs.Median("lts__t_sectors_op_red.sum");
  if (all && *all > 0 && (atomics || reductions)) {
    return std::min(1.0, (atomics.value_or(0) + reductions.value_or(0)) / *all);
  }
  const auto unit = inputs.Median(kAtomicUnit);
  const double l2 = inputs.UseOf(Unit::kL2);
  if (!unit || !(l2 > 0) || *unit / 100 < kHalfOf * l2) return std::nullopt;
  return std::min(1.0, *unit / 100 / l2);
}

}  // namespace

std::optional<double> AtomicShare(const RuleInputs& inputs) {
  const std::optional<double> counted = CountedAtomicShare(inputs);
  if (counted || KnowsAtomicUnit(inputs) || !RequestsAtomicsAlone(inputs)) return counted;
  return 1;
}

bool CountsAtomics(const RuleInputs& inputs) { return CountedAtomicShare(inputs).has_value(); }

bool KnowsAtomicUnit(const RuleInputs& inputs) { return inputs.Median(kAtomicUnit).has_value(); }

std::optional<double> ActiveLanes(const RuleInputs& inputs) {
  const auto threads = inputs.Median(kThreadsPerInstruction);
  if (!threads && !inputs.sampled.lanes) return std::nullopt;
  const double lanes =
      threads ? std::min(*threads, inputs.Median(kActivePerInstruction).value_or(*threads))
              : inputs.sampled.lanes->most * kWarpThreads;
  // A block of 16 threads cannot have more than 16 in a warp: that is block-size, not divergence.
  const double full = inputs.threads / std::ceil(inputs.threads / kWarpThreads);
  if (!(lanes > 0) || !(full > 0)) return std::nullopt;
  return std::min(1.0, lanes / full);
}

bool KnowsPredication(const RuleInputs& inputs) {
  return inputs.Median(kActivePerInstruction).has_value() ||
         (!inputs.Median(kThreadsPerInstruction) && inputs.sampled.lanes);
}

namespace {

// "sectors in a request to L2 1.1 +-0.1 of 4 (PM samples: 212 in 34 launches)"
void AddRatio(std::string_view label, std::string_view unit, const std::optional<PmRatio>& ratio,
              double scale, Verdict* verdict) {
  if (!ratio) return;
  std::string line(label);
  line += " " + text::Fixed(scale * ratio->value, 1) + " +-" +
          text::Fixed(scale * std::max(ratio->most - ratio->value, ratio->value - ratio->least), 1);
  line.append(" ").append(unit);
  verdict->evidence.push_back(line + " (PM samples: " + text::Count(ratio->samples) + " in " +
                              text::Plural(ratio->launches, "launch", "launches") + ")");
}

void AddInCode(const std::string& text, Verdict* verdict) {
  if (!text.empty()) verdict->evidence.push_back(text + " (its machine code)");
}

}  // namespace

void AddConflicts(const RuleInputs& inputs, Verdict* verdict) {
  for (const char* op : {"ld", "st"}) {
    const std::string suffix = std::string("_mem_shared_op_") + op + ".sum";
    AddMetric(inputs, std::string("shared-memory conflicts, ") + op, "wavefronts",
              "l1tex__data_bank_conflicts_pipe_lsu" + suffix, verdict);
    AddMetric(inputs, std::string("shared-memory accesses, ") + op, "wavefronts",
              "l1tex__data_pipe_lsu_wavefronts" + suffix, verdict);
  }
  if (inputs.Median("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")) return;
  AddRatio("bank conflicts of shared memory's wavefronts", "%", inputs.sampled.conflicts, 100,
           verdict);
}

void AddAtomics(const RuleInputs& inputs, Verdict* verdict) {
  AddMetric(inputs, "L2 sectors", "", "lts__t_sectors.sum", verdict);
  AddMetric(inputs, "of atomics", "sectors", "lts__t_sectors_op_atom.sum", verdict);
  AddMetric(inputs, "of reductions", "sectors", "lts__t_sectors_op_red.sum", verdict);
  AddMetric(inputs, "L2's atomic unit", "% of peak", kAtomicUnit, verdict);
  if (!CountsAtomics(inputs) && (AtomicShare(inputs) || AtomicsInCode(inputs))) {
    AddInCode(DescribeAtomicsInCode(inputs), verdict);
  }
}

void AddLanes(const RuleInputs& inputs, Verdict* verdict) {
  AddMetric(inputs, "active threads per instruction", "of 32", kThreadsPerInstruction, verdict);
  AddMetric(inputs, "not predicated off", "of 32", kActivePerInstruction, verdict);
  if (inputs.Median(kThreadsPerInstruction)) return;
  AddRatio("threads that execute an instruction", "of 32", inputs.sampled.lanes, kWarpThreads,
           verdict);
}

void AddSampledAccess(const RuleInputs& inputs, Verdict* verdict) {
  if (KnowsSectors(inputs) && CountsBytes(inputs)) return;
  AddRatio("sectors that L1 got for 128 bytes that it returned", "of 4",
           inputs.sampled.sectors_per_return, 1, verdict);
  AddRatio("sectors in a request to L2", "of 4", inputs.sampled.sectors_per_request, 1, verdict);
  AddRatio("L2's sectors of other memory", "%", inputs.sampled.other_memory, 100, verdict);
}

void AddLocal(const RuleInputs& inputs, Verdict* verdict) {
  for (const char* op : {"ld", "st"}) {
    AddMetric(inputs, std::string("local memory, ") + op, "sectors", Sectors("local", op), verdict);
  }
  if (!LocalShare(inputs) && LocalAccessInCode(inputs).value_or(0) > 0) {
    AddInCode(DescribeLocalAccessInCode(inputs), verdict);
  }
}

}  // namespace prof::analyzer
