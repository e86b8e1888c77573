// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/ranges_section.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "lib/report/base/column_sums.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr int kDominantWidth = 40;

bool MayBeSummed(const RangeRow& row) {
  return row.kind == RangeRow::Kind::kRange || row.kind == RangeRow::Kind::kOutside;
}

// All rows, or the largest `max_rows` of them in their order and one for the others, so that a
// program with a thousand ranges still gets a table that sums to the span.
std::vector<RangeRow> RowsToShow(const std::vector<RangeRow>& rows, int max_rows) {
  std::vector<size_t> by_time;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (MayBeSummed(rows[i])) by_time.push_back(i);
  }
  const auto most = static_cast<size_t>(max_rows);
  if (by_time.size() <= most + 1) return rows;
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](size_t a, size_t b) { return rows[a].time_ns > rows[b].time_ns; });
  std::vector<bool> hidden(rows.size(), false);
  RangeRow others;
  for (size_t k = most; k < by_time.size(); ++k) {
    hidden[by_time[k]] = true;
    others.time_ns += rows[by_time[k]].time_ns;
    others.operations += rows[by_time[k]].operations;
  }
  others.label = "(" + text::Count(static_cast<int64_t>(by_time.size() - most)) + " more ranges)";
  others.evidence = text::Count(others.operations) + " operations; --top shows more";

  std::vector<RangeRow> shown;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!hidden[i] && MayBeSummed(rows[i])) shown.push_back(rows[i]);
  }
  shown.push_back(others);
  for (const RangeRow& row : rows) {
    if (!MayBeSummed(row)) shown.push_back(row);
  }
  return shown;
}

// The limiter of the row's dominant kernel; copies and gaps have none.
std::string LimiterCell(const RangeRow& row, const Report& report) {
  const bool is_kernel =
      std::any_of(report.kernels.begin(), report.kernels.end(),
                  [&](const KernelReport& kernel) { return kernel.name == row.dominant; });
  return is_kernel ? ToString(row.limiter) : "-";
}

std::string EvidenceCell(const RangeRow& row, const TextOptions& options) {
  std::string evidence = Printable(row.evidence);
  if (row.dominant.empty() || row.evidence.find(row.dominant) != std::string::npos) return evidence;
  const std::string dominant = ShortName(row.dominant, kDominantWidth, options);
  return evidence.empty() ? dominant : dominant + ": " + evidence;
}

std::string EachCell(const RangeRow& row) {
  if (row.instances < 2) return "";
  return text::Time(row.time_ns / static_cast<double>(row.instances)) + " x " +
         text::Count(row.instances);
}

std::string GainCell(const RangeRow& row) {
  return row.gain_at_most_ns > 0 ? text::Time(row.gain_at_most_ns) : "-";
}

}  // namespace

void WriteRanges(std::ostream& out, const Report& report, const TextOptions& options) {
  WriteHeading(out, "Where the time went", options);
  if (report.rows.empty()) {
    out << "No GPU operation was recorded.\n";
    return;
  }
  const std::vector<RangeRow> rows = RowsToShow(report.rows, options.max_rows);
  std::vector<double> times;
  times.reserve(rows.size());
  for (const RangeRow& row : rows) times.push_back(row.time_ns);
  const double total_ns = std::accumulate(times.begin(), times.end(), 0.0);
  const TimeUnit unit = UnitFor(total_ns);
  const bool prof = rows.back().kind == RangeRow::Kind::kProfiler;  // it is the last
  const double program_ns = total_ns - (prof ? times.back() : 0);
  std::vector<double> shares(times.begin(), times.end() - (prof ? 1 : 0));
  for (double& time : times) time /= unit.ns;
  for (double& share : shares) share *= program_ns > 0 ? 100 / program_ns : 0;
  times = RoundToSum(times, unit.decimals);
  shares = RoundToSum(shares, 1);

  Table table;
  table.columns = {
      {"range", Align::kLeft, 12},   {std::string("time, ") + unit.name, Align::kRight},
      {"each", Align::kRight, 0, 1}, {"share, %", Align::kRight},
      {"limiter", Align::kLeft, 8},  {"evidence", Align::kLeft, 14},
      {"verdict", Align::kLeft, 14}, {"at most", Align::kRight}};
  for (size_t i = 0; i < rows.size(); ++i) {
    const RangeRow& row = rows[i];
    table.rows.push_back(
        {{Printable(row.label), text::Grouped(times[i], unit.decimals), EachCell(row),
          i < shares.size() ? text::Grouped(shares[i], 1) : "-", LimiterCell(row, report),
          EvidenceCell(row, options), Printable(row.verdict), GainCell(row)}});
  }
  // Only a table that really adds up may call its sum the span.
  const bool is_span = std::abs(total_ns - report.span_ns) <= 0.001 * report.span_ns;
  const double printed = std::accumulate(times.begin(), times.end(), 0.0);
  Row total{{is_span ? "span" : "sum of rows", text::Grouped(printed, unit.decimals), "",
             total_ns > 0 ? "100.0" : "-"}};
  if (!is_span) total.notes.push_back("The span is " + text::Time(report.span_ns) + ".");
  total.line_before = true;
  table.rows.push_back(total);
  WriteTable(out, table, options.width, options.utf8);
}

}  // namespace prof::report
