// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/run_clock.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr double kNsPerS = 1e9;
constexpr double kMostlyAlone = 0.90;  // [own] of its launches in the run

// L2 and DRAM have clocks of their own.
bool HasSmClock(Unit unit) { return unit != Unit::kDram && unit != Unit::kL2; }

double BusiestSmUnit(const KernelReport& kernel) {
  double busiest = 0;
  for (const UnitUse& use : kernel.units) {
    if (HasSmClock(use.unit)) busiest = std::max(busiest, use.at_least());
  }
  return std::min(1.0, busiest);
}

double HighestClock(const model::Model& model, uint32_t id) {
  const model::Device* const device = model.FindDevice(id);
  return device == nullptr ? 0 : 1e3 * device->sm_clock_khz;
}

// Why there is no estimate; empty: there is one.
std::string WhyNone(const KernelReport& kernel, double alone) {
  const KernelClock& clock = kernel.clock;
  if (kernel.duration_from_counters || kernel.duration_ns.n == 0 || !(kernel.duration_ns.min > 0)) {
    return "no launch of it has a time on the timeline";
  }
  if (kernel.samples_used == 0 && kernel.metrics.empty()) return "no launch of it was counted";
  if (clock.sampled_ns.n == 0) return "no counted launch of it has a time on the timeline";
  if (clock.sampled_cycles.n == 0) return "no SM clock was read with its counters (--counters sol)";
  const double busiest = BusiestSmUnit(kernel);
  if (!(busiest >= kBusy)) {
    return "its SM units are below " + text::Percent(kBusy) +
           " of their peak: its time need not depend on the SM clock";
  }
  if (alone < kMostlyAlone) {
    return "other work ran beside " + text::Percent(1 - alone) + " of its launches";
  }
  return "";
}

bool AboveHighest(double hz, double highest_hz) {
  return highest_hz > 0 && hz > highest_hz * (1 + kSameClock);
}

// No clock is above the highest one: what is read or computed within its error is that.
Statistic AtMostHighest(Statistic hz, double highest_hz) {
  if (!(highest_hz > 0)) return hz;
  for (double* value : {&hz.median, &hz.min, &hz.max}) *value = std::min(*value, highest_hz);
  hz.sum = std::min(hz.sum, highest_hz * static_cast<double>(hz.n));
  return hz;
}

// Short windows of samples may hold a cycle too many or too few.
void TakeRead(const Statistic& read, double highest_hz, KernelClock* clock) {
  if (AboveHighest(read.median, highest_hz)) {
    clock->run_missing = "its samples give " + text::Rate(read.median, "Hz") +
                         ", above the device's highest SM clock: they are not exact enough";
    return;
  }
  clock->run_hz = AtMostHighest(read, highest_hz);
  clock->run_hz_bound = clock->run_hz.median;
  clock->run_is_read = true;
}

void Estimate(double alone, double highest_hz, KernelReport* kernel) {
  KernelClock& clock = kernel->clock;
  clock.run_missing = WhyNone(*kernel, alone);
  if (!clock.run_missing.empty()) return;
  const Statistic& run_ns = kernel->duration_ns;
  const double cycles = clock.sampled_cycles.median;
  const double hz = cycles / run_ns.median * kNsPerS;
  if (AboveHighest(hz, highest_hz)) {
    clock.run_missing = "its cycles over its time in the run give " + text::Rate(hz, "Hz") +
                        ", above the device's highest SM clock: its counted launches are slower "
                        "for another reason";
    return;
  }
  clock.run_hz.n = run_ns.n;
  clock.run_hz.median = hz;
  clock.run_hz.min = cycles / run_ns.max * kNsPerS;
  clock.run_hz.max = cycles / run_ns.min * kNsPerS;
  clock.run_hz.sum = hz * static_cast<double>(run_ns.n);
  clock.run_hz = AtMostHighest(clock.run_hz, highest_hz);
  const double share = BusiestSmUnit(*kernel);
  const double longer = run_ns.median / clock.sampled_ns.median;
  // 0 or less: faster than the rest of the time alone, which then depends on the clock, too.
  const double scaled = longer - (1 - share);
  clock.run_hz_bound = scaled > 0 ? clock.sampled_hz.median * share / scaled : hz;
  if (highest_hz > 0) clock.run_hz_bound = std::min(clock.run_hz_bound, std::max(hz, highest_hz));
}

bool Agree(double a, double b) { return std::abs(a - b) <= kSameClock * std::max(a, b); }

