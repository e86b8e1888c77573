// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/counters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::compare {
namespace {

// kExact: the program decides it. kCache: caches and the order of blocks decide. kUse: percent of a
// unit's peak.
enum class Class { kExact, kCache, kUse };

// What a count takes: counts of one kind have a common unit.
enum class Takes { kItself, kInstructions, kSectors };

struct Known {
  const char* metric;
  const char* words;
  Class kind;
  WorkKind work = WorkKind::kNone;
  Takes takes = Takes::kItself;  // of a count that caches decide
};

constexpr const char* kInstructions = "smsp__inst_executed.sum";
constexpr const char* kOccupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";

constexpr Known kKnown[] = {
    {kInstructions, "instructions", Class::kExact, WorkKind::kInstructions},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "requests of global loads", Class::kExact,
     WorkKind::kWarps},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "requests of global stores", Class::kExact,
     WorkKind::kWarps},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors of global loads", Class::kExact,
     WorkKind::kSectors},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors of global stores", Class::kExact,
     WorkKind::kSectors},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sectors of local loads", Class::kExact,
     WorkKind::kSectors},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sectors of local stores", Class::kExact,
     WorkKind::kSectors},
    {"smsp__sass_inst_executed_op_shared_ld.sum", "shared loads", Class::kExact, WorkKind::kWarps},
    {"smsp__sass_inst_executed_op_shared_st.sum", "shared stores", Class::kExact, WorkKind::kWarps},
    {"smsp__inst_executed_op_ldsm.sum", "matrix loads from shared memory", Class::kExact,
     WorkKind::kWarps},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "FP32 additions", Class::kExact,
     WorkKind::kThreads},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "FP32 multiplications", Class::kExact,
     WorkKind::kThreads},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "FP32 multiply-adds", Class::kExact,
     WorkKind::kThreads},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "FP64 additions", Class::kExact,
     WorkKind::kThreads},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "FP64 multiplications", Class::kExact,
     WorkKind::kThreads},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "FP64 multiply-adds", Class::kExact,
     WorkKind::kThreads},
    {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "FP16 additions", Class::kExact,
     WorkKind::kThreads},
    {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "FP16 multiplications", Class::kExact,
     WorkKind::kThreads},
    {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "FP16 multiply-adds", Class::kExact,
     WorkKind::kThreads},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefronts of shared loads",
     Class::kCache, WorkKind::kNone, Takes::kInstructions},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefronts of shared stores",
     Class::kCache, WorkKind::kNone, Takes::kInstructions},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "bank conflicts of shared loads",
     Class::kCache, WorkKind::kNone, Takes::kInstructions},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "bank conflicts of shared stores",
     Class::kCache, WorkKind::kNone, Takes::kInstructions},
    {"lts__t_sectors.sum", "L2 sectors", Class::kCache, WorkKind::kNone, Takes::kSectors},
    {"lts__t_sectors_lookup_miss.sum", "L2 misses", Class::kCache, WorkKind::kNone,
     Takes::kSectors},
    {"lts__t_sectors_op_atom.sum", "L2 sectors of atomics", Class::kCache, WorkKind::kNone,
     Takes::kSectors},
    {"lts__t_sectors_op_red.sum", "L2 sectors of reductions", Class::kCache, WorkKind::kNone,
     Takes::kSectors},
    {"dram__bytes_read.sum", "bytes read from DRAM", Class::kCache, WorkKind::kNone,
     Takes::kSectors},
    {"dram__bytes_write.sum", "bytes written to DRAM", Class::kCache, WorkKind::kNone,
     Takes::kSectors},
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
    {kOccupancy, "achieved occupancy", Class::kUse},
};

// The operations of the tensor cores have a name for each type, which differs between chips.
constexpr std::string_view kTensorStart = "sm__ops_path_tensor_";
constexpr std::string_view kSumEnd = ".sum";

constexpr double kCacheTolerance = 0.03;  // [own] measured: equal launches differ by 2 %
constexpr double kUsePoints = 3;          // [own] points of percent

bool IsTensor(std::string_view metric) {
  return text::StartsWith(metric, kTensorStart) && text::EndsWith(metric, kSumEnd);
}

