// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/details/kernel_detail.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/report/base/clock_text.h"
#include "lib/report/base/kernel_text.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/report/text/kernel_origin.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof {
namespace report {
namespace {

// Four significant digits in the metric's own unit, whatever its size.
std::string Value(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  return text::Grouped(value, size >= 1000  ? 0
                              : size >= 100 ? 1
                              : size >= 10  ? 2
                              : size >= 1   ? 3
                                            : 5);
}

void WriteLaunches(std::ostream& out, const KernelReport& kernel, int width) {
  const auto line = [&](const char* name, const std::string& text) {
    if (!text.empty()) WriteParagraph(out, std::string("  ") + name, text, width);
  };
  const Statistic& duration = kernel.duration_ns;
  line("full name   ", Printable(kernel.full_name));
  line("range       ", kernel.range.empty() ? "(no range)" : Printable(kernel.range));
  line("captured in ", Printable(kernel.captured_in));
  line("op          ", OpsOf(kernel));
  line("module      ", ModulesOf(kernel));
  line("line        ", LinesOf(kernel));
  line("launch      ", "grid x block " + LaunchShape(kernel) + " on GPU " +
                           std::to_string(kernel.device) +
                           (kernel.in_graph && !kernel.whole_graph ? ", by a CUDA graph" : ""));
  if (!kernel.resources_known && !kernel.whole_graph) {
    line("resources   ", text::Count(kernel.dynamic_shared_bytes) +
                             " B dynamic shared memory; registers and the rest are not known: no "
                             "launch of it was traced");
  }
  if (kernel.cluster[0] > 0) {
    line("cluster     ", std::to_string(kernel.cluster[0]) + "x" +
                             std::to_string(kernel.cluster[1]) + "x" +
                             std::to_string(kernel.cluster[2]));
  }
  if (kernel.resources_known) {
    line("resources   ",
         std::to_string(kernel.registers_per_thread) + " registers a thread, " +
             text::Count(kernel.static_shared_bytes) + " B static and " +
             text::Count(kernel.dynamic_shared_bytes) + " B dynamic shared memory, " +
             (kernel.local_known
                  ? text::Count(kernel.local_bytes_per_thread) + " B local memory a thread"
                  : "local memory not known"));
  }
  line("code        ", CodeText(kernel));
  line("time        ",
       text::Plural(kernel.launches, "launch", "launches") + ", " + text::Time(kernel.total_ns) +
           " in all (" + text::ShortPercent(kernel.share) + " of the span); median " +
           text::Time(duration.median) + ", " + text::Time(duration.min) + " to " +
           text::Time(duration.max) + " over " +
           (kernel.duration_from_counters
                ? text::Plural(duration.n, "sample", "samples")
                : text::Plural(duration.n, "undisturbed launch", "undisturbed launches")));
  line("            ", TimeSource(kernel));
  if (kernel.loading_launches > 0) {
    line("            ", "the driver loaded or compiled code in " +
                             text::Count(kernel.loading_launches) + " of the launch calls");
  }
  line("samples     ", text::Count(kernel.samples_used) + " used, " +
                           text::Count(kernel.samples_rejected) +
                           " rejected (other GPU work beside them, or another clock)");
  line("counters of ", Printable(kernel.counters_from));
  line("PM values of", Printable(kernel.continuous_from));
}

void WriteOccupancy(std::ostream& out, const KernelReport& kernel, const TextOptions& options) {
  WriteHeading(out, "Occupancy", options);
  const Occupancy& occupancy = kernel.occupancy;
  const std::string text = OccupancyText(kernel);
  WriteParagraph(out, "  ",
                 !text.empty() ? text
                 : kernel.resources_known
                     ? "not known: the device's limits were not recorded"
                     : "not known: no launch of it was traced, so its registers are not known",
                 options.width);
  if (!occupancy.known) return;
  Table table;
  table.columns = {{"limit", Align::kLeft}, {"blocks per SM", Align::kRight}};
  const auto row = [&](const char* name, int blocks) {
    table.rows.push_back({{name, std::to_string(blocks)}});
  };
  row("block slots", occupancy.limit_blocks);
  row("warps", occupancy.limit_warps);
  row("registers", occupancy.limit_registers);
  row("shared memory", occupancy.limit_shared);
  row("all of them", occupancy.blocks_per_sm);
  table.rows.back().line_before = true;
  WriteTable(out, table, options.width, options.utf8);
}

std::string WithoutSuffix(const std::string& metric) { return metric.substr(0, metric.find('.')); }

void WriteSpeedOfLight(std::ostream& out, const KernelReport& kernel, const TextOptions& options) {
  const std::vector<Throughput>& throughputs = kernel.speed_of_light.throughputs;
  if (throughputs.empty()) return;
  WriteHeading(out, "Speed of light: the largest part of each throughput", options);
  Table table;
  table.columns = {{"throughput", Align::kLeft, 40},
                   {"of peak", Align::kRight},
                   {"largest part", Align::kLeft, 40},
                   {"not read", Align::kRight}};
  std::set<std::string> missing;
  for (const Throughput& throughput : throughputs) {
    table.rows.push_back(
        {{Printable(WithoutSuffix(throughput.metric)),
          (throughput.missing.empty() ? "" : "at least ") + text::ShortPercent(throughput.of_peak),
          Printable(WithoutSuffix(throughput.largest)),
          text::Count(static_cast<int64_t>(throughput.missing.size()))}});
    for (const std::string& part : throughput.missing) missing.insert(WithoutSuffix(part));
  }
  WriteTable(out, table, options.width, options.utf8);
  if (missing.empty()) return;
  WriteParagraph(out, "  not read: ", Printable(text::Join({missing.begin(), missing.end()}, ", ")),
                 options.width);
}

void WriteKernelMetrics(std::ostream& out, const KernelReport& kernel, const TextOptions& options) {
  WriteHeading(out, "Metrics, by CUPTI name and in CUPTI's unit", options);
  if (kernel.metrics.empty()) {
    out << "  none was measured\n";
    return;
  }
  Table table;
  table.columns = {{"metric", Align::kLeft, 40},
                   {"n", Align::kRight},
                   {"median", Align::kRight},
                   {"min", Align::kRight},
                   {"max", Align::kRight}};
  for (const auto& [name, value] : kernel.metrics) {
    table.rows.push_back({{Printable(name), text::Count(value.n), Value(value.median),
                           Value(value.min), Value(value.max)}});
  }
  WriteTable(out, table, options.width, options.utf8);
}

void WriteFlops(std::ostream& out, const KernelReport& kernel, const TextOptions& options) {
  if (kernel.flops.empty()) return;
  WriteHeading(out, "Operations: a fused multiply-add is two", options);
  Table table;
  table.columns = {{"kind", Align::kLeft},
                   {"per launch", Align::kRight},
                   {"per second", Align::kRight},
                   {"peak", Align::kRight},
                   {"of peak", Align::kRight}};
  for (const FlopCount& count : kernel.flops) {
    table.rows.push_back({{count.kind, text::Rate(count.per_launch, "op"),
                           count.per_s ? text::Rate(*count.per_s, "op/s") : "-",
                           count.peak_per_s ? text::Rate(*count.peak_per_s, "op/s") : "-",
                           count.of_peak ? text::ShortPercent(*count.of_peak) : "-"}});
  }
  WriteTable(out, table, options.width, options.utf8);
}

void WriteWhileItRan(std::ostream& out, const KernelReport& kernel, const TextOptions& options) {
  if (kernel.continuous.empty()) return;
  WriteHeading(out, "While it ran, by PM samples of the whole GPU", options);
  Table table;
  table.columns = {{"metric", Align::kLeft, 40},
                   {"value", Align::kRight},
                   {"+-", Align::kRight},
                   {"of its time", Align::kRight},
                   {"samples", Align::kRight}};
  for (const auto& [name, value] : kernel.continuous) {
    Row& row = table.rows.emplace_back();
    row.cells = {Printable(name), value.value ? Value(*value.value) : "-",
                 value.value ? Value(value.error) : "-", text::Time(value.seconds * 1e9),
                 text::Count(value.samples)};
    if (!value.value) row.notes.push_back("no value: " + Printable(value.missing));
  }
  WriteTable(out, table, options.width, options.utf8);
}

// A character for each part: its percentage in eighths, or in tens.
std::string DrawCourse(const std::vector<double>& percent, bool utf8) {
  static constexpr const char* kEighths[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                             "\u2585", "\u2586", "\u2587", "\u2588"};
  std::string drawn;
  for (const double part : percent) {
    if (std::isnan(part)) {
      drawn += '?';
    } else if (utf8) {
      drawn += kEighths[static_cast<size_t>(std::clamp(std::lround(part / 12.5), 0L, 8L))];
    } else {
      drawn += static_cast<char>('0' + std::clamp(static_cast<long>(part / 10), 0L, 9L));
    }
  }
  return drawn;
}

void WriteCourse(std::ostream& out, const KernelReport& kernel, const TextOptions& options) {
  constexpr double kLeast = 5;  // percent, at the most
  const LaunchCourse& course = kernel.course;
  if (course.empty()) return;
  WriteHeading(out,
               "Over one launch: " + std::to_string(course.parts()) + " parts of " +
                   text::Time(course.part_ns) + " (" + text::Count(course.samples) +
                   " PM samples in " + text::Plural(course.launches, "launch", "launches") + ")",
               options);
  Table table;
  table.columns = {{"unit", Align::kLeft},
                   {"lowest", Align::kRight},
                   {"highest", Align::kRight},
                   {options.utf8 ? "start to end" : "tens, start to end", Align::kLeft}};
  for (const LaunchCourse::Unit& unit : course.units) {
    double lowest = HUGE_VAL, highest = 0;
    for (const double part : unit.percent) {
      if (std::isnan(part)) continue;
      lowest = std::min(lowest, part);
      highest = std::max(highest, part);
    }
    if (highest < kLeast) continue;
    table.rows.push_back(
        {{Printable(unit.name), text::ShortPercent(lowest / 100), text::ShortPercent(highest / 100),
          "|" + DrawCourse(unit.percent, options.utf8) + "|"}});
  }
  WriteTable(out, table, options.width, options.utf8);
}

}  // namespace
}  // namespace report

