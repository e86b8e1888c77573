// SPDX-License-Identifier: Apache-2.0
//
// CUDA graphs and NVTX ranges whose counters were read for all their work together.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "lib/analyzer/regions/counted_regions.h"
#include "lib/report/base/kernel_facts.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/base/units.h"
#include "lib/report/text/sections.h"

namespace prof::report {
namespace {

constexpr size_t kMostParts = 5;
constexpr int kPartWidth = 60;

// "4 x nvjet_sm90 71 %"
std::string PartsText(const WholeReport& whole, const TextOptions& options) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(whole.parts.size(), kMostParts); ++i) {
    const WholePart& part = whole.parts[i];
    const double count = part.per_instance;
    const bool integral = count == static_cast<double>(static_cast<int64_t>(count));
    parts.push_back(Fixed(count, integral ? 0 : 1) + " x " +
                    ShortName(part.name, kPartWidth, options) + " " + Percent(part.share));
  }
  std::string text = "of its operations' time: " + Join(parts, ", ");
  if (whole.parts.size() > kMostParts) {
    text += ", " + Count(static_cast<int64_t>(whole.parts.size() - kMostParts)) + " more kinds";
  }
  return text;
}

std::string TimesText(const WholeReport& whole) {
  const bool graph = whole.kind == WholeReport::Kind::kGraph;
  const Statistic& time = whole.duration_ns;
  std::string text = graph ? "from its first operation's start to its last one's end: "
                           : "time in which its operations ran: ";
  text += "median " + Time(time.median) + ", " + Time(time.min) + " to " + Time(time.max);
  if (whole.host_ns.n > 0) text += "; on the host " + Time(whole.host_ns.median);
  text += "; " + Count(whole.samples_used) + " samples";
  if (whole.samples_rejected > 0) {
    text += " (" + Count(whole.samples_rejected) +
            " rejected: other GPU work beside them, or another clock)";
  }
  if (whole.counted_ns.n > 0) {
    text += ", in which the counters ran for " + Time(whole.counted_ns.median) +
            "; what they counted is related to the time of the work";
  }
  return text;
}

Row WholeRow(const WholeReport& whole, const TextOptions& options) {
  KernelReport kernel = analyzer::AsKernel(whole);
  kernel.verdict = whole.verdict;
  const bool graph = whole.kind == WholeReport::Kind::kGraph;
  Row row;
  row.cells = {(graph ? "" : "range ") + Printable(whole.label), Count(whole.instances),
               Time(whole.duration_ns.median), Percent(whole.share)};
  int64_t n = 0;
  for (const UnitUse& use : UnitUses(kernel)) {
    row.cells.push_back(PercentCell(use.used));
    n = std::max(n, use.n);
  }
  row.cells.push_back(Count(n));
  row.notes = VerdictText(kernel);
  row.notes.push_back(PartsText(whole, options));
  row.notes.push_back(TimesText(whole));
  return row;
}

}  // namespace

void WriteWholes(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.wholes.empty()) return;
  const size_t shown = std::min(report.wholes.size(), static_cast<size_t>(options.max_rows));
  WriteHeading(out, "Counted as a whole", options);
  Table table;
  table.columns = {{"graph or range", Align::kLeft, 16},
                   {"times", Align::kRight},
                   {"median", Align::kRight},
                   {"share", Align::kRight},
                   {"DRAM", Align::kRight},
                   {"L2", Align::kRight},
                   {"L1", Align::kRight},
                   {"tensor", Align::kRight, 0, 2},
                   {"FMA", Align::kRight, 0, 1},
                   {"n", Align::kRight, 0, 3}};
  for (size_t i = 0; i < shown; ++i) {
    table.rows.push_back(WholeRow(report.wholes[i], options));
    table.rows.back().line_before = i > 0;
  }
  WriteTable(out, table, options.width, options.utf8);
  if (shown < report.wholes.size()) {
    out << "and " << Count(static_cast<int64_t>(report.wholes.size() - shown))
        << " more; --top shows more\n";
  }
  WriteParagraph(
      out, "",
      "Shares are of the span, and overlap each other's and the kernels'. DRAM to FMA: % "
      "of the unit's peak while the work ran, medians over n samples.",
      options.width);
}

}  // namespace prof::report
