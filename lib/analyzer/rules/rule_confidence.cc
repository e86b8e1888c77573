// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_confidence.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/cause_parts.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

size_t RowOf(std::string_view id) {
  const std::vector<DoubtRow>& rows = DoubtRows();
  return static_cast<size_t>(
      std::find_if(rows.begin(), rows.end(), [&](const DoubtRow& row) { return row.id == id; }) -
      rows.begin());
}

bool IsPipe(Unit unit) { return IsOneOf(unit, {Unit::kIssue, Unit::kAlu, Unit::kFma, Unit::kSfu}); }

}  // namespace

const std::vector<DoubtRow>& DoubtRows() {
  static const auto* const kRows = new std::vector<DoubtRow>{
      {"nothing-stands-out", true, "no unit is busy, and no stall reason stands out (own)"},
      {"other-work", true, "something else worked on the GPU (own)"},
      {"pipe-below-80", true,
       "the issue slots, or a pipe for arithmetic on single values (FMA, ALU, special functions), "
       "or two units together, are named below 80 % (calibrated)"},
      {"short", true, "it runs for less than 20 us: filling and draining the GPU count (own)"},
      {"level-unknown", true,
       "warps wait for memory, and the level that serves them was not measured (own)"},
      {"perhaps-busy", true,
       "no unit is called busy, and an error bound has both sides of 60 %, of the issue slots 70 % "
       "(own)"},
      {"half-used", true,
       "no unit is called busy, and one is at 50 % or more while the SMs are active (calibrated)"},
      {"wide-bound", true, "the error bound of a use is wider than +-10 points (own)"},
      {"stalls-close", true, "the top stall reason has less than 40 % of the waiting (calibrated)"},
      {"stalls-mixed", true,
       "the top stall reason has less than 80 % of the waiting, or the next one is less than 10 "
       "points behind (calibrated)"},
      {"queue-unknown", true, "the units behind a full queue were not measured (own)"},
      {"place-unknown", true, "no counter tells where its stores go (own)"},
      {"below-80", false, "another unit, or what is named otherwise, stands below 80 %"},
      {"near-rival", false, "the next explanation is less than 10 points behind"},
      {"straddles", false,
       "a unit is named, and an error bound has both sides of 60 % (issue slots: 70 %)"},
      {"issue-or-pipe", false,
       "within the error bounds of both, the issue slots lead or a unit that they feed does"},
      {"uneven", false, "some SMs have no work at the end, beside the limit that is named"},
      {"units-unknown", false, "units that could be the limit were not measured"},
      {"waits-unknown", false, "no unit is busy, and the stall reasons were not read"},
      {"waste-unknown", false, "nobody looked for a waste that is likely here"},
      {"code-alone", false,
       "the machine code has such instructions; how often they run is not known"},
      {"sectors-unknown", false, "PM samples show the waste; sectors were not counted"},
      {"blocks-unknown", false, "the times of single blocks are not known"},
      {"course", false, "the course of a launch decides, whose parts have no error bounds"},
      {"inferred", false, "the unit was inferred from stalls or wavefronts, not counted"},
      {"few-warps", false, "less than a wave, and no unit is busy: more blocks, or shorter waits"},
      {"by-stalls", false, "a waste is named because warps wait; no unit is busy"},
      {"later", false, "it names work that other kernels pay for"},
      {"by-name", false, "the name alone shows that it communicates"},
      {"few-samples", false, "fewer than 3 launches or samples"},
      {"unstable", false, "its time, its cycles or its clock vary"},
      {"lent", false, "its counters or PM samples are of another launch of the kernel"},
  };
  return *kRows;
}

std::string DoubtTable() {
  RuleTable table({"id", "when", "alone"});
  for (const DoubtRow& row : DoubtRows()) {
    table.Add({AsCode(row.id), row.when, row.is_grave ? "low" : "medium"});
  }
  return table.text();
}

void AddDoubt(std::string_view id, std::string text, Verdict* verdict) {
  const bool is_known = std::any_of(verdict->doubts.begin(), verdict->doubts.end(),
                                    [&](const prof::Doubt& doubt) { return doubt.id == id; });
  if (!is_known) verdict->doubts.push_back({std::string(id), std::move(text)});
}