void WriteKernelDetail(std::ostream& out, const KernelReport& kernel,
                       const TextOptions& requested) {
  TextOptions options = requested;
  options.width = std::max(options.width, 80);
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << report::ShortName(kernel.name, options.width, options) << '\n';
  report::WriteLaunches(text, kernel, options.width);
  report::WriteHeading(text, "Verdict", options);
  for (const std::string& paragraph : report::VerdictText(kernel.verdict, kernel.total_ns)) {
    report::WriteParagraph(text, "  ", paragraph, options.width);
  }
  if (!kernel.verdict.rule.empty()) text << "  rule: " << kernel.verdict.rule << '\n';
  const std::string roofline = report::RooflineText(kernel.roofline);
  if (!roofline.empty()) report::WriteParagraph(text, "  ", roofline, options.width);
  const std::string clock = report::ClockText(kernel);
  if (!clock.empty()) report::WriteParagraph(text, "  ", clock, options.width);
  report::WriteFlops(text, kernel, options);
  report::WriteOccupancy(text, kernel, options);
  report::WriteSpeedOfLight(text, kernel, options);
  report::WriteKernelMetrics(text, kernel, options);
  report::WriteCourse(text, kernel, options);
  report::WriteWhileItRan(text, kernel, options);
  const std::string bytes = text.str();
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace prof
