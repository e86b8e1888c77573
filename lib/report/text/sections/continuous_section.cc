// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/continuous_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "lib/format/metric_names.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/continuous_text.h"
#include "lib/report/text/heading.h"
#include "lib/text/metric_names.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr const char* kAscii[] = {".", ":", "-", "=", "+", "*", "#", "%", "@"};
constexpr const char* kBlocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                   "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr int kNarrowest = 20, kWidest = 120;

// `buckets` in `columns` characters: the mean of each part, a blank where there was no sample.
std::string Levels(const std::vector<double>& buckets, double full, size_t columns, bool utf8) {
  const size_t levels = utf8 ? std::size(kBlocks) : std::size(kAscii);
  std::string line;
  columns = std::min(columns, buckets.size());
  for (size_t c = 0; c < columns; ++c) {
    double sum = 0;
    int n = 0;
    for (size_t i = c * buckets.size() / columns; i < (c + 1) * buckets.size() / columns; ++i) {
      if (!std::isfinite(buckets[i])) continue;
      sum += buckets[i];
      ++n;
    }
    if (n == 0) {
      line += ' ';
      continue;
    }
    const double share = full > 0 ? std::clamp(sum / n / full, 0.0, 1.0) : 0;
    const auto level =
        std::min(levels - 1, static_cast<size_t>(share * static_cast<double>(levels)));
    line += utf8 ? kBlocks[level] : kAscii[level];
  }
  return line;
}

std::string Padded(const std::string& text, int width, bool right) {
  const std::string blanks(static_cast<size_t>(std::max(0, width - DisplayWidth(text))), ' ');
  return right ? blanks + text : text + blanks;
}

// Percentages in points, rates with their prefix.
std::string ValueText(const ContinuousMetric& metric, double value) {
  return metric.metric == format::kSmClockMetric ? text::Rate(value, "Hz")
                                                 : text::Grouped(value, 1);
}

using Cells = std::array<std::string, 4>;

// Name, mean, percentiles and maximum of each metric under a heading, in columns of their width.
std::vector<Cells> NumberCells(const ContinuousReport& report, const TextOptions& options) {
  std::vector<Cells> rows = {{"", "mean", "5 to 95 %", "max"}};
  for (const ContinuousMetric& metric : report.metrics) {
    rows.push_back(
        {MetricLabel(metric.metric), ValueText(metric, metric.mean),
         ValueText(metric, metric.p5) + " to " + ValueText(metric, metric.p95),
         ValueText(metric, metric.max) + (text::IsPercentMetric(metric.metric) ? " %" : "")});
  }
  std::array<int, 4> widths{};
  for (const Cells& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], DisplayWidth(row[c]));
  }
  const int numbers = widths[1] + widths[2] + widths[3] + kNarrowest + 12;
  widths[0] = std::min(widths[0], std::max(12, options.width - numbers));
  for (Cells& row : rows) {
    row[0] = Padded(ShortName(row[0], widths[0], options), widths[0], false);
    for (size_t c = 1; c < row.size(); ++c) row[c] = Padded(row[c], widths[c], true);
  }
  return rows;
}

void WriteMetrics(std::ostream& out, const ContinuousReport& report, const TextOptions& options) {
  const std::vector<Cells> rows = NumberCells(report, options);
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string head =
        "  " + rows[i][0] + "  " + rows[i][1] + "  " + rows[i][2] + "  " + rows[i][3] + "  ";
    if (i == 0) {
      out << head << "over time\n";
      continue;
    }
    const ContinuousMetric& metric = report.metrics[i - 1];
    const double full = text::IsPercentMetric(metric.metric) ? 100 : metric.max;
    const int columns = std::clamp(options.width - DisplayWidth(head) - 2, kNarrowest, kWidest);
    out << head << '|' << Levels(metric.buckets, full, static_cast<size_t>(columns), options.utf8)
        << "|\n";
  }
}

}  // namespace

void WriteContinuous(std::ostream& out, const Report& report, const TextOptions& options) {
  if (!options.details) return;
  for (const ContinuousReport& device : report.continuous) {
    WriteHeading(out, "Speed of light over time, GPU " + std::to_string(device.device), options);
    std::string line = text::Count(device.samples) + " samples every " +
                       text::Time(device.interval_ns) + ", " + text::ShortPercent(device.covered) +
                       " of " + text::Time(device.span_ns);
    if (report.pm_samples_lost > 0) line += "; " + text::Count(report.pm_samples_lost) + " lost";
    if (device.clock_known) {
      line += "; their clock is " + text::Grouped(device.clock_offset_ns * 1e-3, 1) + " +-" +
              text::Grouped(device.clock_error_ns * 1e-3, 1) + " us ahead of the operations' clock";
    }
    WriteParagraph(out, "  ", line, options.width);
    WriteMetrics(out, device, options);
    for (const std::string& note : device.notes) {
      WriteParagraph(out, "  - ", Printable(note), options.width);
    }
  }
}

}  // namespace prof::report
