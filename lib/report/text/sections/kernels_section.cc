// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/kernels_section.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/advice.h"
#include "lib/report/text/heading.h"
#include "lib/report/text/kernel_lines.h"
#include "lib/report/text/kernel_origin.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr size_t kMostReasons = 5;

double TimeOfKernels(const Report& report) {
  double time_ns = 0;
  for (const KernelReport& kernel : report.kernels) time_ns += kernel.total_ns;
  return time_ns;
}

// "step/axpy", or the number of its ranges; outside of all ranges what launched it.
std::string PlaceCell(const KernelLine& line) {
  std::set<std::string> ranges;
  for (const KernelReport* const kernel : line.signatures) ranges.insert(kernel->range);
  if (ranges.size() > 1) return text::Count(static_cast<int64_t>(ranges.size())) + " ranges";
  return ranges.begin()->empty() ? OriginOf(line.signatures) : Printable(*ranges.begin());
}

Row LineRow(const KernelLine& line, double kernels_ns, const std::vector<AdviceEntry>& advice) {
  const KernelReport& main = line.main();
  const double gain_ns = line.gain_at_most_ns;
  const TwoNumbers numbers = NumbersOf(main);
  std::string limiter = ToString(main.verdict.limiter);
  if (line.other_limiters > 0) limiter += "*";
  return {{text::Time(line.total_ns),
           text::ShortPercent(kernels_ns > 0 ? line.total_ns / kernels_ns : 0),
           text::ShortPercent(line.share), text::Count(line.launches),
           text::Time(line.average_ns()), limiter, numbers.first.empty() ? "-" : numbers.first,
           numbers.second, gain_ns > 0 ? text::Time(gain_ns) : "-",
           LetterOf(advice, main.verdict.action), Printable(line.name), PlaceCell(line)}};
}

// The title of the places.
std::string PlaceTitle(const Report& report) {
  const bool ops = report.torch.recorded, lines = !report.lines.own.empty();
  return ops ? "range or op" : lines ? "range or line" : "range";
}

std::vector<Column> LineColumns(const Report& report) {
  return {{"time", Align::kRight},
          {"of GPU", Align::kRight, 0, 5},
          {"of span", Align::kRight, 0, 1},
          {"calls", Align::kRight},
          {"average", Align::kRight, 0, 4},
          {"limiter", Align::kLeft},
          {"% of peak", Align::kLeft},
          {"next", Align::kLeft, 0, 2},
          {"at most", Align::kRight},
          {"do", Align::kLeft},
          {"kernel", Align::kLeft, 22, 0, true},
          {PlaceTitle(report), Align::kLeft, 18, 3, true}};
}

void WriteOtherKernels(std::ostream& out, const std::vector<KernelLine>& lines, size_t shown) {
  if (shown >= lines.size()) return;
  double rest_ns = 0;
  for (size_t i = shown; i < lines.size(); ++i) rest_ns += lines[i].total_ns;
  out << "and " << text::Count(static_cast<int64_t>(lines.size() - shown)) << " more kernels with "
      << text::Time(rest_ns) << " in all; --top shows more\n";
}

}  // namespace

void WriteKernels(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.kernels.empty()) return;
  const std::vector<KernelLine> lines = KernelLines(report, options.sort);
  const size_t shown = std::min(lines.size(), static_cast<size_t>(options.max_rows));
  WriteHeading(out, "Kernels", options);
  const double kernels_ns = options.kernels_ns > 0 ? options.kernels_ns : TimeOfKernels(report);
  const std::vector<AdviceEntry> advice = AdviceOf(report, options);
  Table table;
  table.columns = LineColumns(report);
  bool mixed = false;
  for (size_t i = 0; i < shown; ++i) {
    table.rows.push_back(LineRow(lines[i], kernels_ns, advice));
    mixed |= lines[i].other_limiters > 0;
  }
  const std::vector<std::string> titles = WriteTable(out, table, options.width, options.utf8);
  const auto has = [&](const char* title) {
    return std::find(titles.begin(), titles.end(), title) != titles.end();
  };
  WriteOtherKernels(out, lines, shown);
  std::string legend = std::string("% of peak: the busiest unit") +
                       (has("next") ? ", and the next one" : "") +
                       "; -: not measured; ?: above 100 %, unreliable. do: the letter of the "
                       "advice below.";
  if (has("at most") && !report.actions.empty()) {
    legend +=
        " at most: of all its launches, as if nothing ran beside them; what the run saves is at "
        "the top.";
  }
  if (mixed) legend += " *: of most of its time; --kernel shows all of its signatures.";
  if (report.profiler_ns > 0 && has("of span")) {
    legend += " time: of all launches; of span: only of what prof did not disturb.";
  }
  WriteParagraph(out, "", legend, options.width);
}

void WriteNotMeasured(std::ostream& out, const Report& report, const TextOptions& options) {
  struct Reason {
    double time_ns = 0;
    int64_t kernels = 0;
    std::string example;
  };
  std::map<std::string, Reason> reasons;
  double kernels_ns = 0, open_ns = 0;
  for (const KernelReport& kernel : report.kernels) {
    kernels_ns += kernel.total_ns;
    if (kernel.verdict.limiter != Limiter::kNotMeasured) continue;
    open_ns += kernel.total_ns;
    const Verdict& verdict = kernel.verdict;
    Reason& reason = reasons[verdict.missing.empty() ? verdict.summary : verdict.missing];
    if (reason.kernels++ == 0) reason.example = kernel.name;
    reason.time_ns += kernel.total_ns;
  }
  if (reasons.empty()) return;
  std::vector<std::pair<std::string, Reason>> by_time(reasons.begin(), reasons.end());
  std::stable_sort(by_time.begin(), by_time.end(), [](const auto& a, const auto& b) {
    return a.second.time_ns > b.second.time_ns;
  });
  const auto share = [&](double ns) {
    return text::ShortPercent(kernels_ns > 0 ? ns / kernels_ns : 0);
  };
  WriteHeading(out, "Not measured: " + share(open_ns) + " of the kernel time", options);
  for (size_t i = 0; i < std::min(by_time.size(), kMostReasons); ++i) {
    const Reason& reason = by_time[i].second;
    WriteParagraph(out, "  - ",
                   share(reason.time_ns) + ", " +
                       text::Plural(reason.kernels, "signature", "signatures") + " (" +
                       ShortName(reason.example, 40, options) + "): " + Printable(by_time[i].first),
                   options.width);
  }
  if (by_time.size() > kMostReasons) {
    out << "  - " << text::Count(static_cast<int64_t>(by_time.size() - kMostReasons))
        << " more reasons: prof report --details\n";
  }
}

}  // namespace prof::report
