// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_notes.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/cause_parts.h"
#include "lib/analyzer/rules/rule_access.h"
#include "lib/analyzer/rules/rule_course.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

using Note = std::optional<std::string>;  // the text after the id; nullopt: no note

Note UncoalescedNote(const RuleInputs& inputs) {
  const std::optional<SectorWaste> waste = FindSectorWaste(inputs);
  if (!waste) return std::nullopt;
  if (!waste->missing.empty()) {
    return waste->text + ": let neighbouring lanes access neighbouring addresses";
  }
  std::string text =
      waste->text + ", so at most " + text::Percent(waste->at_most) + " of the traffic is waste";
  if (waste->below_l1 < waste->in_l1 - kWorthwhileGain) {
    text += ", and about " + text::Percent(waste->below_l1) +
            " below L1, which serves a sector several times";
  }
  return text + ": let neighbouring lanes access neighbouring addresses";
}

Note BankConflictsNote(const RuleInputs& inputs) {
  if (!inputs.conflicts || *inputs.conflicts < kConflictShare) return std::nullopt;
  // Another unit is at its ceiling: without the conflicts it would be as slow.
  const bool elsewhere =
      std::any_of(inputs.units().begin(), inputs.units().end(), [](const UnitUse& use) {
        return use.unit != Unit::kShared && use.unit != Unit::kL1 && use.of_peak >= kSaturated;
      });
  if (elsewhere) return std::nullopt;
  std::string text = (inputs.conflicts_inferred ? "at least " : "") +
                     text::Percent(*inputs.conflicts) +
                     " of the shared-memory wavefronts are conflicts";
  if (*inputs.conflicts < 1 && !inputs.conflicts_inferred)
    text += " (" + text::Fixed(1 / (1 - *inputs.conflicts), 1) + "-way on average)";
  return text + ": pad or swizzle the layout";
}

Note DivergenceNote(const RuleInputs& inputs) {
  const std::optional<double> share = ActiveLanes(inputs);
  if (!share || *share >= kThreadsPerInst / kWarpThreads) return std::nullopt;
  const auto threads = inputs.Median("smsp__thread_inst_executed_per_inst_executed.ratio");
  const auto active = inputs.Median("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio");
  const double full = inputs.threads / std::ceil(inputs.threads / kWarpThreads);
  if (!threads) {
    return text::Fixed(full * *share, 1) + " of " + text::Fixed(full, 0) +
           " threads execute an instruction, by PM samples: group the work so that a warp takes "
           "one path";
  }
  return text::Fixed(*threads, 1) + " of " + text::Fixed(full, 0) +
         " threads are active per instruction" +
         (active ? ", " + text::Fixed(*active, 1) + " not predicated off" : "") +
         ": group the work so that a warp takes one path";
}

Note BlockSizeNote(const RuleInputs& inputs) {
  const double last = std::fmod(inputs.threads, kWarpThreads);
  if (last == 0) return std::nullopt;
  const double lost = (1 - last / kWarpThreads) / std::ceil(inputs.threads / kWarpThreads);
  return text::Fixed(inputs.threads, 0) + " threads per block leave " + text::Percent(lost) +
         " of the lanes empty: use a multiple of 32";
}

Note SpillsNote(const RuleInputs& inputs) {
  const std::optional<double> share = LocalShare(inputs);
  if (!share || *share <= kLocalShare) return std::nullopt;
  std::string text = text::Percent(*share) + " of the L1 sectors are local memory";
  if (const uint32_t bytes = inputs.kernel->local_bytes_per_thread; bytes > 0) {
    text += " (" + std::to_string(bytes) + " B per thread)";
  }
  return text + ": register spills, or arrays indexed at run time";
}

Note AtomicsNote(const RuleInputs& inputs) {
  const std::optional<double> share = AtomicShare(inputs);
  if (!share || *share <= kAtomicShare || inputs.UseOf(Unit::kDram) >= kBusy) return std::nullopt;
  return text::Percent(*share) +
         " of L2's work is atomics or reductions: aggregate per warp or block first";
}

Note TensorUnderusedNote(const RuleInputs& inputs) {
  const double tensor = inputs.UseOf(Unit::kTensor);
  if (inputs.half_on_fma) return std::nullopt;
  if (tensor < kTensorKernel || inputs.busiest >= kBusy || UnitsDecide(inputs)) return std::nullopt;
  for (const Unit pipe : {Unit::kFma, Unit::kAlu, Unit::kFp64, Unit::kSfu}) {
    if (inputs.UseOf(pipe) > tensor) return std::nullopt;
  }
  return "the tensor pipe is the main one, at " + text::Percent(tensor) +
         ": look at matrix sizes (multiples of 16), tile size against problem size, pipeline "
         "stages";
}

