// SPDX-License-Identifier: Apache-2.0
//
// The roofline: how many bytes and operations a kernel, a region or a range moves and executes, and
// how far that is from what the device can do.
#ifndef PROF_ROOFLINE_H_
#define PROF_ROOFLINE_H_

#include <optional>
#include <string>
#include <vector>

namespace prof {

/// Operations of one kind that a launch executes, from counters of instructions.
struct FlopCount {
  std::string kind;  ///< "fp32", "fp64", "fp16", "bf16 tensor", ...; docs/guide/read-the-report.md.
  double per_launch = 0;        ///< Additions and multiplications: a fused multiply-add is two.
  std::optional<double> per_s;  ///< `per_launch` over the median duration of a launch in the run.
  /// Dense, at the SM clock of the run where that is known (KernelClock::run_hz), else at that of
  /// the samples.
  std::optional<double> peak_per_s;
  /// Rate over peak, both at one clock: in the run where its clock is known, else of the samples.
  std::optional<double> of_peak;
  std::optional<double> sampled_per_s;       ///< Over the duration of the counted launches.
  std::optional<double> sampled_peak_per_s;  ///< At their SM clock.
};

/// The traffic through one level of memory. What was not measured is absent, with the metric that
/// would give it in `missing`.
struct RooflineLevel {
  std::string level;            ///< "l1", "l2", "dram".
  std::optional<double> bytes;  ///< Per launch.
  std::string metric;           ///< How `bytes` were counted.
  std::optional<double> bytes_per_s;
  std::optional<double> ceiling_bytes_per_s;
  std::string ceiling;                           ///< Where the ceiling comes from.
  std::optional<double> of_ceiling;              ///< bytes_per_s / ceiling_bytes_per_s.
  std::optional<double> flops_per_byte;          ///< Arithmetic intensity.
  std::optional<double> ridge;                   ///< Flop peak / ceiling, in flop per byte.
  std::optional<double> attainable_flops_per_s;  ///< min(flop peak, flops_per_byte x ceiling).
  std::string missing;
};

/// Position under the roofline, from counters; absent where they are.
struct Roofline {
  std::optional<double> dram_bytes_per_s;
  std::optional<double> dram_peak_bytes_per_s;
  std::optional<double> flops_per_s;     ///< Of the kind named in `flop_kind`.
  std::optional<double> flops_per_byte;  ///< Arithmetic intensity against DRAM.
  std::optional<double> flop_peak_per_s;
  /// "fp16 tensor": the kind that needs most time at its peak; where a peak is not known, the kind
  /// with most operations. Empty when nothing was measured.
  std::string flop_kind;
  /// Which time and clock all rates here are of: "run", or "samples" where a rate over the time of
  /// the run would be above the device's peak, because counted launches do not have the same
  /// caches. Empty: there is no rate.
  std::string rates_of = {};
  double time_ns = 0;      ///< That time, per launch.
  double sm_clock_hz = 0;  ///< That of the peaks; 0: not known.
  /// The other DRAM rate, as the counters gave it, at the time of the counted launches.
  std::optional<double> sampled_dram_bytes_per_s = {};
  std::string flop_ceiling = {};   ///< Where `flop_peak_per_s` comes from.
  std::string flops_missing = {};  ///< What would count operations; empty: they are counted.
  std::vector<RooflineLevel> levels = {};  ///< "l1", "l2", "dram"; empty: no counter of any.
  /// The lowest of `flop_peak_per_s` and the attainable rates of the levels, and which one it is:
  /// "compute", "dram", ... Absent without operations.
  std::optional<double> attainable_flops_per_s = {};
  std::string bound_by = {};
  std::optional<double> of_attainable = {};  ///< flops_per_s / attainable_flops_per_s.
};

}  // namespace prof

#endif  // PROF_ROOFLINE_H_
