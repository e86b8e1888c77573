// SPDX-License-Identifier: Apache-2.0
//
// The table of the hardware units: the metrics of each one, and its names. Everything that asks
// which metric belongs to which unit asks this table.
#ifndef PROF_LIB_ANALYZER_KERNELS_UNIT_METRICS_H_
#define PROF_LIB_ANALYZER_KERNELS_UNIT_METRICS_H_

#include <string_view>

#include "lib/format/triage_metrics.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

struct UnitMetric {
  Unit unit;
  std::string_view metric;  // percent of the unit's peak over elapsed cycles
  // True: without it the use of the unit is a lower bound. The level sol reads these metrics, and
  // more.
  bool needed;
};

inline constexpr std::string_view kL1Wavefronts =
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed";
inline constexpr std::string_view kSharedWavefronts =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed";

inline constexpr std::string_view kL1Requests =
    "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed";
// Matrix instructions alone, without HFMA2: all but those of FP64, and those of FP64.
inline constexpr std::string_view kMatrixCycles =
    "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active"
    ".avg.pct_of_peak_sustained_elapsed";
inline constexpr std::string_view kDoubleMatrixCycles =
    "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_elapsed";

// A unit is as busy as the busiest of its metrics. Unit::kL1 stands for L1's data path, which is
// Unit::kShared where shared memory is most of it.
inline constexpr UnitMetric kUnitMetrics[] = {
    {Unit::kDram, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kL2, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kL2, "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kL2, "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kL2, "lts__d_sectors.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kL2, "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kL2, "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kL1, kL1Wavefronts, true},
    {Unit::kL1, kL1Requests, true},
    {Unit::kL1, "l1tex__lsu_writeback_active.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kL1, "l1tex__lsu_writeback_active_mem_lgds.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kL1, "l1tex__data_bank_reads.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kL1, "l1tex__data_bank_writes.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kL1, "l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kTensor, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kFma, "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kFma, "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kAlu, "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kFp64, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kSfu, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kLsu, "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed", true},
    {Unit::kTexture, "l1tex__f_wavefronts.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kTexture, "l1tex__data_pipe_tex_wavefronts.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kTexture, "l1tex__tex_writeback_active.avg.pct_of_peak_sustained_elapsed", false},
    {Unit::kIssue, "sm__issue_active.avg.pct_of_peak_sustained_elapsed", true},
};

// What PM sampling reads of each unit (lib/format/triage_metrics.h). L1's data path is shared
// memory's where most of its wavefronts are.
struct PmUnit {
  format::TriageUnit read;
  Unit unit;
};

inline constexpr PmUnit kPmUnits[] = {
    {format::TriageUnit::kDram, Unit::kDram},     {format::TriageUnit::kL2, Unit::kL2},
    {format::TriageUnit::kL1, Unit::kL1},         {format::TriageUnit::kL1Writeback, Unit::kL1},
    {format::TriageUnit::kTensor, Unit::kTensor}, {format::TriageUnit::kFma, Unit::kFma},
    {format::TriageUnit::kFmaHeavy, Unit::kFma},  {format::TriageUnit::kAlu, Unit::kAlu},
    {format::TriageUnit::kFp64, Unit::kFp64},     {format::TriageUnit::kXu, Unit::kSfu},
    {format::TriageUnit::kIssue, Unit::kIssue},
};

struct UnitName {
  Unit unit;
  std::string_view name;     // in sentences
  std::string_view heading;  // in tables and lists
  // True: nobody can claim that no unit is busy when this one was not measured. The data path of
  // L1 counts once.
  bool must_be_known;
};

inline constexpr UnitName kUnitNames[] = {
    {Unit::kDram, "DRAM", "DRAM", true},
    {Unit::kL2, "L2", "L2", true},
    {Unit::kL1, "L1 data path", "L1", true},
    {Unit::kShared, "shared memory", "shared", false},
    {Unit::kTensor, "tensor pipe", "tensor", true},
    {Unit::kFma, "FMA pipe", "FMA", true},
    {Unit::kAlu, "ALU pipe", "ALU", true},
    {Unit::kFp64, "FP64 pipe", "FP64", true},
    {Unit::kSfu, "special-function pipe", "SFU", false},
    {Unit::kLsu, "load/store pipe", "LSU", false},
    {Unit::kTexture, "texture unit", "texture", false},
    {Unit::kIssue, "issue slots", "issue", true},
};

[[nodiscard]] constexpr bool NamesAreInOrder() {
  int number = 0;
  for (const UnitName& name : kUnitNames) {
    if (static_cast<int>(name.unit) != number++) return false;
  }
  return number == kUnitCount;
}
static_assert(NamesAreInOrder(), "kUnitNames has one row for each unit, in the order of the enum");

[[nodiscard]] constexpr const UnitName& NamesOf(Unit unit) {
  return kUnitNames[static_cast<int>(unit)];
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_UNIT_METRICS_H_
