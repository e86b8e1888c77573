// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/text.h"

#include <algorithm>
#include <locale>
#include <ostream>
#include <sstream>

#include "lib/report/base/number_format.h"
#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/sections.h"

namespace prof {
namespace report {

void WriteHeading(std::ostream& out, std::string_view heading, const TextOptions& options) {
  out << '\n' << (options.color ? "\033[1m" : "") << heading;
  out << (options.color ? "\033[0m" : "") << '\n';
}

std::string ShortName(std::string_view name, int width, const TextOptions& options) {
  return ShortenMiddle(Printable(name), width, options.utf8 ? "\u2026" : "...");
}

namespace {

std::string Counted(int64_t n, const std::string& noun, const char* many, const char* one = "") {
  return Count(n) + " " + noun + (n == 1 ? one : many);
}

std::string DeviceLine(const DeviceReport& device) {
  std::string line = "GPU " + std::to_string(device.id) + ": " + Printable(device.name);
  if (!device.chip.empty()) line += " (" + device.chip + ")";
  const double span_ns = device.busy_ns + device.idle_ns;
  if (span_ns > 0) {
    line += ": busy " + Percent(device.busy_ns / span_ns) + ", idle " +
            Percent(device.idle_ns / span_ns) + " of its span";
  }
  if (device.sm_clock_hz.n > 0) line += "; SM clock " + Rate(device.sm_clock_hz.median, "Hz");
  return line;
}

std::string CostLine(const Report& report) {
  if (report.totals.samples == 0 && report.counter_cost_ns <= 0) {
    if (!report.continuous.empty()) {
      return "no counters of single launches were sampled; the whole GPU was, every " +
             Time(report.continuous.front().interval_ns);
    }
    return "no counters were sampled: limiters are not measured, times are undisturbed by them";
  }
  std::string line = Counted(report.totals.samples, "counter sample", "s") + " cost the host " +
                     Time(report.counter_cost_ns);
  if (report.profiler_ns > 0) {
    return line + " in all; the " + Time(report.profiler_ns) +
           " for which they kept the GPU idle are excluded from the span";
  }
  return line + " in all and kept no GPU idle";
}

}  // namespace

void WriteHeader(std::ostream& out, const Report& report, const TextOptions& options) {
  std::string program = "prof " + Printable(report.prof_version) + "  ";
  out << (options.color ? "\033[1m" : "");
  std::string what = Printable(report.command) + "  (pid " + std::to_string(report.pid);
  if (report.rank >= 0) what += ", rank " + std::to_string(report.rank);
  if (!report.host.empty()) what += " on " + Printable(report.host);
  if (!report.nvidia_driver.empty()) what += ", driver " + Printable(report.nvidia_driver);
  WriteParagraph(out, program, what + ")", options.width);
  out << (options.color ? "\033[0m" : "");

  std::string span = "span " + Time(report.span_ns);
  // A span is per device: shares of their sum add up to one.
  if (report.devices.size() > 1)
    span += " summed over " + Count(static_cast<int64_t>(report.devices.size())) + " GPUs";
  const Totals& totals = report.totals;
  WriteParagraph(
      out, "",
      span + ": " + Counted(totals.kernels, "kernel", "s") + " (" +
          Counted(static_cast<int64_t>(report.kernels.size()), "signature", "s") + "), " +
          Counted(totals.copies, "cop", "ies", "y") + ", " +
          Counted(totals.memsets, "memset", "s") + ", " +
          (totals.graphs == 0 ? ""
                              : Counted(totals.graphs, "graph", "s") + " recorded as a whole, ") +
          Counted(totals.ranges, "range", "s"),
      options.width);
  for (const DeviceReport& device : report.devices) {
    WriteParagraph(out, "", DeviceLine(device), options.width);
  }
  WriteParagraph(out, "", CostLine(report), options.width);
}

}  // namespace report

void WriteText(std::ostream& out, const Report& report, const TextOptions& asked) {
  TextOptions options = asked;
  options.width = std::max(options.width, 80);
  options.max_rows = std::max(options.max_rows, 1);
  // Into a string first: the stream's own width, fill and locale must not reach our columns.
  std::ostringstream text;
  text.imbue(std::locale::classic());
  if (!report.error.empty()) {
    report::WriteParagraph(
        text, "prof: ", "the snapshot could not be read: " + report::Printable(report.error),
        options.width);
  } else {
    report::WriteHeader(text, report, options);
    report::WriteRanges(text, report, options);
    report::WriteFindings(text, report, options);
    report::WriteKernels(text, report, options);
    report::WriteRegions(text, report, options);
    report::WriteContinuous(text, report, options);
    report::WriteGaps(text, report, options);
    report::WriteCopies(text, report, options);
    report::WriteMemory(text, report, options);
    report::WriteStreams(text, report, options);
    report::WriteNvtx(text, report, options);
    report::WriteBlindSpots(text, report, options);
  }
  const std::string bytes = text.str();
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::ostream& operator<<(std::ostream& out, const Report& report) {
  WriteText(out, report, {});
  return out;
}

}  // namespace prof
