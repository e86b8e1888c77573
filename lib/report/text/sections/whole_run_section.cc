// SPDX-License-Identifier: Apache-2.0
#include "lib/report/text/sections/whole_run_section.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "lib/report/base/strings.h"
#include "lib/report/base/table.h"
#include "lib/report/text/heading.h"
#include "lib/text/numbers.h"

namespace prof::report {
namespace {

constexpr int kWholeRunNameWidth = 48;

std::string ErrorCell(const EstimatedTime& time) {
  if (!time.error_ns || !(time.ns > 0)) return "-";
  return text::ShortPercent(*time.error_ns / time.ns);
}

Row RowOf(const WholeRunKernel& kernel, double all_ns, const TextOptions& options) {
  std::string name = ShortName(Printable(kernel.name), kWholeRunNameWidth, options);
  if (!kernel.time) {
    return {{std::to_string(kernel.device), std::move(name), text::Count(kernel.launches), "0", "-",
             "-", "-", "-"}};
  }
  const double ns = kernel.time->ns;
  const auto launches = static_cast<double>(std::max<int64_t>(1, kernel.launches));
  return {{std::to_string(kernel.device), std::move(name), text::Count(kernel.launches),
           text::Count(kernel.traced), text::Time(ns / launches), text::Time(ns),
           ErrorCell(*kernel.time), all_ns > 0 ? text::ShortPercent(ns / all_ns) : "-"}};
}

}  // namespace

void WriteWholeRun(std::ostream& out, const Report& report, const TextOptions& options) {
  if (!report.whole_run) return;
  const WholeRun& run = *report.whole_run;
  WriteHeading(out, "The whole run, estimated: kernels " + text::Time(run.kernels_time.ns),
               options);
  Table table;
  table.columns = {{"GPU", Align::kRight, 0, 1}, {"kernel", Align::kLeft, 16},
                   {"launches", Align::kRight},  {"traced", Align::kRight},
                   {"mean", Align::kRight},      {"time", Align::kRight},
                   {"+-", Align::kRight},        {"share", Align::kRight}};
  const size_t rows = std::min(run.kernels.size(), static_cast<size_t>(options.max_rows));
  for (size_t i = 0; i < rows; ++i) {
    table.rows.push_back(RowOf(run.kernels[i], run.kernels_time.ns, options));
  }
  WriteTable(out, table, options.width, options.utf8);
  if (rows < run.kernels.size()) {
    out << "(" << text::Count(static_cast<int64_t>(run.kernels.size() - rows))
        << " more; --top shows more)\n";
  }
  std::string how =
      "Kernels were traced in " + text::Count(run.windows) + " windows, " +
      text::Time(run.traced_ns) + " of the " + text::Time(run.span_ns) +
      " in which launches were counted. All else in this report is about the "
      "windows. +-: 95 % of such recordings come as close to the true time; -: too few "
      "windows had it. Of the sum: " +
      ErrorCell(run.kernels_time) + ".";
  if (run.launches_without > 0) {
    how += " Of " + text::Count(run.launches) + " launches " + text::Count(run.launches_without) +
           " are of kernels or graphs without a time: the sum has none of them.";
  }
  WriteParagraph(out, "", how, options.width);
}

}  // namespace prof::report
