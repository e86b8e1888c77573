// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/regions_section.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "lib/report/base/kernel_text.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::report {
namespace {

constexpr size_t kMostParts = 5;
constexpr int kPartWidth = 60;

// "4 x nvjet_sm90 71 %"
std::string PartsText(const RegionReport& region, const TextOptions& options) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(region.parts.size(), kMostParts); ++i) {
    const RegionPart& part = region.parts[i];
    const double count = part.per_instance;
    const bool integral = count == static_cast<double>(static_cast<int64_t>(count));
    parts.push_back(text::Grouped(count, integral ? 0 : 1) + " x " +
                    ShortName(part.name, kPartWidth, options) + " " +
                    text::ShortPercent(part.share));
  }
  std::string line = "of its operations' time: " + text::Join(parts, ", ");
  if (region.parts.size() > kMostParts) {
    line +=
        ", " + text::Count(static_cast<int64_t>(region.parts.size() - kMostParts)) + " more kinds";
  }
  return line;
}

std::string TimesText(const RegionReport& region) {
  const bool graph = region.kind == RegionReport::Kind::kGraph;
  const Statistic& time = region.duration_ns;
  std::string line = graph ? "from its first operation's start to its last one's end: "
                           : "time in which its operations ran: ";
  line += "median " + text::Time(time.median) + ", " + text::Time(time.min) + " to " +
          text::Time(time.max);
  if (region.host_ns.n > 0) line += "; on the host " + text::Time(region.host_ns.median);
  line += "; " + text::Count(region.samples_used) + " samples";
  if (region.samples_rejected > 0) {
    line += " (" + text::Count(region.samples_rejected) +
            " rejected: other GPU work beside them, or another clock)";
  }
  if (region.counted_ns.n > 0) {
    line += ", in which the counters ran for " + text::Time(region.counted_ns.median) +
            "; what they counted is related to the time of the work";
  }
  return line;
}

Row RegionRow(const RegionReport& region, const TextOptions& options) {
  const bool graph = region.kind == RegionReport::Kind::kGraph;
  Row row;
  row.cells = {(graph ? "" : "range ") + Printable(region.label), text::Count(region.instances),
               text::Time(region.duration_ns.median), text::ShortPercent(region.share)};
  AddUnitCells(region, &row.cells);
  row.cells.push_back(ToString(region.verdict.limiter));
  if (!options.details) return row;
  row.notes = VerdictText(region.verdict, region.total_ns);
  const std::string roofline = RooflineText(region.roofline);
  if (!roofline.empty()) row.notes.push_back(roofline);
  row.notes.push_back(PartsText(region, options));
  row.notes.push_back(TimesText(region));
  return row;
}

}  // namespace

void WriteRegions(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.regions.empty()) return;
  const size_t shown = std::min(report.regions.size(), static_cast<size_t>(options.max_rows));
  WriteHeading(out, "Counted regions: CUDA graphs and NVTX ranges", options);
  Table table;
  table.columns = {{"graph or range", Align::kLeft, 16},
                   {"times", Align::kRight},
                   {"median", Align::kRight},
                   {"share", Align::kRight}};
  AddUnitColumns(1, &table.columns);
  table.columns.push_back({"limiter", Align::kLeft});
  for (size_t i = 0; i < shown; ++i) {
    table.rows.push_back(RegionRow(report.regions[i], options));
    table.rows.back().line_before = options.details && i > 0;
  }
  WriteTable(out, table, options.width, options.utf8);
  if (shown < report.regions.size()) {
    out << "and " << text::Count(static_cast<int64_t>(report.regions.size() - shown))
        << " more; --top shows more\n";
  }
  WriteParagraph(
      out, "",
      "Shares are of the span, and overlap each other's and the kernels'. DRAM to FMA: % "
      "of the unit's peak while the work ran, medians over n samples." +
          std::string(options.details ? "" : " --details has the evidence."),
      options.width);
}

}  // namespace prof::report
