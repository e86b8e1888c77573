// SPDX-License-Identifier: Apache-2.0
//
// A comparison of runs of a program: before a change and after it. A replicate is a process: the
// launches of one process share its memory layout and its clock, so that thousands of them are one
// observation. docs/guide/compare.md has the method. Standard library only; link prof::analyzer.
#ifndef PROF_COMPARE_H_
#define PROF_COMPARE_H_

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prof/kernel_report.h"
#include "prof/report.h"
#include "prof/statistic.h"

namespace prof {

/// What the runs show about one quantity.
enum class Change {
  kSame,         ///< The whole interval is within the threshold.
  kFaster,       ///< Or less, where the quantity is no time.
  kSlower,       ///< Or more.
  kInconclusive  ///< `Compared::why` has the reason, `runs_needed` what would decide.
};

/// Short lower-case name, stable in JSON: "same", "faster", "slower", "inconclusive".
const char* ToString(Change change);

/// After over before: 1.10 is 10 % more.
struct Ratio {
  double value = 0;          ///< NaN: one side has no value.
  double low = 0, high = 0;  ///< The interval of CompareOptions::alpha.
  bool is_interval = false;  ///< False: too few runs; `low` and `high` are `value`.
};

/// Values of two kinds. A median in one of them can jump to the other without any change.
struct Modes {
  double low = 0, high = 0;  ///< The mean of each.
  double share_of_high = 0;  ///< Of the values, 0..1.
};

/// Two values of counters that count alike in each run, or a property of the launch.
struct CounterChange {
  std::string metric;  ///< By CUPTI name, or "registers per thread".
  std::string words;   ///< "sectors of global loads".
  double before = 0, after = 0;
  /// Differs by more than the counter's own spread and than its class: 0.1 % for what a program
  /// decides (instructions, requests), 3 % for what caches decide (bytes of DRAM).
  bool moved = false;
  bool exact = false;  ///< Of the first class: noise cannot move it.
  /// (largest - least) / median within a side, the larger of both: over the runs, or over the
  /// launches where a side has one run with the counter. 0 for a property.
  double spread = 0;
  int64_t values = 0;  ///< Over how many at least, runs or launches.
  /// Exact, and changed by more than the threshold, beyond `spread`: see KernelChange::work.
  bool certain = false;
  /// 0..1: what it changed by, as a part of all instructions (32 operations of threads, a request,
  /// a wavefront or a bank conflict take one), of the largest count of sectors of 32 bytes, or of
  /// itself (operations of tensor cores). Where instructions were not counted: of the largest count
  /// that takes them. Of a use of a unit: by how much of the peak. 0 for a property.
  double weight = 0;
};

/// What exact counters show about the work of a launch. No noise of the time is in it.
enum class WorkChange {
  kNotMeasured,  ///< `ComparedWork::why` has the reason.
  kSame,         ///< Each exact counter is within the threshold.
  kLess,         ///< Some are less, none is more.
  kMore,         ///< Some are more, none is less.
  kMixed         ///< Some are more, others less.
};

/// Short lower-case name, stable in JSON: "not-measured", "same", "less", "more", "mixed".
const char* ToString(WorkChange change);

/// The work of a launch on both sides.
struct ComparedWork {
  WorkChange change = WorkChange::kNotMeasured;
  std::string counter;  ///< In words: the one that changed most; empty: none did.
  double ratio = 0;     ///< Of it; 1 where none changed; NaN: a side has none of it, or no counter.
  std::string why;      ///< One sentence, with the counters that changed.
};

/// One quantity on both sides. Values are nanoseconds, or cycles.
struct Compared {
  std::string name;         ///< "time of a launch"; "layer/qkv_proj"; "idle: launch".
  Statistic before, after;  ///< Over the runs; n is the number of runs that have it.
  std::optional<Modes> modes_before, modes_after;
  Ratio ratio;
  double level = 1;      ///< Of the Mann-Whitney test, 0..1.
  double corrected = 1;  ///< The same after Holm, over all quantities that were tested with it.
  std::optional<double>
      noise;               ///< What equal runs differ by: robust standard deviation, a fraction.
  std::string noise_from;  ///< "5 equal runs", "the runs of this comparison".
  double threshold = 0;    ///< The least effect that counts, as a fraction.
  bool tested = false;     ///< False: too small a share of the time, or one side lacks it.
  Change change = Change::kInconclusive;
  std::string why;  ///< One sentence.
  /// Runs of each side that would decide. 0: decided. Above kMostRuns: the effect is too near to
  /// the threshold, or the noise is too large.
  int runs_needed = 0;
  /// Of a range, and of the time that the GPU is busy, where it has changed: what all kernels of it
  /// did together, and which of them are gone and new. Of a kernel: empty, KernelChange has it.
  std::vector<std::string> explanation;
};
inline constexpr int kMostRuns = 100;

/// How a kernel of one side was found on the other.
enum class Matched {
  kSame,        ///< Name, range, grid, block and shared memory are equal.
  kRelaunched,  ///< The same kernel, in another grid, block or with other shared memory.
  kRenamed,     ///< Another name, but it does the same.
  kMoved,       ///< The same kernel in another range.
  kNew,         ///< Only after.
  kGone         ///< Only before.
};

/// Short lower-case name, stable in JSON: "same", "relaunched", "renamed", "moved", "new", "gone".
const char* ToString(Matched matched);

/// How the time of a kernel after was made one of the device before.
struct Normalization {
  double factor = 1;  ///< The times after are multiplied by it.
  std::string by;     ///< "DRAM bandwidth", "SM clock x SMs", "SM clock"; empty: it was not.
  std::string why;    ///< The rates of both devices; where it was not: the reason.
};

/// One kernel on both sides.
struct KernelChange {
  std::string name, range;  ///< After the change; of a kernel that is gone: before.
  uint32_t device = 0;
  Matched matched = Matched::kSame;
  Confidence confidence = Confidence::kHigh;  ///< Of the match.
  std::string match_why;                      ///< What is equal and what differs; empty for kSame.
  Compared time;                              ///< The median duration of a launch.
  std::optional<Normalization> normalized;    ///< Of `time`; only between devices.
  std::optional<Compared> cycles;  ///< SM cycles of counted launches: time without the clock.
  ComparedWork work;               ///< Of a launch, by exact counters, whatever the time shows.
  double total_before_ns = 0, total_after_ns = 0;  ///< Of all launches, median over the runs.
  double launches_before = 0, launches_after = 0;  ///< Median over the runs.
  std::vector<CounterChange> counters;  ///< Those that both sides have; moved ones first, by ratio.
  /// What moved, in words, with the numbers; changed work comes first.
  std::vector<std::string> explanation;
};

/// What a level of memory can move.
struct LevelCeiling {
  double bytes_per_s = 0;  ///< 0: not known.
  bool measured = false;   ///< In a calibration; else the peak of the chip.
};

/// What limits a kernel, and what of that a device scales: for comparisons between devices.
struct KernelLimit {
  /// Of more than half of the runs that decided it; kUnknown: they disagree.
  Limiter limiter = Limiter::kNotMeasured;
  std::vector<Unit> mixed;  ///< Of kMixed: the two units.
  LevelCeiling dram, l2;
  double run_clock_hz = 0;  ///< SM clock of the kernel in the runs, median; 0: not known.
};

/// What one kernel did in each run of a side.
struct KernelRuns {
  std::string name, full_name, range;
  uint32_t device = 0;
  std::array<uint32_t, 3> grid{}, block{};
  bool resources_known = true;
  bool local_known = true;  ///< False: `local_bytes_per_thread` is not known, and reads 0.
  uint32_t registers_per_thread = 0, local_bytes_per_thread = 0;
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  double position = 0;  ///< Place among the kernels of its range, by first launch.
  // One value a run; NaN: the run does not have it.
  std::vector<double> time_ns;   ///< Median duration of a launch.
  std::vector<double> total_ns;  ///< Of all launches.
  std::vector<double> launches;
  std::vector<double> cycles;  ///< SM cycles of a counted launch, median.
  /// How far the median of one run's launches may be off at least, as a fraction; NaN: unknown.
  double launch_noise = 0;
  std::optional<Modes> launch_modes;  ///< Of launches within a run, in most of the runs.
  Metrics metrics;                    ///< n counts runs, the other fields are over their medians.
  Metrics launch_metrics;             ///< Of those that one run has: over its launches.
  KernelLimit limit;
  std::optional<double> noise;  ///< Of equal runs: SetNoise().
  int64_t noise_runs = 0;
};

/// A quantity of the whole run, one value a run.
struct RunQuantity {
  enum class Kind { kSpan, kBusy, kIdle, kRange, kHost };
  Kind kind = Kind::kSpan;
  std::string name;
  std::vector<double> values_ns;  ///< NaN: the run does not have it.
  std::optional<double> noise;
  int64_t noise_runs = 0;
};

/// Short lower-case name, stable in JSON: "span", "busy", "idle", "range", "host".
const char* ToString(RunQuantity::Kind kind);

/// Several runs of one program on one kind of device.
struct RunSet {
  std::string error;    ///< Not empty: the reports are no runs of one kind; all else is empty.
  std::string command;  ///< Of the first run.
  std::string devices;  ///< "NVIDIA H200 (132 SMs)", of those that worked; several with ", ".
  std::string driver;
  int64_t runs = 0;
  int64_t counted_runs = 0;          ///< Runs in which counters of launches were read.
  double sm_clock_hz = 0;            ///< Of counted launches, median; 0: not measured.
  double sm_count = 0;               ///< Of a device that worked, mean.
  double dram_peak_bytes_per_s = 0;  ///< Of a device that worked, mean; 0: not known.
  std::vector<KernelRuns> kernels;   ///< By time, descending.
  std::vector<RunQuantity> quantities;
  /// When each run began, since 1970; 0: not known. Empty in a baseline from a file.
  std::vector<int64_t> start_ns;
  std::vector<std::string> notes;  ///< What weakens a comparison with it.
};

/// The runs of `reports`, one report each. Reports with an error, of different devices or drivers,
/// and the same recording twice set RunSet::error. Linear in the kernels. Any thread.
[[nodiscard]] RunSet Collect(const std::vector<Report>& reports);

/// Takes the runs as equal (A/A): sets the noise of each kernel and quantity that three runs or
/// more have to the standard deviation of the logarithms of its values, estimated robustly.
void SetNoise(RunSet* runs);

struct CompareOptions {
  double alpha = 0.05;         ///< Chance of any false alarm among the kernels, the same among the
                               ///< times of the run, and that of an interval to miss, 0..1.
  double threshold = 0.05;     ///< Effects below it do not count.
  double noise_factor = 3;     ///< The threshold is this many times the noise, where that is more.
  double least_share = 0.005;  ///< Kernels and ranges with less of the GPU time are not tested.
  int resamples = 2000;        ///< Of the bootstrap, 100 or more.
  uint64_t seed = 1;           ///< The same seed gives the same result on each machine.
  bool across = false;         ///< Compare across devices and drivers, normalized.
};

/// In which order the runs of both sides were recorded.
enum class RunOrder {
  kUnknown,      ///< When a run began is not known, or a side has one run.
  kInterleaved,  ///< A run of one side began between runs of the other.
  kBeforeFirst,  ///< All runs before, then all runs after.
  kAfterFirst    ///< The other way around.
};

/// Short lower-case name, stable in JSON: "unknown", "interleaved", "before-first", "after-first".
const char* ToString(RunOrder order);

/// The answer: what became slower, what faster, and why.
struct Comparison {
  std::string error;          ///< Not empty: they cannot be compared; all else is empty.
  std::string before, after;  ///< One line each: runs, device, driver, program.
  int64_t runs_before = 0, runs_after = 0;
  RunOrder order = RunOrder::kUnknown;  ///< Not interleaved: a drift looks like a change.
  std::vector<std::string> notes;       ///< How it was normalized, and what weakens it.
  std::vector<KernelChange> kernels;    ///< By time on the side with more of it, descending.
  std::vector<Compared> run;            ///< Span, busy time, idle time by cause, ranges, host time.

