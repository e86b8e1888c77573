// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/text.h"

#include <algorithm>
#include <locale>
#include <ostream>
#include <sstream>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/continuous_section.h"
#include "lib/report/text/header_section.h"
#include "lib/report/text/kernels_section.h"
#include "lib/report/text/memory_section.h"
#include "lib/report/text/nvtx_section.h"
#include "lib/report/text/ranges_section.h"
#include "lib/report/text/regions_section.h"
#include "lib/report/text/run_section.h"
#include "lib/report/text/streams_section.h"

namespace prof {
namespace {

// In the order in which they are printed. A section with nothing to report prints nothing, unless
// the absence itself is worth a line.
constexpr void (*kSections[])(std::ostream&, const Report&, const TextOptions&) = {
    report::WriteHeader,  report::WriteRanges,     report::WriteFindings, report::WriteKernels,
    report::WriteRegions, report::WriteContinuous, report::WriteGaps,     report::WriteCopies,
    report::WriteMemory,  report::WriteStreams,    report::WriteNvtx,     report::WriteBlindSpots};

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
        text, "prof: ", "the snapshot could not be read: " + report::Printable(report.error),
        options.width);
  } else {
    for (const auto section : kSections) section(text, report, options);
  }
  const std::string bytes = text.str();
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace prof
