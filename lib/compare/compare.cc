// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/compare/base/bootstrap.h"
#include "lib/compare/base/sample.h"
#include "lib/compare/counters.h"
#include "lib/compare/decide.h"
#include "lib/compare/explain.h"
#include "lib/compare/match.h"
#include "lib/compare/normalize.h"
#include "lib/compare/notes.h"
#include "lib/compare/run_set.h"
#include "lib/compare/together.h"
#include "lib/compare/work.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof {
namespace {

using compare::Beside;
using compare::Pair;
using compare::Values;

constexpr double kSameWork = 0.01;  // [own] of the launches of equal kernels

double MedianOf(const Values& values) { return compare::SummaryOf(values).median; }

double LargerOf(double a, double b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : std::max(a, b);
}

// How much of the same work each run did, by which times of the whole run are divided.
struct AmountsOfWork {
  Values before, after;
  std::string note;  // empty: all did the same
};

// Launches measure work where a launch is known to do the same: another grid does not, and a match
// of low confidence may be another kernel.
bool MeasuresWork(const Pair& pair) {
  return pair.before != nullptr && pair.after != nullptr &&
         pair.confidence >= Confidence::kMedium && pair.before->grid == pair.after->grid &&
         pair.before->block == pair.after->block;
}

std::string SpanText(const RunSet& runs) {
  for (const RunQuantity& quantity : runs.quantities) {
    if (quantity.kind == RunQuantity::Kind::kSpan) return text::Time(MedianOf(quantity.values_ns));
  }
  return "not known";
}

Values Scaled(Values values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

AmountsOfWork MeasureWork(const std::vector<Pair>& pairs, const RunSet& before,
                          const RunSet& after) {
  std::vector<const KernelRuns*> known_before, known_after;
  for (const Pair& pair : pairs) {
    if (!MeasuresWork(pair)) continue;
    known_before.push_back(pair.before);
    known_after.push_back(pair.after);
  }
  AmountsOfWork work;
  work.before = compare::OwnWork(before);
  work.after =
      Scaled(compare::OwnWork(after),
             compare::Median(compare::WorkOf(known_after, known_before, after.runs)) /
                 compare::Median(compare::WorkOf(known_before, known_before, before.runs)));
  const auto differs = [](double amount) { return std::abs(amount - 1) > kSameWork; };
  if (std::none_of(work.before.begin(), work.before.end(), differs) &&
      std::none_of(work.after.begin(), work.after.end(), differs)) {
    work.before.assign(work.before.size(), 1);
    work.after.assign(work.after.size(), 1);
    return work;
  }
  work.note = "the runs did different amounts of work (launches of the same kernels: " +
              text::Fixed(compare::Median(work.after), 3) +
              " times after): times of the whole run and of ranges are per amount of work before. "
              "As recorded, the span is " +
              SpanText(before) + " before and " + SpanText(after) +
              " after. If the launches are more for the same work, that is the comparison";
  return work;
}

// The stored noise of either side: the larger one.
template <typename Quantity>
void TakeNoise(const Quantity* before, const Quantity* after, compare::Quantity* quantity) {
  for (const Quantity* side : {before, after}) {
    if (side == nullptr || !side->noise) continue;
    if (quantity->noise && *quantity->noise >= *side->noise) continue;
    quantity->noise = side->noise;
    quantity->noise_runs = side->noise_runs;
  }
}

const KernelRuns& Side(const KernelRuns* kernel) {
  static const KernelRuns& none = *new KernelRuns();
  return kernel != nullptr ? *kernel : none;
}

std::optional<Compared> CompareCycles(const Pair& pair, const CompareOptions& options) {
  compare::Quantity cycles;
  cycles.name = "cycles of a launch";
  cycles.before = Side(pair.before).cycles;
  cycles.after = Side(pair.after).cycles;
  Compared compared = Measure(cycles, options);
  if (compared.before.n == 0 || compared.after.n == 0) return std::nullopt;
  compared.why = "beside the time";
  return compared;
}

// Why the counters of a launch do not compare the work of both; empty: they do. `launches`: after
// over before, over the same of the other kernels.
std::string WhyNoWork(const Pair& pair, double launches) {
  const bool is_same_launch =
      pair.before->grid == pair.after->grid && pair.before->block == pair.after->block;
  if (!is_same_launch && std::abs(launches - 1) > kSameWork) {
    return "its grid or block differs, and it is launched " + text::Fixed(launches, 2) +
           " times as often: a launch is another part of the work";
  }
  return pair.confidence == Confidence::kLow
             ? "the match is of low confidence: another kernel has other work"
             : "";
}

ComparedWork CompareWork(const Pair& pair, const AmountsOfWork& amounts,
                         const CompareOptions& options, KernelChange* change) {
  const double all = compare::Median(amounts.after) / compare::Median(amounts.before);
  const std::string why_not =
      WhyNoWork(pair, change->launches_after / change->launches_before / all);
  return why_not.empty() ? compare::DecideWork(options, &change->counters)
                         : compare::NoWork(why_not);
}

// The sides, and what is common to all of their kernels.
struct Sides {
  const RunSet& before;
  const RunSet& after;
  const AmountsOfWork& amounts;
  [[nodiscard]] bool same_device() const { return before.devices == after.devices; }
};

KernelChange Paired(const Pair& pair, const Sides& sides, const CompareOptions& options) {
  const KernelRuns &before = Side(pair.before), &after = Side(pair.after);
  const KernelRuns& named = pair.after != nullptr ? after : before;
  KernelChange change;
  change.name = named.name;
  change.range = named.range;
  change.device = named.device;
  change.matched = pair.matched;
  change.confidence = pair.confidence;
  change.match_why = pair.why;
  if (pair.matched == Matched::kRenamed) change.match_why = "was " + before.name + "; " + pair.why;
  if (pair.matched == Matched::kMoved) {
    change.match_why =
        "was in " + (before.range.empty() ? "(no range)" : before.range) + "; " + pair.why;
  }
  const bool on_both = pair.before != nullptr && pair.after != nullptr;
  if (on_both && !sides.same_device()) {
    change.normalized = compare::NormalizeTime(pair, sides.before, sides.after);
  }
  compare::Quantity time;
  time.name = "time of a launch";
  time.before = before.time_ns;
  time.after = Scaled(after.time_ns, change.normalized ? change.normalized->factor : 1);
  time.launch_noise = LargerOf(before.launch_noise, after.launch_noise);
  TakeNoise(pair.before, pair.after, &time);
  change.time = Measure(time, options);
  if (!change.time.modes_before) change.time.modes_before = before.launch_modes;
  if (!change.time.modes_after) change.time.modes_after = after.launch_modes;
  change.total_before_ns = MedianOf(before.total_ns);
  change.total_after_ns = MedianOf(after.total_ns);
  change.launches_before = MedianOf(before.launches);
  change.launches_after = MedianOf(after.launches);
  if (!on_both) {
    change.work = compare::NoWork("only one side has the kernel");
    return change;
  }
  change.cycles = CompareCycles(pair, options);
  change.counters = compare::CompareCounters(before, after);
  change.work = CompareWork(pair, sides.amounts, options, &change);
  change.explanation = compare::Explain(before, after, change, sides.same_device());
  return change;
}

double LargerTotal(const KernelChange& change) {
  const double larger = LargerOf(change.total_before_ns, change.total_after_ns);
  return std::isnan(larger) ? 0 : larger;
}

// Of a quantity that some runs have none of, which is not the same as not known: the medians, and
// no ratio.
bool MeasureZeros(const compare::Quantity& quantity, Compared* compared) {
  const auto known = [](const Values& values) {
    Values result;
    for (const double value : values) {
      if (std::isfinite(value)) result.push_back(value);
    }
    return result;
  };
  const Values before = known(quantity.before), after = known(quantity.after);
  const auto has_zero = [](const Values& values) {
    return std::find(values.begin(), values.end(), 0.0) != values.end();
  };
  if (before.empty() || after.empty() || (!has_zero(before) && !has_zero(after))) return false;
  const auto summed_up = [](const Values& values) {
    Statistic statistic;
    statistic.n = static_cast<int64_t>(values.size());
    statistic.median = compare::Median(values);
    statistic.min = *std::min_element(values.begin(), values.end());
    statistic.max = *std::max_element(values.begin(), values.end());
    for (const double value : values) statistic.sum += value;
    return statistic;
  };
  compared->before = summed_up(before);
  compared->after = summed_up(after);
  compared->ratio = {};
  compared->ratio.value = std::numeric_limits<double>::quiet_NaN();
  compared->why = std::string(has_zero(before) && has_zero(after) ? "Some runs of both sides"
                              : has_zero(before)                  ? "Some runs before"
                                                                  : "Some runs after") +
                  " have none of it: there is no ratio.";
  return true;
}

std::string OnlyOneSide(const Compared& compared) {
  if (compared.before.n == 0 && compared.after.n == 0) return "Neither side has a time.";
  return compared.before.n == 0 ? "Only the runs after have it." : "Only the runs before have it.";
}

std::string TooSmall(const CompareOptions& options) {
  return "Less than " + text::ShortPercent(options.least_share) +
         " of the time: listed, not tested.";
}

// Kernels that have too little of the time would cost the others' tests, by Holm.
void DecideKernels(const RunSet& before, const RunSet& after, const CompareOptions& options,
                   std::vector<KernelChange>* kernels) {
  constexpr double kAlike = 0.01;  // of clocks; within a run they differ by as much [own]
  const bool clocks_alike = before.sm_clock_hz > 0 && after.sm_clock_hz > 0 &&
                            std::abs(std::log(after.sm_clock_hz / before.sm_clock_hz)) <= kAlike;
  double all_ns = 0;
  for (const KernelChange& kernel : *kernels) all_ns += LargerTotal(kernel);
  std::vector<Compared*> tested;
  std::vector<Beside> beside;
  for (KernelChange& kernel : *kernels) {
    if (kernel.time.before.n == 0 || kernel.time.after.n == 0) {
      kernel.time.why = OnlyOneSide(kernel.time);
    } else if (LargerTotal(kernel) < options.least_share * all_ns) {
      kernel.time.why = TooSmall(options);
    } else {
      tested.push_back(&kernel.time);
      Beside other;
      if (kernel.cycles) other.cycles = kernel.cycles->ratio;
      other.work = kernel.work;
      other.same_device = before.devices == after.devices;
      other.clocks_alike = clocks_alike;
      beside.push_back(other);
    }
  }
  Decide(tested, beside, options);
}

using QuantityKey = std::pair<RunQuantity::Kind, std::string>;
struct QuantityPair {
  const RunQuantity *before = nullptr, *after = nullptr;
};

std::vector<std::pair<QuantityKey, QuantityPair>> PairQuantities(const RunSet& before,
                                                                 const RunSet& after) {
  std::map<QuantityKey, QuantityPair> pairs;
  for (const RunQuantity& q : before.quantities) pairs[{q.kind, q.name}].before = &q;
  for (const RunQuantity& q : after.quantities) pairs[{q.kind, q.name}].after = &q;
  return {pairs.begin(), pairs.end()};
}

// The kernels that make up the time of a range, or all time that the GPU is busy.
compare::Together KernelsOf(const QuantityKey& key, const Sides& sides,
                            const std::vector<KernelChange>& changes) {
  const bool are_all = key.first == RunQuantity::Kind::kBusy;
  const std::string range = key.second == "(no range)" ? "" : key.second;
  const auto is_in = [&](const auto& kernel) { return are_all || kernel.range == range; };
  compare::Together kernels;
  for (const KernelRuns& kernel : sides.before.kernels) {
    if (is_in(kernel)) kernels.before.push_back(&kernel);
  }
  for (const KernelRuns& kernel : sides.after.kernels) {
    if (is_in(kernel)) kernels.after.push_back(&kernel);
  }
  for (const KernelChange& change : changes) {
    if (is_in(change)) kernels.changes.push_back(&change);
  }
  kernels.work = compare::Median(sides.amounts.after) / compare::Median(sides.amounts.before);
  return kernels;
}

std::vector<Compared> CompareRun(const Sides& sides, const std::vector<KernelChange>& kernels,
                                 const CompareOptions& options) {
  const AmountsOfWork& amounts = sides.amounts;
  std::vector<Compared> all;
  std::vector<QuantityKey> keys;  // of each of them
  for (const auto& [key, pair] : PairQuantities(sides.before, sides.after)) {
    compare::Quantity quantity;
    quantity.name = key.second;
    if (pair.before != nullptr) {
      quantity.before = compare::PerWork(pair.before->values_ns, amounts.before);
    }
    if (pair.after != nullptr) {
      quantity.after = compare::PerWork(pair.after->values_ns, amounts.after);
    }
    TakeNoise(pair.before, pair.after, &quantity);
    Compared compared = Measure(quantity, options);
    const bool zeros = MeasureZeros(quantity, &compared);
    if (zeros && compared.before.max == 0 && compared.after.max == 0) continue;
    all.push_back(std::move(compared));
    keys.push_back(key);
  }
  double span_ns = 0;
  for (const Compared& c : all)
    span_ns = std::max(span_ns, LargerOf(c.before.median, c.after.median));
  std::vector<Compared*> tested;
  for (Compared& c : all) {
    if (c.before.n == 0 || c.after.n == 0) {
      c.why = OnlyOneSide(c);
    } else if (!std::isfinite(c.ratio.value) && !c.why.empty()) {
      continue;  // some runs have none of it
    } else if (LargerOf(c.before.median, c.after.median) < options.least_share * span_ns) {
      c.why = TooSmall(options);
    } else {
      tested.push_back(&c);
    }
  }
  Decide(tested, std::vector<Beside>(tested.size()), options);
  for (size_t i = 0; i < all.size(); ++i) {
    using Kind = RunQuantity::Kind;
    const bool is_of_kernels = keys[i].first == Kind::kRange || keys[i].first == Kind::kBusy;
    const bool has_changed = all[i].change == Change::kSlower || all[i].change == Change::kFaster;
    if (!is_of_kernels || !all[i].tested || !has_changed || !sides.same_device()) continue;
    all[i].explanation =
        compare::ExplainTogether(KernelsOf(keys[i], sides, kernels), all[i].ratio.value);
  }
  return all;
}

Comparison CompareSets(const RunSet& before, const RunSet& after, const CompareOptions& options) {
  Comparison comparison;
  comparison.error = compare::WhyNot(before, after, options);
  if (!comparison.error.empty()) return comparison;
  comparison.before = compare::Describe(before);
  comparison.after = compare::Describe(after);
  comparison.runs_before = before.runs;
  comparison.runs_after = after.runs;
  comparison.order = compare::OrderOf(before, after);
  const std::vector<Pair> pairs = compare::MatchKernels(before, after);
  const AmountsOfWork amounts = MeasureWork(pairs, before, after);
  for (const Pair& pair : pairs) {
    comparison.kernels.push_back(Paired(pair, {before, after, amounts}, options));
  }
  std::stable_sort(
      comparison.kernels.begin(), comparison.kernels.end(),
      [](const KernelChange& a, const KernelChange& b) { return LargerTotal(a) > LargerTotal(b); });
  DecideKernels(before, after, options, &comparison.kernels);
  comparison.run = CompareRun({before, after, amounts}, comparison.kernels, options);
  comparison.notes = compare::NotesOnSides(before, after, comparison);
  if (!amounts.note.empty()) comparison.notes.push_back(amounts.note);
  return comparison;
}

// The later of two changes in the order of Comparison::overall().
Change Worse(Change a, Change b) {
  for (const Change change : {Change::kSlower, Change::kInconclusive, Change::kFaster}) {
    if (a == change || b == change) return change;
  }
  return Change::kSame;
}

template <typename Function>
void ForEachTested(const Comparison& comparison, const Function& function) {
  for (const KernelChange& kernel : comparison.kernels) {
    if (kernel.time.tested) function(kernel.time);
  }
  for (const Compared& compared : comparison.run) {
    if (compared.tested) function(compared);
  }
}

}  // namespace

std::string compare::WhyNot(const RunSet& before, const RunSet& after,
                            const CompareOptions& options) {
  if (!before.error.empty()) return "before: " + before.error;
  if (!after.error.empty()) return "after: " + after.error;
  if (options.across) return "";
  const char* const way_out =
      ". --across compares them all the same, and prints what it normalized";
  if (before.devices != after.devices) {
    return "the devices differ: " + before.devices + " before, " + after.devices + " after" +
           way_out;
  }
  if (before.driver != after.driver) {
    return "the drivers differ: " + before.driver + " before, " + after.driver + " after" + way_out;
  }
  return "";
}

std::string compare::Describe(const RunSet& runs) {
  std::string text = text::Plural(runs.runs, "run", "runs") + " on " +
                     (runs.devices.empty() ? "no GPU" : runs.devices);
  if (!runs.driver.empty()) text += ", driver " + runs.driver;
  return runs.command.empty() ? text : text + ": " + runs.command;
}

const char* ToString(Change change) {
  switch (change) {
    case Change::kSame:
      return "same";
    case Change::kFaster:
      return "faster";
    case Change::kSlower:
      return "slower";
    case Change::kInconclusive:
      return "inconclusive";
  }
  return "inconclusive";
}

const char* ToString(Matched matched) {
  switch (matched) {
    case Matched::kSame:
      return "same";
    case Matched::kRelaunched:
      return "relaunched";
    case Matched::kRenamed:
      return "renamed";
    case Matched::kMoved:
      return "moved";
    case Matched::kNew:
      return "new";
    case Matched::kGone:
      return "gone";
  }
  return "same";
}

const char* ToString(RunOrder order) {
  switch (order) {
    case RunOrder::kUnknown:
      return "unknown";
    case RunOrder::kInterleaved:
      return "interleaved";
    case RunOrder::kBeforeFirst:
      return "before-first";
    case RunOrder::kAfterFirst:
      return "after-first";
  }
  return "unknown";
}

Change Comparison::overall() const {
  Change worst = Change::kSame;
  ForEachTested(*this, [&](const Compared& c) { worst = Worse(worst, c.change); });
  return worst;
}

int Comparison::runs_needed() const {
  int most = 0;
  ForEachTested(*this, [&](const Compared& c) { most = std::max(most, c.runs_needed); });
  return most;
}

Comparison Compare(const RunSet& before, const RunSet& after, const CompareOptions& options) {
  try {
    return CompareSets(before, after, options);
  } catch (const std::exception& problem) {  // most likely out of memory
    Comparison comparison;
    comparison.error = std::string("the comparison failed: ") + problem.what();
    return comparison;
  }
}

Comparison Compare(const std::vector<Report>& before, const std::vector<Report>& after,
                   const CompareOptions& options) {
  return Compare(Collect(before), Collect(after), options);
}

}  // namespace prof
