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
constexpr double kLeastPart = 0.1;     // [own] of a change: less does not explain it
constexpr double kLeastOfTime = 0.05;  // [own] of a kernel that is named
constexpr size_t kMostNamed = 3;

constexpr struct {
  const char* metric;
  const char* words;
} kSummed[] = {{"smsp__inst_executed.sum", "instructions"},
               {"lts__t_sectors.sum", "L2 sectors"},
               {"dram__bytes_read.sum", "bytes read from DRAM"},
               {"dram__bytes_write.sum", "bytes written to DRAM"}};

double TimeOf(const KernelRuns& kernel) {
  const double ns = SummaryOf(kernel.total_ns).median;
  return std::isfinite(ns) ? ns : 0;
}

struct Sum {
  double count = 0;    // over all launches
  double covered = 0;  // of the time of all kernels, 0..1: that of those with the counter
};

Sum SumOf(const std::vector<const KernelRuns*>& kernels, const char* metric) {
  Sum sum;
  double all_ns = 0, counted_ns = 0;
  for (const KernelRuns* kernel : kernels) {
    const double ns = TimeOf(*kernel), launches = SummaryOf(kernel->launches).median;
    all_ns += ns;
    const auto found = kernel->metrics.find(metric);
    if (found == kernel->metrics.end() || !std::isfinite(found->second.median)) continue;
    if (!(launches > 0)) continue;
    counted_ns += ns;
    sum.count += found->second.median * launches;
  }
  sum.covered = all_ns > 0 ? counted_ns / all_ns : 0;
  return sum;
}

// It moved the same way as the time, and by more than a small part of that.
bool MayExplain(double work, double time) {
  const double moved = std::log(work), of_time = std::log(time);
  return std::abs(moved) >= std::log1p(kWorthSaying) && moved * of_time > 0 &&
         std::abs(moved) >= kLeastPart * std::abs(of_time);
}

void AddSums(const Together& kernels, double time, std::vector<std::string>* lines) {
  double most_before = 0, most_after = 0;
  bool any = false;
  for (const auto& summed : kSummed) {
    const Sum before = SumOf(kernels.before, summed.metric);
    const Sum after = SumOf(kernels.after, summed.metric);
    most_before = std::max(most_before, before.covered);
    most_after = std::max(most_after, after.covered);
    if (std::min(before.covered, after.covered) < kLeastCovered) continue;
    any = true;
    CounterChange change;
    change.metric = summed.metric;
    change.words = summed.words;
    change.before = before.count;
    change.after = after.count / kernels.work;
    if (!HasRatio(&change) || !MayExplain(change.after / change.before, time)) continue;
    std::string line = "all its kernels together: " + CounterText(change);
    const double covered = std::min(before.covered, after.covered);
    if (covered < 1) {
      line += ", by the counters of kernels with " + text::ShortPercent(covered) + " of the time";
    }
    lines->push_back(line);
  }
  if (any) return;
  lines->push_back("kernels with " + text::ShortPercent(most_before) + " of its time before and " +
                   text::ShortPercent(most_after) +
                   " after have counters of the work: record both with --counters all, and their "
                   "sums explain more");
}

// "a (45 % of the time), b (12 %) and 3 more"; empty: none with a part of the time.
std::string Named(std::vector<std::pair<double, std::string>> kernels, double all_ns) {
  std::sort(kernels.rbegin(), kernels.rend());
  std::vector<std::string> parts;
  for (const auto& [ns, name] : kernels) {
    if (parts.size() == kMostNamed || ns < kLeastOfTime * all_ns) break;
    parts.push_back(name + " (" + text::ShortPercent(ns / all_ns) +
                    (parts.empty() ? " of the time)" : ")"));
  }
  if (parts.empty()) return "";
  const auto more = static_cast<int64_t>(kernels.size() - parts.size());
  return text::Join(parts, ", ") + (more > 0 ? " and " + text::Count(more) + " more" : "");
}

void AddKernels(const Together& kernels, Matched matched, std::vector<std::string>* lines) {
  const bool is_gone = matched == Matched::kGone;
  double all_ns = 0;
  for (const KernelRuns* kernel : is_gone ? kernels.before : kernels.after) {
    all_ns += TimeOf(*kernel);
  }
  std::vector<std::pair<double, std::string>> found;
  for (const KernelChange* change : kernels.changes) {
    if (change->matched != matched) continue;
    found.emplace_back(is_gone ? change->total_before_ns : change->total_after_ns, change->name);
  }
  const std::string named = Named(std::move(found), all_ns);
  if (!named.empty()) lines->push_back((is_gone ? "gone: " : "new: ") + named);
}

}  // namespace

std::vector<std::string> ExplainTogether(const Together& kernels, double time) {
  std::vector<std::string> lines;
  if (kernels.before.empty() || kernels.after.empty() || !(time > 0)) return lines;
  AddSums(kernels, time, &lines);
  AddKernels(kernels, Matched::kGone, &lines);
  AddKernels(kernels, Matched::kNew, &lines);
  return lines;
}

}  // namespace prof::compare
