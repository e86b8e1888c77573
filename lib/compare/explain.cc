// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

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

std::string Sentence(const CounterChange& c) {
  std::string text = c.words + ": " + Value(c, c.before) + " -> " + Value(c, c.after);
  if (!IsUse(c) && c.before > 0) text += " (" + text::Fixed(c.after / c.before, 2) + " times)";
  return text;
}

std::string FactorText(const CounterChange& c) {
  return text::Fixed(c.after / c.before, 2) + " times";
}

bool HasRatio(const CounterChange* c) { return c != nullptr && c->before > 0 && c->after > 0; }

// Sectors for each request: 32 lanes of 4 bytes that lie side by side need 4.
void AddCoalescing(const std::vector<CounterChange>& counters, const char* sectors_name,
                   const char* requests_name, const char* what, std::vector<std::string>* lines) {
  const CounterChange* const sectors = Find(counters, sectors_name);
  const CounterChange* const requests = Find(counters, requests_name);
  if (!HasRatio(sectors) || !HasRatio(requests) || !sectors->moved) return;
  const double before = sectors->before / requests->before;
  const double after = sectors->after / requests->after;
  if (std::abs(after / before - 1) < kWorthSaying) return;
  lines->push_back(std::string(what) + " touch " + text::Fixed(after, 1) +
                   " sectors a request, before " + text::Fixed(before, 1) + ": they are " +
                   (after > before ? "less" : "better") + " coalesced");
}

void AddWork(const std::vector<CounterChange>& counters, std::vector<std::string>* lines) {
  const CounterChange* const instructions = Find(counters, "smsp__inst_executed.sum");
  if (HasRatio(instructions) && instructions->moved) {
    lines->push_back("it executes " + FactorText(*instructions) + " the instructions");
  }
  AddCoalescing(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global loads", lines);
  AddCoalescing(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global stores", lines);
  const CounterChange* const local = Find(counters, "local bytes per thread");
  if (local != nullptr && local->moved && local->after > local->before) {
    lines->push_back("it has " + text::Grouped(local->after, 0) +
                     " bytes of local memory for each thread, before " +
                     text::Grouped(local->before, 0) + ": registers are spilled");
  }
  const CounterChange* const read = Find(counters, "dram__bytes_read.sum");
  const CounterChange* const sectors =
      Find(counters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  if (HasRatio(read) && read->moved && sectors != nullptr && !sectors->moved) {
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
std::string LargestStall(const KernelRuns& before, const KernelRuns& after) {
  std::string reason;
  double largest = 0, from = 0, to = 0;
  for (const auto& [name, value] : after.metrics) {
    if (!text::StartsWith(name, kStallStart) || !text::EndsWith(name, kStallEnd)) continue;
    const auto old = before.metrics.find(name);
    if (old == before.metrics.end() || Overlap(old->second, value)) continue;
    const double rise = value.median - old->second.median;
    if (rise <= largest) continue;
    largest = rise;
    from = old->second.median;
    to = value.median;
    reason = name.substr(kStallStart.size(), name.size() - kStallStart.size() - kStallEnd.size());
  }
  if (reason.empty()) return "";
  return "the wait that grew most is " + reason + ": " + text::Fixed(from, 2) + " -> " +
         text::Fixed(to, 2) + " warps per issued instruction";
}

// The same instructions: it waits, or the clock differs.
void AddSameWork(const KernelRuns& before, const KernelRuns& after, const KernelChange& change,
                 std::vector<std::string>* lines) {
  if (!AnyExact(change.counters, false) || AnyExact(change.counters, true)) return;
  if (!change.cycles) {
    lines->emplace_back("the work is the same by all exact counters");
    return;
  }
  const double cycles = change.cycles->ratio.value;
  const std::string times = text::Fixed(cycles, 3) + " times the cycles";
  const bool is_clock = std::abs(cycles - 1) < change.time.threshold / 2 &&
                        std::abs(change.time.ratio.value - 1) >= change.time.threshold;
  lines->push_back("the work is the same by all exact counters, in " + times +
                   (is_clock ? ": the clock differs" : ""));
  const std::string stall = cycles > 1 ? LargestStall(before, after) : "";
  if (!stall.empty()) lines->push_back(stall);
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
                                 const KernelChange& change) {
  std::vector<std::string> lines;
  AddWork(change.counters, &lines);
  AddSameWork(before, after, change, &lines);
  for (const CounterChange& c : change.counters) {
    if (c.moved && lines.size() < kMostSentences) lines.push_back(Sentence(c));
  }
  if (!AnyExact(change.counters, false)) {
    lines.emplace_back(
        "both sides have no counter of its work: record with --counters all, and the counters that "
        "moved explain more");
  }
  return lines;
}

}  // namespace prof::compare
