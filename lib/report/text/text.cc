// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/text.h"

#include <algorithm>
#include <locale>
#include <ostream>
#include <sstream>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/advice.h"
#include "lib/report/text/sections/actions_section.h"
#include "lib/report/text/sections/calls_section.h"
#include "lib/report/text/sections/continuous_section.h"
#include "lib/report/text/sections/header_section.h"
#include "lib/report/text/sections/kernels_section.h"
#include "lib/report/text/sections/memory_section.h"
#include "lib/report/text/sections/nvtx_section.h"
#include "lib/report/text/sections/ranges_section.h"
#include "lib/report/text/sections/regions_section.h"
#include "lib/report/text/sections/run_section.h"
#include "lib/report/text/sections/signatures_section.h"
#include "lib/report/text/sections/streams_section.h"
#include "lib/report/text/sections/torch_section.h"
#include "lib/report/text/sections/whole_run_section.h"
#include "lib/report/text/time_bar.h"

namespace prof {
namespace {

using Section = void (*)(std::ostream&, const Report&, const TextOptions&);

// In the order in which they are printed; the first four are the first screen. A section with
// nothing to report prints nothing, unless the absence itself is worth a line.
constexpr Section kSections[] = {
    report::WriteHeader,     report::WriteTimeBar,     report::WriteActions,
    report::WriteLosses,     report::WriteWholeRun,    report::WriteRanges,
    report::WriteKernels,    report::WriteAdvice,      report::WriteNotMeasured,
    report::WriteRegions,    report::WriteGaps,        report::WriteFindings,
    report::WriteCopies,     report::WriteCalls,       report::WriteMemory,
    report::WriteStreams,    report::WriteNvtx,        report::WriteTorch,
    report::WriteContinuous, report::WriteMeasurement, report::WriteBlindSpots};
// With TextOptions::details, behind the kernels.
constexpr Section kDetails = report::WriteSignatures;

// The views that this report has, beside those of each report.
std::string OtherViews(const Report& report) {
  constexpr int64_t kSteps = 3;  // times that make a range one of steps
  const bool steps = std::any_of(report.ranges.begin(), report.ranges.end(),
                                 [](const RangeNode& range) { return range.calls >= kSteps; });
  std::string views = steps ? "--steps, " : "";
  if (!report.lines.all.empty() || report.lines.host_idle.recorded) views += "--by-line, ";
  if (!report.lines.within.empty()) views += "--source FILE, ";
  return views;
}

void WriteSections(std::ostream& out, const Report& report, const TextOptions& options) {
  for (const Section section : kSections) {
    section(out, report, options);
    if (section == report::WriteNotMeasured && options.details) kDetails(out, report, options);
  }
  if (options.details) return;
  out << '\n';
  report::WriteParagraph(out, "",
                         std::string("More: --details (evidence, signatures, samples over time), "
                                     "--kernel RE, --range RE, ") +
                             OtherViews(report) + "--instances, --sort, --top, --json",
                         options.width);
}

}  // namespace

void WriteText(std::ostream& out, const Report& report, const TextOptions& requested) {
  TextOptions options = requested;
  options.width = std::max(options.width, 80);
  options.max_rows = std::max(options.max_rows, 1);
  // Into a string first: the stream's own width, fill and locale must not reach our columns.
  std::ostringstream text;
  text.imbue(std::locale::classic());
  if (!report.error.empty()) {
    report::WriteParagraph(
        text, "prof: ", "the recording could not be read: " + report::Printable(report.error),
        options.width);
  } else {
    WriteSections(text, report, options);
  }
  const std::string bytes = text.str();
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace prof
