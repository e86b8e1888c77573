// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/ranges_section.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/base/column_sums.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

// A range without GPU time is shown where the host spent this share of the span in it.
constexpr double kHostShare = 0.01;
// GPU work outside of all ranges is explained where it is this share of the GPU's work.
constexpr double kOutsideShare = 0.10;

// A line of the table, from the tree of ranges or from a row that is no range.
struct Line {
  std::string label;
  int32_t depth = 0;
  int64_t calls = 0;
  double host_ns = 0, inclusive_ns = 0, time_ns = 0, gain_ns = 0;
  std::string limiter = "-", dominant;
  bool is_gap = false, is_prof = false, hidden = false;
  const RangeNode* node = nullptr;
};

// The limiter of the row's dominant kernel; copies and gaps have none.
std::string LimiterCell(const RangeRow& row, const Report& report) {
  const bool is_kernel =
      std::any_of(report.kernels.begin(), report.kernels.end(),
                  [&](const KernelReport& kernel) { return kernel.name == row.dominant; });
  return is_kernel ? ToString(row.limiter) : "-";
}

Line FromRow(const RangeRow& row, const Report& report) {
  Line line;
  line.label = row.label;
  line.calls = row.instances;
  line.time_ns = row.time_ns;
  line.gain_ns = row.gain_at_most_ns;
  line.is_gap = row.kind == RangeRow::Kind::kGap;
  line.is_prof = row.kind == RangeRow::Kind::kProfiler;
  line.dominant = line.is_gap || line.is_prof ? row.evidence : row.dominant;
  if (!line.is_gap && !line.is_prof) line.limiter = LimiterCell(row, report);
  return line;
}

using RowsByLabel = std::map<std::string, const RangeRow*>;

Line FromNode(const RangeNode& node, const RowsByLabel& rows, const Report& report, bool flat) {
  Line line;
  line.node = &node;
  line.label = flat ? node.path : node.name;
  if (node.ranges > 1) line.label += " (" + text::Count(node.ranges) + " ranges)";
  line.depth = flat ? 0 : node.depth;
  line.calls = node.calls;
  line.host_ns = node.host_ns;
  line.inclusive_ns = node.gpu_inclusive_ns;
  line.time_ns = node.gpu_ns;
  for (const std::string& label : node.rows) {
    const auto row = rows.find(label);
    if (row == rows.end()) continue;
    line.gain_ns += row->second->gain_at_most_ns;
    if (!line.dominant.empty()) continue;
    line.dominant = row->second->dominant;
    line.limiter = LimiterCell(*row->second, report);
  }
  return line;
}

double SortKey(const Line& line, SortBy sort) {
  const auto calls = static_cast<double>(std::max<int64_t>(line.calls, 1));
  return sort == SortBy::kCalls     ? static_cast<double>(line.calls)
         : sort == SortBy::kAverage ? line.inclusive_ns / calls
                                    : line.gain_ns;
}

void Sort(SortBy sort, std::vector<Line>* lines) {
  if (sort == SortBy::kTime) return;  // the tree has this order
  std::stable_sort(lines->begin(), lines->end(), [&](const Line& a, const Line& b) {
    return sort == SortBy::kName ? a.label < b.label : SortKey(a, sort) > SortKey(b, sort);
  });
}

// The ranges; what ran outside of them; the gaps; prof's own.
std::vector<Line> AllLines(const Report& report, const TextOptions& options) {
  RowsByLabel rows;
  for (const RangeRow& row : report.rows) rows[row.label] = &row;
  std::vector<Line> lines;
  const bool flat = options.sort != SortBy::kTime;
  for (const RangeNode& node : report.ranges) {
    lines.push_back(FromNode(node, rows, report, flat));
    const bool host_only = node.gpu_inclusive_ns <= 0;
    lines.back().hidden = host_only && node.host_ns < kHostShare * report.undisturbed_ns;
  }
  const bool tree = !report.ranges.empty();
  for (const RangeRow& row : report.rows) {
    if (tree && row.kind == RangeRow::Kind::kRange) continue;
    lines.push_back(FromRow(row, report));
    if (!tree)
      lines.back().inclusive_ns =
          lines.back().is_gap || lines.back().is_prof ? 0 : lines.back().time_ns;
  }
  const auto ranges_end = std::stable_partition(
      lines.begin(), lines.end(), [](const Line& line) { return !line.is_gap && !line.is_prof; });
  std::vector<Line> ranges(lines.begin(), ranges_end);
  Sort(options.sort, &ranges);
  std::move(ranges.begin(), ranges.end(), lines.begin());
  return lines;
}

