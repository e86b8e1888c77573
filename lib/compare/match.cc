// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/match.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "lib/compare/base/sample.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::compare {
namespace {

// [own] Of the weights of all features that both sides have.
constexpr double kLeastScore = 0.55;
constexpr double kClearScore = 0.75;
constexpr double kSureScore = 0.90;
constexpr double kClearMargin = 0.08;  // to the next candidate of either kernel
constexpr double kEqualCounts = 0.01;
constexpr double kEqualBytes = 0.03;

bool IsEqualLaunch(const KernelRuns& a, const KernelRuns& b) {
  return a.grid == b.grid && a.block == b.block && a.dynamic_shared_bytes == b.dynamic_shared_bytes;
}

std::set<std::string> WordsOf(std::string_view name) {
  std::set<std::string> words;
  std::string word;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
  if (!word.empty()) words.insert(word);
  return words;
}

// The share of words that both names have (Jaccard).
double Similarity(const std::string& a, const std::string& b) {
  if (a == b) return 1;
  const std::set<std::string> one = WordsOf(a), other = WordsOf(b);
  double common = 0;
  for (const std::string& word : one) common += static_cast<double>(other.count(word));
  const double all = static_cast<double>(one.size() + other.size()) - common;
  return all > 0 ? common / all : 0;
}

std::optional<double> RatioOf(const Values& a, const Values& b) {
  const double before = Median(Present(a)), after = Median(Present(b));
  if (!(before > 0) || !(after > 0)) return std::nullopt;
  return after / before;
}

bool IsNear(double ratio, double tolerance) { return std::abs(ratio - 1) <= tolerance; }

struct Score {
  double value = 0;  // 0..1
  std::vector<std::string> equal, different;
};

// Adds up features; those that one side lacks do not count.
class Scoring {
 public:
  void Add(double weight, double share, const char* what) {
    weight_ += weight;
    sum_ += weight * share;
    (share >= 1 ? score_.equal : score_.different).emplace_back(what);
  }
  void AddMetric(double weight, const KernelRuns& a, const KernelRuns& b, const char* metric,
                 double tolerance, const char* what) {
    const auto one = a.metrics.find(metric), other = b.metrics.find(metric);
    if (one == a.metrics.end() || other == b.metrics.end()) return;
    const double x = one->second.median, y = other->second.median;
    const bool is_equal = x == y || (x > 0 && IsNear(y / x, tolerance));
    Add(weight, is_equal ? 1 : 0, what);
  }
  Score Take() {
    score_.value = weight_ > 0 ? sum_ / weight_ : 0;
    return std::move(score_);
  }

 private:
  double weight_ = 0, sum_ = 0;
  Score score_;
};

Score ScoreOf(const KernelRuns& a, const KernelRuns& b) {
  Scoring scoring;
  scoring.Add(3, a.full_name == b.full_name ? 1 : Similarity(a.full_name, b.full_name), "name");
  scoring.Add(2, a.range == b.range ? 1 : 0, "range");
  scoring.Add(1, a.grid == b.grid ? 1 : 0, "grid");
  scoring.Add(1, a.block == b.block ? 1 : 0, "block");
  scoring.Add(1, a.position == b.position ? 1 : 0, "position in the range");
  if (a.resources_known && b.resources_known) {
    scoring.Add(0.5, a.registers_per_thread == b.registers_per_thread ? 1 : 0, "registers");
    scoring.Add(0.5,
                a.static_shared_bytes + a.dynamic_shared_bytes ==
                        b.static_shared_bytes + b.dynamic_shared_bytes
                    ? 1
                    : 0,
                "shared memory");
  }
  if (const auto launches = RatioOf(a.launches, b.launches)) {
    scoring.Add(1, IsNear(*launches, kEqualCounts) ? 1 : 0, "launches");
  }
  if (const auto time = RatioOf(a.time_ns, b.time_ns)) {
    scoring.Add(1, std::max(0.0, 1 - std::abs(std::log2(*time))), "time");
  }
  scoring.AddMetric(2, a, b, "smsp__inst_executed.sum", kEqualCounts, "instructions");
  scoring.AddMetric(1, a, b, "dram__bytes_read.sum", kEqualBytes, "bytes read from DRAM");
  scoring.AddMetric(1, a, b, "dram__bytes_write.sum", kEqualBytes, "bytes written to DRAM");
  scoring.AddMetric(1, a, b, "lts__t_sectors.sum", kEqualBytes, "L2 sectors");
  return scoring.Take();
}

Matched MatchedAs(const KernelRuns& before, const KernelRuns& after) {
  if (before.full_name != after.full_name) return Matched::kRenamed;
  return before.range != after.range ? Matched::kMoved : Matched::kRelaunched;
}

// Kernels of different devices never match, nor do two that share neither name nor range.
bool MayMatch(const KernelRuns& a, const KernelRuns& b) {
  if (a.device != b.device) return false;
  return a.range == b.range || Similarity(a.full_name, b.full_name) >= 0.5;
}

struct Candidate {
  size_t before, after;
  Score score;
};

std::string ExplainScore(const Score& score) {
  std::string why = "score " + text::Fixed(score.value, 2);
  if (!score.equal.empty()) why += "; equal: " + text::Enumerate(score.equal);
  if (!score.different.empty()) why += "; differs: " + text::Enumerate(score.different);
  return why;
}

// The best other candidate of the same kernels.
double NextBest(const std::vector<Candidate>& candidates, const Candidate& chosen) {
  double next = 0;
  for (const Candidate& other : candidates) {
    const bool before = other.before == chosen.before, after = other.after == chosen.after;
    if (before != after) next = std::max(next, other.score.value);
  }
  return next;
}

Confidence ConfidenceOf(double score, double next) {
  if (score - next < kClearMargin) return Confidence::kLow;
  if (score >= kSureScore) return Confidence::kHigh;
  return score >= kClearScore ? Confidence::kMedium : Confidence::kLow;
}

using Kernels = std::vector<const KernelRuns*>;

// The kernels that are the only one of their device, name and range.
class OnlyOnes {
 public:
  explicit OnlyOnes(const Kernels& kernels) {
    for (const KernelRuns* kernel : kernels) ++counts_[KeyOf(*kernel)];
  }
  [[nodiscard]] bool Has(const KernelRuns& kernel) const {
    const auto found = counts_.find(KeyOf(kernel));
    return found != counts_.end() && found->second == 1;
  }

