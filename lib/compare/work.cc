// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/compare/counters.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof {
namespace {

using compare::WorkKind;

constexpr double kThreadsOfWarp = 32;
// [own] A counter that is not equal within a side needs as many values of each: two groups of four
// lie apart by chance in 3 % of cases, and by three times their range hardly ever.
constexpr int64_t kFewestForRange = 4;
constexpr size_t kMostNamed = 3;

// The first is the gravest.
constexpr std::array kWorkChanges = {WorkChange::kMore, WorkChange::kMixed, WorkChange::kLess,
                                     WorkChange::kSame, WorkChange::kNotMeasured};

// What one counter shows. kLittle: it changed, and is a small part of the work.
enum class Shown { kNothing, kSame, kLittle, kLess, kMore };

// The sum of all counters of a kind, on the side with less.
using KindTotals = std::map<WorkKind, double>;

// In units of the sum that a counter is a part of.
double WeightOf(WorkKind kind) { return kind == WorkKind::kThreads ? 1 / kThreadsOfWarp : 1; }

WorkKind WholeOf(WorkKind kind) {
  return kind == WorkKind::kWarps || kind == WorkKind::kThreads ? WorkKind::kInstructions : kind;
}

KindTotals TotalsOf(const std::vector<CounterChange>& counters) {
  KindTotals before, after;
  for (const CounterChange& c : counters) {
    const WorkKind kind = compare::WorkKindOf(c.metric);
    if (kind == WorkKind::kNone || WholeOf(kind) != kind) continue;
    before[kind] += c.before;
    after[kind] += c.after;
  }
  for (auto& [kind, total] : before) total = std::min(total, after[kind]);
  return before;
}

// A counter that doubled and is one in a thousand of the work is no other work. Where the sum is
// not known, each counter counts.
bool IsLargePart(const CounterChange& c, const KindTotals& totals, double threshold) {
  const WorkKind kind = compare::WorkKindOf(c.metric);
  const auto total = totals.find(WholeOf(kind));
  if (total == totals.end()) return true;
  return std::abs(c.after - c.before) * WeightOf(kind) >= threshold * total->second;
}

Shown JudgeCounter(const CounterChange& c, const KindTotals& totals,
                   const CompareOptions& options) {
  const double limit = std::max(options.threshold, options.noise_factor * c.spread);
  const double less = std::min(c.before, c.after), more = std::max(c.before, c.after);
  const bool is_apart = c.moved && more > less * (1 + limit);
  const bool is_known = c.spread <= compare::kExactTolerance || c.values >= kFewestForRange;
  if (is_apart && is_known) {
    if (!IsLargePart(c, totals, options.threshold)) return Shown::kLittle;
    return c.after > c.before ? Shown::kMore : Shown::kLess;
  }
  return limit > options.threshold || is_apart ? Shown::kNothing : Shown::kSame;
}

double SizeOf(const CounterChange& c) {
  if (c.before == c.after) return 0;
  if (!compare::HasRatio(&c)) return std::numeric_limits<double>::infinity();
  return std::abs(std::log(c.after / c.before));
}

std::string ChangeText(const CounterChange& c) {
  if (!(c.before > 0)) return c.words + ", before none";
  if (!(c.after > 0)) return "no " + c.words + " any more";
  return compare::FactorText(c) + " the " + c.words;
}

// "1.20 times the instructions and 2 other counters": instructions first, then what changed most.
std::string ChangesText(std::vector<const CounterChange*> changed) {
  std::stable_sort(changed.begin(), changed.end(), [](const auto* a, const auto* b) {
    const auto rank = [](const CounterChange& c) {
      return compare::WorkKindOf(c.metric) == WorkKind::kInstructions ? 0 : 1;
    };
    return rank(*a) != rank(*b) ? rank(*a) < rank(*b) : SizeOf(*a) > SizeOf(*b);
  });
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(changed.size(), kMostNamed); ++i) {
    parts.push_back(ChangeText(*changed[i]));
  }
  if (changed.size() > kMostNamed) {
    parts.push_back(text::Plural(static_cast<int64_t>(changed.size() - kMostNamed), "other counter",
                                 "other counters"));
  }
  return text::Enumerate(parts);
}

// How far the values of a side differ in these counters.
std::string SpreadText(const std::vector<const CounterChange*>& changed) {
  double spread = 0;
  for (const CounterChange* c : changed) spread = std::max(spread, c->spread);
  if (spread == 0) return "; within a side they do not differ";
  return "; within a side they differ by " + text::ShortPercent(spread) + " at most";
}

// The counters by what they show.
struct Judged {
  std::vector<const CounterChange*> exact, same, little, changed;
  bool any_less = false, any_more = false;
};

