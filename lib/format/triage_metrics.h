// SPDX-License-Identifier: Apache-2.0
//
// The tables of the triage metrics: what PM sampling reads of each hardware unit to name the unit
// that limits a kernel, and what tells why. The capture half chooses by them, the analyzer half
// reads by them.
#ifndef PROF_LIB_FORMAT_TRIAGE_METRICS_H_
#define PROF_LIB_FORMAT_TRIAGE_METRICS_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace prof::format {

enum class TriageUnit {
  kDram,         // reads and writes together
  kL2,           // its busiest part
  kL1,           // L1's data path
  kShared,       // the part of L1's data path that is shared memory's
  kL1Writeback,  // from L1 to the registers
  kTensor,
  kFma,
  kFmaHeavy,  // one of the two halves of the FMA pipe
  kAlu,
  kFp64,
  kXu,  // special functions and conversions
  kIssue,
  kSmActive,  // SMs with at least one warp
  kWarps,     // warp slots in use
  kDramRead,
  kDramWrite,
};
inline constexpr size_t kTriageUnits = 16;

// Each is a percentage of the unit's peak over elapsed cycles.
inline constexpr std::string_view kTriageSuffix = ".avg.pct_of_peak_sustained_elapsed";

struct TriageMetric {
  TriageUnit unit;
  std::string_view name;  // of the unit, in sentences
  // By preference; the rest is empty. The Triage names are NVIDIA's own set for this purpose; they
  // exist on GH100, GB100, GB110, AD10x, GA10x and TU10x. The plain ones serve GA100 and GB20x.
  std::array<std::string_view, 5> names;
};