// 0: not counted.
double ThreadInstructions(const RuleInputs& inputs) {
  const auto warps = inputs.Median("smsp__inst_executed.sum");
  const auto lanes = inputs.Median("smsp__thread_inst_executed_per_inst_executed.ratio");
  return warps.value_or(0) * lanes.value_or(kWarpThreads);
}

Note IntegerFmaNote(const RuleInputs& inputs) {
  if (!inputs.leader || inputs.leader->unit != Unit::kFma) return std::nullopt;
  double flops = 0;
  bool counted = false;
  for (const char* op : {"fadd", "fmul", "ffma", "hadd", "hmul", "hfma"}) {
    const auto executed =
        inputs.Median(std::string("smsp__sass_thread_inst_executed_op_") + op + "_pred_on.sum");
    counted = counted || executed.has_value();
    flops += executed.value_or(0);
  }
  if (!counted || flops > kNoFlops * ThreadInstructions(inputs)) return std::nullopt;
  std::string text =
      "hardly any floating-point instructions were counted: integer multiply-adds (IMAD) run on "
      "this pipe";
  const auto heavy =
      inputs.Median("sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed");
  const auto whole = inputs.Median("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed");
  if (heavy && whole && *heavy > kHeavyOverWholeFma * *whole) {
    text += ", on its heavy half only (" + text::Fixed(*heavy, 1) + " % against " +
            text::Fixed(*whole, 1) + " %)";
  } else {
    text += "; or the instruction counters did not work here";
  }
  return text;
}

Note UnfusedNote(const RuleInputs& inputs) {
  for (const char* type : {"f", "d"}) {
    const auto count = [&](const char* op) {
      return inputs
          .Median(std::string("smsp__sass_thread_inst_executed_op_") + type + op + "_pred_on.sum")
          .value_or(0);
    };
    const double unfused = count("add") + count("mul");
    const double all = unfused + count("fma");
    const Unit pipe = *type == 'f' ? Unit::kFma : Unit::kFp64;
    if (!(all > 0) || unfused / all / 2 <= kUnfusedGain || inputs.UseOf(pipe) < kBusy) continue;
    if (all < kNoFlops * ThreadInstructions(inputs)) continue;
    return text::Percent(unfused / all) + " of the " + (*type == 'f' ? "FP32" : "FP64") +
           " operations are separate adds and multiplies: fusing pairs saves at most " +
           text::Percent(unfused / all / 2) + " of them";
  }
  return std::nullopt;
}

Note TailNote(const RuleInputs& inputs) {
  if (!HasTail(inputs)) return std::nullopt;
  return text::Fixed(inputs.kernel->occupancy.waves, 2) + " waves of blocks: the last one leaves " +
         text::Percent(inputs.kernel->occupancy.tail_lost) + " of the block slots empty";
}

// The last wave gives each SM some blocks, fewer than it holds: all SMs are active.
Note HalfEmptyWaveNote(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  const bool partial = occupancy.known && occupancy.blocks_per_sm > 1 && occupancy.waves >= 1 &&
                       occupancy.tail_lost >= kTailLost;
  if (!partial || HasTail(inputs) || MayHaveTail(inputs)) return std::nullopt;
  const bool is_busy = inputs.leader && inputs.leader->of_peak >= kBusy;
  if (is_busy || UnitsDecide(inputs)) return std::nullopt;  // slots do not matter
  const double last = occupancy.waves - std::floor(occupancy.waves);
  return text::Fixed(occupancy.waves, 2) + " waves of blocks: the last one fills " +
         text::Percent(last) + " of the block slots, and all SMs are active; whole waves save " +
         text::Percent(occupancy.tail_lost) + " at most, less where few blocks on an SM run faster";
}

Note ImbalanceNote(const RuleInputs& inputs) {
  if (!IsImbalanced(inputs)) return std::nullopt;
  if (inputs.pm_active) {
    return "the average SM has no work for " + text::Percent(*inputs.imbalance) +
           " of the kernel's time or more";
  }
  return "SMs are active for very different times: the average one " +
         text::Percent(*inputs.imbalance) + " less than the busiest";
}

