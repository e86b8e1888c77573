// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_clock.h"

#include <algorithm>
#include <string>

#include "lib/analyzer/base/thresholds.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

bool IsBelow(double hz, double reference_hz, double by) { return hz < reference_hz * (1 - by); }

// What the clock costs the kernels that show it.
double CostNs(const RunClock& clock) { return std::max(clock.lost_ns, clock.lost_to_highest_ns); }

double HighestHz(const RunClock& clock) { return std::max(clock.highest_hz, clock.sampled_hz.max); }

// The work that shows no clock, at the lowest clock that was seen.
double OtherWorkNs(const DeviceReport& device) {
  return std::max(0.0, device.busy_ns - device.run_clock.time_ns);
}

double MostNs(const DeviceReport& device) {
  const RunClock& clock = device.run_clock;
  if (!(clock.highest_hz > 0)) return device.busy_ns;
  const double others = std::max(0.0, 1 - clock.hz.min / HighestHz(clock));
  return CostNs(clock) + others * OtherWorkNs(device);
}

bool IsLow(const RunClock& clock, double undisturbed_ns) {
  if (clock.hz.n == 0 || !(undisturbed_ns > 0)) return false;
  const bool below_samples = IsBelow(clock.hz.median, clock.sampled_hz.median, kClockSpread) &&
                             clock.lost_ns >= kClockCost * undisturbed_ns;
  const bool below_highest = IsBelow(clock.hz.median, clock.highest_hz, kLowClock) &&
                             clock.lost_to_highest_ns >= kIdleShare * undisturbed_ns;
  return below_samples || below_highest;
}

std::string Hertz(double hz) { return text::Rate(hz, "Hz"); }

// What held the clocks down for most of the time; nullptr: that is not known.
const ClockHold* MainHold(const GpuStateReport& state) {
  if (state.holds.empty()) return nullptr;
  const ClockHold& first = state.holds.front();
  const bool is_most =
      static_cast<double>(first.readings) >= kMostlyHeld * static_cast<double>(state.with_reasons);
  return is_most ? &first : nullptr;
}

std::string ClockTitle(const DeviceReport& device) {
  const RunClock& clock = device.run_clock;
  const ClockHold* const hold = MainHold(device.state);
  const std::string title = "The SM clock of device " + std::to_string(device.id) + " was " +
                            Hertz(clock.hz.median) + " in the run" +
                            (hold == nullptr ? "" : ", held down by " + hold->what) + ", and ";
  if (clock.sampled_hz.n == 0) return title + Hertz(clock.highest_hz) + " is its highest.";
  return title + Hertz(clock.sampled_hz.median) + " while kernels were counted.";
}

std::string ClockSource(const RunClock& clock) {
  const std::string range = " (" + Hertz(clock.hz.min) + " to " + Hertz(clock.hz.max) + ')';
  const std::string read = "PM samples of its launches";
  const std::string estimated = "cycles of the counted launches over the time in the run";
  return text::Plural(clock.hz.n, "kernel shows", "kernels show") + " it, with " +
         text::Time(clock.time_ns) + ": " +
         (clock.read == clock.hz.n ? read
          : clock.read == 0        ? estimated
                                   : read + ", or " + estimated) +
         range;
}

std::string ShareOf(const ClockHold& hold, const GpuStateReport& state) {
  return text::Percent(static_cast<double>(hold.readings) /
                       static_cast<double>(state.with_reasons));
}

std::string WhatHolds(const GpuStateReport& state) {
  if (state.empty()) {
    return "the recording has no power, temperature or reasons of the driver (--gpu-state): what "
           "holds the clock down is not known";
  }
  if (state.with_reasons == 0) return "the driver gives no reason for a clock on this machine";
  const std::string readings = text::Plural(state.with_reasons, "reading", "readings") +
                               " of the driver while the GPU worked";
  if (state.holds.empty()) return "in " + readings + " nothing held the clocks down";
  std::string what;
  for (const ClockHold& hold : state.holds) {
    what += (what.empty() ? "" : ", ") + hold.what + " in " + ShareOf(hold, state);
  }
  return "of " + readings + " the clocks were held down by " + what;
}

