// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/explain.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "lib/compare/counters.h"
#include "lib/compare/decide.h"
#include "lib/compare/work.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::compare {
namespace {

constexpr int kMostCounters = 4;  // that are named one by one
// [own] A unit that both sides use less than this limits neither.
constexpr double kLittleUse = 20;  // percent of peak

constexpr double kLeastOfUses = 0.1;  // [own] of work by uses, whose errors add up

constexpr std::string_view kStallStart = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kStallEnd = "_per_issue_active.ratio";

// What there is to explain. Changes are logarithms of after over before; a change below `least`
// does not count.
struct Effect {
  double time = 0;
  std::optional<double> cycles;
  double least = 0;
  bool is_clock = false;  // the time moved, the cycles did not
};

Effect EffectOf(const KernelChange& change, bool same_device) {
  const auto log_of = [](double ratio) {
    return ratio > 0 && std::isfinite(ratio) ? std::log(ratio) : 0;
  };
  Effect effect;
  effect.time = log_of(change.time.ratio.value);
  effect.least = LeastEffect(change.time);
  if (!change.cycles) return effect;
  effect.cycles = log_of(change.cycles->ratio.value);
  effect.is_clock = same_device && IsClock(change.time, change.cycles->ratio);
  return effect;
}

// Whether work or traffic that is `ratio` times as much is a cause: it moved the same way as the
// cycles, or as the time without them, and is more than a small part of that. Where nothing moved
// but the work, the work is named.
bool MayExplain(const Effect& effect, double ratio) {
  const double work = std::log(ratio);  // infinite where there was none on one side
  if (effect.is_clock || std::abs(work) < std::log1p(kWorthSaying)) return false;
  const bool in_cycles = effect.cycles && std::abs(*effect.cycles) >= effect.least;
  const double moved = in_cycles ? *effect.cycles : effect.time;
  return std::abs(moved) < effect.least || IsPartOf(ratio, std::exp(moved));
}

bool MayExplain(const Effect& effect, const CounterChange& c) {
  return c.moved && MayExplain(effect, c.after / c.before);
}

// Sectors for each request: 32 lanes of 4 bytes that lie side by side need 4.
void AddCoalescing(const std::vector<CounterChange>& counters, const char* sectors_name,
                   const char* requests_name, const char* what, const Effect& effect,
                   std::vector<std::string>* lines) {
  const CounterChange* const sectors = FindCounter(counters, sectors_name);
  const CounterChange* const requests = FindCounter(counters, requests_name);
  if (!HasRatio(sectors) || !HasRatio(requests) || !sectors->moved) return;
  const double before = sectors->before / requests->before;
  const double after = sectors->after / requests->after;
  if (!MayExplain(effect, after / before)) return;
  lines->push_back(std::string(what) + " touch " + text::Fixed(after, 1) +
                   " sectors a request, before " + text::Fixed(before, 1) + ": they are " +
                   (after > before ? "less" : "better") + " coalesced");
}

void AddWork(const std::vector<CounterChange>& counters, const Effect& effect,
             std::vector<std::string>* lines) {
  const CounterChange* const instructions = FindCounter(counters, "smsp__inst_executed.sum");
  if (HasRatio(instructions) && MayExplain(effect, *instructions)) {
    lines->push_back("it executes " + FactorText(*instructions) + " the instructions");
  }
  AddCoalescing(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global loads", effect, lines);
  AddCoalescing(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global stores", effect, lines);
  const CounterChange* const local = FindCounter(counters, "local bytes per thread");
  if (local != nullptr && local->after > local->before && MayExplain(effect, *local)) {
    lines->push_back("it has " + text::Grouped(local->after, 0) +
                     " bytes of local memory for each thread, before " +
                     text::Grouped(local->before, 0) + ": registers are spilled");
  }
  const CounterChange* const read = FindCounter(counters, "dram__bytes_read.sum");
  const CounterChange* const sectors =
      FindCounter(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  if (HasRatio(read) && MayExplain(effect, *read) && sectors != nullptr && !sectors->moved) {
    lines->push_back("the same sectors are loaded, but " + FactorText(*read) +
                     " the bytes come from DRAM: the caches hit " +
                     (read->after > read->before ? "less" : "more"));
  }
}

// Where nobody counted the work: the use of a unit and its time show it.
struct WorkOfUse {
  const char* metric;
  bool in_cycles;  // of the SMs; DRAM has a clock of its own
  const char* before_factor;
  const char* behind_factor;
};

constexpr WorkOfUse kWorkOfUses[] = {
    {"sm__issue_active.avg.pct_of_peak_sustained_elapsed", true, "it executes ",
     " times the instructions, by the use of the issue slots and its cycles"},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", true,
     "the tensor cores have ", " times the work, by their use and its cycles"},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", false, "it moves ",
     " times the bytes through DRAM, by its use and the time"}};

void AddWorkOfUses(const KernelChange& change, const Effect& effect, bool same_device,
                   std::vector<std::string>* lines) {
  if (!same_device) return;  // a use is of other units
  for (const WorkOfUse& one : kWorkOfUses) {
    const CounterChange* const use = FindCounter(change.counters, one.metric);
    if (!HasRatio(use) || std::max(use->before, use->after) < kLittleUse) continue;
    if (one.in_cycles && !change.cycles) continue;
    const double longer = one.in_cycles ? change.cycles->ratio.value : change.time.ratio.value;
    const double work = use->after / use->before * longer;
    if (std::abs(std::log(work)) < kLeastOfUses || !MayExplain(effect, work)) continue;
    lines->push_back(one.before_factor + text::Fixed(work, 2) + one.behind_factor);
  }
}

bool IsExactWork(const CounterChange& c) { return c.exact && !IsProperty(c); }

// It moved, by more than next to nothing of all work.
bool IsOtherExactWork(const CounterChange& c) {
  return IsExactWork(c) && c.moved && c.weight >= kExactTolerance;
}

// The reason for which warps wait longer than before by most, in warps for each issued instruction.
// Empty where it is a small part of what all waits grew by when the same work takes `cycles` times
// the cycles.
std::string LargestStall(const KernelRuns& before, const KernelRuns& after, double cycles) {
  std::string reason;
  double largest = 0, from = 0, to = 0, all = 0;
  for (const auto& [name, value] : after.metrics) {
    if (!text::StartsWith(name, kStallStart) || !text::EndsWith(name, kStallEnd)) continue;
    const auto old = before.metrics.find(name);
    if (old == before.metrics.end()) continue;
    all += old->second.median;
    const double rise = value.median - old->second.median;
    if (rise <= largest || RangesOverlap(old->second, value)) continue;
    largest = rise;
    from = old->second.median;
    to = value.median;
    reason = name.substr(kStallStart.size(), name.size() - kStallStart.size() - kStallEnd.size());
  }
  if (reason.empty() || largest < kLeastPart * (cycles - 1) * all) return "";
  return "the wait that grew most is " + reason + ": " + text::Fixed(from, 2) + " -> " +
         text::Fixed(to, 2) + " warps per issued instruction";
}

// Cycles are time without the clock. Where the work is no cause, it waits, or the clock differs.
void AddCycles(const KernelRuns& before, const KernelRuns& after, const KernelChange& change,
               const Effect& effect, bool same_device, std::vector<std::string>* lines) {
  const std::vector<CounterChange>& counters = change.counters;
  const bool has_work = std::any_of(counters.begin(), counters.end(), IsExactWork);
  const bool is_same_work =
      has_work && std::none_of(counters.begin(), counters.end(), IsOtherExactWork);
  if (!effect.cycles) {
    if (is_same_work) lines->emplace_back("the work is the same by all exact counters");
    return;
  }
  std::string clock;
  if (effect.is_clock) {
    clock = ": the clock differs";
  } else if (same_device && std::abs(effect.time - *effect.cycles) >= effect.least) {
    clock = ": the clock differs, too";
  }
  const double cycles = change.cycles->ratio.value;
  const std::string times = text::Fixed(cycles, 3) + " times the cycles" + clock;
  if (is_same_work) {
    lines->push_back("the work is the same by all exact counters, in " + times);
  } else if (!clock.empty()) {
    lines->push_back("it takes " + text::Fixed(change.time.ratio.value, 3) +
                     " times the time, in " + times);
  }
  const bool is_work = std::any_of(counters.begin(), counters.end(), [&](const CounterChange& c) {
    return IsOtherExactWork(c) && MayExplain(effect, c);
  });
  if (!has_work || is_work || *effect.cycles < effect.least) return;
  if (!is_same_work && clock.empty()) {
    lines->push_back("the change of the work does not explain " + times);
  }
  const std::string stall = LargestStall(before, after, cycles);
  if (!stall.empty()) lines->push_back(stall);
}

// For two sides that have no counter of the work in common.
std::string MissingCounters(const KernelRuns& before, const KernelRuns& after) {
  const bool one = CountsWork(before), other = CountsWork(after);
  if (one && other) {
    return "the sides have no counter of its work in common: record both with --counters all";
  }
  if (!one && !other) {
    return "neither side has a counter of its work: record both with --counters all, and the "
           "counters that moved explain more";
  }
  return std::string("only the runs ") + (one ? "before" : "after") +
         " have counters of its work: record the runs " + (one ? "after" : "before") +
         " with --counters all, too";
}

// What the launch has in another amount, in one sentence. Empty: nothing.
std::string LaunchText(const std::vector<CounterChange>& counters) {
  std::vector<std::string> parts;
  for (const CounterChange& c : counters) {
    if (c.moved && IsProperty(c)) parts.push_back(CounterText(c));
  }
  return parts.empty() ? "" : "its launches differ: " + text::Join(parts, ", ");
}

bool IsWorthSaying(const CounterChange& c) {
  if (!c.moved || IsProperty(c)) return false;
  if (IsUse(c)) return IsOccupancy(c) || std::max(c.before, c.after) >= kLittleUse;
  return c.weight >= (c.exact ? kExactTolerance : kWorthSaying);
}

}  // namespace

std::vector<std::string> Explain(const KernelRuns& before, const KernelRuns& after,
                                 const KernelChange& change, bool same_device) {
  const Effect effect = EffectOf(change, same_device);
  std::vector<std::string> lines;
  if (IsOtherWork(change.work.change)) lines.push_back(change.work.why);
  AddWork(change.counters, effect, &lines);
  const bool is_counted = std::any_of(change.counters.begin(), change.counters.end(), IsExactWork);
  if (!is_counted) AddWorkOfUses(change, effect, same_device, &lines);
  AddCycles(before, after, change, effect, same_device, &lines);
  const std::string launch = LaunchText(change.counters);
  if (!launch.empty()) lines.push_back(launch);
  int named = 0;
  for (const CounterChange& c : change.counters) {
    if (IsWorthSaying(c) && named++ < kMostCounters) lines.push_back(CounterText(c));
  }
  if (!is_counted) lines.push_back(MissingCounters(before, after));
  return lines;
}

}  // namespace prof::compare