// Hides all but the `most` ranges with most time, and sums what they have of their own in one line,
// so that the table still sums to the span. A range has no more time than the one around it, so
// that one is shown, too.
void HideSmall(size_t most, std::vector<Line>* lines) {
  std::vector<size_t> by_time;
  for (size_t i = 0; i < lines->size(); ++i) {
    const Line& line = (*lines)[i];
    if (!line.hidden && !line.is_gap && !line.is_prof) by_time.push_back(i);
  }
  if (by_time.size() > most + 1) {
    std::stable_sort(by_time.begin(), by_time.end(), [&](size_t a, size_t b) {
      const Line &first = (*lines)[a], &second = (*lines)[b];
      return std::max(first.inclusive_ns, first.time_ns) >
             std::max(second.inclusive_ns, second.time_ns);
    });
    for (size_t k = most; k < by_time.size(); ++k) (*lines)[by_time[k]].hidden = true;
  }
  Line others;
  int64_t count = 0;
  for (const Line& line : *lines) {
    if (!line.hidden) continue;
    ++count;
    others.time_ns += line.time_ns;
    others.host_ns = 0;
  }
  lines->erase(
      std::remove_if(lines->begin(), lines->end(), [](const Line& line) { return line.hidden; }),
      lines->end());
  if (count == 0) return;
  others.label = "(" + text::Count(count) + " more ranges; --top shows more)";
  const auto first_other = std::find_if(
      lines->begin(), lines->end(), [](const Line& line) { return line.is_gap || line.is_prof; });
  lines->insert(first_other, others);
}

// The times of the lines in one unit, rounded.
struct PrintedTimes {
  TimeUnit unit;
  std::vector<double> own;        // they sum to their rounded sum
  std::vector<double> inclusive;  // no less than the own one, and than those of the ranges in it
};

// Raises the inclusive time of each range to the largest one in it. A range stands behind the one
// around it.
void RaiseToInner(const std::vector<Line>& lines, std::vector<double>* inclusive) {
  std::map<int32_t, double> largest;  // by depth, of the lines since the one around them
  for (size_t i = lines.size(); i-- > 0;) {
    const int32_t depth = lines[i].depth;
    double& time = (*inclusive)[i];
    time = std::max(time, std::exchange(largest[depth + 1], 0));
    largest[depth] = std::max(largest[depth], time);
  }
}

PrintedTimes TimesOf(const std::vector<Line>& lines, double total_ns) {
  PrintedTimes times{UnitFor(total_ns), {}, {}};
  const int decimals = times.unit.decimals;
  std::vector<double> most;
  for (const Line& line : lines) {
    const bool included = line.inclusive_ns > 0;
    times.own.push_back(line.time_ns / times.unit.ns);
    times.inclusive.push_back(included ? RoundedTo(line.inclusive_ns / times.unit.ns, decimals)
                                       : 0);
    most.push_back(included ? times.inclusive.back() : std::numeric_limits<double>::infinity());
  }
  times.own = RoundToSum(times.own, decimals, most);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].inclusive_ns <= 0) continue;
    times.inclusive[i] = std::max(times.inclusive[i], times.own[i]);
  }
  RaiseToInner(lines, &times.inclusive);
  return times;
}

// "122.9 ms", in the unit of the own times, so that the two can be compared. What is too short for
// that is "46.2 us".
std::string InclusiveCell(const Line& line, double time, const TimeUnit& unit) {
  if (line.inclusive_ns <= 0 || time <= 0) return TimeOrDash(line.inclusive_ns);
  return text::Grouped(time, unit.decimals) + " " + unit.name;
}

Row CellsOf(const Line& line, const std::string& inclusive, const std::string& time,
            const std::string& share) {
  const std::string indent(static_cast<size_t>(2 * line.depth), ' ');
  return {{indent + Printable(line.label), line.calls > 0 ? text::Count(line.calls) : "-",
           TimeOrDash(line.host_ns), inclusive, time, share, line.limiter, TimeOrDash(line.gain_ns),
           Printable(line.dominant)}};
}

