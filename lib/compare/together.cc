// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/together.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "lib/compare/base/sample.h"
#include "lib/compare/counters.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::compare {
namespace {

constexpr double kLeastCovered = 0.8;  // [own] of the time, for a sum of all
constexpr double kAll = 0.995;         // of the time, rounded
constexpr double kLeastOfTime = 0.05;  // [own] of a kernel that is named
constexpr size_t kMostNamed = 3;

constexpr struct {
  const char* metric;
  const char* words;
} kSummed[] = {{"smsp__inst_executed.sum", "instructions"},
               {"lts__t_sectors.sum", "L2 sectors"},
               {"dram__bytes_read.sum", "bytes read from DRAM"},
               {"dram__bytes_write.sum", "bytes written to DRAM"}};

// The median over the runs that have it, times their part of all runs; 0: none has it.
double PerRun(const Values& values) {
  const Values present = Present(values);
  if (present.empty()) return 0;
  return Median(present) * static_cast<double>(present.size()) / static_cast<double>(values.size());
}

struct Sum {
  double count = 0;    // over all launches
  double covered = 0;  // of the time of all kernels, 0..1: that of those with the counter
};

Sum SumOf(const std::vector<const KernelRuns*>& kernels, const char* metric) {
  Sum sum;
  double all_ns = 0, counted_ns = 0;
  for (const KernelRuns* kernel : kernels) {
    const double ns = PerRun(kernel->total_ns);
    all_ns += ns;
    const auto found = kernel->metrics.find(metric);
    if (found == kernel->metrics.end() || !std::isfinite(found->second.median)) continue;
    counted_ns += ns;
    sum.count += found->second.median * PerRun(kernel->launches);
  }
  sum.covered = all_ns > 0 ? counted_ns / all_ns : 0;
  return sum;
}

void AddSums(const Together& kernels, double time, std::vector<std::string>* lines) {
  for (const auto& summed : kSummed) {
    const Sum before = SumOf(kernels.before, summed.metric);
    const Sum after = SumOf(kernels.after, summed.metric);
    const double covered = std::min(before.covered, after.covered);
    if (covered < kLeastCovered) continue;
    CounterChange change;
    change.metric = summed.metric;
    change.words = summed.words;
    change.before = before.count;
    change.after = after.count / kernels.work;
    if (!HasRatio(&change)) continue;
    const double ratio = change.after / change.before;
    if (!IsPartOf(ratio, time)) continue;
    // Kernels that only one side has counted are no change.
    if (!IsPartOf(ratio * before.covered / after.covered, time)) continue;
    std::string line = "all its kernels together: " + CounterText(change);
    if (covered < kAll) {
      line += ", by the counters of kernels with " + text::ShortPercent(covered) + " of the time";
    }
    lines->push_back(line);
  }
}

// Where kernels have no partner nothing else explains the time.
void AddMissing(const Together& kernels, std::vector<std::string>* lines) {
  Sum best_before, best_after;
  for (const auto& summed : kSummed) {
    const Sum before = SumOf(kernels.before, summed.metric);
    const Sum after = SumOf(kernels.after, summed.metric);
    if (std::min(before.covered, after.covered) <
        std::min(best_before.covered, best_after.covered)) {
      continue;
    }
    best_before = before;
    best_after = after;
  }
  if (std::min(best_before.covered, best_after.covered) >= kLeastCovered) return;
  lines->push_back("kernels with " + text::ShortPercent(best_before.covered) +
                   " of its time before and " + text::ShortPercent(best_after.covered) +
                   " after have a counter of the work: longer runs with --counters all have more, "
                   "and their sums explain more");
}

// "a (45 % of its kernels' time), b (12 %) and 3 more"; empty: none with a part of the time.
std::string Named(std::vector<std::pair<double, std::string>> kernels, double all_ns) {
  std::sort(kernels.rbegin(), kernels.rend());
  std::vector<std::string> parts;
  for (const auto& [ns, name] : kernels) {
    if (parts.size() == kMostNamed || ns < kLeastOfTime * all_ns) break;
    parts.push_back(name + " (" + text::ShortPercent(ns / all_ns) +
                    (parts.empty() ? " of its kernels' time)" : ")"));
  }
  if (parts.empty()) return "";
  const auto more = static_cast<int64_t>(kernels.size() - parts.size());
  return text::Join(parts, ", ") + (more > 0 ? " and " + text::Count(more) + " more" : "");
}

// True: there are such kernels with a part of the time.
bool AddKernels(const Together& kernels, Matched matched, std::vector<std::string>* lines) {
  const bool is_gone = matched == Matched::kGone;
  double all_ns = 0;
  for (const KernelRuns* kernel : is_gone ? kernels.before : kernels.after) {
    all_ns += PerRun(kernel->total_ns);
  }
  std::vector<std::pair<double, std::string>> found;
  for (const KernelChange* change : kernels.changes) {
    const double ns = is_gone ? change->total_before_ns : change->total_after_ns;
    if (change->matched == matched && std::isfinite(ns)) found.emplace_back(ns, change->name);
  }
  const std::string named = Named(std::move(found), all_ns);
  if (!named.empty()) lines->push_back((is_gone ? "gone: " : "new: ") + named);
  return !named.empty();
}

}  // namespace

std::vector<std::string> ExplainTogether(const Together& kernels, double time) {
  std::vector<std::string> lines;
  if (kernels.before.empty() || kernels.after.empty() || !(time > 0)) return lines;
  AddSums(kernels, time, &lines);
  const bool any_gone = AddKernels(kernels, Matched::kGone, &lines);
  const bool any_new = AddKernels(kernels, Matched::kNew, &lines);
  if (any_gone || any_new) AddMissing(kernels, &lines);
  return lines;
}

}  // namespace prof::compare
