// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "lib/compare/decide.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::compare {
namespace {

// kExact: the program decides it. kCache: caches and the order of blocks decide. kUse: percent of a
// unit's peak. kLaunch: a property of the launch, no counter.
enum class Class { kExact, kCache, kUse, kLaunch };

struct Known {
  const char* metric;
  const char* words;
  Class kind;
};

constexpr Known kKnown[] = {
    {"smsp__inst_executed.sum", "instructions", Class::kExact},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "requests of global loads", Class::kExact},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "requests of global stores", Class::kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors of global loads", Class::kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors of global stores", Class::kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sectors of local loads", Class::kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sectors of local stores", Class::kExact},
    {"smsp__sass_inst_executed_op_shared_ld.sum", "shared loads", Class::kExact},
    {"smsp__sass_inst_executed_op_shared_st.sum", "shared stores", Class::kExact},
    {"smsp__inst_executed_op_ldsm.sum", "matrix loads from shared memory", Class::kExact},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "FP32 additions", Class::kExact},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "FP32 multiplications", Class::kExact},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "FP32 multiply-adds", Class::kExact},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "FP64 additions", Class::kExact},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "FP64 multiplications", Class::kExact},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "FP64 multiply-adds", Class::kExact},
    {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "FP16 multiply-adds", Class::kExact},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefronts of shared loads",
     Class::kCache},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefronts of shared stores",
     Class::kCache},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "bank conflicts of shared loads",
     Class::kCache},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "bank conflicts of shared stores",
     Class::kCache},
    {"lts__t_sectors.sum", "L2 sectors", Class::kCache},
    {"lts__t_sectors_lookup_miss.sum", "L2 misses", Class::kCache},
    {"lts__t_sectors_op_atom.sum", "L2 sectors of atomics", Class::kCache},
    {"lts__t_sectors_op_red.sum", "L2 sectors of reductions", Class::kCache},
    {"dram__bytes_read.sum", "bytes read from DRAM", Class::kCache},
    {"dram__bytes_write.sum", "bytes written to DRAM", Class::kCache},
    {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "use of DRAM", Class::kUse},
    {"lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "use of L2", Class::kUse},
    {"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", "use of L1", Class::kUse},
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", "use of the tensor cores",
     Class::kUse},
    {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", "use of the FMA pipe",
     Class::kUse},
    {"sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", "use of the FP64 pipe",
     Class::kUse},
    {"sm__issue_active.avg.pct_of_peak_sustained_elapsed", "use of the issue slots", Class::kUse},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "achieved occupancy", Class::kUse},
};

constexpr double kExactTolerance = 0.001;  // [own] a launch with another alignment
constexpr double kCacheTolerance = 0.03;   // [own] measured: equal launches differ by 2 %
constexpr double kUsePoints = 3;           // [own] points of percent
constexpr double kWorthSaying = 0.01;      // [own] of a ratio
constexpr double kLeastPart = 0.1;         // [own] of a change: less does not explain it
constexpr size_t kMostSentences = 6;

constexpr std::string_view kStallStart = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kStallEnd = "_per_issue_active.ratio";

bool Overlap(const Statistic& a, const Statistic& b) { return a.min <= b.max && b.min <= a.max; }

bool IsMoved(const Statistic& a, const Statistic& b, Class kind) {
  if (kind == Class::kUse) return std::abs(b.median - a.median) >= kUsePoints && !Overlap(a, b);
  const double tolerance = kind == Class::kExact ? kExactTolerance : kCacheTolerance;
  const double larger = std::max(std::abs(a.median), std::abs(b.median));
  return std::abs(b.median - a.median) > tolerance * larger && !Overlap(a, b);
}

double AbsLogRatio(const CounterChange& c) {
  if (c.before == c.after) return 0;
  return c.before > 0 && c.after > 0 ? std::abs(std::log(c.after / c.before)) : 1e9;
}

