// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/clock_text.h"

#include "lib/text/numbers.h"

namespace prof::report {
namespace {

std::string Hertz(double hz) { return text::Rate(hz, "Hz"); }

}  // namespace

std::string ClockText(const DeviceReport& device) {
  const bool is_counted = device.sm_clock_hz.n > 0, is_known = device.run_clock.hz.n > 0;
  if (!is_counted && !is_known) return "";
  const std::string run = Hertz(device.run_clock.hz.median) + " in the run";
  if (!is_counted) return "SM clock " + run;
  return "SM clock " + Hertz(device.sm_clock_hz.median) + (is_known ? " when counted, " + run : "");
}

std::string StateText(const GpuStateReport& state) {
  std::string line;
  if (state.watts.n > 0) {
    line = "power " + text::Fixed(state.watts.median, 0) + " W";
    if (state.power_limit_w > 0) line += " of " + text::Fixed(state.power_limit_w, 0) + " W";
  }
  if (state.celsius.n > 0) {
    line += (line.empty() ? "" : ", ") + text::Fixed(state.celsius.max, 0) + " C at most";
  }
  if (state.holds.empty()) return line;
  const ClockHold& most = state.holds.front();
  return line + (line.empty() ? "" : ", ") + "clock held down by " + most.what + " in " +
         text::ShortPercent(static_cast<double>(most.readings) /
                            static_cast<double>(state.with_reasons)) +
         " of the readings";
}

std::string ClockText(const KernelReport& kernel) {
  const KernelClock& clock = kernel.clock;
  const bool is_counted = clock.sampled_hz.n > 0;
  if (!is_counted && !clock.run_is_read) return "";
  std::string line = "SM clock ";
  if (is_counted) {
    line += Hertz(clock.sampled_hz.median) + " when counted (" +
            text::Time(clock.sampled_ns.median) + ", n=" + text::Count(clock.sampled_hz.n) + "), ";
  }
  if (clock.run_is_read) {
    return line + Hertz(clock.run_hz.median) + " in the run (" + Hertz(clock.run_hz.min) + " to " +
           Hertz(clock.run_hz.max) + ", n=" + text::Count(clock.run_hz.n) + " PM samples)";
  }
  if (clock.run_hz.n == 0) return line + "in the run not known: " + clock.run_missing;
  return line + Hertz(clock.run_hz.median) + " in the run (cycles over " +
         text::Time(kernel.duration_ns.median) + ", n=" + text::Count(clock.run_hz.n) + "); " +
         Hertz(clock.run_hz_bound) + " if only the time of its busiest SM unit depends on it";
}

}  // namespace prof::report