void CountAgreeing(std::vector<KernelReport>* kernels) {
  std::map<uint32_t, std::vector<double>> clocks;  // by device
  for (const KernelReport& kernel : *kernels) {
    if (kernel.clock.run_hz.n > 0) clocks[kernel.device].push_back(kernel.clock.run_hz.median);
  }
  for (auto& [device, all] : clocks) std::sort(all.begin(), all.end());
  for (KernelReport& kernel : *kernels) {
    if (kernel.clock.run_hz.n == 0) continue;
    const std::vector<double>& all = clocks[kernel.device];
    const double hz = kernel.clock.run_hz.median;
    kernel.clock.agreeing = std::upper_bound(all.begin(), all.end(), hz / (1 - kSameClock)) -
                            std::lower_bound(all.begin(), all.end(), hz * (1 - kSameClock));
  }
}

bool ShowsRunClock(const KernelReport& kernel) {
  const KernelClock& clock = kernel.clock;
  return clock.run_hz.n > 0 && (clock.run_is_read || clock.agreeing > 1 ||
                                Agree(clock.run_hz.median, clock.sampled_hz.median));
}

// The clock of a device in the run over that of its samples; absent: not known.
std::optional<double> SlowDown(const std::vector<KernelReport>& kernels, uint32_t device) {
  std::vector<WeightedValue> ratios;
  for (const KernelReport& kernel : kernels) {
    if (kernel.device != device || !ShowsRunClock(kernel)) continue;
    if (kernel.clock.sampled_hz.n == 0) continue;
    ratios.push_back(
        {kernel.clock.sampled_hz.median / kernel.clock.run_hz.median, kernel.total_ns});
  }
  if (ratios.empty()) return std::nullopt;
  return SummarizeWeighted(&ratios).median;
}

bool Explains(const KernelReport& kernel, const std::optional<double>& slow_down) {
  if (kernel.clock.sampled_ns.n == 0 || kernel.duration_ns.n == 0) return false;
  if (kernel.clock.agreeing > 1) return true;
  if (!slow_down) return false;
  const double longer = kernel.duration_ns.median / kernel.clock.sampled_ns.median;
  return longer >= std::min(1.0, *slow_down) * (1 - kDurationSpread) &&
         longer <= std::max(1.0, *slow_down) * (1 + kDurationSpread);
}

}  // namespace

void EstimateRunClocks(const model::Model& model, const std::vector<Statistic>& read,
                       const std::vector<double>& alone, std::vector<KernelReport>* kernels) {
  for (size_t i = 0; i < kernels->size(); ++i) {
    KernelReport& kernel = (*kernels)[i];
    if (i < read.size() && read[i].n > 0) {
      TakeRead(read[i], HighestClock(model, kernel.device), &kernel.clock);
      continue;
    }
    Estimate(i < alone.size() ? alone[i] : 1, HighestClock(model, kernel.device), &kernel);
  }
  CountAgreeing(kernels);
  for (const model::Device& device : model.devices) {
    const std::optional<double> slow_down = SlowDown(*kernels, device.id);
    for (KernelReport& kernel : *kernels) {
      if (kernel.device == device.id) kernel.clock.explains = Explains(kernel, slow_down);
    }
  }
}

RunClock FindRunClock(const model::Model& model, uint32_t device,
                      const std::vector<KernelReport>& kernels,
                      const std::vector<double>& undisturbed_ns) {
  RunClock result;
  result.highest_hz = HighestClock(model, device);
  std::vector<WeightedValue> run, sampled;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelReport& kernel = kernels[i];
    if (kernel.device != device || !ShowsRunClock(kernel)) continue;
    const double hz = kernel.clock.run_hz.median;
    run.push_back({hz, kernel.total_ns});
    if (kernel.clock.run_is_read) ++result.read;
    result.time_ns += undisturbed_ns[i];
    if (kernel.clock.sampled_hz.n > 0) {
      sampled.push_back({kernel.clock.sampled_hz.median, kernel.total_ns});
      result.lost_ns += undisturbed_ns[i] * std::max(0.0, 1 - hz / kernel.clock.sampled_hz.median);
    }
    if (result.highest_hz > 0) {
      result.lost_to_highest_ns += undisturbed_ns[i] * std::max(0.0, 1 - hz / result.highest_hz);
    }
  }
  result.hz = SummarizeWeighted(&run);
  result.sampled_hz = SummarizeWeighted(&sampled);
  return result;
}

}  // namespace prof::analyzer
