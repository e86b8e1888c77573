// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/signatures_section.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "lib/report/base/kernel_text.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr int kNameWidth = 60;  // of library kernels; wrapped further by the table
std::string OccupancyCell(const Occupancy& occupancy) {
  const std::optional<double> theoretical =
      occupancy.known ? std::optional<double>(occupancy.theoretical) : std::nullopt;
  if (!theoretical && !occupancy.achieved) return "-";
  return PercentCell(theoretical) + "/" + PercentCell(occupancy.achieved);
}

std::string NameCell(const KernelReport& kernel, const TextOptions& options) {
  std::string name = ShortName(kernel.name, kNameWidth, options);
  if (!kernel.range.empty()) name += " in " + Printable(kernel.range);
  return name;
}

Row KernelRow(const KernelReport& kernel, size_t number, const TextOptions& options) {
  Row row;
  row.cells = {std::to_string(number),
               NameCell(kernel, options),
               text::Count(kernel.launches),
               text::Time(kernel.duration_ns.median),
               text::ShortPercent(kernel.share),
               LaunchShape(kernel),
               kernel.occupancy.known ? text::Grouped(kernel.occupancy.waves, 1) : "-",
               OccupancyCell(kernel.occupancy)};
  AddUnitCells(kernel, &row.cells);
  row.notes = VerdictText(kernel.verdict, kernel.total_ns);
  for (const std::string& fact : {TimeSource(kernel), RooflineText(kernel.roofline),
                                  FlopsText(kernel), OccupancyText(kernel)}) {
    if (!fact.empty()) row.notes.push_back(fact);
  }
  if (kernel.in_graph && !kernel.whole_graph) {
    row.notes.push_back(
        "launched by a CUDA graph" +
        (kernel.captured_in.empty() ? "" : ", captured in " + Printable(kernel.captured_in)));
  }
  return row;
}

}  // namespace

void WriteSignatures(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.kernels.empty()) return;
  const size_t shown = std::min(report.kernels.size(), static_cast<size_t>(options.max_rows));
  WriteHeading(out, "Signatures, with the evidence", options);
  Table table;
  // Columns that do not fit a narrow terminal are repeated in the notes under each kernel.
  table.columns = {{"#", Align::kRight, 0, 5},     {"kernel", Align::kLeft, 16},
                   {"launches", Align::kRight},    {"median", Align::kRight},
                   {"share", Align::kRight},       {"grid x block", Align::kLeft, 10},
                   {"waves", Align::kRight, 0, 7}, {"occ. %", Align::kRight, 0, 6}};
  AddUnitColumns(2, &table.columns);
  for (size_t i = 0; i < shown; ++i) {
    table.rows.push_back(KernelRow(report.kernels[i], i + 1, options));
    table.rows.back().line_before = i > 0;
  }
  WriteTable(out, table, options.width, options.utf8);
  if (shown < report.kernels.size()) {
    double rest = 0;
    for (size_t i = shown; i < report.kernels.size(); ++i) rest += report.kernels[i].total_ns;
    out << "and " << text::Count(static_cast<int64_t>(report.kernels.size() - shown))
        << " more signatures with " << text::Time(rest) << " in all; --top shows more\n";
  }
  const std::string samples = report.continuous.empty() ? "" : ", or means of n PM samples";
  WriteParagraph(out, "",
                 "occ.: theoretical/achieved occupancy. DRAM to FMA: % of the unit's peak, medians "
                 "over n measured launches" +
                     samples + ". -: not measured. ?: above 100 %, unreliable.",
                 options.width);
}

}  // namespace prof::report
