// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/decide.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/compare/base/bootstrap.h"
#include "lib/compare/base/ranks.h"
#include "lib/compare/base/sample.h"
#include "lib/text/numbers.h"

namespace prof::compare {
namespace {

constexpr int kDegreesForNoise = 4;    // [own] a spread from fewer is no threshold
constexpr int64_t kFewestForSame = 3;  // [own] runs of each side
constexpr double kPower = 0.90;
// The standard error of a median over that of a mean, for a normal distribution: sqrt(pi / 2).
constexpr double kMedianOverMean = 1.2533;

int64_t Fewest(const Compared& c) { return std::min(c.before.n, c.after.n); }

std::string Times(double ratio) { return text::Fixed(ratio, 3) + " times"; }

// The noise that sets the threshold: of equal runs, or of the runs at hand.
void SetNoiseOf(const Quantity& quantity, const Values& before, const Values& after, Compared* c) {
  if (quantity.noise) {
    c->noise = quantity.noise;
    c->noise_from = text::Plural(quantity.noise_runs, "equal run", "equal runs");
    return;
  }
  c->noise = PooledLogSpread(before, after, kDegreesForNoise);
  if (c->noise) {
    c->noise_from = "the runs of this comparison";
  } else if (quantity.launch_noise > 0) {
    c->noise = quantity.launch_noise;
    c->noise_from = "launches within a run, a lower bound";
  }
}

// An effect of the size of the threshold is to be found, so the line is drawn at half of it.
bool IsAbove(const Ratio& ratio, double threshold) {
  return ratio.low > 1 && ratio.value >= 1 + threshold / 2;
}

bool IsBelow(const Ratio& ratio, double threshold) {
  const Ratio inverse = {1 / ratio.value, 1 / ratio.high, 1 / ratio.low, ratio.is_interval};
  return IsAbove(inverse, threshold);
}

bool IsWithin(const Ratio& ratio, double threshold) {
  return ratio.low > 1 / (1 + threshold) && ratio.high < 1 + threshold;
}

void SetChange(Change change, std::string why, Compared* c) {
  c->change = change;
  c->why = std::move(why);
}

std::string EnoughRuns(int runs) {
  if (runs > kMostRuns) {
    return "More than " + std::to_string(kMostRuns) + " runs of each side would be needed.";
  }
  return std::to_string(runs) + " runs of each side would decide.";
}

// Without a decision: the reason, and how many runs would be enough.
void LeaveOpen(const std::string& reason, size_t tests, double alpha, Compared* c) {
  const double noise = c->noise.value_or(0);
  const int needed =
      RunsNeeded(std::abs(std::log(c->ratio.value)), noise, c->threshold, tests, alpha);
  c->runs_needed = std::max(needed, static_cast<int>(std::max(c->before.n, c->after.n)) + 1);
  const bool at_least = Fewest(*c) < 2 && c->noise_from.find("equal") == std::string::npos;
  SetChange(Change::kInconclusive,
            reason + " " + (at_least ? "At least " : "") + EnoughRuns(c->runs_needed), c);
}

// The logarithm of the counter that changed most; 0: the work is the same, not known, or partly
// more and partly less.
double WorkEffect(const ComparedWork& work) {
  const bool is_one_way = work.change == WorkChange::kMore || work.change == WorkChange::kLess;
  return is_one_way && work.ratio > 0 ? std::log(work.ratio) : 0;
}

// One run of a side: its launches share what differs between processes. Counters that noise cannot
// move decide, and cycles where the time agrees with them.
void DecideOneRun(const Beside& beside, size_t tests, double alpha, Compared* c) {
  const double effect = std::log(c->ratio.value), least = std::log1p(c->threshold);
  const double cycles = beside.cycles ? std::log(beside.cycles->value) : 0;
  const double work = WorkEffect(beside.work);
  const bool is_shown = (beside.cycles && cycles * effect > 0 && std::abs(cycles) >= least) ||
                        (work * effect > 0 && std::abs(work) >= least);
  if (std::abs(effect) >= least && is_shown) {
    const std::string by = std::abs(work) >= least && work * effect > 0
                               ? "a counter that noise cannot move is " + Times(std::exp(work))
                               : "its cycles are " + Times(std::exp(cycles));
    return SetChange(effect > 0 ? Change::kSlower : Change::kFaster,
                     "One run of a side, but " + by + " those before.", c);
  }
  if (std::abs(effect) < least && beside.cycles && std::abs(cycles) < least &&
      beside.work.change == WorkChange::kSame) {
    return SetChange(
        Change::kSame,
        "One run of a side, but the same work, in " + Times(std::exp(cycles)) + " the cycles.", c);
  }
  LeaveOpen("One run of a side: launches show only the noise within a run.", tests, alpha, c);
}

std::string IntervalText(const Compared& c) {
  return text::Fixed(c.ratio.low, 3) + " to " + text::Fixed(c.ratio.high, 3);
}

void DecideOne(const Beside& beside, size_t tests, const CompareOptions& options, Compared* c) {
  if (Fewest(*c) < 2) return DecideOneRun(beside, tests, options.alpha, c);
  const bool is_above = IsAbove(c->ratio, c->threshold), is_below = IsBelow(c->ratio, c->threshold);
  const std::string least = text::ShortPercent(c->threshold);
  if ((is_above || is_below) && c->corrected <= options.alpha) {
    if (beside.same_device && beside.cycles && IsClock(*c, *beside.cycles)) {
      const std::string why =
          beside.clocks_alike
              ? "the measured clocks are alike, so other work ran beside it, or the "
                "clock of its other launches differs"
              : "the clock differs, not the code";
      return LeaveOpen("The time moved, the cycles of a launch alone did not (" +
                           Times(beside.cycles->value) + "): " + why + ". Lock the clock, or",
                       tests, options.alpha, c);
    }
    return SetChange(is_above ? Change::kSlower : Change::kFaster,
                     "The interval " + IntervalText(*c) + " is on one side of 1, and the ratio " +
                         text::Fixed(c->ratio.value, 3) + " is at least half of " + least +
                         " away from it.",
                     c);
  }
  if (IsWithin(c->ratio, c->threshold) && Fewest(*c) >= kFewestForSame) {
    return SetChange(Change::kSame,
                     "The interval " + IntervalText(*c) + " is within " + least + ".", c);
  }
  const std::string reason = is_above || is_below
                                 ? "So few runs may differ like this by chance (level " +
                                       text::Fixed(c->corrected, 3) + ")."
                                 : "The interval " + IntervalText(*c) + " allows for no change " +
                                       "and for " + least + ".";
  LeaveOpen(reason, tests, options.alpha, c);
}

}  // namespace

double LeastEffect(const Compared& compared) { return std::log1p(compared.threshold) / 2; }

bool IsClock(const Compared& time, const Ratio& cycles) {
  const double effect = std::log(time.ratio.value), in_cycles = std::log(cycles.value);
  const double least = LeastEffect(time);
  return std::abs(effect) >= least && std::abs(in_cycles) < least &&
         std::abs(effect - in_cycles) > std::abs(in_cycles);
}

Compared Measure(const Quantity& quantity, const CompareOptions& options) {
  const Values before = Present(quantity.before), after = Present(quantity.after);
  Compared c;
  c.name = quantity.name;
  c.before = SummaryOf(before);
  c.after = SummaryOf(after);
  c.modes_before = FindModes(before);
  c.modes_after = FindModes(after);
  c.ratio =
      RatioOfMedians(before, after, options.alpha, std::max(100, options.resamples), options.seed);
  c.level = MannWhitney(before, after);
  SetNoiseOf(quantity, before, after, &c);
  c.threshold = std::max(options.threshold, options.noise_factor * c.noise.value_or(0));
  return c;
}

void Decide(const std::vector<Compared*>& tested, const std::vector<Beside>& beside,
            const CompareOptions& options) {
  Values levels;
  for (const Compared* c : tested) levels.push_back(c->level);
  const Values corrected = Holm(levels);
  for (size_t i = 0; i < tested.size(); ++i) {
    tested[i]->corrected = corrected[i];
    tested[i]->tested = true;
    DecideOne(beside[i], tested.size(), options, tested[i]);
  }
}

int RunsNeeded(double effect, double noise, double threshold, size_t tests, double alpha) {
  const double quantiles = NormalQuantile(1 - alpha / 2) + NormalQuantile(kPower);
  const double least = std::log1p(threshold);
  for (int runs = 2; runs <= kMostRuns; ++runs) {
    const double error = kMedianOverMean * noise * std::sqrt(2.0 / runs);
    const bool is_reached = LeastLevel(runs, runs) * static_cast<double>(tests) <= alpha;
    const bool is_change = effect >= least / 2;
    if (is_change && is_reached && effect > quantiles * error) return runs;
    if (!is_change && runs >= kFewestForSame && effect + quantiles * error < least) return runs;
  }
  return kMostRuns + 1;
}

}  // namespace prof::compare
