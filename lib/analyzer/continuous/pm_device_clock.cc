// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_device_clock.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>

#include "lib/analyzer/continuous/pm_window_offset.h"

namespace prof::analyzer {
namespace {

constexpr int64_t kStepNs = 1000, kFineNs = 250;
constexpr int kSteps = 10;                 // either way
constexpr int kFineSteps = 8;              // either way, around the best step
constexpr double kLeastErrorNs = 250;      // timestamps are rounded, and kernels have edges
constexpr double kMostErrorNs = 1100;      // an offset with a larger error is not known
constexpr double kMostDeviationNs = 2000;  // of a window: others give no offset
constexpr size_t kLeastWindows = 4;        // for a spread between them
constexpr size_t kLeastWindowsOfLine = 9;
constexpr double kMostSpreadLeft = 0.4;  // of windows around a line: above it there is no drift
// Nine recordings of one H200 had offsets of -0.25 to -1.3 us: -0.9 us, with a standard deviation
// of 0.3 us. Twice that, because another GPU may differ, is the deviation that is assumed.
constexpr double kUsualNs = -900;
constexpr double kUsualErrorNs = 1200;  // half width
// Of recordings with too few windows for a dispersion of their own, which was 1 to 20 in others.
constexpr double kUsualDispersion = 9;

double ScoreOf(const std::deque<PmClockCurve>& curves, int64_t offset_ns) {
  double sum = 0;
  for (const PmClockCurve& curve : curves) sum += curve.Score(offset_ns);
  return sum;
}

// Twice the negative logarithm of how likely an offset is before any sample was seen.
double UsualScore(int64_t offset_ns) {
  const double away = (static_cast<double>(offset_ns) - kUsualNs) / (kUsualErrorNs / 2);
  return away * away;
}

int64_t Best(const std::deque<PmClockCurve>& curves, const std::vector<int64_t>& offsets) {
  const auto score = [&](int64_t offset_ns) {
    return ScoreOf(curves, offset_ns) + kUsualDispersion * UsualScore(offset_ns);
  };
  return *std::min_element(offsets.begin(), offsets.end(),
                           [&](int64_t a, int64_t b) { return score(a) < score(b); });
}

void TryAll(const std::vector<int64_t>& offsets, std::deque<PmClockCurve>* curves) {
  for (PmClockCurve& curve : *curves) {
    for (const int64_t offset_ns : offsets) curve.Try(offset_ns);
  }
}

// Between tried offsets that are `kFineNs` apart: the minimum of the parabola around the least one.
double Vertex(const std::vector<int64_t>& offsets, const std::vector<double>& scores) {
  const auto least = static_cast<size_t>(
      std::distance(scores.begin(), std::min_element(scores.begin(), scores.end())));
  const auto ns = static_cast<double>(offsets[least]);
  if (least == 0 || least + 1 == offsets.size() ||
      offsets[least + 1] - offsets[least - 1] != 2 * kFineNs) {
    return ns;
  }
  const double curvature = scores[least - 1] + scores[least + 1] - 2 * scores[least];
  const double slope = scores[least - 1] - scores[least + 1];
  return curvature > 0 ? ns + slope / (2 * curvature) * kFineNs : ns;
}

// The mean and the deviation of the offset by all samples, which count less by the dispersion, and
// by what is usual. `offsets` are in order.
void Weigh(const std::deque<PmClockCurve>& curves, const std::vector<int64_t>& offsets,
           double dispersion, PmDeviceClock* clock) {
  std::vector<double> scores;
  scores.reserve(offsets.size());
  for (const int64_t offset_ns : offsets) {
    scores.push_back(ScoreOf(curves, offset_ns) / dispersion + UsualScore(offset_ns));
  }
  const double least = *std::min_element(scores.begin(), scores.end());
  double sum = 0, first = 0, second = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const int64_t before = offsets[i == 0 ? 0 : i - 1];
    const int64_t after = offsets[std::min(i + 1, offsets.size() - 1)];
    const double weight = std::exp((least - scores[i]) / 2) * static_cast<double>(after - before);
    const auto ns = static_cast<double>(offsets[i]);
    sum += weight;
    first += weight * ns;
    second += weight * ns * ns;
  }
  clock->offset_ns = first / sum;
  const double variance = std::max(0.0, second / sum - clock->offset_ns * clock->offset_ns);
  if (variance < kFineNs * kFineNs) clock->offset_ns = Vertex(offsets, scores);
  clock->error_ns = std::max(kLeastErrorNs, 2 * std::sqrt(variance));
}

// Looks for a drift: by the line through the windows, where that explains most of their spread.
void FindDrift(const std::vector<PmWindowOffset>& windows, PmDeviceClock* clock) {
  if (windows.size() < kLeastWindowsOfLine) return;
  const PmOffsetLine line = LineThrough(windows);
  clock->compared = true;
  clock->first_ns = line.first_ns;
  clock->last_ns = line.last_ns;
  const double moved_ns = std::abs(line.last_ns - line.first_ns);
  clock->stable = moved_ns <= kStepNs || line.spread > kMostSpreadLeft;
  if (clock->stable) return;
  clock->offset_ns = (line.first_ns + line.last_ns) / 2;
  clock->error_ns = std::max(kLeastErrorNs, moved_ns);
}

}  // namespace

PmDeviceClock FindPmDeviceClock(const std::vector<const PmProblem*>& series) {
  std::deque<PmClockCurve> curves;
  for (const PmProblem* const problem : series) curves.emplace_back(*problem);
  std::vector<int64_t> steps, fine;
  for (int step = -kSteps; step <= kSteps; ++step) steps.push_back(step * kStepNs);
  TryAll(steps, &curves);
  const int64_t best_ns = Best(curves, steps);
  for (int step = -kFineSteps; step <= kFineSteps; ++step) fine.push_back(best_ns + step * kFineNs);
  TryAll(fine, &curves);

  PmDeviceClock clock;
  std::vector<PmWindowOffset> windows;
  for (const PmClockCurve& curve : curves) {
    std::vector<PmWindowOffset> of_series = curve.Offsets(best_ns);
    of_series.erase(std::remove_if(of_series.begin(), of_series.end(),
                                   [](const PmWindowOffset& window) {
                                     return window.deviation > kMostDeviationNs;
                                   }),
                    of_series.end());
    // Noise alone has minima in some windows.
    clock.shows.push_back(!of_series.empty() && 2 * of_series.size() >= curve.windows());
    if (!clock.shows.back()) continue;
    windows.insert(windows.end(), of_series.begin(), of_series.end());
  }
  steps.insert(steps.end(), fine.begin(), fine.end());
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const double dispersion = windows.size() < kLeastWindows ? kUsualDispersion : Dispersion(windows);
  Weigh(curves, steps, dispersion, &clock);
  FindDrift(windows, &clock);
  clock.known = clock.error_ns <= kMostErrorNs || !clock.stable;
  if (!clock.known) clock.shows.assign(series.size(), false);
  return clock;
}

}  // namespace prof::analyzer