// "tensor operations (op hgmma src fp16)".
std::string TensorWords(const std::string& metric) {
  std::string type =
      metric.substr(kTensorStart.size(), metric.size() - kTensorStart.size() - kSumEnd.size());
  std::replace(type.begin(), type.end(), '_', ' ');
  return "tensor operations (" + type + ")";
}

bool IsMoved(const Statistic& a, const Statistic& b, Class kind) {
  if (kind == Class::kUse)
    return std::abs(b.median - a.median) >= kUsePoints && !RangesOverlap(a, b);
  const double tolerance = kind == Class::kExact ? kExactTolerance : kCacheTolerance;
  const double larger = std::max(std::abs(a.median), std::abs(b.median));
  return std::abs(b.median - a.median) > tolerance * larger && !RangesOverlap(a, b);
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

std::string Value(const CounterChange& c, double value) {
  if (IsUse(c)) return text::Fixed(value, 1) + " %";
  if (text::Contains(c.metric, "bytes")) return text::Bytes(value);
  return text::Grouped(value, value < 100 && value != std::floor(value) ? 1 : 0);
}

// What the values of one side differ by, and how many they are.
std::pair<double, int64_t> SpreadOf(const KernelRuns& kernel, const std::string& metric,
                                    const Statistic& over_runs) {
  const auto launches = kernel.launch_metrics.find(metric);
  const bool by_launch = over_runs.n < 2 && launches != kernel.launch_metrics.end();
  const Statistic& values = by_launch ? launches->second : over_runs;
  const double range = values.max - values.min;
  if (!(range > 0)) return {0, values.n};
  return {values.median > 0 ? range / values.median : std::numeric_limits<double>::infinity(),
          values.n};
}

Takes TakesOf(const Known& known) {
  switch (known.work) {
    case WorkKind::kInstructions:
    case WorkKind::kWarps:
    case WorkKind::kThreads:
      return Takes::kInstructions;
    case WorkKind::kSectors:
      return Takes::kSectors;
    case WorkKind::kTensor:
      return Takes::kItself;
    case WorkKind::kNone:
      break;
  }
  return known.takes;
}

// What one of its counts takes, in the unit of its kind.
double TakenByOne(const Known& known) {
  constexpr double kLanes = 32, kSectorBytes = 32;
  if (known.work == WorkKind::kThreads) return 1 / kLanes;
  return text::Contains(known.metric, "bytes") ? 1 / kSectorBytes : 1;
}

// The larger value of both sides. 0: a side does not have it.
double LargerOf(const KernelRuns& before, const KernelRuns& after, const char* metric) {
  const auto a = before.metrics.find(metric), b = after.metrics.find(metric);
  if (a == before.metrics.end() || b == after.metrics.end()) return 0;
  const double larger = std::max(a->second.median, b->second.median);
  return std::isfinite(larger) ? larger : 0;
}

// What the counts of each kind are a part of, in the kind's unit: all instructions, or else the
// largest count of the kind.
struct Wholes {
  double instructions = 0, sectors = 0;
};

Wholes WholesOf(const KernelRuns& before, const KernelRuns& after) {
  Wholes largest;
  for (const Known& known : kKnown) {
    const double taken = LargerOf(before, after, known.metric) * TakenByOne(known);
    const Takes takes = TakesOf(known);
    if (takes == Takes::kSectors) largest.sectors = std::max(largest.sectors, taken);
    if (takes == Takes::kInstructions) largest.instructions = std::max(largest.instructions, taken);
  }
  const double instructions = LargerOf(before, after, kInstructions);
  if (instructions > 0) largest.instructions = instructions;
  return largest;
}

double WeightOf(const CounterChange& c, const Known& known, const Wholes& wholes) {
  const double moved = std::abs(c.after - c.before);
  if (known.kind == Class::kUse) return moved / 100;
  const double taken = moved * TakenByOne(known);
  double whole = std::max(c.before, c.after) * TakenByOne(known);
  if (TakesOf(known) == Takes::kInstructions) whole = wholes.instructions;
  if (TakesOf(known) == Takes::kSectors) whole = wholes.sectors;
  return whole > 0 ? std::min(taken / whole, 1.0) : 0;
}

// Where a change stands among those that moved: what changed in the launch, then what it counts,
// by weight, then the uses of units, which the time moves, too, and at last what takes next to
// nothing.
int RankOf(const CounterChange& c) {
  if (!c.moved) return 4;
  if (IsProperty(c)) return 0;
  if (IsUse(c)) return 2;
  return c.weight >= kWorthSaying ? 1 : 3;
}

void AddCounter(const KernelRuns& before, const KernelRuns& after, const Known& known,
                const Wholes& wholes, std::vector<CounterChange>* changes) {
  const auto a = before.metrics.find(known.metric), b = after.metrics.find(known.metric);
  if (a == before.metrics.end() || b == after.metrics.end()) return;
  if (!std::isfinite(a->second.median) || !std::isfinite(b->second.median)) return;
  CounterChange change = {known.metric,
                          known.words,
                          a->second.median,
                          b->second.median,
                          IsMoved(a->second, b->second, known.kind),
                          known.kind == Class::kExact};
  const auto one = SpreadOf(before, change.metric, a->second);
  const auto other = SpreadOf(after, change.metric, b->second);
  change.spread = std::max(one.first, other.first);
  change.values = std::min(one.second, other.second);
  change.weight = WeightOf(change, known, wholes);
  changes->push_back(std::move(change));
}

}  // namespace

