// SPDX-License-Identifier: Apache-2.0
//
// Writers make a file of a report: text, JSON, CSV or HTML, as `prof report` prints them. Link
// prof::analyzer. prof/export.h has the formats of other tools, prof/compare.h the writers of
// comparisons.
//
//   const prof::Snapshot snapshot = prof::Snapshot::FromFile("app.prof");
//   const prof::Report report = prof::Analyze(snapshot);
//   std::ofstream json("app.json");
//   prof::WriteJson(json, report);
//   std::ofstream page("app.html");
//   const std::string problem = prof::WriteHtml(page, snapshot, report);
//
// All of them may be called by several threads at once, each with a stream of its own. They do not
// change the report. Where a stream fails, it has its error, as any stream.
#ifndef PROF_WRITE_H_
#define PROF_WRITE_H_

#include <iosfwd>
#include <string>

#include "prof/report.h"
#include "prof/snapshot.h"

namespace prof {

/// The order of ranges, kernels, and ops and modules of PyTorch. kTotal, kCpu, kCpuTotal: of ops by
/// the GPU time of what they called as well, by their own time on the host, by all of that; of
/// modules by the time on the host with the last two. Elsewhere these are as kTime.
enum class SortBy { kTime, kCalls, kAverage, kGain, kName, kTotal, kCpu, kCpuTotal };

struct TextOptions {
  int width = 120;         ///< Columns, at least 80.
  int max_rows = 20;       ///< Ranges and kernels shown, at least 1; one row sums up the others.
  bool color = false;      ///< ANSI escapes for headings, the bar and what is urgent.
  bool utf8 = false;       ///< Lines and ellipses; else ASCII. Names keep their UTF-8.
  bool details = false;    ///< Evidence, signatures, samples over time: everything.
  bool instances = false;  ///< Ranges that differ in numbers only are listed one by one.
  SortBy sort = SortBy::kTime;
  double kernels_ns =
      0;  ///< Time of all kernels, for shares of it; 0: those of the report are all.
};

/// The report for people. A report with an error gives that error.
void WriteText(std::ostream& out, const Report& report, const TextOptions& options = {});

/// Everything in the report, for programs: one JSON object and a newline, with stable keys
/// (docs/guide/read-the-report.md). Numbers that are not measured (NaN, absent) are null. Strings
/// that are not UTF-8 have their bad bytes replaced.
void WriteJson(std::ostream& out, const Report& report);

/// The kernels, for spreadsheets and data frames: one line a signature after a header line (RFC
/// 4180, '.' as decimal point, LF). The fixed columns are followed by the median of every metric
/// that any kernel has, by CUPTI name. An empty cell was not measured.
void WriteCsv(std::ostream& out, const Report& report);

/// The report as one file for a browser. Returns why nothing was written; empty: it was. A build
/// without node and npm cannot write HTML. `report` is Analyze() of the same snapshot, which is
/// read again for the timeline: about 1 us and 3.5 bytes of the file for each operation, and as
/// much memory as Analyze(). Never throws.
[[nodiscard]] std::string WriteHtml(std::ostream& out, const Snapshot& snapshot,
                                    const Report& report);

}  // namespace prof

#endif  // PROF_WRITE_H_