  /// The worst verdict of what was tested: slower, inconclusive, faster, same.
  [[nodiscard]] Change overall() const;
  /// Of the kernels that were tested: more, mixed, less, same, not measured, the first that any
  /// has.
  [[nodiscard]] WorkChange overall_work() const;
  /// The largest Compared::runs_needed of what is inconclusive; 0: all is decided.
  [[nodiscard]] int runs_needed() const;
};

/// Compares two sets of runs. Never throws. Costs about 2 ms for each tested kernel. Any thread.
[[nodiscard]] Comparison Compare(const RunSet& before, const RunSet& after,
                                 const CompareOptions& options = {});
[[nodiscard]] Comparison Compare(const std::vector<Report>& before,
                                 const std::vector<Report>& after,
                                 const CompareOptions& options = {});

/// The comparison as text, `width` columns wide. `all`: kernels and ranges that are the same, too.
void WriteComparison(std::ostream& out, const Comparison& comparison, int width = 120,
                     bool all = false);
std::ostream& operator<<(std::ostream& out, const Comparison& comparison);
/// The same as one JSON object and a newline; docs/guide/compare.md has the keys.
void WriteComparisonJson(std::ostream& out, const Comparison& comparison);

/// Runs that later ones are compared with, one set for each device and driver.
struct Baseline {
  std::string error;  ///< Not empty: it could not be read; all else is empty.
  std::vector<RunSet> sets;

  /// The set of the same devices and driver; nullptr: none.
  [[nodiscard]] const RunSet* Find(std::string_view devices, std::string_view driver) const&;
  const RunSet* Find(std::string_view devices, std::string_view driver) const&& = delete;
  /// Puts `runs` in the place of the set of the same devices and driver. Noise that was measured
  /// over more runs than `runs` has is kept.
  void Update(RunSet runs);
};

/// A baseline from the text of its file, or with an error.
[[nodiscard]] Baseline ReadBaseline(std::string_view json);
/// A baseline from a file, or with an error that names the way out.
[[nodiscard]] Baseline LoadBaseline(const std::string& path);
/// As JSON that people can read and diff.
void WriteBaseline(std::ostream& out, const Baseline& baseline);

}  // namespace prof

#endif  // PROF_COMPARE_H_
