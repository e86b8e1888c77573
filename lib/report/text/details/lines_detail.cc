// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/details/lines_detail.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof {
namespace {

using report::Align;

// The last `parts` parts of a path: "layers/mlp.py".
std::string_view Tail(std::string_view path, int parts) {
  size_t from = path.size();
  for (; parts > 0 && from != path.npos && from > 0; --parts) from = path.rfind('/', from - 1);
  return from == path.npos || from == 0 ? path : path.substr(from + 1);
}

// The file of a line; of native code without debug information the program or library.
std::string_view FileOf(const LineReport& line) {
  return line.file.empty() ? line.module : line.file;
}

// The files of a table by the shortest end of each path that no other file has: a line is found by
// that end and its number, which a long path would push out of the column.
std::map<std::string_view, std::string_view> ShortNames(const std::vector<LineReport>& lines) {
  constexpr int kMostParts = 4;
  std::map<std::string_view, std::string_view> names;
  for (const LineReport& line : lines) names[FileOf(line)] = FileOf(line);
  for (int parts = kMostParts; parts > 0; --parts) {  // the shortest one last
    std::map<std::string_view, int> alike;
    for (const auto& [file, name] : names) ++alike[Tail(file, parts)];
    for (auto& [file, name] : names) {
      if (alike[Tail(file, parts)] == 1) name = Tail(file, parts);
    }
  }
  return names;
}

// "step.inner" of "step.<locals>.inner".
std::string WithoutLocals(std::string function) {
  constexpr std::string_view kLocals = "<locals>.";
  for (size_t at = function.find(kLocals); at != function.npos; at = function.find(kLocals)) {
    function.erase(at, kLocals.size());
  }
  return function;
}

std::string Where(const LineReport& line, std::string_view file) {
  std::string where = file.empty() ? "(unknown file)" : report::Printable(std::string(file));
  if (line.line != 0) where += ":" + std::to_string(line.line);
  return where + " " + WithoutLocals(report::Printable(line.function));
}

// "12.0 ms", "62 % (55-69)": idle time with the host in this line, and the line's share of it.
std::vector<std::string> HostCells(const LineReport& line) {
  if (line.host_samples == 0) return {"-", "-"};
  return {report::TimeOrDash(line.host_idle_ns),
          text::Fixed(100 * line.host_share, 0) + " (" + text::Fixed(100 * line.host_share_low, 0) +
              "-" + text::Fixed(100 * line.host_share_high, 0) + ")"};
}

// What the tables have beside what each line has.
struct ExtraColumns {
  bool backward = false;  // GPU time of the backward pass
  bool host = false;      // where the host was
  double steps_ns = 0;    // of the steps, where there are some
};

// Returns the titles of the columns that it has.
std::vector<std::string> WriteLineTable(std::ostream& out, const std::vector<LineReport>& lines,
                                        double busy_ns, const ExtraColumns& columns,
                                        const TextOptions& options) {
  report::Table table;
  table.columns = {{"line", Align::kLeft, 22, 0, true, true},
                   {"operations", Align::kRight, 0, 3},
                   {"GPU", Align::kRight},
                   {"share, %", Align::kRight},
                   {"idle", Align::kRight},
                   {"limiter", Align::kLeft},
                   {"mostly", Align::kLeft, 24, 4, true}};
  // From right to left, so that the places of the others stay.
  if (columns.backward) {
    table.columns.insert(table.columns.begin() + 3, {"its backward", Align::kRight});
  }
  if (columns.steps_ns > 0) {
    table.columns.insert(table.columns.begin() + 1, {"in steps", Align::kRight});
  }
  if (columns.host) {
    table.columns.insert(table.columns.begin() + 1,
                         {{"host here", Align::kRight, 0, 1}, {"of idle, %", Align::kRight, 0, 2}});
  }
  const std::map<std::string_view, std::string_view> files = ShortNames(lines);
  const size_t rows = std::min(lines.size(), static_cast<size_t>(options.max_rows));
  for (size_t i = 0; i < rows; ++i) {
    const LineReport& line = lines[i];
    table.rows.push_back(
        {{Where(line, files.at(FileOf(line))), text::Count(line.operations),
          report::TimeOrDash(line.time_ns),
          busy_ns > 0 ? text::Fixed(100 * (line.time_ns + line.backward_ns) / busy_ns, 1) : "-",
          report::TimeOrDash(line.idle_ns), line.dominant.empty() ? "-" : ToString(line.limiter),
          line.dominant.empty() ? "-" : report::Printable(line.dominant)}});
    std::vector<std::string>& cells = table.rows.back().cells;
    if (columns.backward) cells.insert(cells.begin() + 3, report::TimeOrDash(line.backward_ns));
    if (columns.steps_ns > 0) {
      cells.insert(cells.begin() + 1,
                   line.steps_ns > 0 ? text::ShortPercent(line.steps_ns / columns.steps_ns) : "-");
    }
    if (!columns.host) continue;
    const std::vector<std::string> added = HostCells(line);
    cells.insert(cells.begin() + 1, added.begin(), added.end());
  }
  std::vector<std::string> titles = report::WriteTable(out, table, options.width, options.utf8);
  if (rows < lines.size()) {
    out << "(" << text::Count(static_cast<int64_t>(lines.size() - rows))
        << " more lines; --top shows more)\n";
  }
  return titles;
}

// `explains`: the tables have the columns of the host.
void WriteHostIdle(std::ostream& out, const HostIdleReport& host, bool explains,
                   const TextOptions& options) {
  if (!host.recorded) return;
  std::string line = "The GPU waited for the host for " + text::Time(host.idle_ns) + " in " +
                     text::Plural(host.gaps, "gap", "gaps") + "; " +
                     text::Count(host.sampled_gaps) + " of them, with " +
                     text::Time(host.sampled_ns) + ", have " +
                     text::Plural(host.samples, "sample", "samples") + " of the host";
  const auto add = [&line](int64_t count, const char* what) {
    if (count > 0) line += ", " + text::Count(count) + " " + what;
  };
  add(host.native, "without Python frames");
  add(host.torn, "torn (the frames changed while prof read them)");
  add(host.unread, "that could not be read");
  line += host.enough ? "." : ": too few to name lines.";
  if (host.enough && explains) {
    line +=
        " Host here: the share of these samples that found the host in this line, with its "
        "interval of 95 %, and that share of the sampled idle time. The other idle time is in "
        "no line.";
  }
  report::WriteParagraph(out, "", line, options.width);
}

}  // namespace

