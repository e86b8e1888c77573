// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/time_bar.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "lib/report/base/column_sums.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

// A slice smaller than this share goes to "other" in the legend.
constexpr double kLeastSlice = 0.005;

char BarLetter(Limiter limiter) {
  switch (limiter) {
    case Limiter::kDram:
      return 'D';
    case Limiter::kL2:
      return '2';
    case Limiter::kL1:
      return '1';
    case Limiter::kShared:
      return 'S';
    case Limiter::kTensor:
      return 'T';
    case Limiter::kFma:
      return 'F';
    case Limiter::kAlu:
      return 'A';
    case Limiter::kFp64:
      return '6';
    case Limiter::kSfu:
      return 'U';
    case Limiter::kIssue:
      return 'I';
    case Limiter::kMixed:
      return 'M';
    case Limiter::kLatency:
      return 'L';
    case Limiter::kOccupancy:
      return 'O';
    case Limiter::kSmallGrid:
      return 'G';
    case Limiter::kTail:
      return 'E';
    case Limiter::kLaunchSized:
      return 's';
    case Limiter::kCommunication:
      return 'N';
    case Limiter::kUnknown:
      return 'u';
    default:
      return '?';
  }
}

// Green: a unit works. Yellow: the kernel leaves the GPU unused. Grey: not known.
const char* ColorOf(Limiter limiter) {
  switch (limiter) {
    case Limiter::kUnknown:
    case Limiter::kNotMeasured:
      return "30;47";
    case Limiter::kLatency:
    case Limiter::kOccupancy:
    case Limiter::kSmallGrid:
    case Limiter::kTail:
    case Limiter::kLaunchSized:
    case Limiter::kCommunication:
      return "30;43";
    case Limiter::kTensor:
    case Limiter::kFma:
    case Limiter::kAlu:
    case Limiter::kFp64:
    case Limiter::kSfu:
    case Limiter::kIssue:
      return "30;42";
    default:
      return "30;46";  // memory, and two units together
  }
}

char BarLetter(GapCause cause) {
  switch (cause) {
    case GapCause::kSync:
      return 'w';
    case GapCause::kLaunch:
      return 'l';
    case GapCause::kLoading:
      return 'c';
    case GapCause::kHostWork:
      return 'h';
    case GapCause::kTransfer:
      return 't';
    case GapCause::kDependency:
      return 'd';
    default:
      return '.';
  }
}

void AddByTime(std::vector<Slice> slices, std::vector<Slice>* all) {
  std::stable_sort(slices.begin(), slices.end(),
                   [](const Slice& a, const Slice& b) { return a.time_ns > b.time_ns; });
  for (Slice& slice : slices) {
    if (slice.time_ns >= 1) all->push_back(std::move(slice));
  }
}

// Columns of each slice: they sum to `width`.
std::vector<int> Columns(const std::vector<Slice>& slices, int width) {
  double sum_ns = 0;
  for (const Slice& slice : slices) sum_ns += slice.time_ns;
  std::vector<double> exact;
  exact.reserve(slices.size());
  for (const Slice& slice : slices) exact.push_back(slice.time_ns / sum_ns * width);
  std::vector<int> columns;
  for (const double value : RoundToSum(exact, 0)) columns.push_back(static_cast<int>(value));
  return columns;
}

// Entries are not broken between lines.
void WriteLegend(std::ostream& out, const std::vector<std::string>& entries, int width) {
  std::string line;
  for (const std::string& entry : entries) {
    const bool fits = line.size() + 3 + entry.size() <= static_cast<size_t>(width);
    if (!line.empty() && !fits) {
      out << line << '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " | ") + entry;
  }
  out << line << '\n';
}

}  // namespace

std::vector<Slice> SlicesOf(const Report& report) {
  double work_ns = 0, idle_ns = 0;
  for (const RangeRow& row : report.rows) {
    if (row.kind == RangeRow::Kind::kProfiler) continue;
    (row.kind == RangeRow::Kind::kGap ? idle_ns : work_ns) += row.time_ns;
  }
  std::map<Limiter, double> kernels;
  double kernels_ns = 0;
  for (const KernelReport& kernel : report.kernels) {
    kernels[kernel.verdict.limiter] += kernel.busy_ns;
    kernels_ns += kernel.busy_ns;
  }
  std::map<GapCause, double> causes;
  double causes_ns = 0;
  for (const GapSummary& gap : report.gaps) {
    if (gap.cause == GapCause::kProfiler) continue;
    causes[gap.cause] += gap.total_ns;
    causes_ns += gap.total_ns;
  }
  std::vector<Slice> slices, of_kernels, of_idle;
  for (const auto& [limiter, time_ns] : kernels) {
    of_kernels.push_back({BarLetter(limiter), ToString(limiter), time_ns, ColorOf(limiter)});
  }
  AddByTime(std::move(of_kernels), &slices);
  AddByTime({{'C', "copies", work_ns - kernels_ns, "30;45"}}, &slices);
  for (const auto& [cause, time_ns] : causes) {
    of_idle.push_back(
        {BarLetter(cause), std::string("idle: ") + ToString(cause), time_ns, "37;41"});
  }
  of_idle.push_back({'.', "idle: no cause", idle_ns - causes_ns, "37;41"});
  AddByTime(std::move(of_idle), &slices);
  return slices;
}

void WriteTimeBar(std::ostream& out, const Report& report, const TextOptions& options) {
  const std::vector<Slice> slices = SlicesOf(report);
  double sum_ns = 0;
  for (const Slice& slice : slices) sum_ns += slice.time_ns;
  if (!(sum_ns > 0)) return;
  WriteHeading(out,
               "Where the time went: " + text::Time(sum_ns) +
                   (report.profiler_ns > 0 ? ", without what prof disturbed" : ""),
               options);
  const std::vector<int> columns = Columns(slices, options.width);
  std::vector<std::string> legend;
  double other_ns = 0;
  for (size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    const std::string part(static_cast<size_t>(columns[i]), slice.letter);
    if (!part.empty()) out << Colored(part, slice.color, options);
    if (slice.time_ns < kLeastSlice * sum_ns) {
      other_ns += slice.time_ns;
      continue;
    }
    legend.push_back(std::string(1, slice.letter) + " " + slice.name + " " +
                     PartPercent(slice.time_ns / sum_ns));
  }
  out << '\n';
  if (other_ns > 0) legend.push_back("other " + PartPercent(other_ns / sum_ns));
  WriteLegend(out, legend, options.width);
}

}  // namespace prof::report
