// SPDX-License-Identifier: Apache-2.0
//
// This table says what prof reads a metric for: the hardware unit whose use it measures, or the
// question that it answers. A metric that a chip lacks is named with it.
#ifndef PROF_LIB_FORMAT_METRIC_PURPOSE_H_
#define PROF_LIB_FORMAT_METRIC_PURPOSE_H_

#include <string>
#include <string_view>

#include "lib/format/depth.h"
#include "lib/format/triage_metrics.h"

namespace prof::format {

struct MetricPurpose {
  std::string_view part;  // of the name
  std::string_view purpose;
};

// For metrics of units that are not in kTriageMetrics. The first row that fits counts.
inline constexpr MetricPurpose kMetricPurposes[] = {
    {"pipe_tensor", "tensor"},
    {"pipe_fmaheavy", "heavy FMA"},
    {"pipe_fma", "FMA"},
    {"pipe_alu", "ALU"},
    {"pipe_fp64", "FP64"},
    {"pipe_xu", "XU"},
    {"pipe_lsu.", "load/store"},
    {"l1tex__f_", "texture"},
    {"pipe_tex", "texture"},
    {"tex_writeback", "texture"},
    {"l1tex__texin", "texture"},
    {"l1tex__", "L1"},
    {"lts__", "L2"},
    {"dram", "DRAM"},  // and gpu__dram_throughput
    {"warps_active.", "warps"},
    {"sm__cycles_", "SM activity"},
    {"gpc__cycles_", "SM clock"},
    {"sm__throughput.", "compute throughput"},
    {"memory_throughput.", "memory throughput"},
    {"pcie__", "PCIe"},
    {"nvl", "NVLink"},
};

// "why warps wait"; empty: the use of a unit, or a metric that prof does not know.
[[nodiscard]] constexpr std::string_view QuestionOf(Needs needs) {
  if (needs == kNeedsStalls) return "why warps wait";
  if (needs == kNeedsMemory) return "sectors and hit rates";
  if (needs == kNeedsShared) return "bank conflicts";
  if (needs == kNeedsOperations) return "operations by type";
  return {};
}

// `metric` as CUPTI evaluates it. Empty: prof does not know it.
[[nodiscard]] constexpr std::string_view PurposeOf(std::string_view metric) {
  if (const TriageMetric* const triage = FindTriageMetric(metric)) return triage->name;
  if (const std::string_view question = QuestionOf(AnswersOf(metric)); !question.empty()) {
    return question;
  }
  for (const MetricPurpose& row : kMetricPurposes) {
    if (metric.find(row.part) != std::string_view::npos) return row.purpose;
  }
  return {};
}

// "FP64 (sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed)".
[[nodiscard]] inline std::string WithPurpose(std::string_view metric) {
  const std::string_view purpose = PurposeOf(metric);
  if (purpose.empty()) return std::string(metric);
  return std::string(purpose) + " (" + std::string(metric) + ")";
}

}  // namespace prof::format

#endif  // PROF_LIB_FORMAT_METRIC_PURPOSE_H_
