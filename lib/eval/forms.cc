// SPDX-License-Identifier: Apache-2.0
#include "lib/eval/forms.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/continuous/pm_units.h"
#include "lib/analyzer/kernels/flops.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/rules/verdict_rules.h"
#include "lib/format/depth.h"
#include "lib/format/triage_metrics.h"

namespace prof::eval {
namespace {

using analyzer::UsableMedian;
using format::TriageUnit;

constexpr double kPmError = 1;  // points of a percentage
constexpr int64_t kPmSamples = 200, kPmLaunches = 30;
constexpr const char* kWarpsActive = "sm__warps_active.avg.pct_of_peak_sustained_active";

std::optional<double> PercentOfPeak(const Metrics& metrics, const char* unit) {
  return UsableMedian(metrics, std::string(unit) + ".avg.pct_of_peak_sustained_elapsed");
}

std::optional<double> HighestOf(const Metrics& metrics, Unit unit) {
  std::optional<double> highest;
  for (const analyzer::UnitMetric& row : analyzer::kUnitMetrics) {
    if (row.unit != unit) continue;
    const std::optional<double> value = UsableMedian(metrics, row.metric);
    if (value && *value > highest.value_or(-1)) highest = value;
  }
  return highest;
}

std::optional<double> SmActive(const Metrics& metrics) {
  const auto active = UsableMedian(metrics, "sm__cycles_active.avg");
  const auto elapsed = UsableMedian(metrics, "sm__cycles_elapsed.max");
  if (!active || !elapsed || !(*elapsed > 0)) return std::nullopt;
  return std::min(100.0, 100 * *active / *elapsed);
}

std::optional<double> Warps(const Metrics& metrics) {
  const auto warps = UsableMedian(metrics, kWarpsActive);
  const auto active = SmActive(metrics);
  return warps && active ? std::optional<double>(*warps * *active / 100) : std::nullopt;
}

// What PM sampling reads of it, by the counters.
std::optional<double> Sampled(const Metrics& metrics, TriageUnit unit) {
  switch (unit) {
    case TriageUnit::kDram:
      return HighestOf(metrics, Unit::kDram);
    case TriageUnit::kL2:
      return HighestOf(metrics, Unit::kL2);
    case TriageUnit::kL1:
      return UsableMedian(metrics, analyzer::kL1Wavefronts);
    case TriageUnit::kShared:
      return UsableMedian(metrics, analyzer::kSharedWavefronts);
    case TriageUnit::kL1Writeback:
      return PercentOfPeak(metrics, "l1tex__lsu_writeback_active_mem_lgds");
    case TriageUnit::kTensor:
      return HighestOf(metrics, Unit::kTensor);
    case TriageUnit::kFma:
      return PercentOfPeak(metrics, "sm__pipe_fma_cycles_active");
    case TriageUnit::kFmaHeavy:
      return PercentOfPeak(metrics, "sm__pipe_fmaheavy_cycles_active");
    case TriageUnit::kAlu:
      return HighestOf(metrics, Unit::kAlu);
    case TriageUnit::kFp64:
      return HighestOf(metrics, Unit::kFp64);
    case TriageUnit::kXu:
      return HighestOf(metrics, Unit::kSfu);
    case TriageUnit::kIssue:
      return HighestOf(metrics, Unit::kIssue);
    case TriageUnit::kSmActive:
      return SmActive(metrics);
    case TriageUnit::kWarps:
      return Warps(metrics);
    case TriageUnit::kDramRead:
    case TriageUnit::kDramWrite:
      return std::nullopt;
  }
  return std::nullopt;
}

// PM samples of the units, then the counters that their use leaves open.
void KeepDefault(KernelReport* kernel) {
  format::UnitUse use;
  for (const format::TriageMetric& metric : format::kTriageMetrics) {
    const std::optional<double> percent = Sampled(kernel->metrics, metric.unit);
    if (!percent) continue;
    use.Set(metric.unit, *percent / 100);
    ContinuousValue value;
    value.value = percent;
    value.error = kPmError;
    value.seconds = 1;
    value.samples = value.direct = kPmSamples;
    value.launches = kPmLaunches;
    kernel->continuous[std::string(metric.names[0]) + std::string(format::kTriageSuffix)] = value;
  }
  const bool is_short = kernel->duration_ns.median < format::kLaunchSizedNs;
  const format::Needs needs = is_short ? format::kNeedsNothing : format::NeedsOf(use);
  for (auto metric = kernel->metrics.begin(); metric != kernel->metrics.end();) {
    const bool is_read = (format::AnswersOf(metric->first) & needs) != 0;
    metric = is_read ? std::next(metric) : kernel->metrics.erase(metric);
  }
}

}  // namespace

const char* ToString(Form form) {
  return form == Form::kAll ? "everything measured" : "default options";
}

KernelReport InForm(const KernelReport& measured, const model::Device& device, Form form) {
  KernelReport kernel = measured;
  if (form == Form::kDefault) KeepDefault(&kernel);
  kernel.samples_used = kernel.metrics.empty() ? 0 : 3;
  kernel.units = analyzer::FindUnits(kernel.metrics, analyzer::MayUseShared(kernel));
  kernel.flops = analyzer::CountFlops(kernel, kernel.duration_ns, &device).kinds;
  kernel.roofline = analyzer::ComputeRoofline(kernel, kernel.duration_ns, kernel.flops, &device);
  if (const std::optional<double> warps = UsableMedian(kernel.metrics, kWarpsActive)) {
    kernel.occupancy.achieved = *warps / 100;
  }
  analyzer::AddPmValues(&kernel);
  return kernel;
}

KernelReport Decided(const KernelReport& measured, const model::Device& device, Form form) {
  KernelReport kernel = InForm(measured, device, form);
  kernel.verdict = analyzer::DecideKernel(kernel, &device);
  return kernel;
}

}  // namespace prof::eval
