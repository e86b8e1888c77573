// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/header_section.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "lib/report/base/clock_text.h"
#include "lib/report/base/column_sums.h"
#include "lib/report/base/kernel_text.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

std::string DeviceLine(const DeviceReport& device) {
  std::string line = "GPU " + std::to_string(device.id) + ": " +
                     (device.name.empty() ? "(not described)" : Printable(device.name));
  if (!device.chip.empty()) line += " (" + device.chip + ")";
  const double span_ns = device.busy_ns + device.idle_ns;
  if (span_ns > 0) {
    line += ": busy " + PartPercent(device.busy_ns / span_ns) + ", idle " +
            PartPercent(device.idle_ns / span_ns) + " of its span";
  }
  for (const std::string& text : {ClockText(device), StateText(device.state)}) {
    if (!text.empty()) line += "; " + text;
  }
  return line;
}

std::string CostLine(const Report& report) {
  if (report.totals.samples == 0 && report.counter_cost_ns <= 0) {
    if (!report.continuous.empty()) {
      int64_t samples = 0;  // of all series: bursts differ in their interval
      for (const ContinuousReport& series : report.continuous) samples += series.samples;
      return "No counters of single launches were sampled; of the whole GPU " +
             text::Plural(samples, "PM sample was", "PM samples were") + " taken.";
    }
    return "No counters were sampled: limiters are not measured, times are undisturbed by them. "
           "prof run without --counters none measures limiters.";
  }
  std::string line =
      (report.totals.samples == 0
           ? "No counters of single launches were sampled; counter sampling"
           : text::Plural(report.totals.samples, "counter sample", "counter samples")) +
      " cost the host " + text::Time(report.counter_cost_ns);
  if (report.profiler_ns > 0) {
    return line + " in all; the " + text::Time(report.profiler_ns) +
           " of the span that prof disturbed are no evidence: shares are of the other " +
           text::Time(report.undisturbed_ns) + ".";
  }
  return line + " in all and disturbed nothing.";
}

// "verdicts for 96.4 % of the kernel time (PM samples 61 %, counters 35 %); a longer run may add
// 2.1 %".
std::string VerdictLine(const Report& report) {
  const VerdictCoverage& verdicts = report.verdicts;
  std::string sources;
  for (const auto& [share, name] :
       {std::pair(verdicts.pm_samples, "PM samples "), std::pair(verdicts.counters, "counters "),
        std::pair(verdicts.both, "both "), std::pair(verdicts.duration, "duration ")}) {
    if (share <= 0) continue;
    sources += (sources.empty() ? "" : ", ") + std::string(name) + text::ShortPercent(share);
  }
  const std::string line =
      "verdicts for " + text::Percent(verdicts.share) + " of " + CoveredTime(report);
  return (sources.empty() ? line : line + " (" + sources + ")") + OfLongerRun(report);
}

bool WasMeasured(const Report& report) {
  return report.totals.samples > 0 || !report.continuous.empty();
}

std::string Process(const Report& report) {
  std::string what = "pid " + std::to_string(report.pid);
  if (report.rank >= 0) what += ", rank " + std::to_string(report.rank);
  return what;
}

std::string Machine(const Report& report) {
  std::string what;
  if (!report.host.empty()) what += " on " + Printable(report.host);
  if (!report.nvidia_driver.empty()) what += ", driver " + Printable(report.nvidia_driver);
  return what;
}

// The command without the folder of its program.
std::string WithoutFolder(const std::string& command) {
  const size_t slash = command.rfind('/', command.find(' '));
  return slash == command.npos ? command : command.substr(slash + 1);
}

// One line. The command has half of it at least: the machine, and the folder of the program, are
// left out before that.
std::string TitleLine(const Report& report, const std::string& program,
                      const TextOptions& options) {
  const auto room_beside = [&](const std::string& end) {
    return options.width - static_cast<int>(program.size() + end.size());
  };
  std::string command = Printable(report.command);
  std::string end = "  (" + Process(report) + Machine(report) + ")";
  const int wanted = std::min(static_cast<int>(command.size()), options.width / 2);
  if (room_beside(end) < wanted) end = "  (" + Process(report) + ")";
  if (room_beside(end) < static_cast<int>(command.size())) command = WithoutFolder(command);
  return program + ShortName(command, std::max(room_beside(end), 1), options) + end;
}

std::string SpanLine(const Report& report) {
  std::string span = "span " + text::Time(report.span_ns);
  // A span is per device: shares of their sum add up to one.
  if (report.devices.size() > 1)
    span += " summed over " + text::Count(static_cast<int64_t>(report.devices.size())) + " GPUs";
  if (report.profiler_ns > 0)
    span += ", " + text::Time(report.undisturbed_ns) + " without what prof disturbed";
  const Totals& totals = report.totals;
  return span + ": " + text::Plural(totals.kernels, "kernel", "kernels") + " (" +
         text::Plural(static_cast<int64_t>(report.kernels.size()), "signature", "signatures") +
         "), " + text::Plural(totals.copies, "copy", "copies") + ", " +
         text::Plural(totals.memsets, "memset", "memsets") + ", " +
         (totals.graphs == 0
              ? ""
              : text::Plural(totals.graphs, "graph", "graphs") + " recorded as a whole, ") +
         text::Plural(totals.ranges, "range", "ranges");
}

}  // namespace

void WriteHeader(std::ostream& out, const Report& report, const TextOptions& options) {
  const std::string program = "prof " + Printable(report.prof_version) + "  ";
  if (options.details) {
    const std::string title =
        Printable(report.command) + "  (" + Process(report) + Machine(report) + ")";
    WriteParagraph(out, program, title, options.width);
  } else {
    out << Bold(TitleLine(report, program, options), options) << '\n';
  }
  if (!report.incomplete.empty()) {
    WriteParagraph(out, "INCOMPLETE  ", Printable(report.incomplete), options.width);
  }
  for (const DeviceReport& device : report.devices) {
    WriteParagraph(out, "", DeviceLine(device), options.width);
  }
  WriteParagraph(out, "", SpanLine(report), options.width);
  if (WasMeasured(report) && !report.kernels.empty()) {
    out << OneLine(VerdictLine(report), options.width, options) << '\n';
  }
}

void WriteMeasurement(std::ostream& out, const Report& report, const TextOptions& options) {
  WriteHeading(out, "How it was measured", options);
  WriteParagraph(out, "  - ", CostLine(report), options.width);
  if (report.paused_ns > 0) {
    WriteParagraph(out, "  - ",
                   "The recording was paused in gaps of " + text::Time(report.paused_ns) +
                       " in all, which are no idle time.",
                   options.width);
  }
  if (WasMeasured(report) && !report.verdicts.missing.empty()) {
    WriteParagraph(out, "  - ",
                   "Kernels without a verdict have " + text::Percent(1 - report.verdicts.share) +
                       " of " + CoveredTime(report) +
                       ". Missing for most of it: " + Printable(report.verdicts.missing) + ".",
                   options.width);
  }
}

}  // namespace prof::report