 private:
  using Key = std::tuple<uint32_t, std::string_view, std::string_view>;
  static Key KeyOf(const KernelRuns& kernel) {
    return {kernel.device, kernel.range, kernel.full_name};
  }

  std::map<Key, int> counts_;
};

// A kernel that was tuned has another grid, block, time, and other counters. Where it is the only
// one of its name and range that is left on both sides, it is the same one all the same.
void RaiseIfOnly(const OnlyOnes& before, const OnlyOnes& after, const KernelRuns& a,
                 const KernelRuns& b, Score* score) {
  if (a.device != b.device || a.range != b.range || a.full_name != b.full_name) return;
  if (!before.Has(a) || !after.Has(b) || score->value >= kClearScore) return;
  score->value = kClearScore;
  score->equal.emplace_back("no other kernel of this name and range is left");
}

std::vector<Candidate> FindCandidates(const Kernels& before, const Kernels& after) {
  const OnlyOnes only_before(before), only_after(after);
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < before.size(); ++i) {
    for (size_t j = 0; j < after.size(); ++j) {
      if (!MayMatch(*before[i], *after[j])) continue;
      Score score = ScoreOf(*before[i], *after[j]);
      RaiseIfOnly(only_before, only_after, *before[i], *after[j], &score);
      if (score.value >= kLeastScore) candidates.push_back({i, j, std::move(score)});
    }
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.score.value > b.score.value; });
  return candidates;
}

// Pairs the best candidates first; what is left over is gone or new.
void MatchRest(const Kernels& before, const Kernels& after, std::vector<Pair>* pairs) {
  const std::vector<Candidate> candidates = FindCandidates(before, after);
  std::set<size_t> taken_before, taken_after;
  for (const Candidate& candidate : candidates) {
    if (taken_before.count(candidate.before) != 0 || taken_after.count(candidate.after) != 0) {
      continue;
    }
    taken_before.insert(candidate.before);
    taken_after.insert(candidate.after);
    const KernelRuns &one = *before[candidate.before], &other = *after[candidate.after];
    pairs->push_back({&one, &other, MatchedAs(one, other),
                      ConfidenceOf(candidate.score.value, NextBest(candidates, candidate)),
                      ExplainScore(candidate.score)});
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (taken_before.count(i) == 0) pairs->push_back({before[i], nullptr, Matched::kGone, {}, ""});
  }
  for (size_t j = 0; j < after.size(); ++j) {
    if (taken_after.count(j) == 0) pairs->push_back({nullptr, after[j], Matched::kNew, {}, ""});
  }
}

}  // namespace

std::vector<Pair> MatchKernels(const RunSet& before, const RunSet& after) {
  std::multimap<std::tuple<std::string, std::string, uint32_t>, const KernelRuns*> known;
  for (const KernelRuns& kernel : before.kernels) {
    known.insert({{kernel.full_name, kernel.range, kernel.device}, &kernel});
  }
  std::vector<Pair> pairs;
  Kernels left_after;
  for (const KernelRuns& kernel : after.kernels) {
    const auto [first, last] = known.equal_range({kernel.full_name, kernel.range, kernel.device});
    const auto same = std::find_if(
        first, last, [&](const auto& entry) { return IsEqualLaunch(*entry.second, kernel); });
    if (same == last) {
      left_after.push_back(&kernel);
      continue;
    }
    pairs.push_back({same->second, &kernel, Matched::kSame, Confidence::kHigh, ""});
    known.erase(same);
  }
  Kernels left_before;
  for (const KernelRuns& kernel : before.kernels) {
    const auto [first, last] = known.equal_range({kernel.full_name, kernel.range, kernel.device});
    const bool is_left =
        std::any_of(first, last, [&](const auto& entry) { return entry.second == &kernel; });
    if (is_left) left_before.push_back(&kernel);
  }
  MatchRest(left_before, left_after, &pairs);
  return pairs;
}

}  // namespace prof::compare