Note PhasesNote(const RuleInputs& inputs) {
  const auto phases = FindPhases(inputs.kernel->course);
  if (!phases) return std::nullopt;
  const auto describe = [](const LaunchPhase& phase) {
    return std::string(phase.unit) + " is at " + text::Percent(phase.use) + " of its peak in " +
           text::ShortPercent(phase.share) + " of a launch, and at " +
           text::Percent(phase.use_elsewhere) + " while the other one leads";
  };
  return describe((*phases)[0]) + "; " + describe((*phases)[1]) +
         ": it uses one after the other; overlap them, by a pipeline of several tiles or by warps "
         "with different jobs";
}

Note DrainNote(const RuleInputs& inputs) {
  const double drain = DrainOf(inputs.kernel->course);
  if (drain < kLeastDrain) return std::nullopt;
  return "in the last " + text::ShortPercent(drain) +
         " of a launch fewer than half of the SMs have work, by PM samples";
}

Note PartialWaveNote(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  if (!occupancy.known || !(occupancy.waves > 0) || occupancy.waves >= kAllSlots) {
    return std::nullopt;
  }
  if (inputs.busiest >= kBusy || UnitsDecide(inputs)) return std::nullopt;
  return "the grid fills " + text::Percent(occupancy.waves) +
         " of the block slots of the device: more blocks would hide more latency";
}

Note AlsoBusyNote(const RuleInputs& inputs) {
  if (!inputs.rival || inputs.rival->of_peak < kBusy) return std::nullopt;
  return "a second unit is at " + PercentOf(*inputs.rival) + " (" + inputs.rival->metric +
         "): it limits what relieving the first one buys";
}

Note HitRateNote(const RuleInputs& inputs) {
  for (const char* metric : {"lts__t_sector_hit_rate.pct", "l1tex__t_sector_hit_rate.pct"}) {
    if (inputs.Median(metric).value_or(0) <= 100) continue;
    return std::string(metric) +
           " came out above 100 %: its two halves are from different launches; not used";
  }
  return std::nullopt;
}

Note UnstableNote(const RuleInputs& inputs) {
  if (inputs.unstable.empty()) return std::nullopt;
  return text::Enumerate(inputs.unstable);
}

struct NoteRule {
  NoteRow text;
  Note (*find)(const RuleInputs&);
  std::string_view repeats;  // the verdict that it would repeat
};

constexpr NoteRule kNotes[] = {
    {{"uncoalesced",
      "more than 16 sectors per global request (hw: 32 lanes x 16 B), or 0 < useful bytes per "
      "sector < 26 of 32 (own; ncu: < 32), in loads or stores that are 5 % or more of the sectors; "
      "absent when the load/store unit moved less than half of L2's sectors (TMA)",
      "sectors per request, waste", "16-byte loads called uncoalesced; a verdict on TMA kernels"},
     UncoalescedNote,
     "uncoalesced"},
    {{"bank-conflicts",
      "conflicts >= 10 % of all shared wavefronts, wgmma's reads included (ncu); no unit but L1 or "
      "shared memory at 80 % or more",
      "share, ways = 1 / (1 - share)", "–"},
     BankConflictsNote,
     "shared-bank-conflicts"},
    {{"divergence",
      "active threads per instruction, with or without predication, < 24 of 32 (ncu), scaled to "
      "the block's last warp",
      "threads", "blocks of 16 threads"},
     DivergenceNote,
     "divergence"},
    {{"block-size", "threads per block not a multiple of 32 (ncu)", "empty lanes", "–"},
     BlockSizeNote,
     ""},
    {{"spills",
      "not known to have no local memory, local sectors > 5 % of local and global ones (own)",
      "share", "indexed local arrays called spills: the note names both"},
     SpillsNote,
     "spills"},
    {{"atomics", "atomic and reduction sectors > 20 % of L2's (own), DRAM < 60 %", "share",
      "\"DRAM latency\""},
     AtomicsNote,
     "atomics"},
    {{"tensor-underused",
      "tensor is the busiest math pipe, at 10 % or more (own), no unit is busy and none limits",
      "use", "shown for a GEMM that DRAM limits"},
     TensorUnderusedNote,
     ""},
    {{"integer-fma",
      "FMA leads, FP32 and FP16 counters exist and are < 5 % of thread instructions (own); the "
      "heavy half at 1.5 x the pipe confirms it (hw)",
      "integer multiply-adds", "–"},
     IntegerFmaNote,
     ""},
    {{"unfused",
      "separate adds and multiplies, half their share > 10 % (ncu), the pipe >= 60 %, the type's "
      "operations >= 5 % of all thread instructions (own)",
      "share", "–"},
     UnfusedNote,
     ""},
    {{"tail", "as the verdict, when another rule comes first", "waves", "–"}, TailNote, "tail"},
    {{"half-empty-wave",
      "as `tail`, but all SMs are active: several blocks fit on an SM, and the last wave gives "
      "each fewer; no unit is busy",
      "waves, the most that whole waves save", "an advice for blocks that run faster alone"},
     HalfEmptyWaveNote,
     "tail"},
    {{"imbalance", "as the verdict, when another rule comes first", "SM activity", "–"},
     ImbalanceNote,
     "imbalance"},
    {{"phases",
      "PM samples within single launches, in 3 to 16 parts of one: two units lead 20 % of it each "
      "(own), each is busy there, and at most half as busy where the other one leads (own)",
      "units, their shares and uses", "units that are busy at the same time"},
     PhasesNote,
     "phases"},
    {{"drain",
      "the same samples: fewer than half of the SMs have a warp in the last 10 % of a launch or "
      "more (own)",
      "share", "a launch that ends at once"},
     DrainNote,
     ""},
    {{"partial-wave", "waves < 0.95 (own: 128 blocks on 132 SMs are a choice), nothing busy",
      "fill", "–"},
     PartialWaveNote,
     "small-grid"},
    {{"also-busy", "the rival >= 60 %", "its use", "–"}, AlsoBusyNote, "mixed"},
    {{"hit-rate", "a hit rate above 100 %: its halves come from different launches", "not used",
      "a hit rate of 114 %"},
     HitRateNote,
     ""},
    {{"unstable", "see Confidence", "clock, duration", "–"}, UnstableNote, ""},
};

