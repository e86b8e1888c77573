// SPDX-License-Identifier: Apache-2.0
//
// PM samples in the report: metrics of the whole GPU over time, and while each kernel ran.
#ifndef PROF_CONTINUOUS_REPORT_H_
#define PROF_CONTINUOUS_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace prof {

/// A metric of the whole GPU while something ran. It is computed from samples at a fixed interval,
/// which may be shorter or longer than the kernel. docs/internals/continuous.md has the method and
/// the formula of `error`.
struct ContinuousValue {
  std::optional<double> value;  ///< In CUPTI's unit; absent: `missing` has the reason.
  /// Half width: 95 % of the sampling error, and the error of the clocks.
  double error = 0;
  double seconds = 0;    ///< GPU time of it within the samples that were used.
  int64_t samples = 0;   ///< In which it ran; for a range: those of its operation with most.
  int64_t direct = 0;    ///< Of these: samples that lie within one launch of it. Of a range: 0.
  int64_t launches = 0;  ///< That were sampled, in part or in full. Of a range: 0.
  /// Not empty: it hardly ran alone, and the value is of all that ran at the same time; the name of
  /// what ran beside it most.
  std::string beside;
  std::string missing;  ///< "only 1.2 ms of it were sampled ..."
};
/// What a kernel does over the time of one launch, from PM samples that lie within one launch of
/// it. Only where a launch is as long as three samples or more.
struct LaunchCourse {
  /// How much a launch uses a unit.
  struct Unit {
    std::string name;    ///< "DRAM": as in docs/internals/triage.md.
    std::string metric;  ///< CUPTI's name.
    /// The mean of each part, in percent of the unit's peak; NaN: fewer than three samples.
    std::vector<double> percent;
  };

  double part_ns = 0;  ///< A launch is cut into so long parts; 3 to 16 of them.
  int64_t samples = 0;
  int64_t launches = 0;                  ///< With a sample.
  std::vector<int64_t> samples_of_part;  ///< One for each part, from the start to the end.
  std::vector<Unit> units;               ///< Those that say most about a kernel come first.

  [[nodiscard]] size_t parts() const { return samples_of_part.size(); }
  [[nodiscard]] bool empty() const { return samples_of_part.empty(); }
};

using ContinuousValues = std::map<std::string, ContinuousValue, std::less<>>;  ///< By CUPTI name.

/// One metric over the time in which a device was sampled (ContinuousReport::covered).
struct ContinuousMetric {
  std::string metric;           ///< CUPTI's name; values are in its unit, NaN without a sample.
  double mean = 0;              ///< Weighted by time, as are the percentiles.
  double p5 = 0;                ///< 5 % of the time it was below this.
  double median = 0;            ///< Half of the time it was below this.
  double p95 = 0;               ///< 95 % of the time it was below this.
  double max = 0;               ///< Highest single sample.
  std::vector<double> buckets;  ///< Means of equal parts of the span, at most 120.
};

/// PM sampling of one device.
struct ContinuousReport {
  uint32_t device = 0;
  double interval_ns = 0;  ///< The interval that was requested.
  int64_t samples = 0;
  double span_ns = 0;    ///< First operation's start to last one's end.
  double covered = 0;    ///< Share of the span in which samples were taken.
  double bucket_ns = 0;  ///< Length of each of ContinuousMetric::buckets.
  /// True: `clock_offset_ns` is known, from these samples or from others of the device. The clock
  /// of the samples is ahead of the clock of the operations by that much.
  bool clock_known = false;
  bool clock_from_other = false;  ///< Known, but not from these samples.
  double clock_offset_ns = 0;
  double clock_error_ns = 0;  ///< Half width; without a known offset: what is assumed.
  bool clock_stable = true;   ///< The first and the last third of the recording agree.
  /// The offset in the first and in the last third. Empty: one of them has no offset, and nothing
  /// was compared.
  std::optional<double> clock_first_ns;
  std::optional<double> clock_last_ns;
  double concurrent_share = 0;     ///< Share of the busy samples with several operations at a time.
  bool concurrent_used = false;    ///< False: the values of kernels do not use those samples.
  std::vector<std::string> notes;  ///< Remarks on the values; sentences.
  std::vector<ContinuousMetric> metrics;
};

}  // namespace prof

#endif  // PROF_CONTINUOUS_REPORT_H_