ComparedWork OtherWork(const Judged& judged) {
  ComparedWork work;
  work.change = !judged.any_less  ? WorkChange::kMore
                : judged.any_more ? WorkChange::kMixed
                                  : WorkChange::kLess;
  const char* const what = work.change == WorkChange::kMore   ? "it does more work: "
                           : work.change == WorkChange::kLess ? "it does less work: "
                                                              : "it does other work: ";
  const CounterChange* const most = *std::max_element(
      judged.changed.begin(), judged.changed.end(),
      [](const CounterChange* a, const CounterChange* b) { return SizeOf(*a) < SizeOf(*b); });
  work.counter = most->words;
  work.ratio = compare::HasRatio(most) ? most->after / most->before
                                       : std::numeric_limits<double>::quiet_NaN();
  work.why = what + ChangesText(judged.changed) + SpreadText(judged.changed);
  return work;
}

ComparedWork EqualWork(const std::vector<const CounterChange*>& same) {
  const CounterChange* const most = *std::max_element(
      same.begin(), same.end(),
      [](const CounterChange* a, const CounterChange* b) { return SizeOf(*a) < SizeOf(*b); });
  ComparedWork work;
  work.change = WorkChange::kSame;
  work.ratio = compare::HasRatio(most) ? most->after / most->before : 1;
  const std::string counters =
      text::Plural(static_cast<int64_t>(same.size()), "exact counter", "exact counters");
  if (most->before == most->after) {
    work.why = "it does the same work: " + counters + " did not change";
    return work;
  }
  work.counter = most->words;
  work.why =
      "it does the same work: of " + counters + " the largest change is " + ChangeText(*most);
  return work;
}

}  // namespace

ComparedWork compare::DecideWork(const CompareOptions& options,
                                 std::vector<CounterChange>* counters) {
  const KindTotals totals = TotalsOf(*counters);
  Judged judged;
  double most_spread = 0;
  for (CounterChange& c : *counters) {
    if (WorkKindOf(c.metric) == WorkKind::kNone) continue;
    judged.exact.push_back(&c);
    most_spread = std::max(most_spread, c.spread);
    const Shown shown = JudgeCounter(c, totals, options);
    c.certain = shown == Shown::kMore || shown == Shown::kLess;
    if (c.certain) judged.changed.push_back(&c);
    if (shown == Shown::kSame) judged.same.push_back(&c);
    if (shown == Shown::kLittle) judged.little.push_back(&c);
    judged.any_more = judged.any_more || shown == Shown::kMore;
    judged.any_less = judged.any_less || shown == Shown::kLess;
  }
  if (!judged.changed.empty()) return OtherWork(judged);
  if (!judged.same.empty()) return EqualWork(judged.same);
  if (!judged.little.empty()) return EqualWork(judged.little);
  if (judged.exact.empty()) return NoWork("the sides have no exact counter of it in common");
  return NoWork("its exact counters differ by " + text::ShortPercent(most_spread) +
                " within a side: they do not show its work");
}

ComparedWork compare::NoWork(std::string why) {
  ComparedWork work;
  work.ratio = std::numeric_limits<double>::quiet_NaN();
  work.why = std::move(why);
  return work;
}

bool compare::IsOtherWork(WorkChange change) {
  return change == WorkChange::kLess || IsMoreWork(change);
}

bool compare::IsMoreWork(WorkChange change) {
  return change == WorkChange::kMore || change == WorkChange::kMixed;
}

std::string compare::WorkCountText(const Comparison& comparison) {
  std::map<WorkChange, int64_t> counts;
  for (const KernelChange& kernel : comparison.kernels) {
    if (kernel.time.tested) ++counts[kernel.work.change];
  }
  std::vector<std::string> parts;
  bool is_known = false;
  for (const WorkChange change : kWorkChanges) {
    const auto count = counts.find(change);
    if (count == counts.end()) continue;
    is_known = is_known || change != WorkChange::kNotMeasured;
    const std::string name = change == WorkChange::kNotMeasured ? "not measured" : ToString(change);
    parts.push_back(text::Count(count->second) + " " + name);
  }
  return is_known ? text::Join(parts, ", ") : "";
}

WorkChange Comparison::overall_work() const {
  for (const WorkChange change : kWorkChanges) {
    const bool any = std::any_of(kernels.begin(), kernels.end(), [&](const KernelChange& kernel) {
      return kernel.time.tested && kernel.work.change == change;
    });
    if (any) return change;
  }
  return WorkChange::kNotMeasured;
}

const char* ToString(WorkChange change) {
  switch (change) {
    case WorkChange::kNotMeasured:
      return "not-measured";
    case WorkChange::kSame:
      return "same";
    case WorkChange::kLess:
      return "less";
    case WorkChange::kMore:
      return "more";
    case WorkChange::kMixed:
      return "mixed";
  }
  return "not-measured";
}

}  // namespace prof
