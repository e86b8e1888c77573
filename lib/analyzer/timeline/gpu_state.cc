// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/gpu_state.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"

namespace prof::analyzer {
namespace {

using model::GpuState;
using model::GpuStateKind;

struct Reason {
  uint32_t bit;
  const char* name;
  ClockHold::Kind kind;
};

// CUPTI's header has the first four, and CUPTI takes them from NVML (nvml.h, "clocks event
// reasons"), which has all of them. An idle GPU (bit 0) is none: its readings are left out.
constexpr std::array kReasons = {
    Reason{0x2, "a locked or chosen clock", ClockHold::Kind::kChosen},
    Reason{0x4, "the power limit", ClockHold::Kind::kPower},
    Reason{0x8, "a hardware slowdown by heat or by the power supply", ClockHold::Kind::kThermal},
    Reason{0x10, "the clock of a group of GPUs (sync boost)", ClockHold::Kind::kChosen},
    Reason{0x20, "heat, by the driver", ClockHold::Kind::kThermal},
    Reason{0x40, "heat, by the hardware", ClockHold::Kind::kThermal},
    Reason{0x80, "the power brake of the machine", ClockHold::Kind::kPower},
    Reason{0x100, "the clock of the display", ClockHold::Kind::kChosen}};
constexpr uint32_t kUnsupported = 0x4000'0000;

Intervals Without(const DeviceTimeline& device) {
  Intervals intervals = device.set_aside.intervals();
  for (const Gap& gap : device.gaps) {
    if (gap.disturbed_ns > 0 || gap.end_ns - gap.start_ns >= kIdleForClockNs) {
      intervals.push_back({gap.start_ns, gap.end_ns});
    }
  }
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; });
  return intervals;
}

struct Readings {
  std::vector<double> sm_hz, memory_hz, celsius, watts;
  double limit_w = 0;
  int64_t with_reasons = 0;  // of the clocks
  std::array<int64_t, kReasons.size()> of_reason{};

  void Add(const GpuState& reading);
};

void Readings::Add(const GpuState& reading) {
  switch (reading.kind) {
    case GpuStateKind::kClocks:
      if (reading.value > 0) sm_hz.push_back(reading.value * 1e6);
      if (reading.second > 0) memory_hz.push_back(reading.second * 1e6);
      if ((reading.reasons & kUnsupported) != 0) break;
      ++with_reasons;
      for (size_t i = 0; i < kReasons.size(); ++i) {
        if ((reading.reasons & kReasons[i].bit) != 0) ++of_reason[i];
      }
      break;
    case GpuStateKind::kTemperature:
      celsius.push_back(reading.value);
      break;
    case GpuStateKind::kPower:
      watts.push_back(reading.value * 1e-3);
      if (reading.second > 0) limit_w = reading.second * 1e-3;
      break;
    case GpuStateKind::kUnknown:
      break;
  }
}

Statistic Over(std::vector<double>* values) { return Summarize(values->begin(), values->end()); }

std::vector<ClockHold> Holds(const Readings& readings) {
  std::vector<ClockHold> holds;
  for (size_t i = 0; i < kReasons.size(); ++i) {
    if (readings.of_reason[i] == 0) continue;
    holds.push_back({kReasons[i].kind, kReasons[i].name, readings.of_reason[i]});
  }
  std::stable_sort(holds.begin(), holds.end(),
                   [](const ClockHold& a, const ClockHold& b) { return a.readings > b.readings; });
  return holds;
}

}  // namespace

GpuStateReport SummarizeGpuState(const model::Model& model, const DeviceTimeline& device) {
  const IntervalUnion left_out(Without(device));
  Readings readings;
  for (const GpuState& reading : model.gpu_states) {
    if (reading.device != device.device) continue;
    if (reading.time_ns < device.start_ns || reading.time_ns >= device.end_ns) continue;
    if (!left_out.Contains(reading.time_ns)) readings.Add(reading);
  }
  GpuStateReport report;
  report.sm_clock_hz = Over(&readings.sm_hz);
  report.memory_clock_hz = Over(&readings.memory_hz);
  report.celsius = Over(&readings.celsius);
  report.watts = Over(&readings.watts);
  report.power_limit_w = readings.limit_w;
  report.with_reasons = readings.with_reasons;
  report.holds = Holds(readings);
  return report;
}

}  // namespace prof::analyzer
