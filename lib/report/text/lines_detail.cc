// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/lines_detail.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof {
namespace {

using report::Align;

std::string Where(const LineReport& line) {
  std::string where = line.file.empty() ? "(unknown file)" : report::Printable(line.file);
  if (line.line != 0) where += ":" + std::to_string(line.line);
  return where + " " + report::Printable(line.function);
}

std::string TimeCell(double ns) { return ns > 0 ? text::Time(ns) : "-"; }

void WriteTable(std::ostream& out, const std::vector<LineReport>& lines, double busy_ns,
                const TextOptions& options) {
  report::Table table;
  table.columns = {{"line", Align::kLeft, 24, 0, true},
                   {"operations", Align::kRight, 0, 1},
                   {"GPU", Align::kRight},
                   {"share, %", Align::kRight},
                   {"idle after", Align::kRight},
                   {"limiter", Align::kLeft},
                   {"mostly", Align::kLeft, 24, 2, true}};
  const size_t rows = std::min(lines.size(), static_cast<size_t>(options.max_rows));
  for (size_t i = 0; i < rows; ++i) {
    const LineReport& line = lines[i];
    table.rows.push_back(
        {{Where(line), text::Count(line.operations), TimeCell(line.time_ns),
          busy_ns > 0 ? text::Fixed(100 * line.time_ns / busy_ns, 1) : "-", TimeCell(line.idle_ns),
          line.dominant.empty() ? "-" : ToString(line.limiter),
          line.dominant.empty() ? "-" : report::Printable(line.dominant)}});
  }
  report::WriteTable(out, table, options.width, options.utf8);
  if (rows < lines.size()) {
    out << "(" << text::Count(static_cast<int64_t>(lines.size() - rows))
        << " more lines; --top shows more)\n";
  }
}

}  // namespace

bool WriteLinesDetail(std::ostream& out, const Report& report, const TextOptions& options) {
  const LinesReport& lines = report.lines;
  if (lines.all.empty()) return false;
  double busy_ns = lines.without_stack_ns;
  for (const LineReport& line : lines.all) busy_ns += line.time_ns;
  report::WriteHeading(out, "Lines of the program", options);
  WriteTable(out, lines.own, busy_ns, options);
  report::WriteHeading(out, "Innermost lines", options);
  WriteTable(out, lines.all, busy_ns, options);
  out << '\n';
  report::WriteParagraph(
      out, "",
      "GPU: busy time, which overlapping work shares; idle after: until the GPU's next operation "
      "began; limiter: of the line's kernel with most time. Work of a CUDA graph belongs to the "
      "line that was captured.",
      options.width);
  if (lines.without_stack_ns > 0 && busy_ns > 0) {
    report::WriteParagraph(out, "",
                           text::ShortPercent(lines.without_stack_ns / busy_ns) +
                               " of the GPU's busy time has no Python stack: other threads, such "
                               "as that of PyTorch's backward pass, or code without Python.",
                           options.width);
  }
  return true;
}

}  // namespace prof
