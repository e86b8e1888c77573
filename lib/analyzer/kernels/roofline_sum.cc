// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/roofline_sum.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "lib/analyzer/kernels/roofline.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using Kernels = std::vector<const KernelReport*>;

constexpr double kNegligible = 0.01;  // of the time of the range

double Launches(const KernelReport& kernel) { return static_cast<double>(kernel.launches); }

double TotalTimeOf(const Kernels& kernels) {
  double time_ns = 0;
  for (const KernelReport* kernel : kernels) time_ns += kernel->total_ns;
  return time_ns;
}

const RooflineLevel* Find(const Roofline& roofline, const std::string& level) {
  for (const RooflineLevel& entry : roofline.levels) {
    if (entry.level == level) return &entry;
  }
  return nullptr;
}

// A mean over time.
struct Mean {
  double sum = 0, weight = 0;
  void Add(const std::optional<double>& value, double time_ns) {
    if (!value) return;
    sum += *value * time_ns;
    weight += time_ns;
  }
  [[nodiscard]] std::optional<double> Get() const {
    return weight > 0 ? std::optional<double>(sum / weight) : std::nullopt;
  }
};

RooflineLevel SumLevel(const Kernels& kernels, double time_ns, const std::string& name) {
  RooflineLevel level;
  level.level = name;
  double bytes = 0, counted_ns = 0;
  Mean ceiling;
  for (const KernelReport* kernel : kernels) {
    const RooflineLevel* const part = Find(kernel->roofline, name);
    if (part == nullptr || !part->bytes) {
      if (part != nullptr && level.missing.empty()) level.missing = part->missing;
      continue;
    }
    bytes += *part->bytes * Launches(*kernel);
    counted_ns += kernel->total_ns;
    ceiling.Add(part->ceiling_bytes_per_s, kernel->total_ns);
    if (level.metric.empty()) level.metric = part->metric;
    if (level.ceiling.empty()) level.ceiling = part->ceiling;
  }
  level.ceiling_bytes_per_s = ceiling.Get();
  if (counted_ns < (1 - kNegligible) * time_ns) {
    level.missing = "not counted for " + text::Percent(1 - counted_ns / time_ns) +
                    " of the kernels' time" + (level.missing.empty() ? "" : ": " + level.missing);
    level.metric.clear();
    return level;
  }
  level.missing.clear();
  level.bytes = bytes;
  level.bytes_per_s = bytes / (time_ns * 1e-9);
  if (level.ceiling_bytes_per_s) level.of_ceiling = *level.bytes_per_s / *level.ceiling_bytes_per_s;
  return level;
}

struct FlopKindSum {
  double count = 0;
  Mean peak;
};

void SumFlops(const Kernels& kernels, double time_ns, Roofline* roofline) {
  std::map<std::string, FlopKindSum> kinds;
  double uncounted_ns = 0;
  for (const KernelReport* kernel : kernels) {
    if (kernel->flops.empty()) uncounted_ns += kernel->total_ns;
    for (const FlopCount& count : kernel->flops) {
      FlopKindSum& kind = kinds[count.kind];
      kind.count += count.per_launch * Launches(*kernel);
      kind.peak.Add(count.peak_per_s, kernel->total_ns);
    }
  }
  if (uncounted_ns > kNegligible * time_ns) {
    roofline->flops_missing =
        "not counted for " + text::Percent(uncounted_ns / time_ns) + " of the kernels' time";
    return;
  }
  double longest = 0;
  for (const auto& [name, kind] : kinds) {
    if (!(kind.count > 0)) continue;
    const std::optional<double> peak = kind.peak.Get();
    const double needed = kind.count / peak.value_or(1);  // without a peak: it leads, by its count
    if (needed <= longest) continue;
    longest = needed;
    roofline->flop_kind = name;
    roofline->flops_per_s = kind.count / (time_ns * 1e-9);
    roofline->flop_peak_per_s = peak;
    roofline->flop_ceiling = peak ? "mean over the kernels' time" : "";
  }
}

}  // namespace

Roofline SumRooflines(const std::vector<const KernelReport*>& kernels) {
  Roofline roofline;
  const double time_ns = TotalTimeOf(kernels);
  const bool any = std::any_of(kernels.begin(), kernels.end(), [](const KernelReport* kernel) {
    return !kernel->roofline.levels.empty();
  });
  if (!any || !(time_ns > 0)) return roofline;
  roofline.time_ns = time_ns;
  roofline.rates_of = "run";
  SumFlops(kernels, time_ns, &roofline);
  for (const char* name : {"l1", "l2", "dram"}) {
    roofline.levels.push_back(SumLevel(kernels, time_ns, name));
  }
  const RooflineLevel& dram = roofline.levels.back();
  roofline.dram_bytes_per_s = dram.bytes_per_s;
  roofline.dram_peak_bytes_per_s = dram.ceiling_bytes_per_s;
  if (roofline.flops_per_s && dram.bytes_per_s && *dram.bytes_per_s > 0) {
    roofline.flops_per_byte = *roofline.flops_per_s / *dram.bytes_per_s;
  }
  FindBound(&roofline);
  return roofline;
}

}  // namespace prof::analyzer
