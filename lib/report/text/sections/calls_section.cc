// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/calls_section.h"

#include <algorithm>
#include <ostream>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr size_t kFewCalls = 10;  // without --details

}  // namespace

void WriteCalls(std::ostream& out, const Report& report, const TextOptions& options) {
  if (report.api_calls.empty()) return;
  const auto most = static_cast<size_t>(options.max_rows);
  const size_t shown =
      std::min(report.api_calls.size(), options.details ? most : std::min(kFewCalls, most));
  WriteHeading(out, "CUDA calls: time on the host", options);
  Table table;
  table.columns = {{"time", Align::kRight},    {"calls", Align::kRight},
                   {"average", Align::kRight}, {"longest", Align::kRight},
                   {"failed", Align::kRight},  {"function", Align::kLeft, 20, 0, true}};
  for (size_t i = 0; i < shown; ++i) {
    const ApiSummary& call = report.api_calls[i];
    table.rows.push_back(
        {{text::Time(call.total_ns), text::Count(call.count),
          text::Time(call.total_ns / static_cast<double>(call.count)), text::Time(call.longest_ns),
          call.failed > 0 ? text::Count(call.failed) : "", Printable(call.name)}});
  }
  WriteTable(out, table, options.width, options.utf8);
  if (shown < report.api_calls.size()) {
    out << "and " << text::Count(static_cast<int64_t>(report.api_calls.size() - shown))
        << " more functions; --details shows more\n";
  }
}

}  // namespace prof::report
