// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/run_section.h"

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

constexpr const char* kItem = "     - ";

std::string GainText(const Finding& finding, double undisturbed_ns) {
  if (finding.gain_at_most_ns <= 0) return "";
  std::string line = " At most " + text::Time(finding.gain_at_most_ns);
  if (undisturbed_ns > 0)
    line += ", " + text::ShortPercent(finding.gain_at_most_ns / undisturbed_ns) + " of the span";
  return line + ".";
}

void WriteFinding(std::ostream& out, const Finding& finding, size_t number, double undisturbed_ns,
                  int width) {
  std::string head = std::to_string(number) + ". ";
  if (head.size() < 5) head.insert(0, 5 - head.size(), ' ');
  std::string title = Printable(finding.title) + " [" + finding.id;
  title += finding.withheld ? ", withheld]"
                            : std::string(", confidence ") + ToString(finding.confidence) + "]";
  WriteParagraph(out, head, title, width);
  if (finding.withheld) {
    WriteParagraph(out, "     withheld: ", Printable(finding.withheld_why), width);
  }
  for (const std::string& evidence : finding.evidence) {
    WriteParagraph(out, kItem, Printable(evidence), width);
  }
  if (finding.withheld) return;
  const std::string gain = GainText(finding, undisturbed_ns);
  if (!finding.action.empty() || !gain.empty()) {
    std::string action = Printable(finding.action);
    if (!action.empty() && action.back() != '.') action += '.';
    WriteParagraph(out, "     do: ", action + gain, width);
  }
}

// One line for each, with the reason of those that are withheld.
void WriteFindingLines(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.findings.empty()) return;
  Table table;
  table.columns = {{"at most", Align::kRight},
                   {"of span", Align::kRight},
                   {"confidence", Align::kLeft},
                   {"id", Align::kLeft},
                   {"finding", Align::kLeft, 30}};
  for (const Finding& finding : report.findings) {
    const double gain_ns = finding.gain_at_most_ns;
    const bool bounded = !finding.withheld && gain_ns > 0;
    std::string title = Printable(finding.title);
    if (finding.withheld) title += " withheld: " + Printable(finding.withheld_why);
    table.rows.push_back(
        {{bounded ? text::Time(gain_ns) : "-",
          bounded && report.undisturbed_ns > 0 ? text::ShortPercent(gain_ns / report.undisturbed_ns)
                                               : "-",
          finding.withheld ? "withheld" : ToString(finding.confidence), finding.id, title}});
  }
  WriteTable(out, table, options.width, options.utf8);
  out << "They overlap. --details has the evidence.\n";
}

}  // namespace

void WriteFindings(std::ostream& out, const Report& report, const TextOptions& options) {
  std::string heading = "Findings";
  if (report.profiler_ns > 0 && report.findings_missing.empty()) {
    heading += ", from " + text::Time(report.undisturbed_ns) + " of " + text::Time(report.span_ns);
  }
  WriteHeading(out, heading, options);
  if (!report.findings_missing.empty()) {
    WriteParagraph(out, "",
                   std::string(report.findings.empty() ? "None" : "None about time") +
                       " can be named: " + Printable(report.findings_missing) + '.',
                   options.width);
  } else if (report.findings.empty()) {
    out << "No rule about the run as a whole found anything to change.\n";
  }
  if (!options.details) {
    WriteFindingLines(out, report, options);
    return;
  }
  for (size_t i = 0; i < report.findings.size(); ++i) {
    WriteFinding(out, report.findings[i], i + 1, report.undisturbed_ns, options.width);
  }
}

void WriteGaps(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.gaps.empty()) return;
  double idle_ns = 0;
  for (const GapSummary& gap : report.gaps) idle_ns += gap.total_ns;
  WriteHeading(out, "GPU idle: " + text::Time(idle_ns), options);
  Table table;
  table.columns = {{"GPU", Align::kRight, 0, 1},
                   {"cause", Align::kLeft},
                   {"time", Align::kRight},
                   {"of idle", Align::kRight},
                   {"gaps", Align::kRight},
                   {"longest", Align::kRight},
                   {"where", Align::kLeft, 12, 0, !options.details}};
  if (options.details) table.columns.push_back({"the longest one", Align::kLeft, 18});
  for (const GapSummary& gap : report.gaps) {
    table.rows.push_back(
        {{std::to_string(gap.device), ToString(gap.cause), text::Time(gap.total_ns),
          PartPercent(idle_ns > 0 ? gap.total_ns / idle_ns : 0), text::Count(gap.count),
          text::Time(gap.longest_ns), Printable(gap.where), Printable(gap.example)}});
  }
  WriteTable(out, table, options.width, options.utf8);
}

void WriteCopies(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.copies.empty()) return;
  WriteHeading(out, "Copies", options);
  Table table;
  table.columns = {{"GPU", Align::kRight, 0, 1},     {"direction", Align::kLeft},
                   {"memory", Align::kLeft, 10},     {"count", Align::kRight},
                   {"size", Align::kRight},          {"time", Align::kRight},
                   {"rate", Align::kRight},          {"of ceiling", Align::kRight},
                   {"beside kernels", Align::kRight}};
  for (const CopySummary& copy : report.copies) {
    const auto bytes = static_cast<double>(copy.bytes);
    const bool timed = copy.time_ns > 0;
    const double per_s = timed ? bytes / copy.time_ns * 1e9 : 0;
    table.rows.push_back(
        {{std::to_string(copy.device), copy.direction, copy.memory, text::Count(copy.count),
          text::Bytes(bytes), text::Time(copy.time_ns), timed ? text::Rate(per_s, "B/s") : "-",
          timed && copy.ceiling_bytes_per_s > 0
              ? text::ShortPercent(per_s / copy.ceiling_bytes_per_s)
              : "",
          timed ? text::ShortPercent(copy.overlapped_ns / copy.time_ns) : "-"}});
  }
  WriteTable(out, table, options.width, options.utf8);
}

void WriteBlindSpots(std::ostream& out, const Report& report, const TextOptions& options) {
  WriteHeading(out, "What this report could not see", options);
  if (report.integrity.empty()) {
    out << "  - No loss: every record that prof was given is in this report.\n";
  }
  for (const std::string& loss : report.integrity) {
    WriteParagraph(out, "  - ", Printable(loss), options.width);
  }
  for (const NoticeReport& notice : report.notices) {
    std::string text = notice.severity + ", " + notice.subsystem + ": " + Printable(notice.what);
    if (!notice.fix.empty()) text += ". Fix: " + Printable(notice.fix);
    WriteParagraph(out, "  - ", text, options.width);
  }
}

}  // namespace prof::report