// The paths of a line that stands for many, without a share of the sum.
void AddMembers(const Line& line, std::vector<Row>* rows) {
  if (line.node == nullptr) return;
  const std::string indent(static_cast<size_t>(2 * line.depth + 2), ' ');
  for (const RangeMember& member : line.node->members) {
    rows->push_back(
        {{indent + Printable(member.path), text::Count(member.calls), TimeOrDash(member.host_ns),
          TimeOrDash(member.gpu_inclusive_ns), "", "", "", "", ""}});
  }
}

std::vector<Column> ColumnsOf(const std::string& unit, bool instances) {
  std::vector<Column> columns = {{"range", Align::kLeft, 16, 0, true},
                                 {"calls", Align::kRight},
                                 {"host", Align::kRight, 0, 2},
                                 {"GPU incl.", Align::kRight},
                                 {"own, " + unit, Align::kRight},
                                 {"share, %", Align::kRight},
                                 {"limiter", Align::kLeft},
                                 {"at most", Align::kRight, 0, 1}};
  // The paths of instances are long, and differ in the middle.
  if (!instances) columns.push_back({"mostly", Align::kLeft, 30, 3, true});
  return columns;
}

void WriteOutsideNote(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.ranges.empty()) return;
  double outside_ns = 0, work_ns = 0;
  for (const RangeRow& row : report.rows) {
    const bool outside = row.kind == RangeRow::Kind::kOutside;
    if (outside) outside_ns += row.time_ns;
    if (outside || row.kind == RangeRow::Kind::kRange) work_ns += row.time_ns;
  }
  if (outside_ns <= 0 || outside_ns < kOutsideShare * work_ns) return;
  WriteParagraph(
      out, "",
      "(no range) has " + text::ShortPercent(outside_ns / work_ns) +
          " of the GPU's work: it was launched by a thread that had no range open then. "
          "A thread has its own ranges: PyTorch's backward pass, on a thread of its own, "
          "has none of the main thread's.",
      options.width);
}

}  // namespace

void WriteRanges(std::ostream& out, const Report& report, const TextOptions& options) {
  WriteHeading(out, "Ranges", options);
  if (report.rows.empty() && report.ranges.empty()) {
    out << "No GPU operation was recorded.\n";
    return;
  }
  std::vector<Line> lines = AllLines(report, options);
  if (report.rows.empty()) {  // nothing but ranges without GPU work
    for (Line& line : lines) line.hidden = false;
  }
  HideSmall(static_cast<size_t>(options.max_rows), &lines);
  double total_ns = 0;
  for (const Line& line : lines) total_ns += line.time_ns;
  const bool prof = lines.back().is_prof;  // it is the last
  // Only a table that really adds up may call its sum the span.
  const bool is_span = std::abs(total_ns - report.span_ns) <= 0.001 * report.span_ns;
  const double prof_ns = prof ? lines.back().time_ns : 0;
  const double program_ns = is_span ? total_ns - prof_ns : report.undisturbed_ns;
  std::vector<double> shares;
  for (size_t i = 0; i < lines.size() - (prof ? 1 : 0); ++i) {
    shares.push_back(program_ns > 0 ? 100 * lines[i].time_ns / program_ns : 0);
  }
  shares = RoundToSum(shares, 1);
  const PrintedTimes times = TimesOf(lines, total_ns);
  const TimeUnit& unit = times.unit;

  Table table;
  table.columns = ColumnsOf(unit.name, options.instances);
  for (size_t i = 0; i < lines.size(); ++i) {
    table.rows.push_back(CellsOf(lines[i], InclusiveCell(lines[i], times.inclusive[i], unit),
                                 text::Grouped(times.own[i], unit.decimals),
                                 i < shares.size() ? text::Grouped(shares[i], 1) : "-"));
    if (options.instances) AddMembers(lines[i], &table.rows);
  }
  const double printed = std::accumulate(times.own.begin(), times.own.end(), 0.0);
  Row total{{is_span ? "span" : "sum of rows", "", "", "", text::Grouped(printed, unit.decimals),
             text::Grouped(std::accumulate(shares.begin(), shares.end(), 0.0), 1)}};
  if (!is_span) total.notes.push_back("The span is " + text::Time(report.span_ns) + ".");
  total.line_before = true;
  table.rows.push_back(total);
  WriteTable(out, table, options.width, options.utf8);
  WriteOutsideNote(out, report, options);
}

}  // namespace prof::report