bool WriteLinesDetail(std::ostream& out, const Report& report, const TextOptions& options) {
  const LinesReport& lines = report.lines;
  if (lines.all.empty() && !lines.host_idle.recorded) return false;
  double busy_ns = lines.without_stack_ns;
  ExtraColumns columns;
  columns.host = lines.host_idle.enough;
  columns.steps_ns = lines.steps.time_ns;
  for (const LineReport& line : lines.all) {
    busy_ns += line.time_ns + line.backward_ns;
    if (line.backward_ns > 0) columns.backward = true;
  }
  report::WriteHeading(out, "Lines of the program", options);
  const std::vector<std::string> titles = WriteLineTable(out, lines.own, busy_ns, columns, options);
  report::WriteHeading(out, "Innermost lines", options);
  WriteLineTable(out, lines.all, busy_ns, columns, options);
  out << '\n';
  report::WriteParagraph(
      out, "",
      std::string("GPU: busy time, which overlapping work shares; ") +
          (columns.backward ? "its backward: of the backward pass of PyTorch's ops that launched "
                              "work in this line; share: of both; "
                            : "") +
          "idle: the GPU idled because the line waited for it, or the host was in the line, or the "
          "line launched what came late; limiter: of the line's kernel with most time. Work of a "
          "CUDA graph belongs to the line that was captured.",
      options.width);
  if (!lines.steps.range.empty()) {
    report::WriteParagraph(
        out, "",
        "In steps: the line's busy and idle time, with its backward pass, of the " +
            text::Time(lines.steps.time_ns) + " of the last " +
            text::Plural(lines.steps.count, "step", "steps") + " (" +
            report::Printable(lines.steps.range) + "). The lines are in this order.",
        options.width);
  }
  const bool host_columns = std::find(titles.begin(), titles.end(), "host here") != titles.end();
  WriteHostIdle(out, lines.host_idle, host_columns, options);
  if (lines.without_stack_ns > 0 && busy_ns > 0) {
    report::WriteParagraph(out, "",
                           text::ShortPercent(lines.without_stack_ns / busy_ns) +
                               " of the GPU's busy time has no stack: without --native-stacks "
                               "other threads, such as that of PyTorch's backward pass (--torch "
                               "ops gives its work the line of the forward pass), or code without "
                               "Python.",
                           options.width);
  }
  return true;
}

}  // namespace prof