// The most deciding units come first: where one pass does not hold all, they are in the first pass.
inline constexpr TriageMetric kTriageMetrics[] = {
    {TriageUnit::kDram,
     "DRAM",
     {"FBSP.TriageCompute.dramc__throughput", "dram__throughput", "dramc__throughput",
      "gpu__dram_throughput"}},
    // The busiest part of L2. Sectors alone miss what leaves it: a kernel that reads from L2 at its
    // limit has 51 % of the sectors' peak on GH100.
    {TriageUnit::kL2,
     "L2",
     {"LTS.TriageCompute.lts__throughput", "LTS.TriageAC.lts__throughput",
      "LTS.TriageA.lts__throughput", "LTS.TriageCompute.lts__t_sector_throughput",
      "lts__t_sectors"}},
    {TriageUnit::kIssue,
     "SM issue",
     {"TPC.TriageCompute.sm__inst_executed_realtime", "sm__inst_executed_realtime",
      "sm__issue_active", "sm__inst_issued"}},
    {TriageUnit::kTensor,
     "tensor",
     {"TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime",
      "sm__pipe_tensor_cycles_active_realtime", "sm__pipe_tensor_cycles_active"}},
    {TriageUnit::kL1,
     "L1",
     {"SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts", "l1tex__data_pipe_lsu_wavefronts"}},
    {TriageUnit::kShared,
     "shared memory",
     {"SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts_mem_shared",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared"}},
    {TriageUnit::kFma,
     "FMA",
     {"TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime",
      "sm__inst_executed_pipe_fma_realtime", "sm__pipe_fma_cycles_active",
      "sm__inst_executed_pipe_fma"}},
    {TriageUnit::kFmaHeavy,
     "heavy FMA",
     {"TPC.TriageCompute.sm__inst_executed_pipe_fmaheavy_realtime",
      "sm__inst_executed_pipe_fmaheavy_realtime", "sm__pipe_fmaheavy_cycles_active"}},
    {TriageUnit::kAlu,
     "ALU",
     {"TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime",
      "sm__inst_executed_pipe_alu_realtime", "sm__pipe_alu_cycles_active",
      "sm__inst_executed_pipe_alu"}},
    {TriageUnit::kFp64,
     "FP64",
     {"TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime",
      "sm__pipe_fp64_cycles_active_realtime", "sm__pipe_fp64_cycles_active",
      "sm__inst_executed_pipe_fp64"}},
    {TriageUnit::kXu,
     "XU",
     {"SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime", "sm__inst_executed_pipe_xu_realtime",
      "sm__inst_executed_pipe_xu"}},
    {TriageUnit::kL1Writeback,
     "L1 writeback",
     {"SM_A.TriageCompute.l1tex__lsu_writeback_active", "l1tex__lsu_writeback_active"}},
    {TriageUnit::kSmActive,
     "SM activity",
     {"TPC.TriageCompute.sm__cycles_active", "sm__cycles_active"}},
    {TriageUnit::kWarps,
     "warps",
     // Not tpc__warps_active_shader_cs_realtime: it follows launched and ended warps, from a number
     // that it does not always know. 6.25 % came out as 43.8 and 93.2 %, 47.8 % as 0 (GH100).
     // It is read where there is room beside the rates.
     {"sm__warps_active"}},
    {TriageUnit::kDramRead,
     "DRAM reads",
     {"FBSP.TriageCompute.dramc__read_throughput", "dram__read_throughput",
      "dramc__read_throughput"}},
    {TriageUnit::kDramWrite,
     "DRAM writes",
     {"FBSP.TriageCompute.dramc__write_throughput", "dram__write_throughput",
      "dramc__write_throughput"}},
};

static_assert(sizeof(kTriageMetrics) / sizeof(kTriageMetrics[0]) == kTriageUnits,
              "kTriageMetrics has one row for each unit");

// A longer sample, in intervals, is of the time before PM sampling began again.
inline constexpr int64_t kLongestPmRow = 4;

// What tells why a unit is busy, or why none is: work that the kernel could do without. These are
// read where they fit in a pass of the units.
enum class TriageRate {
  kConflicts,       // wavefronts of shared memory that are bank conflicts
  kReturns,         // cycles in which L1 returned data of global or local memory: 128 bytes at most
  kTextureReturns,  // the same for textures
  kFills,           // sectors that L1 got from L2
  kSectors,         // sectors that the SMs asked L2 for
  kRequests,        // the requests for these, of one to four sectors
  kDeviceSectors,   // L2's sectors of the GPU's own memory
  kOtherSectors,    // L2's sectors of any other memory: the host's, another GPU's
  kThreads,         // instructions times the lanes that executed them
};

// A count in each cycle, average of the unit's instances.
inline constexpr std::string_view kRateSuffix = ".avg.per_cycle_elapsed";

struct TriageRateMetric {
  TriageRate rate;
  double most;  // about what it can reach, in its unit
  std::string_view suffix;
  std::array<std::string_view, 3> names;  // by preference; the rest is empty
};

inline constexpr TriageRateMetric kTriageRates[] = {
    {TriageRate::kConflicts, 1, kRateSuffix, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared"}},
    {TriageRate::kReturns,
     1,
     kRateSuffix,
     {"SM_A.TriageCompute.l1tex__lsu_writeback_active_mem_lgds",
      "l1tex__lsu_writeback_active_mem_lgds"}},
    {TriageRate::kTextureReturns,
     1,
     kRateSuffix,
     {"SM_A.TriageCompute.l1tex__tex_writeback_active", "l1tex__tex_writeback_active"}},
    {TriageRate::kFills,
     4,
     kRateSuffix,
     {"SM_A.TriageCompute.l1tex__m_xbar2l1tex_read_sectors_realtime",
      "l1tex__m_xbar2l1tex_read_sectors"}},
    {TriageRate::kSectors, 4, kRateSuffix, {"lts__t_sectors_srcunit_tex"}},
    {TriageRate::kRequests, 1, kRateSuffix, {"lts__t_requests_srcunit_tex"}},
    {TriageRate::kDeviceSectors,
     100,
     kTriageSuffix,
     {"LTS.TriageCompute.lts__t_sector_throughput_aperture_device",
      "LTS.TriageAC.lts__t_sector_throughput_aperture_device",
      "lts__t_sector_throughput_aperture_device"}},
    {TriageRate::kOtherSectors,
     100,
     kTriageSuffix,
     {"LTS.TriageCompute.lts__t_sector_throughput_aperture_other",
      "LTS.TriageAC.lts__t_sector_throughput_aperture_other",
      "lts__t_sector_throughput_aperture_other"}},
    {TriageRate::kThreads,
     128,
     kRateSuffix,
     {"SM_A.TriageCompute.sm__thread_inst_executed_pred_on_realtime",
      "sm__thread_inst_executed_pred_on_realtime"}},
};

// Of a metric as CUPTI evaluates it ("FBSP.TriageCompute.dramc__throughput.avg.pct_of_..."); null
// for any other.
[[nodiscard]] constexpr const TriageMetric* FindTriageMetric(std::string_view metric) {
  if (metric.size() <= kTriageSuffix.size()) return nullptr;
  const size_t base = metric.size() - kTriageSuffix.size();
  if (metric.substr(base) != kTriageSuffix) return nullptr;
  for (const TriageMetric& triage : kTriageMetrics) {
    for (const std::string_view name : triage.names) {
      if (!name.empty() && name == metric.substr(0, base)) return &triage;
    }
  }
  return nullptr;
}

// The same for a rate.
[[nodiscard]] constexpr const TriageRateMetric* FindTriageRate(std::string_view metric) {
  for (const TriageRateMetric& rate : kTriageRates) {
    if (metric.size() <= rate.suffix.size()) continue;
    const size_t base = metric.size() - rate.suffix.size();
    if (metric.substr(base) != rate.suffix) continue;
    for (const std::string_view name : rate.names) {
      if (!name.empty() && name == metric.substr(0, base)) return &rate;
    }
  }
  return nullptr;
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_TRIAGE_METRICS_H_