void AddProperty(const char* name, uint64_t before, uint64_t after,
                 std::vector<CounterChange>* changes) {
  changes->push_back(
      {name, name, static_cast<double>(before), static_cast<double>(after), before != after, true});
}

uint64_t Product(const std::array<uint32_t, 3>& size) {
  return uint64_t{size[0]} * size[1] * size[2];
}

void AddProperties(const KernelRuns& before, const KernelRuns& after,
                   std::vector<CounterChange>* changes) {
  const auto blocks = [](const KernelRuns& k) { return Product(k.grid); };
  const auto threads = [](const KernelRuns& k) { return Product(k.block); };
  AddProperty("blocks", blocks(before), blocks(after), changes);
  AddProperty("threads per block", threads(before), threads(after), changes);
  if (!before.resources_known || !after.resources_known) return;
  AddProperty("registers per thread", before.registers_per_thread, after.registers_per_thread,
              changes);
  if (before.local_known && after.local_known) {
    AddProperty("local bytes per thread", before.local_bytes_per_thread,
                after.local_bytes_per_thread, changes);
  }
  AddProperty("shared bytes per block", before.static_shared_bytes + before.dynamic_shared_bytes,
              after.static_shared_bytes + after.dynamic_shared_bytes, changes);
}

const CounterChange* Find(const std::vector<CounterChange>& counters, std::string_view metric) {
  const auto it = std::find_if(counters.begin(), counters.end(),
                               [&](const CounterChange& c) { return c.metric == metric; });
  return it == counters.end() ? nullptr : &*it;
}

bool IsProperty(const CounterChange& c) { return c.metric == c.words; }
bool IsUse(const CounterChange& c) { return text::Contains(c.metric, "pct_of_peak"); }

std::string Value(const CounterChange& c, double value) {
  if (IsUse(c)) return text::Fixed(value, 1) + " %";
  if (text::Contains(c.metric, "bytes")) return text::Bytes(value);
  return text::Grouped(value, value < 100 && value != std::floor(value) ? 1 : 0);
}

// "0.79 times"; "0.998 times", where two digits would be 1.00.
std::string FactorText(const CounterChange& c) {
  const double factor = c.after / c.before;
  return text::Fixed(factor, std::abs(factor - 1) < kWorthSaying ? 3 : 2) + " times";
}

std::string Sentence(const CounterChange& c) {
  std::string text = c.words + ": " + Value(c, c.before) + " -> " + Value(c, c.after);
  if (!IsUse(c) && c.before > 0) text += " (" + FactorText(c) + ")";
  return text;
}

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
  if (std::abs(moved) < effect.least) return true;
  return work * moved > 0 && std::abs(work) >= kLeastPart * std::abs(moved);
}

bool MayExplain(const Effect& effect, const CounterChange& c) {
  return c.moved && MayExplain(effect, c.after / c.before);
}

bool HasRatio(const CounterChange* c) { return c != nullptr && c->before > 0 && c->after > 0; }