std::string PowerAndHeat(const GpuStateReport& state) {
  std::string line = "power " + text::Fixed(state.watts.median, 0) + " W, at most " +
                     text::Fixed(state.watts.max, 0) + " W";
  if (state.power_limit_w > 0) {
    line += ", of a limit of " + text::Fixed(state.power_limit_w, 0) + " W";
  }
  if (state.celsius.n > 0) {
    line += "; temperature at most " + text::Fixed(state.celsius.max, 0) + " degrees Celsius";
  }
  return line;
}

std::string ActionFor(const GpuStateReport& state) {
  const ClockHold* const hold = MainHold(state);
  if (hold == nullptr) {
    return "Read the reason while the program runs: record with --gpu-state, or nvidia-smi -q -d "
           "PERFORMANCE,POWER,CLOCK. A power or thermal limit: raise it, cool better, or let the "
           "kernels move and compute less. A locked clock: nvidia-smi -rgc.";
  }
  switch (hold->kind) {
    case ClockHold::Kind::kPower:
      return "Let the kernels move and compute less, with smaller types for example, or raise the "
             "power limit: nvidia-smi -pl, as root.";
    case ClockHold::Kind::kThermal:
      return "Cool the GPU better. Until then its kernels are as fast as the heat allows.";
    case ClockHold::Kind::kChosen:
      break;
  }
  return "Take the lock from the clock: nvidia-smi -rgc, as root; application clocks: nvidia-smi "
         "-rac.";
}

Finding DescribeLowClock(const DeviceReport& device, double undisturbed_ns) {
  const RunClock& clock = device.run_clock;
  Finding finding;
  finding.id = kClockFinding;
  finding.kind = GainKind::kSameWork;
  finding.title = ClockTitle(device);
  finding.evidence.push_back(ClockSource(clock));
  if (clock.lost_ns > 0) {
    finding.evidence.push_back("at the clock of the counted launches they would take " +
                               text::Time(clock.lost_ns) + " less (time x (1 - clock / clock))");
  }
  if (clock.lost_to_highest_ns > 0) {
    finding.evidence.push_back("at the highest clock of the device, " + Hertz(clock.highest_hz) +
                               ", at most " + text::Time(clock.lost_to_highest_ns) + " less");
  }
  if (!(clock.highest_hz > 0)) {
    finding.evidence.emplace_back(
        "the highest clock of the device was not recorded: nothing but its work bounds the gain");
  } else if (MostNs(device) > CostNs(clock)) {
    finding.evidence.push_back(text::Time(OtherWorkNs(device)) +
                               " of other work show no clock: at the lowest of these clocks, at "
                               "most " +
                               text::Time(MostNs(device) - CostNs(clock)) + " less");
  }
  finding.evidence.push_back(WhatHolds(device.state));
  if (device.state.watts.n > 0) finding.evidence.push_back(PowerAndHeat(device.state));
  finding.action = ActionFor(device.state);
  finding.gain_at_most_ns = std::min(MostNs(device), undisturbed_ns);
  finding.confidence = clock.hz.n > 1 ? Confidence::kMedium : Confidence::kLow;
  return finding;
}

}  // namespace

const DeviceReport* LowClockDevice(const std::vector<DeviceReport>& devices,
                                   double undisturbed_ns) {
  const DeviceReport* worst = nullptr;
  for (const DeviceReport& device : devices) {
    if (!IsLow(device.run_clock, undisturbed_ns)) continue;
    if (worst == nullptr || CostNs(device.run_clock) > CostNs(worst->run_clock)) worst = &device;
  }
  return worst;
}

std::optional<Finding> FindLowClock(const std::vector<DeviceReport>& devices,
                                    double undisturbed_ns) {
  const DeviceReport* const worst = LowClockDevice(devices, undisturbed_ns);
  if (worst == nullptr) return std::nullopt;
  return DescribeLowClock(*worst, undisturbed_ns);
}

}  // namespace prof::analyzer