void AddDoubtsOfData(const RuleInputs& inputs, double samples, Verdict* verdict) {
  const double fewest = std::min(static_cast<double>(inputs.runs), samples);
  if (fewest < kEnoughLaunches) {
    AddDoubt("few-samples",
             "it has " + text::Plural(static_cast<int64_t>(fewest), "sample", "samples"), verdict);
  }
  if (inputs.duration_ns < kLongEnoughNs) {
    AddDoubt("short",
             "it runs for " + text::Time(inputs.duration_ns) +
                 ": filling and draining the GPU are a part of it",
             verdict);
  }
  if (!inputs.unknown.empty()) {
    AddDoubt("units-unknown", text::Enumerate(inputs.unknown) + " were not measured", verdict);
  }
  if (!inputs.unstable.empty()) AddDoubt("unstable", text::Enumerate(inputs.unstable), verdict);
  if (inputs.straddles) {
    AddDoubt(UnitsDecide(inputs) ? "straddles" : "perhaps-busy",
             "an error bound has both sides of the use from which on a unit may limit a kernel",
             verdict);
  }
  const bool is_wide = std::any_of(inputs.units().begin(), inputs.units().end(),
                                   [](const UnitUse& use) { return use.error > kWideBound; });
  if (is_wide) {
    AddDoubt("wide-bound",
             "an error bound is wider than +-" + text::Fixed(100 * kWideBound, 0) + " points",
             verdict);
  }
  if (inputs.issue_or_pipe && UnitsDecide(inputs)) {
    AddDoubt("issue-or-pipe", "the issue slots or a unit that they feed may lead", verdict);
  }
  // SMs without work are a cause beside the winner.
  const bool is_uneven =
      inputs.kernel != nullptr && (HasTail(inputs) || IsImbalanced(inputs) || MayHaveTail(inputs));
  if (is_uneven) AddDoubt("uneven", "some SMs have no work at its end", verdict);
}

void AddDoubtsOfWinner(const RuleInputs& inputs, double winner, double margin, Verdict* verdict) {
  if (winner < kSaturated) {
    // DRAM, L2 and the tensor pipe never reach their peak. The issue slots and the pipes do, and
    // below it something else holds them back.
    const bool is_pipe = verdict->limiter == Limiter::kMixed ||
                         (inputs.leader && UnitsDecide(inputs) && IsPipe(inputs.leader->unit));
    AddDoubt(is_pipe ? "pipe-below-80" : "below-80",
             "what is named stands at " + text::Percent(winner), verdict);
  }
  if (margin < kMargin) {
    AddDoubt(
        "near-rival",
        "the next explanation is " + text::Fixed(100 * std::max(0.0, margin), 1) + " points behind",
        verdict);
  }
}

void AddDoubtsOfWaiting(const RuleInputs& inputs, Verdict* verdict) {
  if (inputs.stalls.empty()) {
    AddDoubt("waits-unknown", "what its warps wait for was not read", verdict);
    AddDoubtsOfData(inputs, inputs.leader ? inputs.SamplesOf(*inputs.leader) : 0, verdict);
    return;
  }
  const double top = inputs.stalls.front().share;
  const double second = inputs.stalls.size() > 1 ? inputs.stalls[1].share : 0;
  const std::string has = "the top stall reason has " + text::Percent(top) + " of the waiting";
  if (top < kStallShareClear) {
    AddDoubt("stalls-close", has, verdict);
  } else if (top < kSaturated || top - second < kMargin) {
    AddDoubt("stalls-mixed", has + ", the next one " + text::Percent(second), verdict);
  }
  AddDoubtsOfData(inputs, inputs.SamplesOf("smsp__issue_active.avg.per_cycle_active"), verdict);
}

void AddDoubtsOfLaunchSize(const RuleInputs& inputs, Verdict* verdict) {
  const Statistic& duration = inputs.kernel->duration_ns;
  if (static_cast<double>(duration.n) < kEnoughLaunches) {
    AddDoubt("few-samples", "it has " + text::Plural(duration.n, "launch", "launches"), verdict);
  }
  if (inputs.duration_ns >= kSaturated * kLaunchSizedNs) {
    AddDoubt("near-rival",
             "it takes " + text::Time(inputs.duration_ns) + ", and " + text::Time(kLaunchSizedNs) +
                 " would be too long for this verdict",
             verdict);
  }
}

void SetConfidence(Verdict* verdict) {
  std::stable_sort(
      verdict->doubts.begin(), verdict->doubts.end(),
      [](const prof::Doubt& a, const prof::Doubt& b) { return RowOf(a.id) < RowOf(b.id); });
  if (verdict->limiter == Limiter::kNotMeasured) return;
  const std::vector<prof::Doubt>& doubts = verdict->doubts;
  const bool is_grave = std::any_of(doubts.begin(), doubts.end(), [](const prof::Doubt& doubt) {
    return DoubtRows()[RowOf(doubt.id)].is_grave;
  });
  verdict->confidence = doubts.empty() ? Confidence::kHigh
                        : is_grave     ? Confidence::kLow
                                       : Confidence::kMedium;
}

}  // namespace prof::analyzer
