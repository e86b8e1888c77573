// SPDX-License-Identifier: Apache-2.0
//
// The SM clock in the report: while counters ran around a kernel, and in the run itself.
#ifndef PROF_CLOCK_REPORT_H_
#define PROF_CLOCK_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "prof/statistic.h"

namespace prof {

/// The SM clock of one kernel. A GPU lowers its clock under load, but counters are read of launches
/// that follow a pause. So the two clocks can differ.
struct KernelClock {
  /// The counted launches that have a time on the timeline, in ns. n is 0: there are none, and
  /// nothing below is known.
  Statistic sampled_ns;
  Statistic sampled_hz;      ///< SM clock of these launches: gpc__cycles_elapsed.avg.per_second.
  Statistic sampled_cycles;  ///< sampled_ns x sampled_hz, launch by launch.
  /// Pass groups whose launches took different times, one sentence each. Their values may not be
  /// put together.
  std::vector<std::string> groups_differ;

  /// The clock in the run. Where PM samples read it (`run_is_read`): over the samples that overlap
  /// a launch of the kernel, each with the time for which it does, and n is their number. Otherwise
  /// an estimate, by launch: the median of `sampled_cycles` over the duration of the launch. This
  /// assumes that the number of cycles does not depend on the clock. n is 0: it is not known, and
  /// `run_missing` has the reason. `sum` is the median times n.
  Statistic run_hz;
  bool run_is_read = false;  ///< `run_hz` was read, by gpc__cycles_elapsed.avg.per_second.
  /// The same, if only the time in which the busiest SM unit worked depends on the SM clock, and
  /// all other time does not. The clock is between this value and `run_hz.median`. The median where
  /// it was read.
  double run_hz_bound = 0;
  std::string run_missing;
  /// How many kernels of the device, with this one, have estimates within 5 % of this one's.
  int64_t agreeing = 0;
  /// The clock in the run explains the difference between `sampled_ns` and the time in the run:
  /// another kernel shows the same clock, or the difference is between none and all of what the
  /// clock of the device in the run makes.
  bool explains = false;
};

/// The SM clock of a device in the run, from the kernels whose clocks were read or can be
/// estimated.
struct RunClock {
  /// Over kernels, weighted by time: each counts with the time of all of its launches. n is the
  /// number of kernels; 0: none is known.
  Statistic hz;
  int64_t read = 0;  ///< How many of these clocks were read; the others are estimates.
  /// Of those of them that were counted, while they were; the same weights. n is 0: none was.
  Statistic sampled_hz;
  double time_ns = 0;  ///< Undisturbed time of these kernels.
  /// What the difference of the two clocks costs them: time x (1 - clock in the run / sampled
  /// clock), summed. A kernel with the higher clock in the run adds 0.
  double lost_ns = 0;
  double highest_hz = 0;  ///< The highest SM clock that the device reports; 0: not recorded.
  double lost_to_highest_ns = 0;  ///< The same against `highest_hz`; 0 where that is not recorded.
};

/// Something that held the clocks of a GPU down, by the driver.
struct ClockHold {
  enum class Kind : uint8_t { kPower, kThermal, kChosen };  ///< kChosen: by somebody.
  Kind kind = Kind::kPower;
  std::string what;      ///< "the power limit"
  int64_t readings = 0;  ///< Of GpuStateReport::with_reasons, those that named it.
};

/// "power", "thermal", "chosen".
[[nodiscard]] const char* ToString(ClockHold::Kind kind);

/// Readings of the driver while the GPU worked, every 50 ms (SessionOptions::gpu_state). n is 0:
/// there are none. A reading is of one moment, power of a time that the driver chooses.
struct GpuStateReport {
  Statistic sm_clock_hz;
  Statistic memory_clock_hz;
  Statistic celsius;
  Statistic watts;
  double power_limit_w = 0;  ///< The latest; 0: not known.
  int64_t with_reasons = 0;  ///< Readings for which the driver has what held the clocks down.
  std::vector<ClockHold>
      holds;  ///< By readings, descending; a reading may name several. None: nothing did.

  [[nodiscard]] bool empty() const { return sm_clock_hz.n == 0 && celsius.n == 0 && watts.n == 0; }
};

}  // namespace prof

#endif  // PROF_CLOCK_REPORT_H_