// Sectors for each request: 32 lanes of 4 bytes that lie side by side need 4.
void AddCoalescing(const std::vector<CounterChange>& counters, const char* sectors_name,
                   const char* requests_name, const char* what, const Effect& effect,
                   std::vector<std::string>* lines) {
  const CounterChange* const sectors = Find(counters, sectors_name);
  const CounterChange* const requests = Find(counters, requests_name);
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
  const CounterChange* const instructions = Find(counters, "smsp__inst_executed.sum");
  if (HasRatio(instructions) && MayExplain(effect, *instructions)) {
    lines->push_back("it executes " + FactorText(*instructions) + " the instructions");
  }
  AddCoalescing(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global loads", effect, lines);
  AddCoalescing(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global stores", effect, lines);
  const CounterChange* const local = Find(counters, "local bytes per thread");
  if (local != nullptr && local->after > local->before && MayExplain(effect, *local)) {
    lines->push_back("it has " + text::Grouped(local->after, 0) +
                     " bytes of local memory for each thread, before " +
                     text::Grouped(local->before, 0) + ": registers are spilled");
  }
  const CounterChange* const read = Find(counters, "dram__bytes_read.sum");
  const CounterChange* const sectors =
      Find(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  if (HasRatio(read) && MayExplain(effect, *read) && sectors != nullptr && !sectors->moved) {
    lines->push_back("the same sectors are loaded, but " + FactorText(*read) +
                     " the bytes come from DRAM: the caches hit " +
                     (read->after > read->before ? "less" : "more"));
  }
}

bool AnyExact(const std::vector<CounterChange>& counters, bool moved) {
  return std::any_of(counters.begin(), counters.end(), [&](const CounterChange& c) {
    return c.exact && !IsProperty(c) && (!moved || c.moved);
  });
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
    if (rise <= largest || Overlap(old->second, value)) continue;
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
  const bool has_work = AnyExact(change.counters, false);
  const bool is_same_work = has_work && !AnyExact(change.counters, true);
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
  const bool is_work = std::any_of(
      change.counters.begin(), change.counters.end(),
      [&](const CounterChange& c) { return c.exact && !IsProperty(c) && MayExplain(effect, c); });
  if (!has_work || is_work || *effect.cycles < effect.least) return;
  if (!is_same_work && clock.empty()) {
    lines->push_back("the change of the work does not explain " + times);
  }
  const std::string stall = LargestStall(before, after, cycles);
  if (!stall.empty()) lines->push_back(stall);
}

bool CountsWork(const KernelRuns& kernel) {
  return std::any_of(std::begin(kKnown), std::end(kKnown), [&](const Known& known) {
    const auto it = kernel.metrics.find(known.metric);
    return known.kind == Class::kExact && it != kernel.metrics.end() &&
           std::isfinite(it->second.median);
  });
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

}  // namespace

std::vector<CounterChange> CompareCounters(const KernelRuns& before, const KernelRuns& after) {
  std::vector<CounterChange> changes;
  AddProperties(before, after, &changes);
  for (const Known& known : kKnown) {
    const auto a = before.metrics.find(known.metric), b = after.metrics.find(known.metric);
    if (a == before.metrics.end() || b == after.metrics.end()) continue;
    if (!std::isfinite(a->second.median) || !std::isfinite(b->second.median)) continue;
    changes.push_back({known.metric, known.words, a->second.median, b->second.median,
                       IsMoved(a->second, b->second, known.kind), known.kind == Class::kExact});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const CounterChange& a, const CounterChange& b) {
                     if (a.moved != b.moved) return a.moved;
                     return a.moved && AbsLogRatio(a) > AbsLogRatio(b);
                   });
  return changes;
}

std::optional<double> WorkRatio(const std::vector<CounterChange>& counters) {
  std::optional<double> most;
  for (const CounterChange& c : counters) {
    if (!c.exact || IsProperty(c)) continue;
    if (!most) most = 1;
    if (!c.moved) continue;
    if (!HasRatio(&c)) return std::nullopt;  // work that there was none of: it is not the same
    const double ratio = c.after / c.before;
    if (std::abs(std::log(ratio)) > std::abs(std::log(*most))) most = ratio;
  }
  return most;
}

std::vector<std::string> Explain(const KernelRuns& before, const KernelRuns& after,
                                 const KernelChange& change, bool same_device) {
  const Effect effect = EffectOf(change, same_device);
  std::vector<std::string> lines;
  AddWork(change.counters, effect, &lines);
  AddCycles(before, after, change, effect, same_device, &lines);
  for (const CounterChange& c : change.counters) {
    if (c.moved && lines.size() < kMostSentences) lines.push_back(Sentence(c));
  }
  if (!AnyExact(change.counters, false)) lines.push_back(MissingCounters(before, after));
  return lines;
}

}  // namespace prof::compare
