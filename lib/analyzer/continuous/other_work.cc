// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/other_work.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/continuous/pm_device_clock.h"
#include "lib/format/triage_metrics.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

// [own] A launch fills and drains the GPU within 2 us (null kernels): its SMs may be active beyond
// its record.
constexpr double kBeyondRecordNs = 2000;
// [own] Where the samples do not show the offset of the clocks: as far as it is looked for.
constexpr double kUnknownOffsetNs = 10'000;
constexpr size_t kRowsOfPart = 50;  // samples next to each other are no independent ones
constexpr size_t kLeastParts = 3;
constexpr double kTwoSided95 = 1.96;

// The operations of the device; one where less than `near_ns` lie between two. nullopt: one has no
// time.
std::optional<Intervals> OperationsOf(const model::Model& model, uint32_t device, int64_t near_ns) {
  Intervals found;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op op = model.ops[i];
    if (op.device != device) continue;
    if (!op.timed) return std::nullopt;
    if (!found.empty() && op.start_ns >= found.back().start_ns &&
        op.start_ns - found.back().end_ns < near_ns) {
      found.back().end_ns = std::max(found.back().end_ns, op.end_ns);
    } else {
      found.push_back({op.start_ns, op.end_ns});
    }
  }
  return found;
}

// What prof did, which may be launches without a record.
IntervalUnion OfProf(const model::Model& model) {
  Intervals found;
  for (const model::ProfilerInterval& one : model.profiler_intervals) {
    found.push_back({one.begin_ns, one.end_ns});
  }
  return IntervalUnion(std::move(found));
}

// The mean of parts that have their own lengths.
class PartMean {
 public:
  void Add(double value, double length) {
    Part& part = parts_.back();
    part.sum += value * length;
    part.length += length;
    if (++part.rows == kRowsOfPart) Cut();
  }
  // What follows is not next to what came before.
  void Cut() {
    if (parts_.back().rows > 0) parts_.emplace_back();
  }
  double Length() const {
    double length = 0;
    for (const Part& part : parts_) length += part.length;
    return length;
  }
  double Mean() const {
    double sum = 0;
    for (const Part& part : parts_) sum += part.sum;
    return sum / Length();
  }
  // Half of the interval of 95 %; nullopt: too few parts.
  std::optional<double> Error() const {
    const double mean = Mean();
    double squares = 0, count = 0;
    for (const Part& part : parts_) {
      if (part.rows == 0) continue;
      const double off = part.sum - mean * part.length;
      squares += off * off;
      ++count;
    }
    if (count < kLeastParts) return std::nullopt;
    return kTwoSided95 * std::sqrt(squares * count / (count - 1)) / Length();
  }

 private:
  struct Part {
    double sum = 0, length = 0;
    size_t rows = 0;
  };
  std::vector<Part> parts_ = std::vector<Part>(1);
};

std::optional<size_t> SmActive(const model::PmSeries& series) {
  for (size_t m = 0; m < series.metrics.size(); ++m) {
    const format::TriageMetric* const triage = format::FindTriageMetric(series.metrics[m]);
    if (triage != nullptr && triage->unit == format::TriageUnit::kSmActive) return m;
  }
  return std::nullopt;
}

}  // namespace

std::string OtherWork::Describe() const {
  return "SMs of device " + std::to_string(device) + " were active for " + text::Percent(active) +
         " +-" + text::Percent(error) +
         " of the time in which nothing of this recording ran (PM samples of " +
         text::Time(seconds * 1e9) + ")";
}

std::optional<OtherWork> FindOtherWork(const model::Model& model, const model::PmSeries& series,
                                       const PmDeviceClock& clock) {
  if (RecordsLost(model) || !model.pauses.empty()) return std::nullopt;
  const std::optional<size_t> metric = SmActive(series);
  if (!metric) return std::nullopt;
  const double off_ns = clock.known ? clock.error_ns : kUnknownOffsetNs;
  const auto margin_ns = static_cast<int64_t>(std::ceil(kBeyondRecordNs + off_ns));
  // No sample with its margins fits between nearer operations.
  std::optional<Intervals> operations = OperationsOf(model, series.device, 2 * margin_ns);
  if (!operations) return std::nullopt;
  const IntervalUnion work(*std::move(operations)), of_prof = OfProf(model);
  if (work.intervals().empty()) return std::nullopt;
  const int64_t first_ns = work.intervals().front().start_ns;
  const int64_t last_ns = work.intervals().back().end_ns;
  const auto offset_ns = static_cast<int64_t>(std::llround(clock.offset_ns));
  PartMean mean;
  for (size_t i = 0; i < series.rows(); ++i) {
    const Interval row{series.begin_ns[i] - offset_ns - margin_ns,
                       series.end_ns[i] - offset_ns + margin_ns};
    // Before the first operation and after the last one the program may run what the recording has
    // not got yet, or does not get any more.
    const bool is_idle = row.start_ns >= first_ns && row.end_ns <= last_ns &&
                         work.WithinNs(row) == 0 && of_prof.WithinNs(row) == 0 &&
                         !std::isnan(series.row(i)[*metric]);
    if (is_idle) {
      mean.Add(series.row(i)[*metric] / 100,
               static_cast<double>(series.end_ns[i] - series.begin_ns[i]) * 1e-9);
    } else {
      mean.Cut();
    }
  }
  const std::optional<double> error = mean.Error();
  if (!error || mean.Length() < kLeastIdleSeconds) return std::nullopt;
  const OtherWork found = {series.device, mean.Mean(), *error, mean.Length()};
  if (found.active - found.error < kOtherWork) return std::nullopt;
  return found;
}

}  // namespace prof::analyzer
