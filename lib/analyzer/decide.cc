// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/decide.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/analyzer/continuous/pm_units.h"
#include "lib/analyzer/kernels/flops.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/analyzer/kernels/run_clock.h"
#include "lib/analyzer/kernels/sampled_clock.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/verdict_region.h"
#include "lib/analyzer/rules/verdict_rules.h"

namespace prof::analyzer {
namespace {

constexpr std::string_view kAchievedOccupancyMetric =
    "sm__warps_active.avg.pct_of_peak_sustained_active";

double Share(double ns, double undisturbed_ns) {
  return undisturbed_ns > 0 ? ns / undisturbed_ns : 0;
}

// Without its launches that are set aside, unless it has no others.
double KernelShare(const KernelGroup& group, double undisturbed_ns) {
  const bool none = group.undisturbed_ns == 0;
  const auto time_ns = none ? group.launches.total_ns : static_cast<double>(group.undisturbed_ns);
  return none ? std::min(1.0, Share(time_ns, undisturbed_ns)) : Share(time_ns, undisturbed_ns);
}

// What stands on another signature's counters, or on its PM samples, is less sure.
void LowerIfLent(KernelReport* kernel) {
  const bool counters = !kernel->metrics.empty();
  const std::string& from = counters ? kernel->counters_from : kernel->continuous_from;
  Verdict& verdict = kernel->verdict;
  if (from.empty() || verdict.limiter == Limiter::kNotMeasured) return;
  verdict.evidence.insert(verdict.evidence.begin(),
                          (counters ? "counters of " : "PM samples of ") + from);
  AddDoubt("lent", std::string(counters ? "counters" : "PM samples") + " are of " + from, &verdict);
  SetConfidence(&verdict);
}

// All but the verdict, and what needs the clock of the run.
KernelReport Prepare(const KernelGroup& group, const Inherited& inherited, size_t g,
                     double undisturbed_ns) {
  KernelReport kernel{group.launches, inherited.counted.of_group[g].counters};
  kernel.share = KernelShare(group, undisturbed_ns);
  kernel.continuous = inherited.continuous[g];
  kernel.counters_from = inherited.counters_from[g];
  kernel.continuous_from = inherited.continuous_from[g];
  if (const std::optional<double> percent = kernel.Metric(kAchievedOccupancyMetric)) {
    kernel.occupancy.achieved = *percent / 100;
  }
  AddPmValues(&kernel);
  return kernel;
}

void Decide(KernelContext context, const model::Device* device, KernelReport* kernel) {
  CountedFlops flops = CountFlops(*kernel, kernel->duration_ns, device);
  context.notes.insert(context.notes.end(), flops.notes.begin(), flops.notes.end());
  kernel->flops = std::move(flops.kinds);
  kernel->roofline = ComputeRoofline(*kernel, kernel->duration_ns, kernel->flops, device);
  kernel->verdict = DecideKernel(*kernel, device, context);
  LowerIfLent(kernel);
}

}  // namespace

VerdictCoverage CoverVerdicts(const std::vector<KernelReport>& kernels) {
  VerdictCoverage coverage;
  // The name of what communicates shows that it does, and no measurement decides more.
  const auto counts = [](const KernelReport& kernel) {
    return kernel.verdict.limiter != Limiter::kCommunication;
  };
  double total_ns = 0;
  for (const KernelReport& kernel : kernels) total_ns += counts(kernel) ? kernel.total_ns : 0;
  for (const KernelReport& kernel : kernels) {
    if (!counts(kernel)) continue;
    const double share = Share(kernel.total_ns, total_ns);
    if (!kernel.verdict.decided) {
      if (coverage.missing.empty()) coverage.missing = kernel.verdict.missing;
      // Not of a kernel that was not chosen, nor where nothing samples it.
      if (kernel.comes_again && !kernel.continuous.empty()) coverage.later += share;
      continue;
    }
    coverage.share += share;
    double& of_source = kernel.verdict.source == Source::kBoth        ? coverage.both
                        : kernel.verdict.source == Source::kPmSamples ? coverage.pm_samples
                        : kernel.verdict.source == Source::kNone      ? coverage.duration
                                                                      : coverage.counters;
    of_source += share;
  }
  return coverage;
}

std::vector<RegionReport> DecideRegions(const model::Model& model, const CountedRegions& counted,
                                        double undisturbed_ns) {
  std::vector<RegionReport> regions;
  regions.reserve(counted.regions.size());
  for (const CountedRegion& region : counted.regions) {
    const model::Device* const device = model.FindDevice(region.instances.device);
    const double share = std::min(1.0, Share(region.instances.total_ns, undisturbed_ns));
    CountedFlops flops = CountFlops(region.counters, region.instances.duration_ns, device);
    RegionReport& report = regions.emplace_back(RegionReport{region.instances, region.counters});
    report.share = share;
    report.roofline =
        ComputeRoofline(region.counters, region.instances.duration_ns, flops.kinds, device);
    std::vector<std::string> notes = region.notes;
    notes.insert(notes.end(), flops.notes.begin(), flops.notes.end());
    report.flops = std::move(flops.kinds);
    report.verdict = DecideRegion(region.instances, region.counters, device, notes);
  }
  return regions;
}

std::vector<KernelReport> DecideKernels(const model::Model& model, const KernelGroups& groups,
                                        const Inherited& counted,
                                        const std::vector<LaunchCourse>& courses,
                                        const CountedRegions& counted_regions,
                                        const std::vector<RegionReport>& regions,
                                        double undisturbed_ns) {
  std::vector<KernelReport> kernels;
  kernels.reserve(groups.groups.size());
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    kernels.push_back(Prepare(groups.groups[g], counted, g, undisturbed_ns));
    kernels.back().course = courses[g];
  }
  EstimateRunClocks(model, ReadSampledClocks(model, groups), counted.counted.alone, &kernels);
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    const int32_t region = counted_regions.of_group[g];
    Decide(
        {region == model::kNoIndex ? nullptr : &regions[region], counted.counted.of_group[g].notes},
        model.FindDevice(groups.groups[g].device), &kernels[g]);
  }
  return kernels;
}

}  // namespace prof::analyzer