// SMs fill and drain at both ends of a launch: no tail. By PM samples it is taken off already.
double IdleBeyondRamp(const RuleInputs& inputs) {
  const double idle = inputs.imbalance.value_or(0);
  if (inputs.pm_active || !(inputs.duration_ns > 0)) return idle;
  return idle - kFillAndDrainNs / inputs.duration_ns;
}

// Whether the SMs are idle at the end of a launch more than elsewhere in it, for `least` of its
// time or more. nullopt: no course.
std::optional<bool> IsIdleAtEnd(const RuleInputs& inputs, double least) {
  const std::optional<IdleSms> idle = IdleOf(inputs.kernel->course);
  if (!idle) return std::nullopt;
  return idle->end >= least && idle->end >= idle->all / 2;
}

}  // namespace

bool HasTail(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  return occupancy.known && occupancy.waves >= 1 && occupancy.tail_lost >= kTailLost &&
         IdleBeyondRamp(inputs) >= kImbalance && IsIdleAtEnd(inputs, kImbalance).value_or(true);
}

bool MayHaveTail(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  return occupancy.known && occupancy.waves >= 1 && occupancy.tail_lost >= kTailLost &&
         !inputs.imbalance;
}

bool IsImbalanced(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  if (!occupancy.known || HasTail(inputs)) return false;
  if (occupancy.waves < 1) {
    // Some SMs have one block more than others, or blocks differ: each SM has one at least.
    return inputs.sm_count > 0 && inputs.blocks >= inputs.sm_count &&
           IdleBeyondRamp(inputs) >= kUnevenPart && IsIdleAtEnd(inputs, kLeastDrain).value_or(true);
  }
  // Blocks of the same work leave some SMs idle at the end, too: more is asked for than for a tail.
  if (const std::optional<bool> at_end = IsIdleAtEnd(inputs, kLeastDrain)) {
    return *at_end && IdleBeyondRamp(inputs) >= kImbalance;
  }
  // Where no warps were counted the idle SMs alone have to show it.
  if (!occupancy.achieved) return IdleBeyondRamp(inputs) >= kClearImbalance;
  return IdleBeyondRamp(inputs) >= kImbalance &&
         occupancy.theoretical - *occupancy.achieved > kAchievedBelow;
}

std::vector<std::string> FindNotes(const RuleInputs& inputs, std::string_view rule) {
  std::vector<std::string> notes;
  for (const NoteRule& note : kNotes) {
    if (!rule.empty() && note.repeats == rule) continue;
    if (const Note text = note.find(inputs))
      notes.push_back(std::string(note.text.id) + ": " + *text);
  }
  return notes;
}

std::vector<NoteRow> NoteRows() {
  std::vector<NoteRow> rows;
  for (const NoteRule& note : kNotes) rows.push_back(note.text);
  return rows;
}

std::string NoteTable() {
  RuleTable table({"id", "condition (source)", "content", "a wrong answer would be"});
  for (const NoteRow& row : NoteRows()) {
    table.Add({AsCode(row.id), row.condition, row.content, row.wrong});
  }
  return table.text();
}

}  // namespace prof::analyzer