WorkKind WorkKindOf(std::string_view metric) {
  if (IsTensor(metric)) return WorkKind::kTensor;
  const auto* const it = std::find_if(std::begin(kKnown), std::end(kKnown),
                                      [&](const Known& known) { return metric == known.metric; });
  return it == std::end(kKnown) ? WorkKind::kNone : it->work;
}

std::vector<CounterChange> CompareCounters(const KernelRuns& before, const KernelRuns& after) {
  std::vector<CounterChange> changes;
  AddProperties(before, after, &changes);
  const Wholes wholes = WholesOf(before, after);
  for (const Known& known : kKnown) AddCounter(before, after, known, wholes, &changes);
  for (const auto& [metric, value] : before.metrics) {
    if (!IsTensor(metric)) continue;
    const std::string words = TensorWords(metric);
    const Known known = {metric.c_str(), words.c_str(), Class::kExact, WorkKind::kTensor};
    AddCounter(before, after, known, wholes, &changes);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const CounterChange& a, const CounterChange& b) {
                     const int rank = RankOf(a), other = RankOf(b);
                     if (rank != other) return rank < other;
                     return a.moved && !IsProperty(a) && a.weight > b.weight;
                   });
  return changes;
}

const CounterChange* FindCounter(const std::vector<CounterChange>& counters,
                                 std::string_view metric) {
  const auto it = std::find_if(counters.begin(), counters.end(),
                               [&](const CounterChange& c) { return c.metric == metric; });
  return it == counters.end() ? nullptr : &*it;
}

bool IsProperty(const CounterChange& c) { return c.metric == c.words; }

bool IsOccupancy(const CounterChange& c) { return c.metric == kOccupancy; }

bool IsUse(const CounterChange& c) { return text::Contains(c.metric, "pct_of_peak"); }

bool CountsWork(const KernelRuns& kernel) {
  return std::any_of(kernel.metrics.begin(), kernel.metrics.end(), [](const auto& metric) {
    return WorkKindOf(metric.first) != WorkKind::kNone && std::isfinite(metric.second.median);
  });
}

bool RangesOverlap(const Statistic& a, const Statistic& b) {
  return a.min <= b.max && b.min <= a.max;
}

bool IsPartOf(double work, double moved) {
  const double of_work = std::log(work), of_all = std::log(moved);
  return std::abs(of_work) >= std::log1p(kWorthSaying) && of_work * of_all > 0 &&
         std::abs(of_work) >= kLeastPart * std::abs(of_all);
}

bool HasRatio(const CounterChange* c) { return c != nullptr && c->before > 0 && c->after > 0; }

std::string FactorText(const CounterChange& c) {
  const double factor = c.after / c.before;
  return text::Fixed(factor, std::abs(factor - 1) < kWorthSaying ? 3 : 2) + " times";
}

std::string CounterText(const CounterChange& c) {
  std::string text = c.words + ": " + Value(c, c.before) + " -> " + Value(c, c.after);
  if (!IsUse(c) && c.before > 0) text += " (" + FactorText(c) + ")";
  return text;
}

}  // namespace prof::compare
